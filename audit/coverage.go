package audit

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// An Item is something that a compile may come to.
type Item struct {
	Kind  string // class, define, branch, template, key
	Name  string
	Place source.Place
	Used  bool
}

// A Coverage is what there is in the tree's own code and data, and what of it was used.
type Coverage struct {
	Items []Item
	// Astray are what look like modules and lie in no directory of the modulepath: Puppet never finds what their manifests
	// define. Definitions is how many classes and defines that are.
	Astray      []string
	Definitions int
}

// Kinds are the kinds of items, in the order in which they are shown.
var Kinds = []string{"class", "define", "branch", "template", "key"}

// Count is how many items of a kind were used, and how many there are.
func (c *Coverage) Count(kind string) (used, of int) {
	for _, i := range c.Items {
		if i.Kind == kind {
			of++
			if i.Used {
				used++
			}
		}
	}
	return used, of
}

// String is the figures in one line.
func (c *Coverage) String() string {
	plural := map[string]string{"class": "classes", "define": "defines", "branch": "branches", "template": "templates",
		"key": "data keys"}
	var parts []string
	for _, k := range Kinds {
		if used, of := c.Count(k); of > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", used, of, plural[k]))
		}
	}
	return strings.Join(parts, ", ")
}

// Coverage finds out what of the tree was used. declared has the classes and defines that are in some catalog, by plain
// name; files are all manifests of the tree, wherever they lie.
func (t *Tree) Coverage(declared map[string]bool, cover *source.Cover, files []string) *Coverage {
	c := &Coverage{}
	for _, p := range files {
		if p = source.Absolute(p); !t.seen[p] && t.own(p) {
			c.astray(t, p)
		}
	}
	for _, f := range t.files {
		at := func(s source.Span) source.Place { return source.Place{File: f.tree.Source, Span: s} }
		for _, d := range f.tree.Defs {
			switch d := d.(type) {
			case *syntax.Class:
				name := outline.Class(d.Name)
				c.Items = append(c.Items, Item{"class", name, at(d.NameAt), declared[name]})
			case *syntax.Define:
				name := outline.Class(d.Name)
				c.Items = append(c.Items, Item{"define", name, at(d.NameAt), declared[name]})
			}
		}
		branch := func(stmt syntax.Expr) {
			place := at(stmt.Span())
			c.Items = append(c.Items, Item{"branch", place.String(), place,
				cover.HasBranch(f.tree.Source.Name, stmt.Span().Start)})
		}
		for _, s := range f.tree.Body.Stmts {
			syntax.Walk(s, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.If:
					for _, b := range [][]syntax.Expr{n.Then.Stmts, n.Else.Stmts} {
						if len(b) > 0 {
							branch(b[0])
						}
					}
				case *syntax.Option:
					if len(n.Then.Stmts) > 0 {
						branch(n.Then.Stmts[0])
					}
				case *syntax.Selector:
					for _, e := range n.Entries {
						branch(e.Value)
					}
				}
				return true
			})
		}
	}
	for _, p := range Templates(t.env) {
		if t.own(p) {
			c.Items = append(c.Items, Item{"template", t.env.Display(p), source.Place{}, cover.HasKey(p, "")})
		}
	}
	for _, f := range t.data() {
		if f.file == nil || f.file.Root == nil {
			continue
		}
		for i, e := range f.entries() {
			if e != "lookup_options" {
				c.Items = append(c.Items, Item{"key", e, f.keyPlace(i), cover.HasKey(f.path, e)})
			}
		}
	}
	return c
}

// astray takes in a manifest that Puppet does not look at. Those of tests and examples are meant to lie there.
func (c *Coverage) astray(t *Tree, p string) {
	shown := t.env.Display(p)
	parts := strings.Split(filepath.ToSlash(shown), "/")
	if filepath.Ext(p) != ".pp" || slices.Index(parts, "manifests") < 1 ||
		slices.ContainsFunc(parts, func(s string) bool { return s == "spec" || s == "examples" || s == "tests" }) {
		return
	}
	tree, ds, err := t.env.Parse(p)
	if err != nil || ds.HasErrors() || tree == nil {
		return
	}
	n := 0
	for _, d := range tree.Defs {
		switch d.(type) {
		case *syntax.Class, *syntax.Define:
			n++
		}
	}
	if n == 0 {
		return
	}
	c.Definitions += n
	if module := strings.Join(parts[:slices.Index(parts, "manifests")], "/"); !slices.Contains(c.Astray, module) {
		c.Astray = append(c.Astray, module)
	}
}

// Templates are the files that modules render.
func Templates(env *environment.Environment) (out []string) {
	for _, m := range env.Modules() {
		dir := filepath.Join(m.Dir, "templates")
		if !source.Exists(env.Files(), dir) {
			continue
		}
		// What cannot be read is told when it is used.
		_ = source.Walk(env.Files(), dir, func(p string, e source.Entry) bool {
			if ext := filepath.Ext(p); !e.IsDir() && (ext == ".erb" || ext == ".epp") {
				out = append(out, p)
			}
			return true
		})
	}
	return out
}

// WriteLCOV writes the coverage in the form that LCOV and what reads it take: classes and defines as functions,
// branches as branches, and the lines of both.
func (c *Coverage) WriteLCOV(w io.Writer) error {
	byFile := map[string][]Item{}
	var files []string
	for _, i := range c.Items {
		if !i.Place.Known() {
			continue
		}
		name := i.Place.File.Name
		if byFile[name] == nil {
			files = append(files, name)
		}
		byFile[name] = append(byFile[name], i)
	}
	slices.Sort(files)
	for _, name := range files {
		var b strings.Builder
		fmt.Fprintf(&b, "TN:\nSF:%s\n", name)
		lines, order := map[int]int{}, []int{}
		functions, hitFunctions, branches, hitBranches := 0, 0, 0, 0
		for _, i := range byFile[name] {
			hit := 0
			if i.Used {
				hit = 1
			}
			line := i.Place.Line()
			if _, seen := lines[line]; !seen {
				order = append(order, line)
			}
			lines[line] = max(lines[line], hit)
			switch i.Kind {
			case "class", "define":
				fmt.Fprintf(&b, "FN:%d,%s\nFNDA:%d,%s\n", line, i.Name, hit, i.Name)
				functions, hitFunctions = functions+1, hitFunctions+hit
			case "branch":
				fmt.Fprintf(&b, "BRDA:%d,0,%d,%d\n", line, branches, hit)
				branches, hitBranches = branches+1, hitBranches+hit
			}
		}
		fmt.Fprintf(&b, "FNF:%d\nFNH:%d\nBRF:%d\nBRH:%d\n", functions, hitFunctions, branches, hitBranches)
		slices.Sort(order)
		hits := 0
		for _, l := range order {
			fmt.Fprintf(&b, "DA:%d,%d\n", l, lines[l])
			hits += lines[l]
		}
		fmt.Fprintf(&b, "LF:%d\nLH:%d\nend_of_record\n", len(order), hits)
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}
