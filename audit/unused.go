package audit

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Unused: definitions, templates and files of the tree's own that nothing in the tree names.
//
// To take something away is safe when no compile can come to it, and a compile comes to a thing by its name. So every
// text of the tree is asked for names: the code of all modules (comments left out), templates, data, Ruby, and whatever
// lies beside the modules. A thing is unused if its name stands nowhere but in itself, and no text that is partly
// computed can become its name: "profile::${role}" names all of profile, "puppet:///modules/web/${x}.conf" all files of
// web that end so. A text in a file that is only read, such as data, names more rather than less: a directory names
// what is in it, and "web/site" names web/site.erb as well.
//
// What may be named from outside is passed over. A module by itself is there for others: of its definitions nothing is
// said. The modules of others that are not there name nothing of the site's; a file that does not parse may name
// anything. Classes are chosen by a classifier: they are judged only if the tree's own main manifest classifies its
// nodes, and if what it includes by a computed name can come from nothing but the data at hand. Who is named only by
// something unused is found once that is gone.

// Codes of what is said about what nothing names.
const (
	codeUnusedClass    = "U0301" // a class that nothing in the tree names
	codeUnusedDefine   = "U0302" // a define that nothing in the tree names
	codeUnusedFunction = "U0303" // a function that nothing in the tree names
	codeUnusedType     = "U0304" // a data type that nothing in the tree names
	codeUnusedTemplate = "U0305" // a template that nothing in the tree names
	codeUnusedFile     = "U0306" // a file of a module that nothing in the tree names
)

// mentions are the names that the tree's texts have, of those that are asked for: there are many more words.
type mentions struct {
	// defined are the names of definitions, modules those of modules, and files the last pieces of files' names, with and
	// without their endings: nothing else is looked for.
	defined, modules, files map[string]bool
	// words are names of definitions, each with the only definition that names it: "*" for several, or for none.
	words map[string]string
	// forms are texts that are partly computed and may become a name: literal pieces with anything between them.
	forms map[string][]string
	// paths are beginnings of MODULE/FILE; pathForms are such texts that are partly computed, and ends those of which
	// only the beginning is: they stand anywhere in the name.
	paths     map[string]bool
	pathForms map[string][]string
	ends      map[string]bool
	bases     map[string]bool // names of files without their directories, in Ruby and templates
	// parts are last pieces of paths in any text. They count if anyPath: a path is computed piece by piece.
	parts   map[string]bool
	anyPath bool
}

func (m *mentions) word(name, in string) {
	name = outline.Class(name)
	if !m.defined[name] {
		return
	}
	if by, seen := m.words[name]; seen && by != in || in == "" {
		in = "*"
	}
	m.words[name] = in
}

// path takes in a text that may be the beginning of a file's name.
func (m *mentions) path(text string) {
	if below, is := belowModules(text); is {
		text = below
		if !strings.Contains(text, "/") {
			text += "/"
		}
		// It may still be a directory of files that is called so. Who names all files of a module names none.
		if short := asNamed(text); short != text && !strings.HasSuffix(short, "/") {
			m.path(short)
		}
	}
	if module, _, is := strings.Cut(text, "/"); is && m.modules[module] {
		m.paths[text] = true
	}
	if base := path.Base(text); m.files[base] {
		m.parts[base] = true
	}
}

// belowModules is what of a path lies below a directory of modules, if it goes through one. node_modules is none.
func belowModules(path string) (string, bool) {
	i := strings.LastIndex(path, "modules/")
	if i < 0 || i > 0 && (isWord(path[i-1])) {
		return "", false
	}
	return path[i+len("modules/"):], true
}

// asNamed is how Puppet names what lies at a path from the directory of modules on: MODULE/files/x is MODULE/x.
func asNamed(path string) string {
	module, rest, _ := strings.Cut(path, "/")
	for _, dir := range []string{"files", "templates"} {
		if below, is := strings.CutPrefix(rest+"/", dir+"/"); is {
			return module + "/" + strings.TrimSuffix(below, "/")
		}
	}
	return path
}

// isWord reports whether a byte may stand in a name; in the name of a file some more may.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':'
}

func isPath(c byte) bool {
	return isWord(c) || c == '/' || c == '.' || c == '-' || c == '+' || c == '@' || c == '~'
}

// A kind says of each byte whether it is one of some.
type kind [256]bool

