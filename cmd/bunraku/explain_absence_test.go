package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Something is in a node's catalog, and one reason is planted why it is there no more. Lines that are the reason are
// marked, so that it is known where they are afterwards. What explain says of the thing must name one of them in its
// first three rows.

// absenceMark is on lines that are the reason.
const absenceMark = "# planted"

// An absenceTree is a tree with one node that compiles.
type absenceTree struct {
	name, dir string
	args      []string // that name the node
	node      string
	texts     map[string]string // of manifests and data
	own       string            // the role that the node has for data that are planted
	spots     []*absenceSpot
}

// An absenceSpot is a resource expression with one title that is written out, directly in a body, and in the catalog.
type absenceSpot struct {
	tree       *absenceTree
	file, text string
	at, title  source.Span
	body       source.Span
	typ, name  string // as the catalog has it
	line       int    // of the title
	class      string // whose body it is, "" for another
	classLine  int
	included   []source.Span // calls of include that name the class, in the file includedIn
	includedIn string
	attributes []*syntax.AttrOp
	isDefine   bool
	from       string // of a define: a resource that its code declares, and where
	fromAt     string
}

// An absence is what was planted.
type absence struct {
	texts map[string]string
	ref   []string // what is asked
	at    []string // lines that are the reason, besides those that are marked
}

// absenceResource is a resource of a catalog.
type absenceResource struct {
	Type, Title, File string
	Line              int
}

// catalog compiles a tree's node; ok is false if that fails.
func (tree *absenceTree) catalog() (list []absenceResource, ok bool) {
	code, out, _ := call(append([]string{"compile", tree.dir}, tree.args...)...)
	var catalog struct{ Resources []absenceResource }
	if code != 0 || json.Unmarshal([]byte(out), &catalog) != nil {
		return nil, false
	}
	for i := range catalog.Resources {
		r := &catalog.Resources[i]
		if rel, err := filepath.Rel(tree.dir, r.File); err == nil {
			r.File = filepath.ToSlash(rel)
		}
	}
	return catalog.Resources, true
}

// newAbsenceTree copies a tree, so that it can be changed, and finds what can be taken away. It is nil if the node does
// not compile.
func newAbsenceTree(t *testing.T, name, from string, files map[string]string, args ...string) *absenceTree {
	t.Helper()
	tree := &absenceTree{name: name, dir: filepath.Join(t.TempDir(), "env"), args: args, node: args[1],
		texts: map[string]string{}}
	err := os.CopyFS(tree.dir, os.DirFS(from))
	if err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(filepath.Join(tree.dir, ".git"))
	if files != nil {
		os.RemoveAll(filepath.Join(tree.dir, "manifests"))
		writeFiles(t, filesBelow(tree.dir, files))
	}
	tree.addLevels(t)
	list, ok := tree.catalog()
	if !ok {
		return nil
	}
	at := map[string]absenceResource{}
	for _, r := range list {
		at[fmt.Sprintf("%s:%d %s", r.File, r.Line, strings.ToLower(r.Type)+" "+r.Title)] = r
	}
	filepath.WalkDir(tree.dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(tree.dir, path)
		if err != nil || d.IsDir() || !strings.HasSuffix(rel, ".pp") && !strings.HasSuffix(rel, ".yaml") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "\r") {
			return nil
		}
		tree.texts[filepath.ToSlash(rel)] = string(text)
		return nil
	})
	names := slices.Sorted(maps.Keys(tree.texts))
	for _, name := range names {
		if strings.HasSuffix(name, ".pp") {
			tree.read(name, at)
		}
	}
	for _, s := range tree.spots {
		tree.included(s, names)
		s.isDefine = strings.Contains(s.typ, "::")
		for _, r := range list { // of the defines' resources, one that has the define's title in its own
			if s.isDefine && s.from == "" && strings.Contains(r.Title, s.name) && r.File != s.file && r.File != "" &&
				r.Type != s.typ {
				s.from, s.fromAt = r.Type+"["+r.Title+"]", fmt.Sprintf("%s:%d", r.File, r.Line)
			}
		}
	}
	if len(tree.spots) == 0 {
		return nil
	}
	return tree
}

