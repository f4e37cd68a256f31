package main

import (
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/syntax"
)

// templateOf is the template of the tree that template() or epp() names.
func (tree *faultTree) templateOf(name string) string {
	module, rest, is := strings.Cut(name, "/")
	if !is {
		return ""
	}
	return tree.inModule(module, "templates", rest)
}

// renders says which template of the tree a call renders, by a name that stands there.
func (tree *faultTree) renders(n syntax.Node) (name string, arg syntax.Expr) {
	c, is := n.(*syntax.Call)
	if !is || functor(c) != "template" && functor(c) != "epp" || len(c.Args) == 0 ||
		tree.templateOf(faultName(c.Args[0])) == "" {
		return "", nil
	}
	return faultName(c.Args[0]), c.Args[0]
}

// rendered draws a template that is rendered by its name, with the definition that does it.
func (tree *faultTree) rendered(r *rand.Rand, ending string) (file string, by syntax.Definition, in *syntax.File) {
	if len(tree.code) == 0 {
		return
	}
	in = tree.code[r.IntN(len(tree.code))]
	type use struct {
		file string
		by   syntax.Definition
	}
	var uses []use
	for _, d := range in.Defs {
		syntax.Walk(d, func(n syntax.Node) bool {
			if name, _ := tree.renders(n); name != "" && strings.HasSuffix(name, ending) {
				uses = append(uses, use{tree.templateOf(name), d})
			}
			return true
		})
	}
	if len(uses) == 0 {
		return "", nil, nil
	}
	u := uses[r.IntN(len(uses))]
	return u.file, u.by, in
}

// rubyRefuses asks Ruby whether a template's code does not parse.
func rubyRefuses(t *testing.T, text string) bool {
	t.Helper()
	return askRuby(t, `require 'erb'
begin
  RubyVM::InstructionSequence.compile(ERB.new(STDIN.read, trim_mode: '-').src)
  puts 'fine'
rescue SyntaxError
  puts 'refused'
end`, text) == "refused"
}

var (
	faultTag  = regexp.MustCompile(`<%(?:[^%]|%[^>])*%>`)
	faultIvar = regexp.MustCompile(`@[a-z]\w+`)
)

// ivars draws an instance variable in the tags of a template that the definition sets, and gives its line.
func ivars(tree *faultTree, file string, by syntax.Definition, r *rand.Rand) (name string, start int) {
	set := map[string]bool{}
	switch d := by.(type) {
	case *syntax.Class:
		for _, p := range d.Params {
			set[p.Name] = true
		}
	case *syntax.Define:
		for _, p := range d.Params {
			set[p.Name] = true
		}
	}
	text := tree.texts[file]
	var found [][2]int
	for _, tag := range faultTag.FindAllStringIndex(text, -1) {
		if strings.HasPrefix(text[tag[0]:], "<%#") {
			continue
		}
		for _, at := range faultIvar.FindAllStringIndex(text[tag[0]:tag[1]], -1) {
			from, to := tag[0]+at[0], tag[0]+at[1]
			if set[text[from+1:to]] && text[from-1] != '@' {
				found = append(found, [2]int{from + 1, to})
			}
		}
	}
	if len(found) == 0 {
		return "", 0
	}
	at := found[r.IntN(len(found))]
	return text[at[0]:at[1]], at[0]
}

func lineAt(file, text string, offset int) string {
	return fmt.Sprintf("%s:%d", file, strings.Count(text[:offset], "\n")+1)
}

