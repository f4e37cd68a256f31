package mutate

import (
	"path/filepath"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/syntax"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Places knows the datum at each place: what a file has at a literal or a key path, what a fact is.
type Places struct {
	Facts *value.Hash
	files map[*source.File]func(provenance.Label) (value.Value, bool)
	facts map[string]value.Value
}

// At is the datum at a place; ok is false for places that hold none, such as absences.
func (d *Places) At(l provenance.Label) (v value.Value, ok bool) {
	switch l.Kind {
	case provenance.Fact:
		if d.facts == nil {
			d.facts = map[string]value.Value{}
			for _, e := range d.Facts.Entries() {
				spread(d.facts, value.ToString(e.Key), e.Value, func(k value.Value) string { return value.ToString(k) })
			}
		}
		v, ok = d.facts[l.Path]
		return v, ok
	case provenance.Key:
		if l.Place.File == nil {
			return nil, false
		}
		n, err := datafile.ReadYAML(source.NewFile("key", l.Place.Text()))
		if err != nil || n == nil {
			return nil, false
		}
		return n.Value, true
	case provenance.Literal, provenance.Datum:
		f := l.Place.File
		if f == nil {
			return nil, false
		}
		if d.files == nil {
			d.files = map[*source.File]func(provenance.Label) (value.Value, bool){}
		}
		read := d.files[f]
		if read == nil {
			if l.Kind == provenance.Literal {
				read = literalsOf(f)
			} else {
				read = dataOf(f)
			}
			d.files[f] = read
		}
		return read(l)
	}
	return nil, false
}

func spread(out map[string]value.Value, path string, v value.Value, segment func(value.Value) string) {
	out[path] = v
	switch v := v.(type) {
	case *value.Hash:
		for _, e := range v.Entries() {
			spread(out, path+"."+segment(e.Key), e.Value, segment)
		}
	case *value.Array:
		for i, e := range v.Elems {
			spread(out, path+"."+value.ToString(value.Int(i)), e, segment)
		}
	}
}

func dataOf(f *source.File) func(provenance.Label) (value.Value, bool) {
	data := map[string]value.Value{}
	if root := ReadData(f); root != nil {
		for _, e := range root.Value.(*value.Hash).Entries() {
			spread(data, datafile.Segment(e.Key), e.Value, datafile.Segment)
		}
	}
	return func(l provenance.Label) (value.Value, bool) {
		v, ok := data[l.Path]
		return v, ok
	}
}

func literalsOf(f *source.File) func(provenance.Label) (value.Value, bool) {
	parse := syntax.Parse
	switch filepath.Ext(f.Name) {
	case ".epp":
		parse = syntax.ParseEPP
	case ".pp":
	default: // text of a template in Ruby
		return func(provenance.Label) (value.Value, bool) { return nil, false }
	}
	tree, ds := parse(f, syntax.Options{})
	data := map[int]value.Value{}
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Str:
			data[int(n.Ord)] = value.String(n.Value)
		case *syntax.RenderString:
			data[int(n.Ord)] = value.String(n.Value)
		case *syntax.Name:
			data[int(n.Ord)] = value.String(n.Value)
		case *syntax.Int:
			data[int(n.Ord)] = value.Int(n.Value)
		case *syntax.Float:
			data[int(n.Ord)] = value.Float(n.Value)
		case *syntax.Bool:
			data[int(n.Ord)] = value.Bool(n.Value)
		case *syntax.Undef:
			data[int(n.Ord)] = value.Undef{}
		case *syntax.Default:
			data[int(n.Ord)] = value.Default{}
		case *syntax.Regexp:
			if re, err := value.NewRegexp(n.Source); err == nil {
				data[int(n.Ord)] = re
			}
		}
		return true
	}
	if !ds.HasErrors() {
		for _, s := range tree.Body.Stmts {
			syntax.Walk(s, visit)
		}
		if tree.Epp != nil {
			syntax.Walk(tree.Epp, visit)
		}
	}
	return func(l provenance.Label) (value.Value, bool) {
		v, ok := data[l.Ordinal]
		return v, ok
	}
}

// eachValue visits every value of a catalog with its provenance: attributes and variables, the elements of containers
// one by one, and titles.
func eachValue(res *eval.Result, visit func(slot string, v value.Value, r provenance.Ref)) {
	var walk func(slot string, v value.Value, r provenance.Ref)
	walk = func(slot string, v value.Value, r provenance.Ref) {
		switch v := v.(type) {
		case *value.Array:
			for i, e := range v.Elems {
				walk(slot+"."+value.ToString(value.Int(i)), e, v.Ref(i))
			}
			if v.Len() > 0 {
				return
			}
		case *value.Hash:
			for _, e := range v.Entries() {
				walk(slot+"."+value.ToString(e.Key), e.Value, e.Ref)
			}
			if v.Len() > 0 {
				return
			}
		case *value.Sensitive:
			walk(slot, v.Value, r)
			return
		}
		visit(slot, v, r)
	}
	for _, r := range res.Catalog.Resources {
		if r.Type != "Class" && r.Type != "Node" && r.Type != "Stage" {
			visit("title "+r.Ref(), value.String(r.Title), r.TitleRef)
		}
		for _, p := range r.Params {
			walk("attribute "+r.Ref()+" "+p.Name, p.Value, p.Ref)
		}
	}
	res.EachVariable(func(class, name string, v value.Value, r provenance.Ref) { walk("variable "+class+"::"+name, v, r) })
}

// Where checks theorem 4.2.4: a value that was copied from a place equals the datum there. Only the places that match
// are looked at; nil looks at all.
func (d *Places) Where(res *eval.Result, only func(provenance.LabelKey) bool, skip func(reason string)) (checked int,
	bad []Violation) {
	json := catalog.JSON{Types: types.ToData}
	eachValue(res, func(slot string, v value.Value, r provenance.Ref) {
		l, ok := res.Trace.Where(r)
		if !ok || only != nil && !only(l.Key()) {
			return
		}
		datum, ok := d.At(l)
		if !ok {
			skip("where: no datum is kept at a place of the kind " + l.Kind.String())
			return
		}
		checked++
		if value.Same(datum, v) || slot[0] == 't' && value.ToString(datum) == value.ToString(v) {
			return
		}
		a, _ := json.AppendValue(nil, v)
		b, _ := json.AppendValue(nil, datum)
		if string(a) != string(b) {
			bad = append(bad, Violation(slot+" is "+short(string(a))+", but at "+l.Place.String()+l.Path+
				", where it was copied from, is "+short(string(b))))
		}
	})
	return checked, bad
}
