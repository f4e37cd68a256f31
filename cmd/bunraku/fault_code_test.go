package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A faultSpot is a piece of a file's text that can be written wrongly.
type faultSpot struct {
	file *syntax.File
	span source.Span
	name string
	of   source.Span // the title of the resource that it is in, where Puppet tells of it; or nothing
}

// with is the file's text with something else there.
func (p faultSpot) with(text string) map[string]string {
	all := p.file.Source.Text
	return map[string]string{p.file.Source.Name: all[:p.span.Start] + text + all[p.span.End:]}
}

func (p faultSpot) line() string {
	return fmt.Sprintf("%s:%d", p.file.Source.Name, p.file.Source.LineOf(p.span.Start))
}

func (p faultSpot) text() string { return p.file.Source.Slice(p.span) }

// instead is the fault that another text stands there.
func (p faultSpot) instead(text, word string) *fault {
	f := &fault{what: fmt.Sprintf("%s became %s", p.text(), text), texts: p.with(text), at: []string{p.line()},
		word: word}
	if p.of.End > 0 {
		f.at = append(f.at, faultSpot{file: p.file, span: p.of}.line())
	}
	return f
}

// misspelt is the fault that the spot's name is misspelt there, as mis does it.
func (p faultSpot) misspelt(r *rand.Rand, mis func(*rand.Rand, string) string) *fault {
	bare := strings.TrimPrefix(p.name, "::")
	wrong := mis(r, bare)
	text := p.text()
	i := strings.LastIndex(text, bare)
	if wrong == "" || i < 0 {
		return nil
	}
	f := p.instead(text[:i]+wrong+text[i+len(bare):], "")
	f.word, f.lost = misspeltPart(bare, wrong)
	return f
}

// misspeltPart is the part of a name that was misspelt, and what it was.
func misspeltPart(right, wrong string) (is, was string) {
	apart := func(s string) []string {
		return strings.FieldsFunc(s, func(c rune) bool { return c == ':' || c == '/' })
	}
	for i, part := range apart(wrong) {
		if was := apart(right)[i]; part != was {
			return part, was
		}
	}
	return wrong, right
}

// faultSpots draws one of the spots that look finds in the tree's code.
func faultSpots(tree *faultTree, r *rand.Rand,
	look func(f *syntax.File, n syntax.Node, found func(faultSpot))) *faultSpot {
	if len(tree.code) == 0 {
		return nil
	}
	f := tree.code[r.IntN(len(tree.code))]
	var spots []faultSpot
	for _, s := range f.Body.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			look(f, n, func(p faultSpot) {
				if p.span.End > p.span.Start {
					spots = append(spots, p)
				}
			})
			return true
		})
	}
	if len(spots) == 0 {
		return nil
	}
	return &spots[r.IntN(len(spots))]
}

func faultName(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Name:
		return e.Value
	case *syntax.Str:
		if e.Quote == syntax.Single || e.Quote == syntax.Double {
			return e.Value
		}
	}
	return ""
}

// functor is the name of the function that a call calls.
func functor(c *syntax.Call) string {
	if n, is := c.Functor.(*syntax.Name); is {
		return n.Value
	}
	return ""
}

func (tree *faultTree) class(name string) *syntax.Class {
	c, _ := tree.owners[strings.TrimPrefix(name, "::")].(*syntax.Class)
	return c
}

func (tree *faultTree) define(name string) *syntax.Define {
	d, _ := tree.owners[strings.TrimPrefix(name, "::")].(*syntax.Define)
	return d
}

// faultTypes are types of Puppet itself with attributes that nobody doubts.
var faultTypes = map[string][]string{
	"file":    {"ensure", "owner", "group", "mode", "content", "source", "recurse", "target", "replace", "force", "purge"},
	"package": {"ensure", "name", "provider", "source", "install_options"},
	"service": {"ensure", "enable", "name", "hasstatus", "hasrestart", "provider"},
	"exec":    {"command", "path", "unless", "onlyif", "creates", "refreshonly", "cwd", "environment", "user", "timeout"},
	"user":    {"ensure", "home", "shell", "groups", "managehome", "password", "comment", "system"},
	"group":   {"ensure", "system", "members"},
	"notify":  {"message"},
}

