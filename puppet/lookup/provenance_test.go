package lookup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/provenance"
	"bunraku/puppet/lookup"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// An answer is what a query gave, and the places outside of which no change may alter it.
type answer struct {
	text string
	err  bool
	deps map[provenance.LabelKey]bool
}

// answersOf asks the queries of a case, with tracing if wanted; only, if not nil, says which.
func (c *testCase) answersOf(t *testing.T, tracing bool, only map[int]bool) []answer {
	l, scope := c.open(t)
	out := make([]answer, len(c.queries))
	plain := l.Session(nil, nil)
	for i, q := range c.parsed(t) {
		if !value.IsUndef(q.At("explain")) || !value.IsUndef(q.At("hiera")) || !value.IsUndef(q.At("names")) || only != nil &&
			!only[i] {
			continue
		}
		s, sc := plain, scope
		var tr *provenance.Trace
		if tracing {
			tr = provenance.NewTrace()
			s, sc = l.Session(tr, nil), scope.traced(tr)
		}
		if set, is := q.At("set").(*value.Hash); is {
			sc = &testScope{vars: sc.vars, refs: sc.refs, functions: sc.functions, local: set}
		}
		query := lookup.Query{}
		if m, has := q.GetString("merge"); has {
			query.Merge = m
		}
		res, err := s.Find(value.ToString(q.At("key")), sc, query)
		a := answer{text: "missing", err: err != nil, deps: map[provenance.LabelKey]bool{}}
		if res.Found {
			a.text = encode(res.Value)
		}
		if err != nil {
			a.text = "error"
		}
		if tracing {
			refs := []provenance.Ref{res.Ref}
			switch v := res.Value.(type) {
			case *value.Array:
				v.EachRef(func(r provenance.Ref) { refs = append(refs, r) })
			case *value.Hash:
				v.EachRef(func(r provenance.Ref) { refs = append(refs, r) })
			}
			for _, label := range tr.Depends(refs...) {
				a.deps[label.Key()] = true
			}
		}
		out[i] = a
	}
	return out
}

func (c *testCase) parsed(t *testing.T) []*value.Hash {
	if c.hashes == nil {
		for _, text := range c.queries {
			c.hashes = append(c.hashes, parse(t, text).(*value.Hash))
		}
	}
	return c.hashes
}

// traced gives every variable a place of its own.
func (s *testScope) traced(t *provenance.Trace) *testScope {
	c := &testScope{vars: map[string]value.Value{}, functions: s.functions, refs: map[string]provenance.Ref{}}
	var walk func(v value.Value, path string) (value.Value, provenance.Ref)
	walk = func(v value.Value, path string) (value.Value, provenance.Ref) {
		ref := t.Leaf(provenance.Label{Kind: provenance.Fact, Path: path})
		switch v := v.(type) {
		case *value.Array:
			b := value.NewArrayBuilder(v.Len())
			for i, e := range v.Elems {
				b.AddRef(walk(e, path+"."+value.ToString(value.Int(i))))
			}
			return b.Array(), ref
		case *value.Hash:
			b := value.NewHashBuilder(v.Len())
			for _, e := range v.Entries() {
				sub, r := walk(e.Value, path+"."+value.ToString(e.Key))
				b.SetEntry(value.Entry{Key: e.Key, Value: sub, Ref: r})
			}
			return b.Hash(), ref
		}
		return v, ref
	}
	for name, v := range s.vars {
		c.vars[name], c.refs[name] = walk(v, name)
	}
	return c
}

