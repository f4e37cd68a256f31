package environment

import (
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/source"
)

var (
	puppetfileMod = regexp.MustCompile(`^\s*mod\s*\(?\s*["'](?:[^"'/-]+[/-])?([^"']+)["']`)
	puppetfileDir = regexp.MustCompile(`^\s*moduledir\s*\(?\s*["']([^"']+?)/?["']`)
	installPath   = regexp.MustCompile(`:?install_path\s*(?:=>|:)\s*["']([^"']+?)/?["']`)
)

// Puppetfile lists the directories, relative to the environment, that r10k or librarian fill from a Puppetfile.
// The file is Ruby; what is read of it are the lines that everybody writes.
func Puppetfile(view source.Files, root string) (dirs []string) {
	text, err := view.Read(filepath.Join(root, "Puppetfile"))
	if err != nil {
		return nil
	}
	into, name := "modules", ""
	for line := range strings.Lines(text.Text) {
		if m := puppetfileDir.FindStringSubmatch(line); m != nil {
			into = m[1]
		}
		if m := puppetfileMod.FindStringSubmatch(line); m != nil {
			name = m[1]
			dirs = append(dirs, into+"/"+name)
		}
		if m := installPath.FindStringSubmatch(line); m != nil && name != "" {
			dirs[len(dirs)-1] = m[1] + "/" + name
		}
	}
	return dirs
}

var (
	puppetfileComment = regexp.MustCompile(`(^|\s)#[^"']*$`)
	moduleName        = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// Pins are what a Puppetfile says of each module, by its name, and under "" what it says besides, of any: a name that
// Ruby makes, or several statements on a line. Comments and blanks do not count.
func Pins(view source.Files, root string) map[string]string {
	pins := map[string]string{}
	text, err := view.Read(filepath.Join(root, "Puppetfile"))
	if err != nil {
		return pins
	}
	name, open := "", false // whether the statement goes on
	for line := range strings.Lines(text.Text) {
		line = strings.Join(strings.Fields(puppetfileComment.ReplaceAllString(line, "")), " ")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if m := puppetfileMod.FindStringSubmatch(line); m != nil {
			if name = m[1]; !moduleName.MatchString(name) || strings.Contains(line, ";") {
				name = ""
			}
		} else if !open && !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, ")") {
			name = ""
		}
		pins[name] += line + "\n"
		open = strings.HasSuffix(line, ",") || strings.HasSuffix(line, "(") || strings.HasSuffix(line, "\\")
	}
	return pins
}