var faultsOfTemplates = []faultKind{
	{"code: template misspelt", "U0106 E0401", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if name, arg := tree.renders(n); name != "" {
				found(faultSpot{file: f, span: arg.Span(), name: name})
			}
		})
		if p == nil {
			return nil
		}
		return p.misspelt(r, func(r *rand.Rand, name string) string { return misspeltPath(tree, r, name) })
	}},
	{"code: template is gone", "U0106 E0401", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if name, arg := tree.renders(n); name != "" {
				found(faultSpot{file: f, span: arg.Span(), name: name})
			}
		})
		if p == nil {
			return nil
		}
		return tree.without(tree.templateOf(p.name), p.name)
	}},
	{"ERB: does not parse", "U0201 T0002 R0001", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		file, _, _ := tree.rendered(r, ".erb")
		if file == "" {
			return nil
		}
		text := tree.texts[file]
		tags := faultTag.FindAllStringIndex(text, -1)
		if len(tags) == 0 {
			return nil
		}
		tag := tags[r.IntN(len(tags))]
		from, to := tag[0], tag[1]
		// A tag that somebody forgot, or the end of something in it.
		if way := r.IntN(3); way > 0 {
			i := strings.LastIndexAny(text[from:to], ")]'\"")
			if i < 0 {
				return nil
			}
			from, to = from+i, from+i+1
		}
		made := text[:from] + text[to:]
		if rubyRefuses(t, text) || !rubyRefuses(t, made) {
			return nil
		}
		return &fault{what: fmt.Sprintf("%s: without %s in line %s", file, text[from:to], lineAt("", text, from)[1:]),
			texts: map[string]string{file: made}, at: []string{file}}
	}},
	{"ERB: variable misspelt", "U0202", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		file, by, _ := tree.rendered(r, ".erb")
		if file == "" {
			return nil
		}
		name, at := ivars(tree, file, by, r)
		wrong := tree.words.misspell(r, name)
		if wrong == "" {
			return nil
		}
		text := tree.texts[file]
		return &fault{what: fmt.Sprintf("@%s became @%s", name, wrong), word: wrong, at: []string{lineAt(file, text, at)},
			texts: map[string]string{file: text[:at] + wrong + text[at+len(name):]}}
	}},
	{"ERB: its class's parameter was renamed", "U0202", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		file, by, in := tree.rendered(r, ".erb")
		if file == "" {
			return nil
		}
		name, _ := ivars(tree, file, by, r)
		wrong := tree.words.misspell(r, name)
		if wrong == "" {
			return nil
		}
		// Nobody else gives it or renders the template.
		var others int
		for _, f := range tree.code {
			for _, s := range f.Body.Stmts {
				syntax.Walk(s, func(n syntax.Node) bool {
					if used, _ := tree.renders(n); used != "" && tree.templateOf(used) == file {
						others++
					}
					return true
				})
			}
			if f != in && regexp.MustCompile(`\b`+name+`\b`).MatchString(f.Source.Text) {
				return nil
			}
		}
		word := regexp.MustCompile(`\b` + name + `\b`)
		for other, text := range tree.texts {
			if strings.HasSuffix(other, ".yaml") && word.MatchString(text) {
				return nil
			}
		}
		if others != 1 {
			return nil
		}
		f := &fault{what: fmt.Sprintf("$%s became $%s in %s", name, wrong, in.Source.Name), word: name,
			texts: map[string]string{in.Source.Name: word.ReplaceAllString(in.Source.Text, wrong)}}
		for i, line := range strings.Split(tree.texts[file], "\n") {
			if strings.Contains(line, "@"+name) {
				f.at = append(f.at, fmt.Sprintf("%s:%d", file, i+1))
			}
		}
		return f
	}},
	{"EPP: variable misspelt", "U0105 E0301", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		if len(tree.epp) == 0 {
			return nil
		}
		f := tree.epp[r.IntN(len(tree.epp))]
		set := map[string]bool{}
		for _, p := range f.Epp.Params {
			set[p.Name] = true
		}
		var spots []faultSpot
		for _, s := range f.Epp.Body.Stmts {
			syntax.Walk(s, func(n syntax.Node) bool {
				if v, is := n.(*syntax.Var); is && set[v.Name] {
					spots = append(spots, faultSpot{file: f, span: v.Span(), name: v.Name})
				}
				return true
			})
		}
		if len(spots) == 0 {
			return nil
		}
		return spots[r.IntN(len(spots))].misspelt(r, tree.words.misspell)
	}},
}