// Theorem 5.3.5, for lookups: change one datum, and no answer changes that does not name its place. Data are changed,
// keys renamed, keys and files added where they were missed, variables changed.
func TestDependency(t *testing.T) {
	mutations, changed, violations, leafCount := 0, 0, 0, 0
	for _, c := range readCases(t) {
		name := filepath.Base(c.dir)
		if strings.HasPrefix(name, "config_") || strings.HasPrefix(name, "badfiles") || name == "functions" {
			continue
		}
		before := c.answersOf(t, true, nil)
		// try compares the answers after a change. gone and come are the names of the place before and after it: a key that
		// is added was missed before.
		try := func(what string, gone, come provenance.LabelKey) {
			mutations++
			differ := map[int]bool{}
			for i, a := range c.answersOf(t, false, nil) {
				if a.text != before[i].text && !a.err && !before[i].err {
					differ[i] = true
				}
			}
			if len(differ) == 0 {
				return
			}
			after := c.answersOf(t, true, differ)
			for i := range c.queries {
				if !differ[i] {
					continue
				}
				again := gone // of two keys of one name the other counts when one is renamed
				again.Kind = provenance.Datum
				if changed++; !before[i].deps[gone] || !after[i].deps[come] && !after[i].deps[again] {
					if violations++; violations < 15 {
						t.Errorf("%s: %s changes %s\n from %s\n to   %s\n and is not among its places: %v %v, %v %v", name, what,
							c.queries[i], before[i].text, after[i].text, gone, before[i].deps[gone], come, after[i].deps[come])
					}
				}
			}
		}
		var files []string
		filepath.WalkDir(c.dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".yaml") && filepath.Base(path) != "hiera.yaml" {
				files = append(files, path)
			}
			return nil
		})
		roots := map[string]bool{}
		for _, q := range c.queries {
			if k, err := lookup.ParseKey(value.ToString(parse(t, q).(*value.Hash).At("key"))); err == nil &&
				!strings.ContainsAny(k.Root, "'\"% ") {
				roots[k.Root] = true
			}
		}
		for _, path := range files {
			text, _ := os.ReadFile(path)
			f := source.NewFile(path, string(text))
			root, err := datafile.ReadYAML(f)
			if err != nil || root == nil {
				continue
			}
			h, is := root.Value.(*value.Hash)
			if !is {
				continue
			}
			edit := func(at source.Span, with, what string, place provenance.LabelKey) {
				if at.Start >= at.End {
					return
				}
				os.WriteFile(path, []byte(f.Text[:at.Start]+with+f.Text[at.End:]), 0o644)
				come := place
				if strings.HasPrefix(what, "no ") {
					come = provenance.LabelKey{Kind: provenance.Absence, Path: "key " + place.Path + " in file " + path}
				}
				try(what+" in "+filepath.Base(path), place, come)
			}
			seen := map[*datafile.Node]bool{} // what an alias stands for has its place where it is written
			var leaves func(n *datafile.Node, key string)
			leaves = func(n *datafile.Node, key string) {
				if seen[n] {
					return
				}
				seen[n] = true
				switch v := n.Value.(type) {
				case *value.Array:
					for i, k := range n.Kids {
						leaves(k.Node, key+"."+value.ToString(value.Int(i)))
					}
				case *value.Hash:
					for i, k := range n.Kids {
						leaves(k.Node, key+"."+datafile.Segment(v.Entries()[i].Key))
					}
				default:
					if s := n.Place(f).Text(); !strings.HasPrefix(s, "|") && !strings.HasPrefix(s, ">") {
						for _, with := range []string{`"changed"`, "~"} {
							if leafCount++; with == "~" && leafCount%6 != 0 {
								continue
							}
							edit(n.Span, with, key+" = "+with, provenance.LabelKey{Kind: provenance.Datum, File: path, Path: key})
						}
					}
				}
			}
			for i, k := range root.Kids {
				key := datafile.Segment(h.Entries()[i].Key)
				leaves(k.Node, key)
				edit(k.Key, "renamed_by_the_test", "no "+key, provenance.LabelKey{Kind: provenance.Datum, File: path, Path: key})
				if key != "lookup_options" || len(k.Node.Kids) == 0 {
					continue
				}
				options, is := k.Node.Value.(*value.Hash)
				if !is {
					continue
				}
				first := k.Node.Kids[0].Key
				for j, o := range k.Node.Kids {
					name := datafile.Segment(options.Entries()[j].Key)
					label := name
					if strings.HasPrefix(strings.Trim(name, `"'`), "^") {
						label = "^…"
					}
					os.WriteFile(path, []byte(f.Text[:o.Key.Start]+"renamed_by_the_test"+f.Text[o.Key.End:]), 0o644)
					try("no options of "+name+" in "+filepath.Base(path), provenance.LabelKey{Kind: provenance.Datum, File: path,
						Path: key + "." + name},
						provenance.LabelKey{Kind: provenance.Absence, Path: "key lookup_options." + label + " in file " + path})
				}
				column := f.Position(first.Start).Column - 1
				line := strings.TrimSpace(f.Text[int(first.Start)-column : first.Start])
				if line != "" || column == 0 { // written in one line
					continue
				}
				for root := range roots {
					for name, label := range map[string]string{root: datafile.Segment(value.String(root)), "^" + root: "^…"} {
						if options.EntryString(name) != nil {
							continue
						}
						for _, with := range []string{"merge: unique", "convert_to: Array", "merge: hash"} {
							os.WriteFile(path, []byte(f.Text[:first.Start]+`"`+name+`": {`+with+"}\n"+
								strings.Repeat(" ", column)+f.Text[first.Start:]), 0o644)
							try("options "+with+" of "+name+" in "+filepath.Base(path), provenance.LabelKey{Kind: provenance.Absence,
								Path: "key lookup_options." + label + " in file " + path},
								provenance.LabelKey{Kind: provenance.Datum, File: path, Path: "lookup_options." +
									datafile.Segment(value.String(name))})
						}
					}
				}
			}
			if !strings.HasPrefix(strings.TrimSpace(f.Text), "{") {
				for key := range roots {
					if root.Entry(key) == nil {
						os.WriteFile(path, []byte(strings.TrimRight(f.Text, "\n")+"\n"+key+": {inserted: by the test}\n"), 0o644)
						try("a new key "+key+" in "+filepath.Base(path), provenance.LabelKey{Kind: provenance.Absence, Path: "key " +
							key + " in file " + path}, provenance.LabelKey{Kind: provenance.Datum, File: path,
							Path: datafile.Segment(value.String(key))})
					}
				}
			}
			os.WriteFile(path, text, 0o644)
		}
		absent := map[string]bool{}
		for _, a := range before {
			for l := range a.deps {
				if path, is := strings.CutPrefix(l.Path, "file "); is && l.Kind == provenance.Absence &&
					strings.HasSuffix(path, ".yaml") && filepath.Base(path) != "hiera.yaml" {
					absent[path] = true
				}
			}
		}
		for path := range absent {
			for key := range roots {
				os.MkdirAll(filepath.Dir(path), 0o755)
				os.WriteFile(path, []byte(key+": {new: file}\n"), 0o644)
				try("a new file "+filepath.Base(path), provenance.LabelKey{Kind: provenance.Absence, Path: "file " + path},
					provenance.LabelKey{Kind: provenance.Datum, File: path, Path: datafile.Segment(value.String(key))})
			}
			os.Remove(path)
		}
		if vars, err := os.ReadFile(filepath.Join(c.dir, "vars.json")); err == nil {
			h := parse(t, string(vars)).(*value.Hash)
			for _, e := range h.Entries() {
				if s, is := e.Value.(value.String); is && s != "" {
					key := value.ToString(e.Key)
					os.WriteFile(filepath.Join(c.dir, "vars.json"),
						[]byte(strings.Replace(string(vars), `"`+key+`":"`+string(s)+`"`, `"`+key+`":"other"`, 1)), 0o644)
					place := provenance.LabelKey{Kind: provenance.Fact, Path: key}
					try("variable "+key, place, place)
				}
			}
			os.WriteFile(filepath.Join(c.dir, "vars.json"), vars, 0o644)
		}
	}
	t.Logf("%d mutations changed %d answers; %d not foretold", mutations, changed, violations)
	if changed < 500 {
		t.Errorf("only %d answers changed: the test has lost its teeth", changed)
	}
}

