package lsp

import (
	"cmp"
	"container/heap"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/lsp/protocol"
	"bunraku/puppet/outline"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A candidate is one thing to offer.
type candidate struct {
	name, detail string
	kind         protocol.CompletionItemKind
	rank         int     // less is nearer
	score        float64 // of those with one rank: more is nearer
	// of and whole are where the detail stands, for what has none of its own: only what is offered is looked up.
	of    *entry
	whole source.Span
}

// compare puts what is nearer first.
func (a candidate) compare(b candidate) int {
	return cmp.Or(a.rank-b.rank, cmp.Compare(b.score, a.score), strings.Compare(a.name, b.name))
}

// offers are what fits the letters that stand at a spot already.
type offers struct {
	*spot
	letters string
	word    *regexp.Regexp // what they are the beginning of
	list    []candidate
	seen    map[string]int // where a name is in the list
	nearby  bool           // not the variables of other classes, which are many
}

// add offers something, unless other letters are there. What somebody writes may be the beginning of the name, or of a
// part of it: port is offered as web::port, too, behind what begins so.
func (o *offers) add(c candidate) {
	switch at := fits(c.name, o.letters); {
	case at < 0:
		return
	case at > 0:
		c.rank += 10
	}
	if o.seen == nil {
		o.seen = map[string]int{}
	}
	i, there := o.seen[c.name]
	switch {
	case !there:
		o.seen[c.name] = len(o.list)
		o.list = append(o.list, c)
	case c.compare(o.list[i]) < 0:
		o.list[i] = c
	}
}

// fits is where letters stand in a name: at its beginning, or at that of one of its parts; -1 for nowhere.
func fits(name, letters string) int {
	for at := 0; ; {
		if len(name)-at < len(letters) {
			return -1
		}
		if strings.EqualFold(name[at:at+len(letters)], letters) {
			return at
		}
		i := strings.Index(name[at:], "::")
		if i < 0 {
			return -1
		}
		at += i + 2
	}
}

// best are the nearest, in order.
func (o *offers) best(most int) []candidate {
	h := &furthest{list: o.list}
	for i, c := range o.list {
		switch {
		case len(h.heap) < most:
			heap.Push(h, i)
		case c.compare(o.list[h.heap[0]]) < 0:
			h.heap[0] = i
			heap.Fix(h, 0)
		}
	}
	slices.SortFunc(h.heap, func(i, j int) int { return o.list[i].compare(o.list[j]) })
	out := make([]candidate, len(h.heap))
	for i, at := range h.heap {
		out[i] = o.list[at]
	}
	return out
}

// furthest is a heap of places in a list, whose first is that of the furthest.
type furthest struct {
	list []candidate
	heap []int
}

// Len implements heap.Interface.
func (h *furthest) Len() int { return len(h.heap) }

// Less implements heap.Interface.
func (h *furthest) Less(i, j int) bool { return h.list[h.heap[i]].compare(h.list[h.heap[j]]) > 0 }

// Swap implements heap.Interface.
func (h *furthest) Swap(i, j int) { h.heap[i], h.heap[j] = h.heap[j], h.heap[i] }

// Push implements heap.Interface.
func (h *furthest) Push(x any) { h.heap = append(h.heap, x.(int)) }

// Pop implements heap.Interface.
func (h *furthest) Pop() any {
	last := h.heap[len(h.heap)-1]
	h.heap = h.heap[:len(h.heap)-1]
	return last
}

// attributeValues offers the values that an attribute of a type can have, and reports whether it has some.
func (o *offers) attributeValues(typ, attribute string) (any bool) {
	for _, a := range attributesOf(o.folder, typ) {
		if a.Name != attribute {
			continue
		}
		for _, v := range slices.Concat(a.Values, a.Aliases) {
			if !strings.HasPrefix(v, "/") {
				any = true
				o.add(candidate{name: v, kind: protocol.CompletionItemKindEnumMember})
			}
		}
	}
	return any
}

// attributes are those of a resource: of its type, of the define or class that it is an instance of, and those that all
// have.
func (o *offers) attributes(typ, title string) {
	owner := outline.Class(typ)
	if owner == "class" {
		owner = outline.Class(title)
	}
	v := o.survey()
	v.parameters(owner, func(d definition) {
		o.add(candidate{name: lastPart(d.Name.Name), kind: protocol.CompletionItemKindProperty, of: d.in, whole: d.Whole})
	})
	for _, a := range attributesOf(o.folder, typ) {
		o.add(candidate{name: a.Name, kind: protocol.CompletionItemKindProperty, detail: strings.Join(a.Values, ", ")})
	}
	for name := range v.set[owner] { // of a class or type that is kept elsewhere: what others give it
		o.add(candidate{name: name, kind: protocol.CompletionItemKindProperty, rank: 1})
	}
	for _, a := range resource.Metaparams() {
		o.add(candidate{name: a.Name, kind: protocol.CompletionItemKindProperty, rank: 1, detail: "metaparameter"})
	}
}

// around is the class, define or function that the spot is in, and what the class inherits.
func (at *spot) around() (owner, parent string) {
	tree := at.entry.tree
	if at.mended != nil {
		tree = at.mended.tree
	}
	if tree == nil {
		return "", ""
	}
	for _, d := range tree.Defs {
		if s := d.Span(); s.Start <= at.offset && at.offset <= s.End {
			switch d := d.(type) {
			case *syntax.Class:
				owner, parent = outline.Class(d.Name), outline.Class(d.Parent)
			case *syntax.Define:
				owner = outline.Class(d.Name)
			case *syntax.Function:
				owner = outline.Class(d.Name)
			}
		}
	}
	return owner, parent
}

// variables are those that can be read at the spot: its own scope's first, then those of the classes that it inherits,
// of the top scope and facts, then those of other classes by their full names. top asks for $::NAME.
func (o *offers) variables(top bool) {
	owner, parent := o.around()
	if top {
		owner, parent = "", ""
	}
	chain := map[string]int{owner: 1}
	for p, i := parent, 1; p != "" && i < 20; p, i = o.parents[p], i+1 {
		chain[p] = i + 1
	}
	v := o.survey()
	own := o.entry
	if o.mended != nil {
		own = o.mended
	}
	outside := map[string]bool{} // variables of blocks that the spot is not in
	for _, n := range own.defs {
		if n.Kind == outline.LocalName && n.In == owner && n.Local > 0 && !own.scopeHas(n, o.here().Start) {
			outside[n.Name] = true
			continue
		}
		if !top && n.Kind == outline.LocalName && n.In == owner && !(n.Whole.Contains(o.here()) && !n.Param) {
			o.add(candidate{name: n.Name, kind: protocol.CompletionItemKindVariable,
				score: float64(v.times(n.Kind, n.Name))})
		}
	}
	for _, m := range inScope.FindAllStringSubmatch(o.entry.file.Text[:o.offset], -1) {
		// What is set on the line that is being written is in no tree, and neither are parameters of a block on it.
		for _, name := range aVariable.FindAllStringSubmatch(m[0], -1) {
			if !top && !outside[name[1]] && !strings.HasSuffix(o.entry.file.Text[:o.offset], m[0]) {
				o.add(candidate{name: name[1], kind: protocol.CompletionItemKindVariable, rank: 1, score: 0.5})
			}
		}
	}
	variable := func(name string, rank int, score float64, of definition) {
		c := candidate{name: name, kind: protocol.CompletionItemKindVariable, rank: rank, score: score}
		if of.in != nil {
			c.of, c.whole = of.in, of.Whole
		}
		o.add(c)
	}
	inChain := func(d definition) {
		name, i := d.Name.Name, strings.LastIndex(d.Name.Name, "::")
		switch {
		case d.in.path == o.entry.path && d.Whole.Contains(o.here()) && !d.Param: // it gets its value here
		case i < 0:
			variable(name, 2, float64(v.times(d.Kind, name)), d)
		case chain[name[:i]] > 0:
			variable(name[i+2:], min(chain[name[:i]]-1, 1), float64(v.times(d.Kind, name)), d)
		}
	}
	v.still(v.inside[""], inChain)
	for class := range chain {
		if class != "" {
			v.still(v.inside[class], inChain)
		}
	}
	v.late(func(d definition) {
		if d.Kind == outline.VariableName {
			inChain(d)
		}
	})
	if !o.nearby {
		near := o.farness(owner, own)
		for _, x := range v.vars {
			if fits(x.name, o.letters) < 0 || v.more[used{outline.VariableName, x.name}] < 0 &&
				v.times(outline.VariableName, x.name) <= 0 {
				continue
			}
			variable(x.name, 3, near(x.class)+math.Log(float64(1+x.far)), x.definition)
		}
	}
	for _, name := range []string{"facts", "trusted", "server_facts"} {
		o.add(candidate{name: name, kind: protocol.CompletionItemKindVariable, rank: 1})
	}
	o.facts("")
	if owner != "" {
		for _, name := range []string{"title", "name", "module_name"} {
			o.add(candidate{name: name, kind: protocol.CompletionItemKindVariable, rank: 1})
		}
	}
}

// scopeHas reports whether a place is in the block or function whose variable one is.
func (e *entry) scopeHas(local outline.Name, at uint32) bool {
	in, found := false, false
	for _, x := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
		syntax.Walk(x, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.Lambda, *syntax.Function, *syntax.Plan:
				if span := n.Span(); span.Start == local.Local {
					in, found = span.Start <= at && at <= span.End, true
				}
			}
			return !found
		})
	}
	return in || !found
}

