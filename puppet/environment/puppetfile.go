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