func kindOf(is func(byte) bool) (k kind) {
	for c := range k {
		k[c] = is(byte(c))
	}
	return k
}

var wordBytes, pathBytes = kindOf(isWord), kindOf(isPath)

// runs are the longest pieces of a text whose bytes are all of one kind.
func runs(text string, of *kind, visit func(string)) {
	for i := 0; i < len(text); i++ {
		if !of[text[i]] {
			continue
		}
		start := i
		for i++; i < len(text) && of[text[i]]; i++ {
		}
		visit(text[start:i])
	}
}

// raw takes in the names of a text whose language does not matter.
func (m *mentions) raw(text string) { m.text(text, "") }

// code takes in the names of a manifest. At module is the module whose file it is.
func (m *mentions) code(n syntax.Node, in, module string) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Class:
			m.within(n.Name, in, module, n)
			if n.Parent != "" {
				m.word(n.Parent, outline.Class(n.Name))
			}
			return false
		case *syntax.Define:
			m.within(n.Name, in, module, n)
			return false
		case *syntax.Function:
			m.within(n.Name, in, module, n)
			return false
		case *syntax.TypeAlias:
			m.within(n.Name, in, module, n)
			return false
		case *syntax.Resource:
			if name, is := n.Type.(*syntax.Name); is && !builtInTypes()[outline.Class(name.Value)] {
				m.relative(name.Value, in, module)
			}
		case *syntax.Name:
			m.word(n.Value, in)
		case *syntax.Ref:
			m.word(n.Value, in)
		case *syntax.Var:
			if i := strings.LastIndex(n.Name, "::"); i > 0 {
				m.word(n.Name[:i], in)
			}
		case *syntax.Str:
			m.text(n.Value, in)
		case *syntax.RenderString:
			m.text(n.Value, in)
		case *syntax.Interpolated:
			m.computed(n, module)
		}
		return true
	})
}

// relative takes in the name of a resource's type as Puppet 3 took it, seen from the definition around it and from the
// module.
func (m *mentions) relative(name, in, module string) {
	if strings.HasPrefix(name, "::") {
		return
	}
	for at := in; at != ""; {
		m.word(at+"::"+name, in)
		at = at[:max(strings.LastIndex(at, "::"), 0)]
	}
	if in == "" && module != "" {
		m.word(module+"::"+name, in)
	}
}

// within takes in what stands in a definition, which may name itself as often as it likes.
func (m *mentions) within(name, in, module string, n syntax.Node) {
	if in == "" {
		in = outline.Class(name)
	}
	syntax.Children(n, func(c syntax.Node) { m.code(c, in, module) })
}

// text takes in the names of a text. What may stand in a name may stand in that of a file.
func (m *mentions) text(text, in string) {
	runs(text, &pathBytes, func(p string) {
		m.path(p)
		runs(p, &wordBytes, func(w string) { m.word(strings.Trim(w, ":"), in) })
	})
}

// computed takes in a text of which some pieces are known.
func (m *mentions) computed(n *syntax.Interpolated, module string) {
	pieces := []string{""}
	for _, p := range n.Parts {
		switch p := p.(type) {
		case *syntax.Str:
			pieces[len(pieces)-1] += p.Value
		case *syntax.Text:
			if v, ok := p.X.(*syntax.Var); ok && v.Name == "module_name" && module != "" {
				pieces[len(pieces)-1] += module
			} else {
				pieces = append(pieces, "")
			}
		default:
			pieces = append(pieces, "")
		}
	}
	m.pieces(pieces)
}

// pieces takes in a text with something computed between its pieces.
func (m *mentions) pieces(pieces []string) {
	if len(pieces) == 1 {
		m.text(pieces[0], "")
		return
	}
	whole := strings.Join(pieces, "")
	named := len(whole) > 2
	for i := range len(whole) {
		named = named && isWord(whole[i])
	}
	if named {
		low := make([]string, len(pieces))
		for i, p := range pieces {
			low[i] = strings.ToLower(p)
		}
		low[0] = strings.TrimPrefix(low[0], "::")
		m.forms[strings.Join(low, "\x00")] = low
	}
	served := false
	for k := len(pieces) - 1; k >= 0 && !served; k-- { // what comes before it is where the modules are
		below := ""
		if below, served = belowModules(pieces[k]); served {
			pieces = append([]string{below}, pieces[k+1:]...)
			if short := asNamed(pieces[0]); short != pieces[0] {
				m.pieces(append([]string{"modules/" + short}, pieces[1:]...))
			}
		}
	}
	if len(pieces) == 1 {
		m.path(pieces[0])
		return
	}
	telling := false // "${a}/${b}" tells nothing: what $a begins with stands elsewhere
	for _, p := range pieces {
		telling = telling || strings.Contains(p, "/") && len(p) > 3
	}
	if telling {
		m.pathForms[strings.Join(pieces, "\x00")] = pieces
	}
	m.anyPath = m.anyPath || served && !telling
}

