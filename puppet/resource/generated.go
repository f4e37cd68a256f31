package resource

import (
	"bunraku/puppet/onigmo"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// generated reads the file that `puppet generate types` wrote for a type: one call of
// Puppet::Resource::ResourceType3.new with literal arguments. Puppet compiles with it in place of the Ruby; only the
// agent's part, the automatic relations, still comes from there. A file of another form is none.
func (l *Library) generated(name, path string) *Type {
	text, err := l.files.Read(path)
	if err != nil {
		return nil
	}
	f, ds := syntax.Parse(source.NewFile(l.files.Display(path), text), syntax.Options{})
	if ds.HasErrors() || len(f.Body.Stmts) != 1 {
		return nil
	}
	call, ok := f.Body.Stmts[0].(*syntax.MethodCall)
	if !ok || call.Functor.Name.Value != "new" || len(call.Args) < 4 {
		return nil
	}
	if ref, ok := call.Functor.Left.(*syntax.Ref); !ok || value.Downcase(ref.Value) != "puppet::resource::resourcetype3" {
		return nil
	}
	t := &Type{Name: name, Isomorphic: true}
	properties, okP := call.Args[1].(*syntax.List)
	params, okQ := call.Args[2].(*syntax.List)
	if !okP || !okQ {
		return nil
	}
	t.Properties = t.described(properties)
	t.Params = t.described(params)
	t.Ensurable = t.IsProperty("ensure")
	if titles, ok := call.Args[3].(*syntax.Hash); ok && !wholeTitle(titles) {
		if t.Titles = titlePatterns(titles); t.Titles == nil {
			return nil
		}
	}
	if len(call.Args) > 4 {
		if b, ok := call.Args[4].(*syntax.Bool); ok {
			t.Isomorphic = b.Value
		}
	}
	if rb, ok := l.files.Type(name); ok {
		r := l.read(name, rb)
		t.Autos, t.Refreshable, t.SelfRefresh = r.Autos, r.Refreshable, r.SelfRefresh
	}
	return t
}

// described reads Puppet::Resource::Param(type, name, namevar).
func (t *Type) described(list *syntax.List) []Attribute {
	var out []Attribute
	for _, e := range list.Elems {
		call, ok := e.(*syntax.Call)
		if !ok || len(call.Args) < 2 {
			continue
		}
		name, ok := literal(call.Args[1])
		if !ok {
			continue
		}
		a := Attribute{Name: name}
		if enum, ok := call.Args[0].(*syntax.Access); ok {
			if ref, isRef := enum.Left.(*syntax.Ref); isRef && ref.Value == "Enum" {
				for _, k := range enum.Keys {
					if s, ok := literal(k); ok {
						a.Values = append(a.Values, s)
					}
				}
			}
		}
		out = append(out, a)
		if len(call.Args) > 2 {
			if b, ok := call.Args[2].(*syntax.Bool); ok && b.Value {
				t.Namevars = append(t.Namevars, name)
			}
		}
	}
	return out
}

func literal(e syntax.Expr) (string, bool) {
	s, ok := e.(*syntax.Str)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// wholeTitle is the pattern that most types have: the title is the namevar.
func wholeTitle(h *syntax.Hash) bool {
	if len(h.Entries) != 1 {
		return false
	}
	re, ok := h.Entries[0].Key.(*syntax.Regexp)
	names, isList := h.Entries[0].Value.(*syntax.List)
	return ok && isList && len(names.Elems) == 1 && (re.Source == "(?m-ix:(.*))" || re.Source == "(.*)")
}

func titlePatterns(h *syntax.Hash) []TitlePattern {
	var out []TitlePattern
	for _, e := range h.Entries {
		re, ok := e.Key.(*syntax.Regexp)
		names, isList := e.Value.(*syntax.List)
		if !ok || !isList {
			return nil
		}
		compiled, err := onigmo.Compile(re.Source, 0)
		if err != nil {
			return nil
		}
		p := TitlePattern{Source: re.Source}
		for _, n := range names.Elems {
			s, _ := literal(n)
			p.Attrs = append(p.Attrs, s)
		}
		p.Values = func(title string) ([]value.Value, bool) { return capture(compiled, len(p.Attrs), title) }
		out = append(out, p)
	}
	return out
}

// capture is what the groups of a pattern hold: one value for each of n attributes.
func capture(re *onigmo.Regexp, n int, title string) ([]value.Value, bool) {
	loc, err := re.Find(title, 0)
	if err != nil || loc == nil {
		return nil, false
	}
	out := make([]value.Value, n)
	for i := range out {
		out[i] = value.Undef{}
		if g := 2*i + 2; g < len(loc) && loc[g] >= 0 {
			out[i] = value.String(title[loc[g]:loc[g+1]])
		}
	}
	return out, true
}