var (
	faultDependency = regexp.MustCompile(`^\s*\{?\s*"name"\s*:\s*"(\w+[-/]\w+)"`)
	faultRequires   = regexp.MustCompile(`"version_requirement"\s*:\s*"([^"]+)"`)
	faultPinned     = regexp.MustCompile(`^\s*mod\s*\(?\s*['"](\w+[-/]\w+)['"]\s*,\s*['"](\d+\.\d+\.\d+)['"]`)
	faultInstalled  = regexp.MustCompile(`(?m)^\s*"version"\s*:\s*"(\d+\.\d+\.\d+)"`)
)

// depends draws a line that names a module: in a Puppetfile, or among the dependencies of a metadata.json. there tells
// that the module has to be there, in some version.
func depends(tree *faultTree, r *rand.Rand, there bool) (l *faultLine, module string) {
	var files []string
	for _, f := range tree.files {
		if m := tree.moduleOf(f); f == "Puppetfile" || m != nil && f == m.dir+"metadata.json" {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, ""
	}
	file := files[r.IntN(len(files))]
	full := func(l faultLine) string { // author and name
		m := faultDependency.FindStringSubmatch(l.text())
		if file == "Puppetfile" {
			m = faultPinned.FindStringSubmatch(l.text())
		}
		if m == nil {
			return ""
		}
		return m[1]
	}
	name := func(l faultLine) string { return full(l)[strings.IndexAny(full(l), "-/")+1:] }
	_, after, _ := strings.Cut(tree.texts[file], `"dependencies"`)
	first := strings.Count(tree.texts[file], "\n") - strings.Count(after, "\n")
	l = linesOf(tree, file, r, func(l faultLine) bool {
		n := name(l)
		if n == "" || file != "Puppetfile" && l.n < first {
			return false
		}
		return !there || slices.ContainsFunc(tree.modules, func(m faultModule) bool {
			text := tree.texts[m.dir+"metadata.json"]
			whole := regexp.MustCompile(`"name"\s*:\s*"` + strings.NewReplacer("-", "[-/]", "/", "[-/]").Replace(full(l)) + `"`)
			return m.name == n && m.dir+"metadata.json" != file && faultInstalled.MatchString(text) && whole.MatchString(text)
		})
	})
	if l == nil {
		return nil, ""
	}
	return l, name(*l)
}

var faultsOfModules = []faultKind{
	{"modules: another version", "N0204", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l, module := depends(tree, r, true)
		if l == nil {
			return nil
		}
		if m := faultPinned.FindStringSubmatch(l.text()); m != nil {
			return l.instead(strings.Replace(l.text(), m[2], "99"+m[2], 1), module)
		}
		for range 2 { // the requirement stands in that line, or in the next
			if m := faultRequires.FindStringSubmatch(l.text()); m != nil {
				f := l.instead(strings.Replace(l.text(), m[1], ">= 99.0.0", 1), module)
				f.at = append(f.at, fmt.Sprintf("%s:%d", l.file, l.n))
				return f
			}
			if l.n++; l.n == len(l.lines) {
				break
			}
		}
		return nil
	}},
	{"modules: not there", "missing_module", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		l, module := depends(tree, r, false)
		if l == nil {
			return nil
		}
		wrong := tree.words.misspell(r, module)
		if wrong == "" {
			return nil
		}
		i := strings.LastIndex(l.text()[:strings.LastIndex(l.text(), module)+len(module)], module)
		f := l.instead(l.text()[:i]+wrong+l.text()[i+len(module):], wrong)
		f.lost = module
		return f
	}},
}

// computed says whether the tree names templates or files in a way that only a run can tell.
func (tree *faultTree) computed(functions ...string) bool {
	for _, f := range tree.code {
		computes := false
		for _, s := range f.Body.Stmts {
			syntax.Walk(s, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.Call:
					if slices.Contains(functions, functor(n)) && slices.ContainsFunc(n.Args, func(e syntax.Expr) bool {
						return faultName(e) == ""
					}) {
						computes = true
					}
				case *syntax.AttrOp:
					if n.Name == "source" && slices.Contains(functions, "source") && faultName(n.Value) == "" ||
						n.Name == "recurse" && slices.Contains(functions, "source") {
						computes = true
					}
				}
				return true
			})
		}
		if computes {
			return true
		}
	}
	return false
}

