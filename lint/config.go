package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"bunraku/source"
)

// Options are how puppet-lint is told what to do, on its command line or in a .puppet-lint.rc.
type Options struct {
	Checks            map[string]bool // turned on or off; the others are as they come
	FailOnWarnings    bool
	ErrorLevel        string // "all", "warning" or "error": what is shown; "" is all
	ShowIgnored       bool
	Relative          bool // classes belong where their module says, whatever its directory is called
	Fix               bool
	IgnorePaths       []string // nil is puppet-lint's own choice, DefaultIgnorePaths
	TopScopeVariables []string
	CharsPerIndent    int  // 0 is 2
	NoMetadata        bool // metadata.json is not looked at
}

// DefaultIgnorePaths are the files that are left out when nobody says otherwise.
var DefaultIgnorePaths = []string{"vendor/**/*.pp"}

// Arguments takes options as they are written on puppet-lint's command line, one word each. Options that are about
// how findings are printed have no effect: unused lists them. What is refused has no effect either.
func (o *Options) Arguments(words []string) (unused []string, refused []Refusal) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		refuse := func(why string) { refused = append(refused, Refusal{word, why}) }
		option, value, has := strings.Cut(word, "=")
		option = complete(option)
		next := func() string {
			if !has && i+1 < len(words) {
				i++
				value = words[i]
			}
			return value
		}
		switch takes := slices.Contains(valued, option); {
		case !strings.HasPrefix(word, "-"):
			refuse(fmt.Sprintf("%q is no option: those begin with --", word))
			continue
		case takes && !has && i+1 == len(words):
			refuse(option + " has no value")
			continue
		case !takes && has && known(option):
			refuse(option + " takes no value")
			continue
		}
		switch option {
		case "--fail-on-warnings":
			o.FailOnWarnings = true
		case "--error-level":
			given := strings.ToLower(next())
			level := slices.IndexFunc(levels, func(l string) bool { return given != "" && strings.HasPrefix(l, given) })
			if level < 0 {
				refuse(fmt.Sprintf("--error-level is all, warning or error, not %q", value))
				break
			}
			o.ErrorLevel = levels[level]
		case "--show-ignored":
			o.ShowIgnored = true
		case "--relative":
			o.Relative = true
		case "--no-metadata_json-check":
			o.NoMetadata = true
		case "--fix", "-f":
			o.Fix = true
		case "--only-checks":
			for _, name := range o.Only(list(next())) {
				refused = append(refused, Refusal{name, "there is no check " + name})
			}
		case "--ignore-paths":
			o.IgnorePaths = list(next())
		case "--top-scope-variables":
			o.TopScopeVariables = list(next())
		case "--with-filename", "--with-context", "--json", "--sarif", "--no-config":
			unused = append(unused, word)
		case "--log-format", "--codeclimate-report-file", "--load", "-l", "--load-from-puppet", "--config", "-c":
			next()
			unused = append(unused, word)
		default:
			if !o.toggle(option) {
				refuse("puppet-lint has no option " + word)
			}
		}
	}
	return unused, refused
}

// A Refusal is what is wrong with a word: puppet-lint has no such option, or no such check, or it has no value, or one
// that it must not have.
type Refusal struct{ Word, Why string }

// levels are the values of --error-level; the beginning of one stands for it.
var levels = []string{"all", "warning", "error"}

// optionNames are all options but those of single checks.
var optionNames = []string{"--fail-on-warnings", "--error-level", "--show-ignored", "--relative", "--fix",
	"--only-checks",
	"--ignore-paths", "--top-scope-variables", "--with-filename", "--with-context", "--json", "--sarif", "--no-config",
	"--log-format", "--codeclimate-report-file", "--load", "--load-from-puppet", "--config", "--no-metadata_json-check"}