// addLevels puts levels of data on top of the tree's own.
func (tree *absenceTree) addLevels(t *testing.T) {
	path := filepath.Join(tree.dir, "hiera.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		text = []byte("---\nversion: 5\nhierarchy:\n")
	}
	tree.own = "Debian"
	if strings.Contains(strings.Join(tree.args, " "), "db1.") {
		tree.own = "RedHat"
	}
	const level = "  - name: \"planted %s\"\n    path: \"%s.yaml\"\n    datadir: planted\n    data_hash: yaml_data\n"
	lines := regexp.MustCompile(`(?m)^hierarchy:\n`).FindIndex(text)
	if lines == nil {
		return
	}
	indent := regexp.MustCompile(`^(?:\s*#.*\n|\s*\n)*( *)- `).FindSubmatch(text[lines[1]:])
	add := fmt.Sprintf(level, "node", "node/%{trusted.certname}") +
		fmt.Sprintf(level, "role", "role/%{facts.os.family}") + fmt.Sprintf(level, "common", "common")
	if indent != nil && string(indent[1]) == "" {
		add = regexp.MustCompile(`(?m)^  `).ReplaceAllString(add, "")
	}
	os.WriteFile(path, []byte(string(text[:lines[1]])+add+string(text[lines[1]:])), 0o644)
}

// read finds the resources of a manifest.
func (tree *absenceTree) read(name string, at map[string]absenceResource) {
	f, said := syntax.Parse(source.NewFile(name, tree.texts[name]), syntax.Options{})
	if said.HasErrors() {
		return
	}
	look := func(class string, classAt source.Span, b syntax.Body) {
		for _, s := range b.Stmts {
			r, is := s.(*syntax.Resource)
			if !is || r.Form != syntax.Regular || len(r.Bodies) != 1 {
				continue
			}
			title, is := r.Bodies[0].Title.(*syntax.Str)
			typ, named := r.Type.(*syntax.Name)
			if !is || !named {
				continue
			}
			line := f.Source.Position(r.Bodies[0].Title.Span().Start).Line
			have, is := at[fmt.Sprintf("%s:%d %s", name, line, strings.ToLower(typ.Value)+" "+title.Value)]
			if !is {
				line = f.Source.Position(r.Span().Start).Line
				if have, is = at[fmt.Sprintf("%s:%d %s", name, line, strings.ToLower(typ.Value)+" "+title.Value)]; !is {
					continue
				}
			}
			if have.Type == "Class" || strings.Contains(f.Source.Slice(r.Span()), "@(") { // a heredoc goes on behind it
				continue
			}
			spot := &absenceSpot{tree: tree, file: name, text: tree.texts[name], at: r.Span(), title: title.Span(),
				typ: have.Type, name: have.Title, line: line, class: class, attributes: r.Bodies[0].Ops, body: b.Braces}
			if class != "" {
				spot.classLine = f.Source.Position(classAt.Start).Line
			}
			tree.spots = append(tree.spots, spot)
		}
	}
	look("", source.Span{}, f.Body)
	for _, d := range f.Defs {
		switch d := d.(type) {
		case *syntax.Class:
			look(d.Name, d.NameAt, d.Body)
		case *syntax.NodeDef:
			look("", source.Span{}, d.Body)
		}
	}
}

// included finds the one file with calls of include that name a spot's class; nothing if there are several.
func (tree *absenceTree) included(s *absenceSpot, names []string) {
	if s.class == "" {
		return
	}
	call := regexp.MustCompile(`\b(?:include|contain|require) +(?:::)?` + regexp.QuoteMeta(s.class) + `\b(?:[^:]|$)`)
	for _, name := range names {
		if !strings.HasSuffix(name, ".pp") {
			continue
		}
		for _, m := range call.FindAllStringIndex(tree.texts[name], -1) {
			if s.includedIn != "" && s.includedIn != name {
				s.includedIn, s.included = "", nil
				return
			}
			end := m[0] + strings.LastIndex(tree.texts[name][m[0]:m[1]], s.class) + len(s.class)
			s.includedIn, s.included = name, append(s.included, source.Span{Start: uint32(m[0]), End: uint32(end)})
		}
	}
}