// becomes reports whether a text can become a name: the pieces stand in it in their order, the first at its beginning.
func becomes(pieces []string, name string) bool {
	rest, ok := strings.CutPrefix(name, pieces[0])
	if !ok {
		return false
	}
	for _, p := range pieces[1:] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return true
}

// names reports whether something other than the definition itself may name it.
func (m *mentions) names(name string) bool {
	if by, seen := m.words[name]; seen && by != name {
		return true
	}
	for _, f := range m.forms {
		if becomes(f, name) {
			return true
		}
	}
	return false
}

// namesFile is the same of a file, MODULE/FILE. unread tells that the module calls functions which are not here: they
// may take any piece of a text for a part of its path.
func (m *mentions) namesFile(name string, unread bool) bool {
	base := path.Base(name)
	if m.bases[base] || (m.anyPath || unread) && (m.parts[base] || m.parts[strings.TrimSuffix(base, path.Ext(base))]) {
		return true
	}
	for i := strings.IndexByte(name, '/') + 1; i <= len(name); i++ {
		if m.paths[name[:i]] {
			return true
		}
	}
	for _, f := range m.pathForms {
		if becomes(f, name) {
			return true
		}
	}
	for i := range name {
		for j := i + 1; name[i] == '/' && j <= len(name); j++ {
			if m.ends[name[i:j]] {
				return true
			}
		}
	}
	return false
}

// mentions reads every text of the tree, for names of definitions and of some files.
func (t *Tree) mentions(files []unnamed) *mentions {
	m := &mentions{defined: map[string]bool{}, modules: map[string]bool{}, files: map[string]bool{},
		words: map[string]string{}, forms: map[string][]string{}, paths: map[string]bool{},
		pathForms: map[string][]string{}, ends: map[string]bool{}, bases: map[string]bool{}, parts: map[string]bool{}}
	typeFiles := t.typeFiles()
	for _, f := range append(slices.Clip(t.files), typeFiles...) {
		for _, d := range f.tree.Defs {
			if name, is := definedName(d); is {
				m.defined[outline.Class(name)] = true
			}
		}
	}
	for _, f := range files {
		base := path.Base(f.name())
		m.modules[f.module], m.files[base], m.files[strings.TrimSuffix(base, path.Ext(base))] = true, true, true
	}
	moduleOf := func(p string) string {
		if mod := t.env.ModuleOf(p); mod != nil {
			return mod.Name
		}
		return ""
	}
	for _, f := range t.allFiles {
		module := moduleOf(t.env.Path(f.Source))
		for _, s := range f.Body.Stmts {
			m.code(s, "", module)
		}
	}
	for _, f := range typeFiles {
		for _, s := range f.tree.Body.Stmts {
			m.code(s, "", f.module)
		}
	}
	read := func(p string) {
		// What cannot be read is told when it is used; what git takes for binary names nothing.
		if text, err := t.env.Read(p); err == nil && strings.IndexByte(text[:min(len(text), 8000)], 0) < 0 {
			m.raw(text)
			if ext := filepath.Ext(p); ext == ".rb" || ext == ".erb" || ext == ".epp" {
				runs(text, &pathBytes, func(w string) {
					if base := path.Base(w); m.files[base] {
						m.bases[base] = true
					}
					if w[0] == '/' && len(w) > 3 { // "#{module}/scripts/#{name}.erb"
						m.ends[w] = true
					}
				})
			}
		}
	}
	for _, f := range t.data() {
		read(f.path)
	}
	modules := map[string]bool{}
	for _, mod := range t.env.Modules() {
		modules[mod.Dir] = true
		if !t.ownModule(mod.Dir) {
			continue
		}
		for _, sub := range []string{"templates", "lib", "plans", "tasks", "hiera.yaml"} {
			at := filepath.Join(mod.Dir, sub)
			if filepath.Ext(sub) != "" {
				if source.Exists(t.env.Files(), at) {
					read(at)
				}
				continue
			}
			_ = source.Walk(t.env.Files(), at, func(p string, e source.Entry) bool { // one that is not there has nothing
				if !e.IsDir() {
					read(p)
				}
				return true
			})
		}
	}
	if t.env.Dir != "" && t.env.Alone() == nil {
		_ = source.Walk(t.env.Files(), t.env.Dir, func(p string, e source.Entry) bool { // likewise
			switch {
			case e.IsDir():
				return !modules[p] && !strings.HasPrefix(e.Name, ".") && e.Name != "spec"
			case filepath.Ext(p) == ".pp" && !t.seen[p]: // of a server's manifests, or of what is no module's directory
				tree, ds, err := t.env.Parse(p)
				if err != nil || ds.HasErrors() {
					read(p)
					break
				}
				for _, s := range tree.Body.Stmts {
					m.code(s, "", "")
				}
			case slices.Contains(besideCode, filepath.Ext(p)):
				read(p)
			}
			return true
		})
	}
	return m
}

