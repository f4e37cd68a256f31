package environment

import (
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"bunraku/source"
)

var (
	puppetfileMod = regexp.MustCompile(`^\s*mod\s*\(?\s*["'](?:[^"'/-]+[/-])?([^"']+)["']`)
	puppetfileDir = regexp.MustCompile(`^\s*moduledir\s*\(?\s*["']([^"']+?)/?["']`)
	installPath   = regexp.MustCompile(`:?install_path\s*(?:=>|:)\s*["']([^"']*?)/?["']`)
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
			dirs = append(dirs, path.Join(into, name))
		}
		if m := installPath.FindStringSubmatch(line); m != nil && name != "" {
			dirs[len(dirs)-1] = path.Join(m[1], name)
		}
	}
	return dirs
}

var (
	puppetfileComment = regexp.MustCompile(`(^|\s)#[^"']*$`)
	puppetfileText    = regexp.MustCompile(`["']([^"']+)["']`)
	moduleName        = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	lockedModule      = regexp.MustCompile(`^    (?:[^\s/-]+[/-])?([a-z][a-z0-9_]*) \(`)
)

// Pins are what a Puppetfile says of each module, by its name, and under "" what it says besides, of any: a name that
// Ruby makes, or several statements on a line. What is said of a module has before it how much of the rest it stands
// behind: a moduledir, a variable or a condition holds for what comes after it. Comments and blanks do not count.
// librarian's Puppetfile.lock pins modules, too.
func Pins(view source.Files, root string) map[string]string {
	pins := map[string]string{}
	locked(view, root, pins)
	text, err := view.Read(filepath.Join(root, "Puppetfile"))
	if err != nil {
		return pins
	}
	name, open := "", false // whether the statement goes on
	rest, passed := 0, false
	for line := range strings.Lines(text.Text) {
		switch {
		case strings.HasPrefix(line, "=begin"):
			passed = true
		case strings.HasPrefix(line, "=end"):
			passed = false
			continue
		}
		if strings.TrimSpace(line) == "__END__" {
			break
		}
		// Behind a percent sign a text may begin that holds a #.
		if at := puppetfileComment.FindStringIndex(line); at != nil && !strings.Contains(line[:at[0]], "%") {
			line = line[:at[0]]
		}
		line = strings.Join(strings.Fields(line), " ")
		if line == "" || passed {
			continue
		}
		if m := puppetfileMod.FindStringSubmatch(line); m != nil {
			if name = m[1]; !moduleName.MatchString(name) || strings.Contains(line, ";") {
				name = ""
			}
		} else if !open && !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, ")") {
			name = ""
		}
		if name == "" {
			rest++
			pins[""] += line + "\n" + read(view, root, line)
		} else {
			pins[name] += strconv.Itoa(rest) + " " + line + "\n"
		}
		open = strings.HasSuffix(line, ",") || strings.HasSuffix(line, "(") || strings.HasSuffix(line, "\\")
	}
	return pins
}

// read is what is in the files beside the Puppetfile that a line of it names: it may evaluate them, or read a list.
func read(view source.Files, root, line string) (text string) {
	for _, m := range puppetfileText.FindAllStringSubmatch(line, -1) {
		name := m[1][strings.LastIndexAny(m[1], "/}")+1:]
		if name == "" || name == "Puppetfile" {
			continue
		}
		at := filepath.Join(root, name)
		if info, err := view.Stat(at); err == nil && !info.IsDir() {
			if c, err := view.Read(at); err == nil {
				text += c.Text + "\n"
			}
		}
	}
	return text
}

// locked reads a Puppetfile.lock: below a source, four blanks in, are the modules that come from it.
func locked(view source.Files, root string, pins map[string]string) {
	text, err := view.Read(filepath.Join(root, "Puppetfile.lock"))
	if err != nil {
		return
	}
	from := ""
	for line := range strings.Lines(text.Text) {
		line = strings.TrimRight(line, "\r\n")
		if m := lockedModule.FindStringSubmatch(line); m != nil {
			pins[m[1]] += "locked " + from + line + "\n"
		} else if !strings.HasPrefix(line, " ") {
			from = line + "\n"
		} else if !strings.HasPrefix(line, "    ") {
			from += line + "\n"
		}
	}
}