// ref is the resource, as it is asked for.
func (s *absenceSpot) ref() string { return s.typ + "[" + s.name + "]" }

// own is the text of the resource expression.
func (s *absenceSpot) own() string { return s.text[s.at.Start:s.at.End] }

// instead is the file with another text in place of the resource expression.
func (s *absenceSpot) instead(text string) map[string]string {
	return map[string]string{s.file: s.text[:s.at.Start] + text + s.text[s.at.End:]}
}

// retitled is the resource expression with another title.
func (s *absenceSpot) retitled(title string) string {
	return s.text[s.at.Start:s.title.Start] + title + s.text[s.title.End:s.at.End]
}

// An absenceKind is a reason.
type absenceKind struct {
	name string
	// plant makes one, nil if the spot has no place for it
	plant func(tree *absenceTree, s *absenceSpot, r *rand.Rand) *absence
}

// whyNot asks why the resource is not there. In the code that takes its place words stand for what it has: @@OWN is
// the resource expression, @@OTHER the same with $planted as its title; @@MARK is the mark, @@NO a condition that is
// false.
func (s *absenceSpot) whyNot(code string) *absence {
	words := strings.NewReplacer("@@OWN", s.own(), "@@OTHER", s.retitled("$planted"), "@@TITLE", "'"+s.name+"'", "@@SELF",
		s.quoted(), "@@CAPITAL", s.typ, "@@LOWER", strings.ToLower(s.typ), "@@MARK", absenceMark, "@@NO",
		"$facts['planted'] == 'yes'", "@@ALWAYS", "$facts['os']['family'] != 'Plan9'")
	return &absence{texts: s.instead(words.Replace(code)), ref: []string{"--why-not", s.ref()}}
}

// data are files of the levels that are put on top, by level.
func (tree *absenceTree) data(a *absence, level, text string) {
	name := map[string]string{"node": "node/" + tree.node, "own": "role/" + tree.own, "other": "role/Suse",
		"common": "common"}[level]
	a.texts["planted/"+name+".yaml"] = "---\n# what is planted\n" + text
}