// besideCode are endings of files that may name classes: data of any kind, and programs that classify.
var besideCode = []string{".yaml", ".yml", ".eyaml", ".json", ".conf", ".rb", ".sh", ".py", ".pl", ".erb", ".epp", ""}

// ownModule reports whether a module is the user's own.
func (t *Tree) ownModule(dir string) bool { return t.own(filepath.Join(dir, "manifests", "init.pp")) }

// definedName is the name of a definition that others name.
func definedName(d syntax.Definition) (name string, is bool) {
	switch d := d.(type) {
	case *syntax.Class:
		return d.Name, true
	case *syntax.Define:
		return d.Name, true
	case *syntax.Function:
		return d.Name, true
	case *syntax.TypeAlias:
		return d.Name, true
	}
	return "", false
}

// typeFiles are the modules' files of data types.
func (t *Tree) typeFiles() (out []*file) {
	for _, m := range t.env.Modules() {
		for _, p := range t.puppetFiles(filepath.Join(m.Dir, "types")) {
			if tree, ds, err := t.env.Parse(p); err == nil && !ds.HasErrors() && tree != nil {
				out = append(out, &file{p, m.Name, tree})
			}
		}
	}
	return out
}

// unused tells of what nothing names.
func (t *Tree) unused() {
	if t.unread {
		return // what cannot be read may name anything
	}
	files := t.servedFiles()
	m := t.mentions(files)
	for _, text := range t.refused {
		m.raw(text)
	}
	for _, d := range t.problems {
		m.raw(d.Help) // who is misspelt is meant
	}
	note := func(code string, at source.Place, summary, with string) {
		t.say(&source.Diagnostic{Code: code, Severity: source.Note, Summary: summary, Place: at,
			Help: "take it away" + with + ", or leave it if something outside of this tree asks for it"})
	}
	if t.env.Alone() == nil && !t.ownMissing() {
		classes, listed := !t.Outside && t.classified(), t.wanting && !compiler.OnlyCodeWants(t.env)
		all := t.files
		for _, f := range t.typeFiles() {
			if t.own(f.path) {
				all = append(all, f)
			}
		}
		for _, f := range all {
			if m := t.env.Module(f.module); m != nil && (m.ForgeName != "" && listed || t.brought(m)) {
				continue // somebody else's, as it seems: what is not here may be what uses it
			}
			for _, d := range f.tree.Defs {
				at := func(s source.Span) source.Place { return source.Place{File: f.tree.Source, Span: s} }
				code, kind, name, span := "", "", "", source.Span{}
				switch d := d.(type) {
				case *syntax.Class:
					if classes {
						code, kind, name, span = codeUnusedClass, "class ", d.Name, d.NameAt
					}
				case *syntax.Define:
					code, kind, name, span = codeUnusedDefine, "define ", d.Name, d.NameAt
				case *syntax.Function:
					code, kind, name, span = codeUnusedFunction, "function ", d.Name, d.NameAt
				case *syntax.TypeAlias:
					code, kind, name, span = codeUnusedType, "type ", d.Name, d.NameAt
				}
				if name = outline.Class(name); code == "" || f.module == "" || m.names(name) {
					continue
				}
				note(code, at(span), "nothing in this tree uses the "+kind+name, " with the tests and pages that speak of it")
			}
		}
	}
	unread := t.callsUnread()
	found := slices.DeleteFunc(files, func(f unnamed) bool {
		return unread[f.module] && t.dataAbroad || t.note(f.path) || m.namesFile(f.name(), unread[f.module])
	})
	named := t.namedBeside(found)
	for _, f := range found {
		if !named[f.path] {
			note(f.code, source.Place{File: source.NewFile(t.env.Display(f.path), "")}, "nothing in this tree names the "+f.what+
				t.env.Display(f.path), "")
		}
	}
}

