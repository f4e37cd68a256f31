package audit

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/template"
	"bunraku/source"
)

// Codes of what is said about templates.
const (
	codeERB      = "U0201" // the Ruby of a template does not parse
	codeInstance = "U0202" // a template reads a variable that no caller sets
)

// Stays reports whether what is said of a place is said although a node has failed for it and points there, too: it
// tells why the file is wrong, however nodes that read it fare.
func Stays(code string) bool { return code == Unreadable || code == codeERB || code == codeInstance }

// named looks at calls that name files: template, epp, file.
func (t *Tree) named(f *file, c *syntax.Call) {
	fn, ok := c.Functor.(*syntax.Name)
	if !ok || len(c.Args) == 0 {
		return
	}
	switch outline.Class(fn.Value) {
	case "template":
		for _, a := range c.Args {
			t.templateNamed(f, a, "")
		}
	case "epp":
		t.templateNamed(f, c.Args[0], ".epp")
	case "file":
		var all []string // the first that is there is taken
		for _, a := range c.Args {
			all = append(all, syntax.StaticNames(a)...)
		}
		for _, name := range all {
			if name == "" || strings.HasPrefix(name, "/") || !t.moduleOf(name) {
				return
			}
			if t.hasFile("files", name) {
				return
			}
		}
		if len(all) > 0 {
			t.warn(codeFile, f, c.Args[0].Span(), "there is no file "+t.shown("files", all[0]), t.nearFile("files", all[0]))
		}
	}
}

// templateNamed looks for a template; what epp() is given may lack its ending.
func (t *Tree) templateNamed(f *file, a syntax.Expr, ending string) {
	for _, name := range syntax.StaticNames(a) {
		if name != "" && !strings.HasSuffix(name, ending) {
			name += ending
		}
		if name == "" || strings.HasPrefix(name, "/") || !t.moduleOf(name) {
			continue
		}
		if !t.hasFile("templates", name) {
			t.warn(codeTemplate, f, a.Span(), "there is no template "+t.shown("templates", name), t.nearFile("templates", name))
		}
	}
}

// hasFile reports whether a module has a template or a file, or may have it once its submodules are fetched.
func (t *Tree) hasFile(kind, name string) bool {
	find := t.env.ContentFile
	if kind == "templates" {
		find = t.env.TemplateFile
	}
	if _, there := find(name); there {
		return true
	}
	module, rest, _ := strings.Cut(name, "/")
	m := t.env.Module(module)
	return m != nil && t.env.Unfetched(filepath.Join(m.Dir, kind, rest))
}

// moduleOf reports whether a file's name begins with a module that is there.
func (t *Tree) moduleOf(name string) bool {
	module, rest, slash := strings.Cut(name, "/")
	return slash && rest != "" && t.env.Module(module) != nil
}

// shown is the path at which a file ought to be.
func (t *Tree) shown(kind, name string) string {
	module, rest, _ := strings.Cut(name, "/")
	if m := t.env.Module(module); m != nil {
		return t.env.Display(filepath.Join(m.Dir, kind, rest))
	}
	return name
}

// nearFile is advice: a file that may have been meant.
func (t *Tree) nearFile(kind, name string) string {
	module, rest, _ := strings.Cut(name, "/")
	m := t.env.Module(module)
	if m == nil {
		return ""
	}
	var there []string
	entries, _ := t.env.Files().List(filepath.Join(m.Dir, kind, path.Dir(rest))) // no directory has no names
	for _, e := range entries {
		there = append(there, path.Join(module, path.Dir(rest), e.Name))
	}
	return near(name, there)
}

// sources looks at files that a resource, of whatever type, takes from a module:
// source => 'puppet:///modules/NAME/PATH'.
func (t *Tree) sources(f *file, ops []*syntax.AttrOp) {
	for _, op := range ops {
		if names := syntax.StaticNames(op.Value); op.Name == "ensure" && slices.Contains(names, "absent") {
			return
		}
	}
	for _, op := range ops {
		if op.Name != "source" || op.Splat {
			continue
		}
		text, ok := op.Value.(*syntax.Str)
		if !ok {
			continue // of several the first that is there is taken
		}
		name, is := strings.CutPrefix(text.Value, "puppet:///modules/")
		if !is || !t.moduleOf(name) {
			continue
		}
		if !t.hasFile("files", strings.TrimSuffix(name, "/")) {
			t.warn(codeFile, f, op.Value.Span(), "there is no file "+t.shown("files", name), t.nearFile("files", name))
		}
	}
}