var absenceKinds = []absenceKind{
	{"include removed, asked for the class", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		if len(s.included) == 0 {
			return nil
		}
		a := s.withoutInclude()
		a.ref = []string{"--why-not", "Class[" + s.class + "]"}
		a.at = []string{fmt.Sprintf("%s:%d", s.file, s.classLine)}
		return a
	}},
	{"include removed, asked for a resource", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		if len(s.included) == 0 {
			return nil
		}
		a := s.withoutInclude()
		a.ref = []string{"--why-not", s.ref()}
		a.at = []string{fmt.Sprintf("%s:%d", s.file, s.line)}
		return a
	}},
	{"condition turned by a fact", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		return s.whyNot("if @@NO { @@MARK\n    @@OWN\n  }")
	}},
	{"condition turned by a datum", func(tree *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		a := s.whyNot("if lookup('planted::on', Boolean) {\n    @@OWN\n  }")
		tree.data(a, "own", "planted::on: false "+absenceMark+"\n")
		tree.data(a, "common", "planted::on: true\n")
		return a
	}},
	{"case", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		return s.whyNot("case $facts['os']['family'] { @@MARK\n    'Plan9': {\n    @@OWN\n  }\n    default: { }\n  }")
	}},
	{"selector of the title", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		return s.whyNot("$planted = $facts['os']['family'] ? { 'Plan9' => @@TITLE, default => '/planted' } @@MARK\n  @@OTHER")
	}},
	{"key of another role", func(tree *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		a := s.whyNot("lookup('planted::names', Array, 'unique', []).each |$planted| {\n    @@OTHER\n  }")
		tree.data(a, "other", "planted::names:\n  - '"+s.name+"' "+absenceMark+"\n")
		tree.data(a, "common", "planted::names:\n  - '/planted'\n")
		return a
	}},
	{"collector that does not match", func(_ *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		query := []string{"tag == 'planted_not'", "title == 'planted'", "noop == true"}[r.IntN(3)]
		return s.whyNot("@@@OWN\n  @@CAPITAL<| " + query + " |> @@MARK")
	}},
	{"realize skipped", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		return s.whyNot("@@@OWN\n  if @@NO { @@MARK\n    realize(@@SELF)\n  }")
	}},
	{"define called otherwise", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		if s.from == "" {
			return nil
		}
		a := s.whyNot(s.retitled("'/planted'"))
		a.ref = []string{"--why-not", s.from}
		a.at = []string{fmt.Sprintf("%s:%d", s.file, s.line), s.fromAt}
		return a
	}},
	{"ensured by another level", func(tree *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		a := s.whyNot("if lookup('planted::ensure') == 'present' {\n    @@OWN\n  }")
		tree.data(a, "node", "planted::ensure: absent "+absenceMark+"\n")
		tree.data(a, "common", "planted::ensure: present\n")
		return a
	}},
	{"statement of another node", func(_ *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		if !strings.HasPrefix(s.file, "manifests/") && s.file != "site.pp" {
			return nil
		}
		name := []string{"'planted.example'", `/^planted\d+/`}[r.IntN(2)]
		a := s.whyNot("")
		a.texts[s.file] += "\nnode " + name + " { " + absenceMark + "\n  " + s.own() + " " + absenceMark + "\n}\n"
		return a
	}},
	{"node statement that no longer matches", func(tree *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		node := regexp.MustCompile(`(?m)^node (default|'[^']*'|/[^/]*/) *\{`)
		for _, name := range slices.Sorted(maps.Keys(tree.texts)) {
			text := tree.texts[name]
			m := node.FindAllStringSubmatchIndex(text, -1)
			if len(m) == 0 || !strings.HasSuffix(name, ".pp") || s.class == "" || s.includedIn == s.file {
				continue
			}
			for _, at := range m {
				if end := strings.Index(text[at[1]:], "\n}"); end < 0 || !regexp.MustCompile(`include +(::)?`+
					regexp.QuoteMeta(s.class)+`\b`).MatchString(text[at[1]:at[1]+end]) && tree.name != "shop" {
					continue
				}
				a := &absence{texts: map[string]string{}, ref: []string{"--why-not", s.ref()}}
				a.texts[name] = strings.Replace(text[:at[2]]+"/^planted/"+text[at[3]:], "  fail(", "  notice(", 1)
				if !strings.Contains(a.texts[name], "node default") {
					a.texts[name] += "\nnode default { }\n"
				}
				a.at = []string{fmt.Sprintf("%s:%d", name, strings.Count(text[:at[0]], "\n")+1),
					fmt.Sprintf("%s:%d", s.file, s.line)}
				return a
			}
		}
		return nil
	}},
	{"class that data do not list", func(tree *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		if len(s.included) == 0 {
			return nil
		}
		a := s.withoutInclude()
		text := a.texts[s.includedIn]
		at := s.included[0].Start
		a.texts[s.includedIn] = text[:at] + "lookup('planted::classes', Array, 'unique', []).include" + text[at:]
		tree.data(a, "other", "planted::classes:\n  - '"+s.class+"' "+absenceMark+"\n")
		a.ref = []string{"--why-not", "Class[" + s.class + "]"}
		return a
	}},
	{"key of create_resources", func(_ *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		return s.whyNot("create_resources('@@LOWER', { '/planted' => { } }, { 'noop' => true }) @@MARK")
	}},
	{"key of create_resources in data", func(tree *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		a := s.whyNot("create_resources('@@LOWER', lookup('planted::all', Hash, 'hash', {}))")
		tree.data(a, "other", "planted::all:\n  '"+s.name+"': {} "+absenceMark+"\n")
		tree.data(a, "common", "planted::all:\n  '/planted': {}\n")
		return a
	}},
	{"unless in if", func(_ *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		outer, inner := "if @@ALWAYS {", "unless !(@@NO) { @@MARK"
		if r.IntN(2) == 0 {
			outer, inner = inner, outer
		}
		return s.whyNot(outer + "\n    " + inner + "\n    @@OWN\n  }\n  }")
	}},
	{"else of elsif", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		return s.whyNot("if @@NO {\n    notice('a')\n  } elsif @@ALWAYS { @@MARK\n    notice('b')\n  } else {\n    @@OWN\n  }")
	}},
	{"early return", func(_ *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		if s.class == "" {
			return nil
		}
		if r.IntN(3) == 0 {
			return s.whyNot("unless @@NO { @@MARK\n    return() @@MARK\n  }\n  if @@ALWAYS {\n    @@OWN\n  }")
		}
		return s.whyNot("unless @@NO { @@MARK\n    return() @@MARK\n  }\n  @@OWN")
	}},
	{"early next", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		return s.whyNot("['/planted', @@TITLE].each |$planted| {\n    if $planted == @@TITLE { @@MARK\n      next() @@MARK\n    }\n" +
			"    @@OTHER\n  }")
	}},
	{"filter", func(_ *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		return s.whyNot("['/planted', @@TITLE].filter |$x| { $x == '/planted' }.each |$planted| { @@MARK\n    @@OTHER\n  }")
	}},
	{"attribute by a selector", func(_ *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		op := s.attribute(r)
		if op == nil {
			return nil
		}
		span := op.Value.Span()
		a := s.whyNot("$planted = $facts['os']['family'] ? { 'Plan9' => " + s.text[span.Start:span.End] +
			", default => undef } @@MARK\n  " + s.text[s.at.Start:span.Start] + "$planted" + s.text[span.End:s.at.End])
		a.ref = []string{s.ref(), op.Name}
		a.at = []string{fmt.Sprintf("%s:%d", s.file, strings.Count(s.text[:s.at.Start], "\n")+1)}
		return a
	}},
	{"attribute in a branch", func(_ *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		op := s.attribute(r)
		if op == nil {
			return nil
		}
		span := op.Value.Span()
		a := s.whyNot(s.text[s.at.Start:op.Span().Start] + op.Name + " => undef" + s.text[op.Span().End:s.at.End] +
			"\n  if @@NO { @@MARK\n    @@SELF { " + op.Name + " => " + s.text[span.Start:span.End] + " }\n  }")
		a.ref = []string{s.ref(), op.Name}
		return a
	}},
	{"arrow in a branch", func(tree *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		other := tree.other(s, r)
		if other == "" {
			return nil
		}
		a := s.whyNot("@@OWN\n  if @@NO { @@MARK\n    @@SELF -> " + other + "\n  }")
		a.ref = []string{"--why-not", s.ref() + " -> " + strings.ReplaceAll(other, "'", "")}
		return a
	}},
	{"require in a branch", func(tree *absenceTree, s *absenceSpot, r *rand.Rand) *absence {
		other := tree.other(s, r)
		if other == "" || slices.ContainsFunc(s.attributes, func(op *syntax.AttrOp) bool {
			return op.Name == "require" || op.Name == "*"
		}) {
			return nil
		}
		a := s.whyNot("@@OWN\n  if @@NO { @@MARK\n    @@SELF { require => " + other + " }\n  }")
		a.ref = []string{"--why-not", strings.ReplaceAll(other, "'", "") + " -> " + s.ref()}
		return a
	}},
	{"Hiera key of another role", func(tree *absenceTree, s *absenceSpot, _ *rand.Rand) *absence {
		a := s.whyNot("$planted = lookup('planted::key', { 'default_value' => 'none' })\n  @@OWN")
		tree.data(a, "other", "planted::key: 1 "+absenceMark+"\n")
		a.ref = []string{"--why-not", "hiera:planted::key"}
		return a
	}},
}