// faultFunctions are functions of Puppet itself, with the most arguments that they take (-1: any number), and the
// fewest.
var faultFunctions = map[string][2]int{
	"include": {-1, 1}, "contain": {-1, 1}, "template": {-1, 1}, "epp": {2, 1}, "lookup": {-1, 1}, "fail": {-1, 1},
	"warning": {-1, 1}, "defined": {-1, 1}, "split": {2, 2}, "regsubst": {5, 3}, "versioncmp": {3, 2}, "join": {2, 1},
	"downcase": {1, 1}, "upcase": {1, 1}, "capitalize": {1, 1}, "strip": {1, 1}, "keys": {1, 1}, "values": {1, 1},
	"empty": {1, 1}, "length": {1, 1}, "flatten": {-1, 1}, "inline_template": {-1, 1}, "create_resources": {3, 2},
	"each": {-1, 1}, "filter": {-1, 1}, "map": {-1, 1}, "sprintf": {-1, 1}, "file": {-1, 1}, "fqdn_rand": {-1, 1},
	"contains": {-1, 1}, "assert_type": {-1, 2},
}

// paramsOf are the parameters of what a resource's type names, by name; nil when it is not in the tree.
func (tree *faultTree) paramsOf(res *syntax.Resource, body *syntax.ResourceBody) map[string]*syntax.Param {
	name, is := res.Type.(*syntax.Name)
	if !is {
		return nil
	}
	var list []*syntax.Param
	if name.Value == "class" {
		c := tree.class(faultName(body.Title))
		if c == nil {
			return nil
		}
		list = c.Params
	} else {
		d := tree.define(name.Value)
		if d == nil {
			return nil
		}
		list = d.Params
	}
	out := map[string]*syntax.Param{}
	for _, p := range list {
		out[p.Name] = p
	}
	return out
}

// faultWrong are literals that a type does not accept, in Puppet and in YAML, by the type's outermost name.
var faultWrong = map[string][2]string{
	"Boolean": {"'maybe'", "'maybe'"}, "Integer": {"'many'", "'many'"}, "Array": {"{ 'a' => 1 }", "{a: 1}"},
	"Hash": {"17", "17"}, "String": {"[1, 2]", "[1, 2]"}, "Enum": {"[1, 2]", "[1, 2]"},
}

// wrongFor is a literal that the parameter does not accept.
func wrongFor(p *syntax.Param) (wrong [2]string, base string) {
	if p == nil || p.Type == nil {
		return wrong, ""
	}
	e := p.Type
	for {
		a, is := e.(*syntax.Access)
		if !is {
			break
		}
		if ref, is := a.Left.(*syntax.Ref); is && ref.Value == "Optional" && len(a.Keys) == 1 {
			e = a.Keys[0]
			continue
		}
		e = a.Left
	}
	if ref, is := e.(*syntax.Ref); is {
		return faultWrong[ref.Value], ref.Value
	}
	return wrong, ""
}

