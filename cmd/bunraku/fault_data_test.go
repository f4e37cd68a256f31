package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/syntax"
)

// faultKey is a line of a data file that gives a key of the top its value, in that line or in those below it.
var faultKey = regexp.MustCompile(`^(['"]?)([a-z][\w]*(?:::\w+)*)(['"]?):(?:[ \t]+(.*))?$`)

// A faultLine is a line of a file.
type faultLine struct {
	file  string
	lines []string // of the file
	n     int      // from 0
}

func (l faultLine) text() string { return l.lines[l.n] }

// with is the file with another line, or several.
func (l faultLine) with(lines ...string) map[string]string {
	out := append(append(append([]string{}, l.lines[:l.n]...), lines...), l.lines[l.n+1:]...)
	return map[string]string{l.file: strings.Join(out, "\n")}
}

func (l faultLine) at() string { return fmt.Sprintf("%s:%d", l.file, l.n+1) }

// instead is the fault that the line is another one.
func (l faultLine) instead(line, word string) *fault {
	return &fault{what: fmt.Sprintf("%q became %q", strings.TrimSpace(l.text()), strings.TrimSpace(line)),
		texts: l.with(line), at: []string{l.at()}, word: word}
}

// faultLines draws a line of a data file for which is holds.
func faultLines(tree *faultTree, r *rand.Rand, is func(faultLine) bool) *faultLine {
	if len(tree.levels) == 0 {
		return nil
	}
	h := tree.levels[r.IntN(len(tree.levels))]
	if len(h.data) == 0 {
		return nil
	}
	return linesOf(tree, h.data[r.IntN(len(h.data))], r, is)
}

// linesOf draws a line of a file for which is holds.
func linesOf(tree *faultTree, file string, r *rand.Rand, is func(faultLine) bool) *faultLine {
	lines := strings.Split(tree.texts[file], "\n")
	var found []faultLine
	for i := range lines {
		if l := (faultLine{file, lines, i}); is(l) {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &found[r.IntN(len(found))]
}

// block is the line with those below it that belong to it.
func (l faultLine) block() []string {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	end := l.n + 1
	for end < len(l.lines) && (indent(l.lines[end]) > indent(l.text()) ||
		indent(l.lines[end]) == indent(l.text()) && strings.HasPrefix(strings.TrimSpace(l.lines[end]), "- ") &&
			!strings.HasPrefix(strings.TrimSpace(l.text()), "- ")) && strings.TrimSpace(l.lines[end]) != "" {
		end++
	}
	return l.lines[l.n:end]
}

// parameterOf is the parameter of a class in the tree that a key of data gives its value.
func (tree *faultTree) parameterOf(key string) *syntax.Param {
	i := strings.LastIndex(key, "::")
	if i < 0 {
		return nil
	}
	if c := tree.class(key[:i]); c != nil {
		for _, p := range c.Params {
			if p.Name == key[i+2:] {
				return p
			}
		}
	}
	return nil
}

// isKey says whether the line gives a parameter of a class in the tree its value.
func (tree *faultTree) isKey(l faultLine) bool {
	m := faultKey.FindStringSubmatch(l.text())
	return m != nil && tree.parameterOf(m[2]) != nil
}

// askRuby runs a script, which reads the text and prints one word at last.
func askRuby(t *testing.T, script, text string) string {
	t.Helper()
	c := live.Command("ruby", "-W0", "-e", script)
	c.Stdin = strings.NewReader(text)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, script)
	}
	return strings.TrimSpace(string(out))
}

// psychRefuses asks Ruby whether it cannot read a text as YAML.
func psychRefuses(t *testing.T, text string) bool {
	t.Helper()
	return askRuby(t, `require 'yaml'
begin
  YAML.parse(STDIN.read).to_ruby
  puts 'fine'
rescue Psych::Exception
  puts 'refused'
end`, text) == "refused"
}

// hieraLine draws a line of a hiera.yaml.
func hieraLine(tree *faultTree, r *rand.Rand, is func(faultLine) bool) *faultLine {
	if len(tree.levels) == 0 {
		return nil
	}
	return linesOf(tree, tree.levels[r.IntN(len(tree.levels))].file, r, func(l faultLine) bool {
		return !strings.HasPrefix(strings.TrimSpace(l.text()), "#") && is(l)
	})
}

var (
	faultNested = regexp.MustCompile(`^ +['"]?[\w.-]+['"]?: +[^ {\[|>&*].*$`)
	faultFact   = regexp.MustCompile(`%\{(?:facts|::facts|trusted)\.[\w.]+\}`)
	faultFixed  = regexp.MustCompile(`([\w-]+)(\.e?yaml)['"]?\s*$`)
)