func (s *absenceSpot) quoted() string { return s.typ + "['" + s.name + "']" }

// withoutInclude takes the calls away that include the class.
func (s *absenceSpot) withoutInclude() *absence {
	a := &absence{texts: map[string]string{}}
	text := s.tree.texts[s.includedIn]
	for _, at := range slices.Backward(s.included) {
		text = text[:at.Start] + text[at.End:]
	}
	a.texts[s.includedIn] = text
	return a
}

// attribute is one that can be taken away.
func (s *absenceSpot) attribute(r *rand.Rand) *syntax.AttrOp {
	var list []*syntax.AttrOp
	for _, op := range s.attributes {
		if slices.Contains(strings.Fields("mode owner group content ensure enable message shell gid uid"), op.Name) &&
			!op.Append {
			list = append(list, op)
		}
	}
	if len(list) == 0 || s.isDefine {
		return nil
	}
	return list[r.IntN(len(list))]
}

// other is another resource of the same body.
func (tree *absenceTree) other(s *absenceSpot, r *rand.Rand) string {
	var list []*absenceSpot
	for _, o := range tree.spots {
		if o != s && o.file == s.file && o.body == s.body {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return list[r.IntN(len(list))].quoted()
}

var (
	absenceRow   = regexp.MustCompile(`^  [^ ]`)
	absencePlace = regexp.MustCompile(`([^ :()]+):(\d+):\d`)
)

// rows are the rows of an answer, each with its remarks. The first line says that the thing is not there.
func absenceRows(out string) (rows []string) {
	for i, line := range strings.Split(out, "\n") {
		if i > 0 && absenceRow.MatchString(line) {
			rows = append(rows, line)
		} else if len(rows) > 0 {
			rows[len(rows)-1] += "\n" + line
		}
	}
	return rows
}

// try plants an absence and asks; ok is false if nothing compiles with it, or the thing is there still.
func (tree *absenceTree) try(t *testing.T, a *absence) (named bool, wrong, answer string, ok bool) {
	t.Helper()
	at := map[string]bool{}
	for _, place := range a.at {
		at[place] = true
	}
	for name, text := range a.texts {
		for i, line := range strings.Split(text, "\n") {
			if strings.Contains(line, absenceMark) {
				at[fmt.Sprintf("%s:%d", name, i+1)] = true
			}
		}
	}
	writeFiles(t, filesBelow(tree.dir, a.texts))
	defer func() {
		for name := range a.texts {
			if old, was := tree.texts[name]; was {
				writeFiles(t, filesBelow(tree.dir, map[string]string{name: old}))
			} else if err := os.Remove(filepath.Join(tree.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}()
	list, ok := tree.catalog()
	if !ok {
		return false, "", "", false
	}
	code, out, errs := call(slices.Concat([]string{"explain", tree.dir}, a.ref, tree.args)...)
	out = strings.ReplaceAll(out+errs, tree.dir+"/", "")
	if code == 1 || strings.Contains(out, "is in the catalog") || strings.Contains(out, "is there for") ||
		strings.Contains(out, "holds for") {
		return false, "", out, false
	}
	for i, row := range absenceRows(out) {
		for _, m := range absencePlace.FindAllStringSubmatch(row, -1) {
			if i < 3 && at[m[1]+":"+m[2]] {
				named = true
			}
			if strings.Contains(row, "did not run") && slices.ContainsFunc(list, func(r absenceResource) bool {
				return fmt.Sprintf("%s:%d", r.File, r.Line) == m[1]+":"+m[2]
			}) {
				wrong = m[1] + ":" + m[2]
			}
		}
	}
	return named, wrong, fmt.Sprintf("%s of %s: %s, planted at %s\n%s", strings.Join(a.ref, " "), tree.name, tree.node,
		strings.Join(slices.Sorted(maps.Keys(at)), " "), out), true
}

// testAbsences plants so many of each kind.
func testAbsences(t *testing.T, trees []*absenceTree, each int) (right, all int) {
	for _, kind := range absenceKinds {
		r := rand.New(rand.NewPCG(uint64(len(kind.name)), 103))
		n, of := 0, 0
		seen := map[string]bool{}
		for tries := 0; tries < 40*each && n < each; tries++ {
			tree := trees[r.IntN(len(trees))]
			a := kind.plant(tree, tree.spots[r.IntN(len(tree.spots))], r)
			if a == nil {
				continue
			}
			key := tree.name + fmt.Sprint(a.ref, a.texts)
			if seen[key] {
				continue
			}
			seen[key] = true
			named, wrong, answer, ok := tree.try(t, a)
			if !ok {
				continue
			}
			if n++; named {
				of++
			} else {
				fmt.Printf("missed: %s: %s\n", kind.name, answer)
			}
			if wrong != "" {
				t.Errorf("%s ran: %s: %s", wrong, kind.name, answer)
			}
		}
		fmt.Printf("why not: %-45s %d of %d\n", kind.name, of, n)
		right, all = right+of, all+n
	}
	return right, all
}

// absenceShop are the nodes of examples/shop.
func absenceShop(t *testing.T) (trees []*absenceTree) {
	for _, node := range []string{"web1", "web2", "db1"} {
		trees = append(trees, newAbsenceTree(t, "shop", filepath.Join(live.Root(), "examples", "shop"), nil, "--node",
			node+".shop.example"))
	}
	return trees
}

// TestWhyNotPlanted takes things away from the shop.
func TestWhyNotPlanted(t *testing.T) {
	right, all := testAbsences(t, absenceShop(t), 2)
	if right < all || all < 40 {
		t.Errorf("%d of %d", right, all)
	}
}

// TestAcceptWhyNot takes things away from the shop, the test sites and classes of public control repos.
func TestAcceptWhyNot(t *testing.T) {
	live.Accept(t)
	live.Files(t, ".pp")
	trees := absenceShop(t)
	more := func(tree *absenceTree) {
		if tree != nil {
			trees = append(trees, tree)
		}
	}
	testdata := filepath.Join(live.Root(), "internal", "live", "testdata")
	sites, err := os.ReadDir(filepath.Join(testdata, "sites"))
	if err != nil {
		t.Fatal(err)
	}
	for _, site := range sites {
		dir := filepath.Join(testdata, "sites", site.Name())
		system, err := os.ReadFile(filepath.Join(dir, "facts"))
		if err != nil {
			t.Fatal(err)
		}
		more(newAbsenceTree(t, site.Name(), dir, nil, "--node", "deb12.example.com", "--allow-outside", "--facts",
			filepath.Join(testdata, "facts", strings.TrimSpace(string(system))+".json")))
	}
	for _, public := range []string{
		"site_joeypiccola failovercluster_win::diskpart profile::base::bginfo profile::cluster::diskpart",
		"site_mergwyn profile::app::webmin",
		"site_tragiccode profile::windows::hardening::hardening",
		"site_vghn profile::aws::cloudformation profile::ca_certs profile::puppet::agent profile::time",
		"site_seteam profile::platform::baseline::linux::sudo",
	} {
		name, classes, _ := strings.Cut(public, " ")
		for class := range strings.FieldsSeq(classes) {
			t.Run(name, func(sub *testing.T) { // skipped by its name where it is not there
				dir := live.Fetched(sub, name)
				more(newAbsenceTree(t, name, dir, map[string]string{
					"manifests/site.pp": "node default {\n  include " + class + "\n}\n",
				}, "--node", "one.example.com", "--facts", filepath.Join(testdata, "facts", "debian12.5.json")))
			})
		}
	}
	slices.SortStableFunc(trees, func(a, b *absenceTree) int { return strings.Compare(a.name, b.name) })
	names := map[string]bool{}
	for _, tree := range trees {
		names[tree.name] = true
	}
	right, all := testAbsences(t, trees, 14)
	fmt.Printf("why not: the reason is in the first three rows for %d of %d (%.1f %%; bar 95 %% of 300), in %d trees\n", right,
		all, 100*float64(right)/float64(max(1, all)), len(names))
	if all < 300 || 100*right < 95*all {
		t.Errorf("%d of %d", right, all)
	}
}