// Theorem 4.2.4, for lookups: an answer that is a copy equals the datum at the place that it names.
func TestWhere(t *testing.T) {
	checked := 0
	for _, c := range readCases(t) {
		l, scope := c.open(t)
		tr := provenance.NewTrace()
		s := l.Session(tr, nil)
		for _, text := range c.queries {
			q := parse(t, text).(*value.Hash)
			res, err := s.Find(value.ToString(q.At("key")), scope, lookup.Query{})
			if err != nil || !res.Found {
				continue
			}
			var walk func(v value.Value, ref provenance.Ref)
			walk = func(v value.Value, ref provenance.Ref) {
				switch v := v.(type) {
				case *value.Array:
					for i, e := range v.Elems {
						walk(e, v.Ref(i))
					}
					return
				case *value.Hash:
					for _, e := range v.Entries() {
						walk(e.Value, e.Ref)
					}
					return
				}
				label, ok := tr.Where(ref)
				if !ok || label.Kind != provenance.Datum || !label.Place.Known() || !strings.HasSuffix(label.Place.File.Name,
					".yaml") {
					return
				}
				n, err := datafile.ReadYAML(source.NewFile("leaf", label.Place.Text()))
				if err != nil || n == nil { // a block scalar does not stand alone
					return
				}
				checked++
				if !value.Same(n.Value, v) && !strings.HasPrefix(label.Place.Text(), "|") &&
					!strings.HasPrefix(label.Place.Text(), ">") {
					t.Errorf("%s: %s is %s, but %s is %s", c.path, text, encode(v), label.Place, encode(n.Value))
				}
			}
			walk(res.Value, res.Ref)
		}
	}
	t.Logf("%d copies compared", checked)
	if checked < 100 {
		t.Errorf("only %d", checked)
	}
}