// servedFiles are the templates and files of the tree's own modules, as far as they are there to be named.
func (t *Tree) servedFiles() (out []unnamed) {
	for _, mod := range t.env.Modules() {
		if !t.ownModule(mod.Dir) || t.brought(mod) {
			continue
		}
		for _, kind := range []struct{ dir, code, what string }{
			{"templates", codeUnusedTemplate, "template "}, {"files", codeUnusedFile, "file "}} {
			dir := filepath.Join(mod.Dir, kind.dir)
			_ = source.Walk(t.env.Files(), dir, func(p string, e source.Entry) bool { // one that is not there has nothing
				rel, err := filepath.Rel(dir, p)
				if err != nil || strings.HasPrefix(e.Name, ".") || strings.HasPrefix(e.Name, "README") || byConvention[e.Name] ||
					pytest.MatchString(e.Name) {
					return false
				}
				if e.IsDir() {
					return !forPeople[strings.TrimSuffix(e.Name, "s")]
				}
				out = append(out, unnamed{p, mod.Name, filepath.ToSlash(rel), kind.code, kind.what})
				return true
			})
		}
	}
	return out
}

// forPeople are names of directories, and endings of files, that a module has for those who read it.
var forPeople = map[string]bool{"example": true, "sample": true, "contrib": true, "doc": true, "test": true,
	"spec": true, "dist": true, "md": true}

// note reports whether a file is for people: by its ending, or because nothing is in it, so that its name says it all.
func (t *Tree) note(p string) bool {
	if ext := filepath.Ext(p); ext != "" {
		return forPeople[ext[1:]]
	}
	text, err := t.env.Read(p)
	return err == nil && text == ""
}

// byConvention are files that tools and people look for by their names, so that nothing has to name them.
var byConvention = map[string]bool{"pyproject.toml": true, "setup.py": true, "setup.cfg": true, "tox.ini": true,
	"pytest.ini": true, "conftest.py": true, "__init__.py": true, "requirements.txt": true, "Makefile": true,
	"Rakefile": true, "Gemfile": true, "package.json": true, "go.mod": true, "Cargo.toml": true, "LICENSE": true,
	"COPYING": true, "OWNERS": true, "CODEOWNERS": true, "AUTHORS": true}

// pytest are names by which that program looks for tests.
var pytest = regexp.MustCompile(`^test_.*\.py$|_test\.py$`)

var listing = regexp.MustCompile(`\b(?:listdir|scandir|os\.walk|readdir)\(`)

// uncommented is a manifest without the lines that are comments.
func uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// lists reports whether a program looks at what lies in a directory.
func lists(text string) bool {
	return (strings.Contains(text, "dir(") || strings.Contains(text, "os.walk(")) && listing.MatchString(text)
}

// computedNames visits the beginnings of names whose rest is computed: "pattern-" of pattern-#{n}. They end with a
// character that joins words.
func computedNames(text string, visit func(begin string)) {
	for i := 1; i+1 < len(text); i++ {
		c, next := text[i], text[i+1]
		if c != '#' && c != '$' && c != '%' || next != '{' && (c != '%' || next != 's' && next != 'd') ||
			strings.IndexByte("_.-", text[i-1]) < 0 {
			continue
		}
		start := i
		for start > 0 && (isWord(text[start-1]) && text[start-1] != ':' || strings.IndexByte(".+-", text[start-1]) >= 0) {
			start--
		}
		if begin := strings.TrimLeft(text[start:i], ".+-"); len(begin) >= 4 {
			visit(begin)
		}
	}
}

// stemOf is the name of a file without its ending.
func stemOf(p string) string { return strings.TrimSuffix(filepath.Base(p), filepath.Ext(p)) }

// An unnamed is a template or a file that perhaps no code and no data name.
type unnamed struct{ path, module, rel, code, what string }