// inScope is what gives variables their values, in a text that may be no program: parameters of a block, and what is
// set.
var (
	inScope   = regexp.MustCompile(`\|[^|\n]*\||\$[a-z_]\w*\s*=[^=~>]`)
	aVariable = regexp.MustCompile(`\$([a-z_]\w*)`)
)

// farness says how near a class is whose variables are read by their full names: those that the file names anyway come
// first, by themselves or by other variables, then those that the own class is named after, or whose name is like its.
func (at *spot) farness(owner string, e *entry) func(class int32) float64 {
	near := at.nearness()
	named := map[string]bool{}
	for _, n := range e.names {
		switch i := strings.LastIndex(n.Name, "::"); {
		case n.Span.Start <= at.offset && at.offset <= n.Span.End: // it is being written
		case n.Kind == outline.ClassName:
			named[n.Name] = true
		case n.Kind == outline.VariableName && i > 0:
			named[n.Name[:i]] = true
		}
	}
	scores := map[int32]float64{}
	return func(class int32) float64 {
		score, known := scores[class]
		if !known {
			name := near.names[class]
			score = 3 * near.alike(class)
			if named[name] {
				score += 4
			}
			if strings.HasPrefix(owner, name+"::") {
				score += 3
			}
			scores[class] = score
		}
		return score
	}
}

