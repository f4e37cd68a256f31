package listing

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Which accounts a package makes is in the scripts that run when it is installed, and a database of dpkg has these.
// They are read only as far as they say it plainly: a line with adduser, useradd, addgroup or groupadd whose last word
// is a name. A script that says it in another way makes what nobody knows.

// makesAccount is such a line, up to where the command ends.
var makesAccount = regexp.MustCompile(`(?m)\b(adduser|useradd|addgroup|groupadd)\s+([^|;&><\n#]*)`)

// otherwise are words of scripts that may make accounts in another way.
var otherwise = regexp.MustCompile(`\b(sysusers|newusers|vipw)\b`)

// comment is a line that does nothing.
var comment = regexp.MustCompile(`(?m)^\s*#.*$`)

// accounts are those that the scripts of a package make, sorted: "user redis". known is false if there are no scripts
// to be read, or they do not say it plainly.
func (d *dpkg) accounts(name string) (out []string, known bool) {
	if !d.scripted || !plainName(name) {
		return nil, false
	}
	if list, err := d.file(name, ".list"); err != nil || list == "" {
		return nil, false
	}
	for _, ending := range []string{".preinst", ".postinst"} {
		file, err := d.file(name, ending)
		if err != nil {
			return nil, false
		}
		if file == "" {
			continue
		}
		text, err := os.ReadFile(file)
		script := comment.ReplaceAllString(strings.ReplaceAll(string(text), "\\\n", " "), "")
		if err != nil || otherwise.MatchString(script) {
			return nil, false
		}
		for _, m := range makesAccount.FindAllStringSubmatch(script, -1) {
			words := strings.Fields(m[2])
			if len(words) == 0 {
				return nil, false
			}
			if len(words) == 2 && !strings.HasPrefix(words[0], "-") {
				continue // a user that is there comes into a group
			}
			who := words[len(words)-1]
			if !validName(who) || strings.ContainsAny(who, "$\"'`") || strings.HasPrefix(who, "-") {
				return nil, false
			}
			group := slices.ContainsFunc(words, func(w string) bool {
				return w == "--group" || w == "--user-group" ||
					w == "-U"
			})
			if strings.HasSuffix(m[1], "group") || strings.HasPrefix(m[1], "group") || group {
				out = append(out, "group "+who)
			}
			if m[1] == "adduser" || m[1] == "useradd" {
				out = append(out, "user "+who)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), true
}

// hasScripts reports whether a database has the scripts of its packages.
func hasScripts(dir string) bool {
	files, err := filepath.Glob(filepath.Join(globQuote(dir), "info", "*.postinst"))
	return err == nil && len(files) > 0
}
