package lsp

import (
	"slices"
	"strings"
	"sync"

	"bunraku/puppet/outline"
)

// What completion asks of all files is gathered once, for one state of them: who walks thousands of files at every key
// is too slow. The files that have changed since then are few, and are looked at themselves; when they have become
// many, the table is made anew.

// A table is what completion asks of all files in one state.
type table struct {
	once   sync.Once
	of     []*entry // the state, by path
	counts map[used]int
	named  map[outline.NameKind][]string        // names that stand somewhere, defined or not
	defs   map[outline.NameKind][]definition    // by path
	inside map[string][]definition              // variables, by the class or define that has them; "" for the top scope
	known  map[outline.NameKind]map[string]bool // names that are defined
	set    map[string]map[string]bool           // attributes that somebody sets, by class or type
	vars   []variable                           // of classes, by name
	inRuby map[outline.NameKind][]string        // functions and resource types that are written in Ruby
	module map[string]bool                      // modules of which something is defined
	*classes
}

// used is something that has a name.
type used struct {
	kind outline.NameKind
	name string
}

// A variable is one of a class.
type variable struct {
	name  string
	class int32 // the number of its class
	far   int   // how often it is read from outside of the class
	definition
}

// A definition is one in a file.
type definition struct {
	in *entry
	*outline.Name
}

// make fills the table.
func (t *table) make() {
	t.counts, t.named = map[used]int{}, map[outline.NameKind][]string{}
	t.defs, t.inside = map[outline.NameKind][]definition{}, map[string][]definition{}
	t.known, t.classes = map[outline.NameKind]map[string]bool{}, newClasses(t.of)
	t.set = map[string]map[string]bool{}
	t.inRuby, t.module = map[outline.NameKind][]string{}, map[string]bool{}
	far := map[string]int{}
	for _, e := range t.of {
		if name := rubyFunction(e); name != "" {
			t.inRuby[outline.FunctionName] = append(t.inRuby[outline.FunctionName], name)
		} else if name := inRuby(e, "/lib/puppet/type/"); name != "" && !strings.Contains(name, "::") {
			t.inRuby[outline.TypeName] = append(t.inRuby[outline.TypeName], name)
		}
		for _, n := range e.names {
			if n.Pattern {
				continue
			}
			t.counts[used{n.Kind, n.Name}]++
			owner, name := "", n.Name
			if i := strings.LastIndex(n.Name, "::"); i >= 0 {
				owner, name = n.Name[:i], n.Name[i+2:]
			}
			switch {
			case n.Kind != outline.VariableName || n.Defines || owner == "" || n.Free:
			case n.Param && t.set[owner] == nil:
				t.set[owner] = map[string]bool{name: true}
			case n.Param:
				t.set[owner][name] = true
			case n.In != owner:
				far[n.Name]++
			}
		}
		for j := range e.defs {
			d := definition{e, &e.defs[j]}
			t.defs[d.Kind] = append(t.defs[d.Kind], d)
			if t.known[d.Kind] == nil {
				t.known[d.Kind] = map[string]bool{}
			}
			t.known[d.Kind][d.Name.Name] = true
			switch d.Kind {
			case outline.ClassName, outline.TypeName, outline.FunctionName:
				module, _, _ := strings.Cut(d.Name.Name, "::")
				t.module[module] = true
			}
			if d.Kind == outline.VariableName {
				t.inside[d.owner()] = append(t.inside[d.owner()], d)
			}
		}
	}
	for u := range t.counts {
		t.named[u.kind] = append(t.named[u.kind], u.name)
	}
	for _, list := range t.named {
		slices.Sort(list)
	}
	t.variables(far)
	t.weigh()
}

// variables lists those of classes.
func (t *table) variables(far map[string]int) {
	first := map[string]definition{}
	for _, d := range t.defs[outline.VariableName] {
		if _, known := first[d.Name.Name]; !known {
			first[d.Name.Name] = d
		}
	}
	for _, name := range t.named[outline.VariableName] {
		i := strings.LastIndex(name, "::")
		if _, defined := first[name]; i > 0 && defined && t.known[outline.ClassName][name[:i]] { // and not what a define has
			t.vars = append(t.vars, variable{name, t.id(name[:i]), far[name], first[name]})
		}
	}
}