var (
	faultMod      = regexp.MustCompile(`(?m)^\s*mod\s+['"]([^'"]+)['"]`)
	faultIncludes = regexp.MustCompile(`(?m)^\s*(?:include|contain)\s+["']?[a-z:]+::`)
	faultAny      = regexp.MustCompile(`(?m)(?:include|contain)[ (]+\$|\.(?:include|contain)\b|hiera_include`)
)

// closed says whether nothing outside of the tree can name its definitions: it is a control repo whose other modules
// are those of others, each with its author, and, for classes, the main manifest includes them by their names.
func (tree *faultTree) closed(classes bool) bool {
	mods := faultMod.FindAllStringSubmatch(tree.texts["Puppetfile"], -1)
	nameless := func(m []string) bool { return !strings.ContainsAny(m[1], "-/") }
	if len(tree.modules) < 2 || mods == nil || slices.ContainsFunc(mods, nameless) {
		return false
	}
	includes := false
	for _, f := range tree.code {
		if classes && faultAny.MatchString(f.Source.Text) {
			return false
		}
		includes = includes || tree.moduleOf(f.Source.Name) == nil && faultIncludes.MatchString(f.Source.Text)
	}
	return !classes || includes
}

// copied copies a class under another name, in a file of its own, as a class or as a define.
func copied(tree *faultTree, r *rand.Rand, keyword string) *fault {
	if !tree.closed(keyword == "class") {
		return nil
	}
	f := tree.code[r.IntN(len(tree.code))]
	module := tree.moduleOf(f.Source.Name)
	if module == nil || len(f.Defs) != 1 || strings.HasPrefix(module.name, "role") ||
		strings.HasSuffix(f.Source.Name, "manifests/init.pp") {
		return nil
	}
	class, is := f.Defs[0].(*syntax.Class)
	if !is || !strings.Contains(class.Name, "::") || class.Parent != "" {
		return nil
	}
	name := class.Name
	other := tree.words.misspellLast(r, name)
	if other == "" {
		return nil
	}
	file := path.Dir(f.Source.Name) + "/" + other[strings.LastIndex(other, "::")+2:] + ".pp"
	text := regexp.MustCompile(`(?m)^class(\s+)`+name+`\b`).ReplaceAllString(f.Source.Text, keyword+"${1}"+other)
	return &fault{what: file + " is a copy", texts: map[string]string{file: text}, at: []string{file}, word: other}
}

var faultsUnused = []faultKind{
	{"unused: class", "U0301", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		return copied(tree, r, "class")
	}},
	{"unused: define", "U0302", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		return copied(tree, r, "define")
	}},
	{"unused: template", "U0305", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		file, _, _ := tree.rendered(r, "")
		if file == "" || tree.computed("template", "epp") {
			return nil
		}
		return tree.copiedFile(r, file)
	}},
	{"unused: file", "U0306", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		if tree.computed("file", "source") {
			return nil
		}
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if op, is := n.(*syntax.AttrOp); is && op.Name == "source" && tree.fileOf(faultName(op.Value)) != "" {
				found(faultSpot{file: f, span: op.Value.Span(), name: faultName(op.Value)})
			}
		})
		if p == nil {
			return nil
		}
		return tree.copiedFile(r, tree.fileOf(p.name))
	}},
}

// copiedFile is the fault that somebody left a copy of a file beside it.
func (tree *faultTree) copiedFile(r *rand.Rand, file string) *fault {
	name := misspeltPath(tree, r, file)
	if name == "" || tree.texts[file] == "" {
		return nil
	}
	return &fault{what: name + " is a copy", texts: map[string]string{name: tree.texts[file]}, at: []string{name},
		word: path.Base(name)}
}