// definitions are all of a kind, also of what is defined in another tree.
func (o *offers) definitions(kind outline.NameKind, item protocol.CompletionItemKind, rank int) {
	v := o.survey()
	add := func(name string) {
		if fits(name, o.letters) >= 0 {
			o.add(candidate{name: name, kind: item, rank: rank, score: float64(v.times(kind, name))})
		}
	}
	v.definitions(kind, func(d definition) { add(d.Name.Name) })
	v.elsewhere(kind, add)
}

// classes are those that can be included, the nearest first.
func (o *offers) classes() {
	v, near := o.survey(), o.nearness()
	add := func(name string) {
		if _, there := o.seen[name]; !there && fits(name, o.letters) >= 0 {
			o.add(candidate{name: name, kind: protocol.CompletionItemKindClass, score: near.of(name)})
		}
	}
	v.definitions(outline.ClassName, func(d definition) { add(d.Name.Name) })
	v.elsewhere(outline.ClassName, add)
}

// typeNames are resource types, as declarations spell them: defines, those that are built in, and those that somebody
// uses.
func (o *offers) typeNames() {
	v := o.survey()
	add := func(name, detail string) {
		o.add(candidate{name: name, detail: detail, kind: protocol.CompletionItemKindStruct,
			score: float64(v.times(outline.TypeName, name))})
	}
	v.definitions(outline.TypeName, func(d definition) {
		if d.in.tree != nil && d.in.file.Text[d.Span.Start] >= 'a' {
			add(d.Name.Name, "define")
		}
	})
	for _, t := range resource.Types() {
		add(t.Name, "resource type")
	}
	other := o.aliases()
	v.elsewhere(outline.TypeName, func(name string) {
		if name != "" && name[0] >= 'a' && !other[name] &&
			(v.times(outline.TypeName, name) > 2 || slices.Contains(v.inRuby[outline.TypeName], name)) {
			add(name, "resource type")
		}
	})
	o.add(candidate{name: "class", kind: protocol.CompletionItemKindKeyword})
}