var faultsOfCode = []faultKind{
	{"manifest: does not parse", "P0001 P0002 P0003 P0005 P0006 P0102 P0104 P0105 P1014 P1029 P1030 P1018",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			f := tree.code[r.IntN(len(tree.code))]
			text := f.Source.Text
			// A closing bracket, a comma, a colon, an arrow or a quote that somebody forgot.
			what := []string{"}", ")", ",\n", "':", " =>", "'", "{"}[r.IntN(7)]
			var places []int
			for i := 0; ; {
				j := strings.Index(text[i:], what)
				if j < 0 {
					break
				}
				places = append(places, i+j)
				i += j + len(what)
			}
			if len(places) == 0 {
				return nil
			}
			at := places[r.IntN(len(places))]
			cut := len(strings.TrimSuffix(what, "\n"))
			if what == "':" {
				at++
				cut = 1
			}
			p := faultSpot{file: f, span: source.Span{Start: uint32(at), End: uint32(at + cut)}}
			made := p.with("")
			if !puppetRefuses(t, made[f.Source.Name]) {
				return nil
			}
			return &fault{what: fmt.Sprintf("a %q less in line %d", strings.TrimSpace(what), f.Source.LineOf(uint32(at))),
				texts: made, at: []string{f.Source.Name}}
		}},
	{"code: class misspelt", "U0101 E0509 E0401", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			switch n := n.(type) {
			case *syntax.Call:
				if slices.Contains([]string{"include", "contain", "require"}, functor(n)) {
					for _, a := range n.Args {
						if tree.class(faultName(a)) != nil {
							found(faultSpot{file: f, span: a.Span(), name: faultName(a)})
						}
					}
				}
			case *syntax.Resource:
				if faultName(n.Type) == "class" {
					for _, b := range n.Bodies {
						if tree.class(faultName(b.Title)) != nil {
							found(faultSpot{file: f, span: b.Title.Span(), name: faultName(b.Title)})
						}
					}
				}
			}
		})
		if p == nil {
			return nil
		}
		return p.misspelt(r, tree.words.misspellIn)
	}},
	{"code: parent class misspelt", "U0101 E0530", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if c, is := n.(*syntax.Class); is && c.Parent != "" && tree.class(c.Parent) != nil {
				found(faultSpot{file: f, span: c.ParentAt, name: c.Parent})
			}
		})
		if p == nil {
			return nil
		}
		return p.misspelt(r, tree.words.misspellLast)
	}},
	{"code: define or type misspelt", "U0102 E0508", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if res, is := n.(*syntax.Resource); is {
				if name, is := res.Type.(*syntax.Name); is && (tree.define(name.Value) != nil || faultTypes[name.Value] != nil) {
					found(faultSpot{file: f, span: name.Span(), name: name.Value})
				}
			}
		})
		if p == nil {
			return nil
		}
		return p.misspelt(r, tree.words.misspellIn)
	}},
	{"code: attribute of a type misspelt", "U0103 E0580",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
				if res, is := n.(*syntax.Resource); is {
					for _, b := range res.Bodies {
						for _, op := range b.Ops {
							if slices.Contains(faultTypes[faultName(res.Type)], op.Name) {
								found(faultSpot{f, op.NameAt, op.Name, b.Title.Span()})
							}
						}
					}
				}
			})
			if p == nil {
				return nil
			}
			return p.misspelt(r, tree.words.misspell)
		}},
	{"code: attribute of a define or class misspelt", "U0103 E0580 E0412",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
				if res, is := n.(*syntax.Resource); is {
					for _, b := range res.Bodies {
						for _, op := range b.Ops {
							if tree.paramsOf(res, b)[op.Name] != nil {
								found(faultSpot{f, op.NameAt, op.Name, b.Title.Span()})
							}
						}
					}
				}
			})
			if p == nil {
				return nil
			}
			return p.misspelt(r, tree.words.misspell)
		}},
	{"code: function misspelt", "U0104 E0252", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if c, is := n.(*syntax.Call); is {
				if _, is := faultFunctions[functor(c)]; is && !c.Bare {
					found(faultSpot{file: f, span: c.Functor.Span(), name: functor(c)})
				}
			}
		})
		if p == nil {
			return nil
		}
		return p.misspelt(r, tree.words.misspell)
	}},
	{"code: variable misspelt", "U0105 E0301", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			var body syntax.Body
			var params []*syntax.Param
			switch n := n.(type) {
			case *syntax.Class:
				body, params = n.Body, n.Params
			case *syntax.Define:
				body, params = n.Body, n.Params
			}
			set, assigned := map[string]bool{}, map[syntax.Node]bool{}
			for _, p := range params {
				set[p.Name] = true
			}
			visit := func(look func(syntax.Node)) {
				for _, s := range body.Stmts {
					syntax.Walk(s, func(n syntax.Node) bool { look(n); return true })
				}
			}
			visit(func(n syntax.Node) {
				if a, is := n.(*syntax.Assign); is {
					assigned[a.Left] = true
					if v, is := a.Left.(*syntax.Var); is {
						set[v.Name] = true
					}
				}
			})
			visit(func(n syntax.Node) {
				if v, is := n.(*syntax.Var); is && set[v.Name] && !assigned[n] {
					found(faultSpot{file: f, span: v.Span(), name: v.Name})
				}
			})
		})
		if p == nil {
			return nil
		}
		return p.misspelt(r, tree.words.misspell)
	}},
	{"code: variable of a class misspelt", "U0105 E0301",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
				if v, is := n.(*syntax.Var); is {
					if i := strings.LastIndex(v.Name, "::"); i > 0 && tree.class(v.Name[:i]) != nil {
						found(faultSpot{file: f, span: v.Span(), name: v.Name})
					}
				}
			})
			if p == nil {
				return nil
			}
			return p.misspelt(r, tree.words.misspellLast)
		}},
	{"code: source of a file misspelt", "U0107 C0004", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if op, is := n.(*syntax.AttrOp); is && op.Name == "source" && tree.fileOf(faultName(op.Value)) != "" {
				found(faultSpot{file: f, span: op.Value.Span(), name: faultName(op.Value)})
			}
		})
		if p == nil {
			return nil
		}
		return p.misspelt(r, func(r *rand.Rand, name string) string { return misspeltPath(tree, r, name) })
	}},
	{"code: file of a source is gone", "U0107 C0004", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if op, is := n.(*syntax.AttrOp); is && op.Name == "source" && tree.fileOf(faultName(op.Value)) != "" {
				found(faultSpot{file: f, span: op.Value.Span(), name: faultName(op.Value)})
			}
		})
		if p == nil {
			return nil
		}
		return tree.without(tree.fileOf(p.name), p.name)
	}},
	{"code: too many or too few arguments", "U0108 E0401",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
				c, is := n.(*syntax.Call)
				if !is || c.Bare || len(c.Args) == 0 || c.Lambda != nil {
					return
				}
				if _, is := faultFunctions[functor(c)]; is {
					splat := slices.ContainsFunc(c.Args, func(e syntax.Expr) bool {
						u, is := e.(*syntax.Unary)
						return is && u.Op == syntax.OpSplat
					})
					if !splat {
						args := c.Args[0].Span().Join(c.Args[len(c.Args)-1].Span())
						found(faultSpot{file: f, span: args,
							name: fmt.Sprint(functor(c), " ", len(c.Args), " ", c.Args[0].Span().Len())})
					}
				}
			})
			if p == nil {
				return nil
			}
			var name string
			var n, first int
			fmt.Sscan(p.name, &name, &n, &first)
			most, least := faultFunctions[name][0], faultFunctions[name][1]
			switch {
			case least > 1 && r.IntN(2) == 0: // only the first argument is left
				return p.instead(p.text()[:first], name)
			case most > 0:
				return p.instead(p.text()+strings.Repeat(", 'more'", most-n+1), name)
			}
			return nil
		}},
	{"code: literal of another type", "U0109 E0412", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			if res, is := n.(*syntax.Resource); is {
				for _, b := range res.Bodies {
					for _, op := range b.Ops {
						if wrong, base := wrongFor(tree.paramsOf(res, b)[op.Name]); wrong[0] != "" {
							switch op.Value.(type) {
							case *syntax.Str, *syntax.Int, *syntax.Bool, *syntax.Name, *syntax.Var, *syntax.List:
								found(faultSpot{f, op.Value.Span(), base + " " + op.Name, b.Title.Span()})
							}
						}
					}
				}
			}
		})
		if p == nil || strings.Contains(p.text(), "\n") {
			return nil
		}
		base, name, _ := strings.Cut(p.name, " ")
		return p.instead(faultWrong[base][0], name)
	}},
	{"code: required parameter left out", "U0110 E0412", func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
		var at string
		p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
			res, is := n.(*syntax.Resource)
			if !is || res.Form != syntax.Regular || tree.define(faultName(res.Type)) == nil ||
				slices.ContainsFunc(tree.code, func(f *syntax.File) bool { return hasDefaults(f, faultName(res.Type)) }) {
				return
			}
			for _, b := range res.Bodies {
				if slices.ContainsFunc(b.Ops, func(op *syntax.AttrOp) bool { return op.Splat }) {
					continue
				}
				for _, op := range b.Ops {
					param := tree.paramsOf(res, b)[op.Name]
					if param == nil || param.Type == nil || param.Default != nil || isOptional(param.Type) {
						continue
					}
					all := f.Source.Text
					end := int(op.Span().End)
					if end < len(all) && all[end] == ',' {
						end++
					}
					at = fmt.Sprintf("%s:%d %s:%d", f.Source.Name, f.Source.LineOf(res.Span().Start), f.Source.Name,
						f.Source.LineOf(b.Title.Span().Start))
					found(faultSpot{file: f, span: source.Span{Start: op.Span().Start, End: uint32(end)}, name: op.Name + " " + at})
				}
			}
		})
		if p == nil || strings.Contains(p.text(), "\n") {
			return nil
		}
		fields := strings.Fields(p.name)
		return &fault{what: "without " + p.text(), texts: p.with(""), at: fields[1:], word: fields[0]}
	}},
	{"code: data type misspelt", "U0111 E0206 E0201 E0241 P1050",
		func(t *testing.T, tree *faultTree, r *rand.Rand) *fault {
			p := faultSpots(tree, r, func(f *syntax.File, n syntax.Node, found func(faultSpot)) {
				if param, is := n.(*syntax.Param); is && param.Type != nil {
					syntax.Walk(param.Type, func(n syntax.Node) bool {
						if ref, is := n.(*syntax.Ref); is && !strings.Contains(ref.Value, "::") {
							found(faultSpot{file: f, span: ref.Span(), name: ref.Value})
						}
						return true
					})
				}
			})
			if p == nil {
				return nil
			}
			return p.misspelt(r, tree.words.misspell)
		}},
}