// owner is the class or define that has a variable; "" for the top scope.
func (d definition) owner() string {
	if i := strings.LastIndex(d.Name.Name, "::"); i >= 0 {
		return d.Name.Name[:i]
	}
	return ""
}

// mostChanged is how many files are looked at beside the table before it is made anew.
const mostChanged = 50

// A survey is a table, and what has changed since it was made.
type survey struct {
	*table
	changed map[string]*entry // as they are now, by path; nil for one that is gone
	more    map[used]int      // how many times more names are used
}

// survey is what completion asks of all files, as they are now; the one of the spot as it was mended.
func (at *spot) survey() *survey {
	if at.asked != nil {
		return at.asked
	}
	t := at.index.tables.current(at.index.entries)
	v := &survey{table: t, changed: map[string]*entry{}, more: map[used]int{}}
	count := func(e *entry, by int) {
		for _, n := range e.names {
			if !n.Pattern {
				v.more[used{n.Kind, n.Name}] += by
			}
		}
	}
	each(t.of, at.index.entries, func(was, is *entry) {
		if was != nil {
			v.changed[was.path] = nil
			count(was, -1)
		}
		if is != nil {
			v.changed[is.path] = is
			count(is, 1)
		}
	})
	if at.mended != nil {
		v.changed[at.entry.path] = at.mended
	}
	at.asked = v
	return v
}

// each calls f for every file that is not the same in two states of them, with nil for one that is not there.
func each(was, is []*entry, f func(was, is *entry)) {
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].path < is[0].path:
			f(was[0], nil)
			was = was[1:]
		case len(was) == 0 || was[0].path > is[0].path:
			f(nil, is[0])
			is = is[1:]
		default:
			if was[0] != is[0] {
				f(was[0], is[0])
			}
			was, is = was[1:], is[1:]
		}
	}
}

// tables holds the table of a folder.
type tables struct {
	mu   sync.Mutex
	last *table
}

// current is a table of about the files that there are.
func (x *tables) current(entries []*entry) *table {
	x.mu.Lock()
	defer x.mu.Unlock()
	changed := 0
	if x.last != nil {
		each(x.last.of, entries, func(_, _ *entry) { changed++ })
	}
	if x.last == nil || changed > mostChanged {
		x.last = &table{of: entries}
	}
	x.last.once.Do(x.last.make)
	return x.last
}

// times is how often a name of a kind stands in the files.
func (v *survey) times(kind outline.NameKind, name string) int {
	u := used{kind, name}
	return v.counts[u] + v.more[u]
}

// elsewhere calls f for the names of a kind that are defined where nobody looks: in Ruby, and in other trees, such as a
// module that a Puppetfile names. There is one if several places have its name; one place alone may have misspelt it.
// What a module has of which something lies in this tree is known; and who reads a variable or a key gives it no value.
func (v *survey) elsewhere(kind outline.NameKind, f func(name string)) {
	for _, name := range v.inRuby[kind] {
		f(name)
	}
	if kind == outline.VariableName || kind == outline.KeyName {
		return
	}
	for _, name := range v.named[kind] {
		module, _, _ := strings.Cut(name, "::")
		if !v.module[module] && v.times(kind, name) > 1 {
			f(name)
		}
	}
}

// still leaves of what the table has what no other text has taken the place of.
func (v *survey) still(list []definition, f func(d definition)) {
	for _, d := range list {
		if _, changed := v.changed[d.in.path]; !changed {
			f(d)
		}
	}
}

// definitions calls f for all definitions of a kind.
func (v *survey) definitions(kind outline.NameKind, f func(d definition)) {
	v.still(v.defs[kind], f)
	v.late(func(d definition) {
		if d.Kind == kind {
			f(d)
		}
	})
}

// late calls f for all definitions of files that have changed.
func (v *survey) late(f func(d definition)) {
	for _, e := range v.changed {
		if e != nil {
			for i := range e.defs {
				f(definition{e, &e.defs[i]})
			}
		}
	}
}

// parameters calls f for the parameters of a class or define.
func (v *survey) parameters(owner string, f func(d definition)) {
	own := func(d definition) {
		if d.Param && d.Kind == outline.VariableName && d.owner() == owner {
			f(d)
		}
	}
	v.still(v.inside[owner], own)
	v.late(own)
}