// name is what code calls it.
func (u unnamed) name() string { return u.module + "/" + u.rel }

// namedBeside are those of some files that other texts of the tree name: tests, scripts, pages that tell people of an
// example. The beginning of a name, without its ending, will do if it is no common word.
func (t *Tree) namedBeside(files []unnamed) map[string]bool {
	if len(files) == 0 {
		return nil
	}
	by, of := map[string][]string{}, map[string]string{}
	for _, f := range files {
		base := filepath.Base(f.path)
		of[f.path] = f.module
		by[base] = append(by[base], f.path)
		if stem := stemOf(f.path); stem != base && len(stem) > 5 && strings.ContainsAny(stem, "-_.") {
			by[stem] = append(by[stem], f.path)
		}
		if filepath.Ext(base) == ".py" { // a module of a package, by which tools start it and its neighbours import it
			for _, module := range []string{filepath.Base(filepath.Dir(f.path)) + "." + stemOf(f.path), "." + stemOf(f.path)} {
				by[module] = append(by[module], f.path)
			}
		}
	}
	root := t.env.Dir
	if m := t.env.Alone(); m != nil {
		root = m.Dir
	}
	out := map[string]bool{}
	_ = source.Walk(t.env.Files(), root, func(p string, e source.Entry) bool { // what cannot be read names nothing
		if to, err := t.env.Files().Link(p); e.Link && err == nil { // names a file, or all of a directory of files
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(p), to)
			}
			for _, f := range files {
				root := strings.TrimSuffix(f.path, filepath.FromSlash("/"+f.rel))
				in := strings.HasPrefix(f.path, to+string(filepath.Separator)) && len(to) >= len(root)
				out[f.path] = out[f.path] || f.path == to || in
			}
		}
		if e.IsDir() {
			return !strings.HasPrefix(e.Name, ".")
		}
		if strings.HasPrefix(e.Name, "CHANGELOG") || strings.HasPrefix(e.Name, "HISTORY") {
			return true // what was once is no more
		}
		text, err := t.env.Read(p)
		if err != nil || strings.IndexByte(text[:min(len(text), 1024)], 0) >= 0 {
			return true
		}
		if filepath.Ext(p) == ".pp" {
			text = uncommented(text)
		}
		names := func(name string) {
			out[name] = out[name] || stemOf(name) != stemOf(p) // a service and its unit speak of themselves
		}
		runs(text, &pathBytes, func(w string) {
			for part := range strings.SplitSeq(w, ":") {
				part = strings.TrimRight(part, "./")
				for _, name := range by[part[strings.LastIndexByte(part, '/')+1:]] {
					dir := path.Base(path.Dir(part))
					renamed := path.Dir(part) == dir && t.env.Module(dir) == nil && // this module, as it is called where it is used
						(strings.HasSuffix(part, ".erb") || strings.HasSuffix(part, ".epp"))
					if dir == "." || dir == "/" || dir == of[name] || renamed ||
						strings.HasPrefix(part, "/tmp/") || // where tests put it
						slices.Contains(strings.Split(filepath.ToSlash(filepath.Dir(name)), "/"), dir) { // not that of another module
						names(name)
					}
				}
			}
		})
		if lists(text) { // a program that takes whatever lies below a directory beside it
			for _, f := range files {
				rel, err := filepath.Rel(filepath.Dir(p), f.path)
				if err == nil && strings.Contains(filepath.ToSlash(rel), "/") && filepath.IsLocal(rel) {
					names(f.path)
				}
			}
		}
		seen := map[string]bool{}
		computedNames(text, func(begin string) { // "pattern-#{n}"
			if seen[begin] {
				return
			}
			seen[begin] = true
			for _, f := range files {
				if strings.HasPrefix(filepath.Base(f.path), begin) {
					names(f.path)
				}
			}
		})
		return true
	})
	return out
}

// brought reports whether a module among others is a copy of somebody else's, nobody's to have in pieces: it has the
// sums of its files, as those of the Forge do, or says that it comes from a repository of its own.
func (t *Tree) brought(m *environment.Module) bool {
	if t.env.Alone() != nil {
		return false
	}
	if source.Exists(t.env.Files(), filepath.Join(m.Dir, "checksums.json")) {
		return true
	}
	for _, name := range []string{"metadata.json", "Modulefile"} {
		text, err := t.env.Read(filepath.Join(m.Dir, name))
		if err != nil {
			continue
		}
		for _, at := range origin.FindAllStringSubmatch(text, -1) {
			repository := path.Base(strings.TrimSuffix(strings.TrimRight(at[1], "/"), ".git"))
			if slices.Contains(strings.Split(repository, "-"), m.Name) {
				return true
			}
		}
	}
	return false
}