func isOptional(e syntax.Expr) bool {
	a, is := e.(*syntax.Access)
	if !is {
		return false
	}
	ref, is := a.Left.(*syntax.Ref)
	return is && ref.Value == "Optional"
}

// hasDefaults says whether a file gives defaults to a type.
func hasDefaults(f *syntax.File, name string) (has bool) {
	for _, s := range f.Body.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if d, is := n.(*syntax.Defaults); is {
				if ref, is := d.Type.(*syntax.Ref); is && strings.EqualFold(ref.Value, name) {
					has = true
				}
			}
			return true
		})
	}
	return has
}

// fileOf is the file of the tree that a source names: puppet:///modules/module/path.
func (tree *faultTree) fileOf(url string) string {
	rest, is := strings.CutPrefix(url, "puppet:///modules/")
	module, path, _ := strings.Cut(rest, "/")
	if !is {
		return ""
	}
	return tree.inModule(module, "files", path)
}

func (tree *faultTree) inModule(module, dir, path string) string {
	for _, m := range tree.modules {
		if m.name == module {
			if name := m.dir + dir + "/" + path; slices.Contains(tree.files, name) {
				return name
			}
		}
	}
	return ""
}

// misspeltPath misspells the last part of a path, but for its ending.
func misspeltPath(tree *faultTree, r *rand.Rand, name string) string {
	i := strings.LastIndex(name, "/")
	base := faultWord.FindString(name[i+1:])
	if wrong := tree.words.misspell(r, base); wrong != "" {
		return name[:i+1] + strings.Replace(name[i+1:], base, wrong, 1)
	}
	return ""
}

// without is the fault that a file is gone which code names with a word.
func (tree *faultTree) without(file, word string) *fault {
	f := &fault{what: file + " is gone", gone: []string{file}}
	for _, code := range tree.code {
		for i, line := range strings.Split(code.Source.Text, "\n") {
			if strings.Contains(line, word) {
				f.at = append(f.at, fmt.Sprintf("%s:%d", code.Source.Name, i+1))
			}
		}
	}
	return f
}

// puppetRefuses asks Puppet's parser about a manifest.
func puppetRefuses(t *testing.T, text string) bool {
	t.Helper()
	return askRuby(t, `require 'puppet'
begin
  Puppet::Pops::Parser::EvaluatingParser.new.parse_string(STDIN.read, 'x.pp')
  puts 'fine'
rescue Puppet::Error
  puts 'refused'
end`, text) == "refused"
}