var faultsOfData = []faultKind{
	{"data: YAML that does not parse", "H0501 H0101 H0209 H0106",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			way := r.IntN(5)
			l := faultLines(tree, r, func(l faultLine) bool { return strings.Contains(l.text(), ":") && l.n > 0 })
			if l == nil {
				return nil
			}
			line := l.text()
			switch way {
			case 0:
				line = "\t" + strings.TrimLeft(line, " ")
			case 1:
				line = strings.Replace(line, ": ", ":", 1)
			case 2:
				line = strings.TrimRight(line, "'\"")
			case 3:
				line = " " + line
			default:
				line = strings.TrimRight(line, "]}")
			}
			if line == l.text() || psychRefuses(t, tree.texts[l.file]) || !psychRefuses(t, l.with(line)[l.file]) {
				return nil
			}
			f := l.instead(line, "")
			f.at = []string{l.file}
			return f
		}},
	{"data: key twice", "H0502", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l := faultLines(tree, r, func(l faultLine) bool { return faultKey.MatchString(l.text()) })
		if l == nil || strings.Contains(strings.Join(l.block(), "\n"), "&") {
			return nil
		}
		text := strings.TrimRight(tree.texts[l.file], "\n")
		if strings.HasSuffix(text, "...") {
			return nil
		}
		m := faultKey.FindStringSubmatch(l.text())
		return &fault{what: "again " + l.text(), word: m[2], at: []string{l.at(), fmt.Sprintf("%s:%d", l.file,
			strings.Count(text, "\n")+2)},
			texts: map[string]string{l.file: text + "\n" + strings.Join(l.block(), "\n") + "\n"}}
	}},
	{"data: nested key twice", "H0502", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l := faultLines(tree, r, func(l faultLine) bool { return faultNested.MatchString(l.text()) && len(l.block()) == 1 })
		if l == nil {
			return nil
		}
		made := l.with(l.text(), l.text())
		if psychRefuses(t, made[l.file]) || !nestedTwice(t, made[l.file]) {
			return nil
		}
		return &fault{what: "again " + l.text(), texts: made,
			at: []string{l.at(), fmt.Sprintf("%s:%d", l.file, l.n+2)}}
	}},
	{"data: parameter of a key misspelt", "H0503", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l := faultLines(tree, r, tree.isKey)
		if l == nil {
			return nil
		}
		key := faultKey.FindStringSubmatch(l.text())[2]
		wrong := tree.words.misspellLast(r, key)
		if wrong == "" {
			return nil
		}
		f := l.instead(strings.Replace(l.text(), key, wrong, 1), "")
		f.word, f.lost = misspeltPart(key, wrong)
		return f
	}},
	{"data: class of a key misspelt", "H0503", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l := faultLines(tree, r, tree.isKey)
		if l == nil {
			return nil
		}
		key := faultKey.FindStringSubmatch(l.text())[2]
		i := strings.LastIndex(key, "::")
		wrong := tree.words.misspellIn(r, key[:i])
		if wrong == "" {
			return nil
		}
		f := l.instead(strings.Replace(l.text(), key, wrong+key[i:], 1), "")
		f.word, f.lost = misspeltPart(key[:i], wrong)
		return f
	}},
	{"data: value of another type", "H0504 E0412 E0531", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l := faultLines(tree, r, func(l faultLine) bool {
			m := faultKey.FindStringSubmatch(l.text())
			return m != nil && len(l.block()) == 1 && strings.TrimSpace(m[4]) != ""
		})
		if l == nil || strings.Contains(tree.texts[l.file], "convert_to") {
			return nil
		}
		m := faultKey.FindStringSubmatch(l.text())
		wrong, _ := wrongFor(tree.parameterOf(m[2]))
		if wrong[1] == "" {
			return nil
		}
		f := l.instead(m[1]+m[2]+m[3]+": "+wrong[1], "")
		f.lost = m[2][strings.LastIndex(m[2], ":")+1:]
		return f
	}},
	{"hiera.yaml: fact of a level misspelt", "H0505 H0333 H0401 H0503",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			l := hieraLine(tree, r, func(l faultLine) bool { return faultFact.MatchString(l.text()) })
			if l == nil {
				return nil
			}
			all := faultFact.FindAllString(l.text(), -1)
			fact := all[r.IntN(len(all))]
			parts := faultWord.FindAllString(fact, -1)
			i := r.IntN(len(parts))
			if parts[0] == "trusted" && len(parts) > 2 {
				i = r.IntN(2) // which extensions there are is not known
			}
			wrong := tree.words.misspell(r, parts[i])
			if wrong == "" {
				return nil
			}
			return l.instead(strings.Replace(l.text(), fact, strings.Replace(fact, parts[i], wrong, 1), 1), wrong)
		}},
	{"hiera.yaml: path of a level misspelt", "H0505", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l := hieraLine(tree, r, func(l faultLine) bool {
			return faultFixed.MatchString(l.text()) && !strings.Contains(l.text(), "%{")
		})
		if l == nil {
			return nil
		}
		m := faultFixed.FindStringSubmatch(l.text())
		wrong := tree.words.misspell(r, m[1])
		if wrong == "" {
			return nil
		}
		return l.instead(strings.Replace(l.text(), m[1]+m[2], wrong+m[2], 1), wrong)
	}},
	{"hiera.yaml: datadir misspelt", "H0506", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l := hieraLine(tree, r, func(l faultLine) bool { return faultDatadir.MatchString(l.text()) })
		if l == nil {
			return nil
		}
		dir := faultDatadir.FindStringSubmatch(l.text())[1]
		wrong := tree.words.misspell(r, dir)
		if wrong == "" {
			return nil
		}
		i := strings.LastIndex(l.text(), dir)
		return l.instead(l.text()[:i]+wrong+l.text()[i+len(dir):], wrong)
	}},
	{"data: interpolated key misspelt", "H0507", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l := faultLines(tree, r, func(l faultLine) bool {
			m := faultKey.FindStringSubmatch(l.text())
			return m != nil && len(l.block()) == 1 && m[4] != ""
		})
		if l == nil {
			return nil
		}
		of := faultLines(tree, r, func(o faultLine) bool { return faultKey.MatchString(o.text()) })
		if of == nil {
			return nil
		}
		m := faultKey.FindStringSubmatch(l.text())
		key := faultKey.FindStringSubmatch(of.text())[2]
		wrong := tree.words.misspellLast(r, key)
		if wrong == "" {
			return nil
		}
		how := []string{"lookup", "hiera", "alias"}[r.IntN(3)]
		f := l.instead(fmt.Sprintf(`%s: "%%{%s('%s')}"`, m[1]+m[2]+m[3], how, wrong), wrong)
		f.lost = m[2][strings.LastIndex(m[2], ":")+1:]
		return f
	}},
	{"data: YAML alias of no anchor", "H0501 H0102 H0209 H0101",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			l := faultLines(tree, r, func(l faultLine) bool {
				m := faultKey.FindStringSubmatch(l.text())
				return m != nil && len(l.block()) == 1 && m[4] != ""
			})
			if l == nil {
				return nil
			}
			m := faultKey.FindStringSubmatch(l.text())
			wrong := tree.words.misspell(r, "defaults")
			return l.instead(fmt.Sprintf("%s: *%s", m[1]+m[2]+m[3], wrong), wrong)
		}},
	{"data: secret where no level decrypts", "H0508 E0412",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			if len(tree.levels) == 0 {
				return nil
			}
			h := tree.levels[r.IntN(len(tree.levels))]
			if h.eyaml || len(h.data) == 0 {
				return nil
			}
			l := linesOf(tree, h.data[r.IntN(len(h.data))], r, func(l faultLine) bool {
				m := faultKey.FindStringSubmatch(l.text())
				return m != nil && len(l.block()) == 1 && m[4] != ""
			})
			if l == nil {
				return nil
			}
			m := faultKey.FindStringSubmatch(l.text())
			return l.instead(m[1]+m[2]+m[3]+": ENC[PKCS7,MIIBeQYJKoZIhvcNAQcDoIIBajCCAWYCAQAxggEhMIIBHQIBADAFMAACAQEwDQYJKoZI"+
				"hvcNAQEBBQAEggEA]", "")
		}},
}

// nestedTwice asks Ruby whether a mapping of a YAML text has a key twice.
func nestedTwice(t *testing.T, text string) bool {
	t.Helper()
	return askRuby(t, `require 'yaml'
def twice(n)
  keys = n.is_a?(Psych::Nodes::Mapping) ? n.children.each_slice(2).map(&:first) : []
  keys = keys.map { |k| k.respond_to?(:value) ? k.value : k }
  keys.uniq != keys || (n.children || []).any? { |c| twice(c) }
end
puts twice(YAML.parse(STDIN.read))`, text) == "true"
}