// origin is where a module comes from, in its metadata.
var origin = regexp.MustCompile(`\b(?:source|project_page)"?\s*:?\s*["']((?:https?|git|ssh)[:@][^"']+)["']`)

// ownMissing reports whether some module that is not there may be the site's own, and name what is here: it has no
// author in the Puppetfile, and nobody depends on it by its whole name.
func (t *Tree) ownMissing() bool {
	if !t.wanting || compiler.OnlyCodeWants(t.env) { // what only code names is somebody else's, as far as can be told
		return false
	}
	known := map[string]bool{}
	if text, err := t.env.Read(filepath.Join(t.env.Dir, "Puppetfile")); err == nil {
		for _, m := range authored.FindAllStringSubmatch(text, -1) {
			known[m[1]] = true
		}
	}
	for _, m := range t.env.Modules() {
		for _, d := range m.Dependencies {
			_, name, _ := strings.Cut(d.Name, "/")
			known[name] = true
		}
	}
	wanted := compiler.Wanted(t.env)
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(name string) bool { return !known[name] })
}

// authored is a module of a Puppetfile with its author.
var authored = regexp.MustCompile(`(?m)^\s*mod\s*\(?\s*["'][^"'/-]+[/-]([^"'/-]+)["']`)

// callsUnread are the modules that call a function which is not here: it may read files of the module that calls it.
func (t *Tree) callsUnread() map[string]bool {
	out := map[string]bool{}
	for _, f := range t.files {
		if out[f.module] {
			continue
		}
		for _, s := range f.tree.Body.Stmts {
			syntax.Walk(s, func(n syntax.Node) bool {
				name := ""
				switch n := n.(type) {
				case *syntax.Call:
					if fn, ok := n.Functor.(*syntax.Name); ok {
						name = outline.Class(fn.Value)
					}
				case *syntax.MethodCall:
					name = n.Functor.Name.Value
				}
				if name != "" && t.funcs[name] == nil && !t.snap.Callee(name, f.tree.Source).Known {
					out[f.module] = true
				}
				return !out[f.module]
			})
		}
	}
	return out
}

// classified reports whether the tree itself says which classes its nodes have, as far as can be told: a main manifest
// declares some, and those with a computed name come from the data at hand.
func (t *Tree) classified() bool {
	found := false
	effect := t.snap.Code().Effect
	for _, f := range t.files {
		bodies := [][]syntax.Expr{f.tree.Body.Stmts}
		for _, d := range f.tree.Defs {
			switch d := d.(type) {
			case *syntax.Class:
				bodies = append(bodies, d.Body.Stmts)
			case *syntax.Define:
				bodies = append(bodies, d.Body.Stmts)
			case *syntax.NodeDef:
				bodies = append(bodies, d.Body.Stmts)
			case *syntax.Function:
				bodies = append(bodies, d.Body.Stmts)
			}
		}
		for _, body := range bodies {
			for u := range outline.Uses(body, effect) {
				if u.Kind != outline.Declares || u.Type != "Class" || u.Collected {
					continue
				}
				found = found || f.module == ""
				if u.Name == "" && !literalPart(u.By) && (!t.complete || fromFacts(body)) {
					return false
				}
			}
		}
	}
	return found
}

// literalPart reports whether a computed name has a known piece, which is among the forms then.
func literalPart(n syntax.Node) bool {
	i, ok := n.(*syntax.Interpolated)
	if !ok {
		return false
	}
	known := 0
	for _, p := range i.Parts {
		if s, ok := p.(*syntax.Str); ok {
			known += len(s.Value)
		}
	}
	return known > 2
}

// fromFacts reports whether code reads what nodes say of themselves.
func fromFacts(body []syntax.Expr) bool {
	reads := false
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			if v, ok := n.(*syntax.Var); ok {
				reads = reads || v.Name == "facts" || v.Name == "trusted" || strings.HasPrefix(v.Name, "::")
			}
			return true
		})
	}
	return reads
}