// templates looks at every template of the tree's own modules.
func (t *Tree) templates() {
	callers := t.callers()
	for _, m := range t.env.Modules() {
		dir := filepath.Join(m.Dir, "templates")
		if !t.own(filepath.Join(m.Dir, "manifests", "init.pp")) || !source.Exists(t.env.Files(), dir) {
			continue
		}
		// What cannot be read is told when it is used.
		_ = source.Walk(t.env.Files(), dir, func(p string, e source.Entry) bool {
			rel, err := filepath.Rel(dir, p)
			if e.IsDir() || err != nil {
				return true
			}
			name := m.Name + "/" + filepath.ToSlash(rel)
			switch filepath.Ext(p) {
			case ".erb":
				if text, err := t.env.Read(p); err == nil {
					t.erb(source.NewFile(t.env.Display(p), text), callers[name])
				}
			case ".epp":
				if tree, ds, err := t.env.Parse(p); err == nil && !ds.HasErrors() && tree != nil && tree.Epp != nil {
					t.epp(&file{p, m.Name, tree})
				}
			}
			return true
		})
	}
}

// callers are the classes and defines that render each template.
func (t *Tree) callers() map[string][]*definition {
	out := map[string][]*definition{}
	for _, defs := range []map[string]*definition{t.classes, t.defines} {
		for _, name := range names(defs) {
			d := defs[name]
			for _, s := range d.body {
				syntax.Walk(s, func(n syntax.Node) bool {
					switch n := n.(type) {
					case syntax.Definition:
						return false
					case *syntax.Call:
						if fn, ok := n.Functor.(*syntax.Name); ok && fn.Value == "template" {
							for _, a := range n.Args {
								for _, name := range syntax.StaticNames(a) {
									out[name] = append(out[name], d)
								}
							}
						}
					}
					return true
				})
			}
		}
	}
	return out
}

// erb looks at one template: its Ruby, and the variables that it reads.
func (t *Tree) erb(f *source.File, callers []*definition) {
	tmpl := template.Parse(f)
	for _, d := range tmpl.Trouble() {
		if d.Severity == source.Error && certainTrouble(d) {
			t.say(&source.Diagnostic{Code: codeERB, Severity: source.Warning, Place: d.Place,
				Summary: "the template's Ruby does not parse: " +
					d.Summary})
			return
		}
	}
	if len(callers) == 0 || len(tmpl.Trouble()) > 0 {
		return
	}
	known := map[string]bool{}
	for _, d := range callers {
		vars, certain := t.visible(d)
		if !certain {
			return
		}
		for v := range vars {
			known[v] = true
		}
		for _, s := range d.body { // what lambdas bind is seen by templates in them
			syntax.Walk(s, func(n syntax.Node) bool {
				if l, ok := n.(*syntax.Lambda); ok {
					for _, p := range l.Params {
						known[p.Name] = true
					}
					assigned(l.Body.Stmts, known)
				}
				return true
			})
		}
	}
	reads, sets := tmpl.InstanceVariables()
	for _, r := range reads {
		name := strings.TrimPrefix(r.Name, "@")
		if slices.Contains(sets, r.Name) || known[name] || t.set(name, known, nil) {
			continue
		}
		if x := source.Nearest(name, names(known)); x != "" && alike(name, x) {
			t.say(&source.Diagnostic{Code: codeInstance, Severity: source.Warning, Place: r.Place,
				Summary: "no caller of the template sets @" + name, Help: "did you mean @" + x + "?"})
		}
	}
}

// epp looks at the variables of a template that says which ones it is given: it sees those, its own, and those of the
// top scope.
func (t *Tree) epp(f *file) {
	if !f.tree.Epp.HasParams || t.broken[""] {
		return
	}
	vars := map[string]bool{}
	for _, p := range f.tree.Epp.Params {
		vars[p.Name] = true
	}
	assigned(f.tree.Epp.Body.Stmts, vars)
	for _, s := range append(defaultsOf(f.tree.Epp.Params), f.tree.Epp.Body.Stmts...) {
		t.unset(f, s, vars, nil)
	}
}

// certainTrouble reports whether what the parser of templates refuses is no Ruby at all, rather than Ruby that it does
// not know.
func certainTrouble(d *source.Diagnostic) bool {
	switch d.Code {
	case "R0007", "R0008", "R0009": // too deep, or not supported
		return false
	}
	return true
}