// plainTypes are the data types of the language.
var plainTypes = slices.Sorted(maps.Keys(typeWords))

// dataTypes are types as references and parameters spell them.
func (o *offers) dataTypes() {
	for _, name := range plainTypes {
		o.add(candidate{name: name, kind: protocol.CompletionItemKindInterface})
	}
	others := &offers{spot: o.spot, letters: o.letters}
	others.definitions(outline.TypeName, protocol.CompletionItemKindInterface, 1)
	others.typeNames()
	for _, c := range others.list {
		c.name, c.rank = outline.Capitalized(c.name), c.rank+1
		o.add(c)
	}
}

// functionNames are functions: those of the tree and those that are built in.
func (o *offers) functionNames() {
	o.definitions(outline.FunctionName, protocol.CompletionItemKindFunction, 1)
	v := o.survey()
	for name, f := range o.functions {
		o.add(candidate{name: name, detail: f.Doc, kind: protocol.CompletionItemKindFunction, rank: 1,
			score: float64(v.times(outline.FunctionName, name)) + 0.1}) // it has words of its own
	}
}

// keys are Hiera's: those that there are and, where data are written, those that parameters could have.
func (o *offers) keys(parameters bool) {
	o.definitions(outline.KeyName, protocol.CompletionItemKindField, 1)
	if !parameters {
		return
	}
	for name := range o.params {
		o.add(candidate{name: name, kind: protocol.CompletionItemKindProperty, detail: "parameter"})
	}
}

// templates are the templates of modules, as manifests call them: for epp those in EPP, for template the others.
func (o *offers) templates(function string) {
	for _, name := range o.index.names {
		if strings.HasPrefix(name, outline.InFiles) {
			continue
		}
		if (path.Ext(name) == ".epp") != (function == "epp") {
			continue
		}
		o.add(candidate{name: name, kind: protocol.CompletionItemKindFile})
	}
}

// templateVariables are those of the classes that render the template.
func (o *offers) templateVariables() {
	for _, owner := range o.callers[o.index.names[o.entry.path]] {
		for p, i := owner, 0; p != "" && i < 20; p, i = o.parents[p], i+1 {
			for name := range o.sets {
				if rest, is := strings.CutPrefix(name, p+"::"); is && !strings.Contains(rest, "::") {
					o.add(candidate{name: rest, kind: protocol.CompletionItemKindVariable})
				}
			}
		}
	}
}

// facts are those of the chosen nodes below some keys, with their values on the first node that has them.
func (o *offers) facts(keys string) {
	o.folder.mu.Lock()
	facts := o.folder.facts
	o.folder.mu.Unlock()
	for _, h := range facts {
		for _, k := range factKey.FindAllStringSubmatch(keys, -1) {
			if h == nil {
				break
			}
			h, _ = h.At(k[1]).(*value.Hash)
		}
		if h == nil {
			continue
		}
		for _, e := range h.Entries() {
			o.add(candidate{name: value.ToString(e.Key), detail: factOf(e.Value), rank: 2,
				kind: protocol.CompletionItemKindField})
		}
	}
}