// complete writes an option out: as in Ruby's library, capitals and underscores do not matter, and the beginning of an
// option stands for it if no other begins like that.
func complete(option string) string {
	if !strings.HasPrefix(option, "--") {
		return option
	}
	fold := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }
	want := fold(option)
	var found []string
	try := func(name string) bool {
		if strings.HasPrefix(fold(name), want) {
			found = append(found, name)
		}
		return fold(name) == want
	}
	for _, name := range optionNames {
		if try(name) {
			return name
		}
	}
	for i := range checks {
		if name := "--no-" + checks[i].name + "-check"; try(name) {
			return name
		}
		if name := "--" + checks[i].name + "-check"; checks[i].off && try(name) {
			return name
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return option
}

// known reports whether an option that is written out is one.
func known(option string) bool {
	var o Options
	return slices.Contains(optionNames, option) || o.toggle(option)
}

func list(s string) []string {
	if s == "" {
		return []string{}
	}
	return strings.Split(s, ",")
}

// toggle reads --no-CHECK-check and --CHECK-check.
func (o *Options) toggle(option string) bool {
	name, ok := strings.CutSuffix(strings.TrimPrefix(option, "--"), "-check")
	if !ok || !strings.HasPrefix(option, "--") {
		return false
	}
	name, off := strings.CutPrefix(name, "no-")
	return o.Set(name, !off)
}

// Set turns a check on or off. It is false for a check that there is not.
func (o *Options) Set(check string, on bool) bool {
	for i := range checks {
		if checks[i].name == check {
			if o.Checks == nil {
				o.Checks = map[string]bool{}
			}
			o.Checks[check] = on
			return true
		}
	}
	return false
}

// Only turns all checks off but these. It returns those of them that there are not.
func (o *Options) Only(names []string) (unknown []string) {
	for i := range checks {
		o.Set(checks[i].name, false)
	}
	o.NoMetadata = true
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "metadata_json" {
			o.NoMetadata = false
		} else if !o.Set(name, true) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// valued are the options that have a value.
var valued = []string{"--error-level", "--only-checks", "--ignore-paths", "--top-scope-variables", "--log-format",
	"--codeclimate-report-file", "--load", "-l", "--load-from-puppet", "--config", "-c"}

// wordsOf are the options of a line. For puppet-lint a line is one word, so that a value may have blanks in it; that
// several options stand in a line, or a comment behind them, is taken as well. open tells that a value is missing.
func wordsOf(line string) (words []string, open bool) {
	first := strings.Fields(line)[0]
	option, _, has := strings.Cut(first, "=")
	if slices.Contains(valued, complete(option)) {
		if has {
			return []string{line}, false
		}
		if rest := strings.TrimSpace(strings.TrimPrefix(line, first)); rest != "" {
			return []string{first, rest}, false
		}
		return []string{first}, true
	}
	line, _, _ = strings.Cut(line, " #")
	return strings.Fields(line), false
}

// ReadConfig takes in a .puppet-lint.rc: options, one a line. What has no effect here, and what nobody knows, is
// told.
func (o *Options) ReadConfig(file *source.File) source.Diagnostics {
	var out source.Diagnostics
	for n := 1; n <= file.LineCount(); n++ {
		given := file.Line(n)
		line := strings.TrimSpace(given)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line == "--" {
			break
		}
		words, open := wordsOf(line)
		if given[0] != line[0] { // to puppet-lint it is no option
			words, open = []string{given}, false
		}
		if open && n < file.LineCount() { // it is the next line
			n++
			words = append(words, strings.TrimSpace(file.Line(n)))
		}
		unused, refused := o.Arguments(words)
		start := file.Offset(source.Position{Line: n, Column: 1})
		place := source.Place{File: file, Span: source.Span{Start: start, End: start + uint32(len(file.Line(n)))}}
		for _, r := range refused {
			d := &source.Diagnostic{Code: "L0001", Severity: source.Warning, Place: place, Summary: r.Why,
				Help: "bunraku check --lint --help lists the options; checks of plugins that are not built in have no effect"}
			near := source.Nearest(strings.Trim(strings.TrimPrefix(strings.TrimPrefix(r.Word, "--"), "no-"), "-"), checkWords())
			if near != "" {
				d.Help = fmt.Sprintf("did you mean the check %s?", strings.TrimSuffix(near, "-check"))
			}
			out = append(out, d)
		}
		for _, word := range unused {
			out = append(out, &source.Diagnostic{Code: "L0002", Severity: source.Note, Place: place,
				Summary: fmt.Sprintf("the option %s has no effect here", word),
				Help:    "say how findings are printed with --format"})
		}
	}
	return out
}

func checkWords() []string {
	var out []string
	for i := range checks {
		out = append(out, checks[i].name+"-check")
	}
	return out
}

// Ignores reports whether a file is left out. name is as it is below the directory that is checked, with slashes.
func (o *Options) Ignores(name string) bool {
	patterns := o.IgnorePaths
	if patterns == nil {
		patterns = DefaultIgnorePaths
	}
	for _, p := range patterns {
		for _, form := range []string{name, "./" + name} {
			if wildcard(p, form, 0) {
				return true
			}
		}
	}
	return false
}

// wildcard matches as Ruby's File.fnmatch does without flags: `*` and `?` also match slashes, but no dot at the
// beginning of the name, and there are no braces.
func wildcard(pattern, name string, at int) bool {
	// The text after the last star is matched greedily from the left, with one place to come back to, so that the
	// time is the product of the lengths at most.
	p, n := 0, at
	backP, backN := -1, 0
	for n < len(name) {
		if p < len(pattern) {
			switch c := pattern[p]; {
			case c == '*':
				if n == 0 && name[0] == '.' {
					return false
				}
				backP, backN = p+1, n
				p++
				continue
			case c == '?' && !(n == 0 && name[0] == '.'):
				p++
				n++
				continue
			case c == '[':
				end := strings.IndexByte(pattern[p:], ']')
				if end > 1 {
					if ok, err := path.Match(strings.Replace(pattern[p:p+end+1], "[!", "[^", 1), name[n:n+1]); err == nil && ok {
						p += end + 1
						n++
						continue
					}
				}
			case c == '\\' && p+1 < len(pattern) && pattern[p+1] == name[n]:
				p += 2
				n++
				continue
			case c == name[n]:
				p++
				n++
				continue
			}
		}
		if backP < 0 {
			return false
		}
		backN++
		p, n = backP, backN
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
