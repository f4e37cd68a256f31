package lsp

import (
	"math"
	"slices"
	"strings"

	"bunraku/puppet/outline"
)

// Which class is wanted where one is included? A tree has thousands, most of them begin alike (profile::…), and few
// letters tell little. What tells more is where it stands. Six things are asked of each class:
//
//   - Do the names go together? role::shop::web includes profile::shop::web. A word that many names have says little, a
//     rare one much.
//   - Does the name go with those of the classes that stand here already?
//   - Is it included by classes whose names are like that of this one? role::cache::upload has most of what
//     role::cache::text has.
//   - Does it come with what stands here already, and with its neighbours? What stands behind profile::base in other
//     files is likely to stand behind it here; and so is what stands before the class that comes next.
//   - Is it often included? And is it included at all: a class that nobody includes yet was written to be included, by
//     somebody whose name is like its own.
//   - Is it here already? Nobody includes a class twice.
//
// The place that is being written does not count as a use, nor does its file.

// classes is what is asked of all files to find that out. Classes and words have numbers.
type classes struct {
	ids    map[string]int32 // of classes that are named somewhere, also to define them
	names  []string
	parts  [][]int32        // the words of each
	size   []float64        // what those say together
	uses   [][]use          // of each
	files  [][]int32        // the classes that each file names
	paths  map[string]int32 // of those files
	words  map[string]int32
	weight []float64 // how much it says that two names have a word in common
}

// A use is a class that is named in another.
type use struct {
	file       int32
	owner      int32 // the class that it is named in
	prev, next int32 // the classes that are named before and behind it in the file; -1 for none
}

func newClasses(entries []*entry) *classes {
	c := &classes{ids: map[string]int32{}, paths: map[string]int32{}, words: map[string]int32{}}
	for _, e := range entries {
		for _, d := range e.defs {
			if d.Kind == outline.ClassName {
				c.id(d.Name)
			}
		}
		last, file := int32(-1), int32(len(c.files))
		var all []int32
		for _, n := range classesIn(e) {
			id, owner := c.id(n.Name), c.id(n.In)
			if last >= 0 {
				before := c.uses[last]
				before[len(before)-1].next = id
			}
			c.uses[id] = append(c.uses[id], use{file, owner, last, -1})
			last = id
			all = append(all, id)
		}
		if len(all) > 0 {
			c.paths[e.path] = file
			c.files = append(c.files, all)
		}
	}
	return c
}

// weigh finds out how much words say, once all names have numbers.
func (c *classes) weigh() {
	for i := range c.weight {
		c.weight[i] = math.Log(float64(len(c.ids)+1) / c.weight[i])
	}
	c.size = make([]float64, len(c.parts))
	for id, parts := range c.parts {
		for _, w := range parts {
			c.size[id] += c.weight[w]
		}
	}
}

// id is the number of a class, which it has from now on.
func (c *classes) id(class string) int32 {
	id, known := c.ids[class]
	if known {
		return id
	}
	id = int32(len(c.names))
	c.ids[class] = id
	c.names, c.uses = append(c.names, class), append(c.uses, nil)
	var parts []int32
	for _, word := range wordsOf(class) {
		w, known := c.words[word]
		if !known {
			w = int32(len(c.weight))
			c.words[word], c.weight = w, append(c.weight, 0)
		}
		c.weight[w]++
		parts = append(parts, w)
	}
	c.parts = append(c.parts, parts)
	return id
}

// wordsOf are the words of the name of a class, each once.
func wordsOf(class string) []string {
	list := strings.FieldsFunc(class, func(c rune) bool { return c == ':' || c == '_' })
	slices.Sort(list)
	return slices.Compact(list)
}

// classesIn are the places of a file that name classes to have them, in the order of the text.
func classesIn(e *entry) (out []outline.Name) {
	for _, n := range e.names {
		if n.Kind == outline.ClassName && !n.Defines && !n.Pattern {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b outline.Name) int { return int(a.Span.Start) - int(b.Span.Start) })
	return out
}

// A nearness tells how near classes are to a spot.
type nearness struct {
	*classes
	own    string
	file   int32           // of the spot; -1 for one that is new
	ours   []bool          // the words of the class around
	size   float64         // what those say together
	around []float64       // of words: how much those of the classes that stand here say
	like   []float64       // of classes: how much its name is like ours; -1 for one that was not asked for
	here   map[string]bool // the classes that stand here
	with   []float64       // of classes: how likely it comes with one that stands here
	beside []float64       // of classes: how likely it stands beside those that it would stand between
}

// nearness is that of the spot.
func (at *spot) nearness() *nearness {
	c := at.survey().classes
	own, _ := at.around()
	n := &nearness{classes: c, own: own, file: -1, here: map[string]bool{},
		ours: make([]bool, len(c.weight)), around: make([]float64, len(c.weight)),
		like: make([]float64, len(c.names)), with: make([]float64, len(c.names)), beside: make([]float64, len(c.names))}
	for i := range n.like {
		n.like[i] = -1
	}
	for _, word := range wordsOf(own) {
		if w, known := c.words[word]; known {
			n.ours[w] = true
			n.size += c.weight[w]
		} else { // none of them says more than one that nobody else has
			n.size += math.Log(float64(len(c.ids) + 1))
		}
	}
	if file, known := c.paths[at.entry.path]; known {
		n.file = file
	}
	e := at.entry
	if at.mended != nil {
		e = at.mended
	}
	prev, next := int32(-1), int32(-1)
	for _, x := range classesIn(e) {
		if x.Span.Start <= at.offset && at.offset <= x.Span.End {
			continue // it is the one that is being written
		}
		n.here[x.Name] = true
		id, known := c.ids[x.Name]
		switch {
		case !known:
			continue
		case x.Span.End < at.offset:
			prev = id
		case next < 0:
			next = id
		}
		for _, w := range c.parts[id] {
			n.around[w] = 1 - (1-n.around[w])/2
		}
		n.company(id)
	}
	n.neighbours(prev, func(u use) int32 { return u.next })
	n.neighbours(next, func(u use) int32 { return u.prev })
	return n
}

// doubt is how many times something would have to be seen so that it is half believed.
const doubt = 2

// company counts what stands in the other files that name a class.
func (n *nearness) company(class int32) {
	times := map[int32]int{}
	all, last := doubt, int32(-1)
	for _, u := range n.uses[class] {
		if u.file == n.file || u.file == last {
			continue
		}
		last = u.file
		all++
		for _, other := range n.files[u.file] {
			times[other]++
		}
	}
	for other, x := range times {
		n.with[other] = max(n.with[other], float64(x)/float64(all))
	}
}

// neighbours counts what stands beside a class in other files.
func (n *nearness) neighbours(class int32, beside func(use) int32) {
	if class < 0 {
		return
	}
	all := doubt
	for _, u := range n.uses[class] {
		if u.file != n.file {
			all++
		}
	}
	for _, u := range n.uses[class] {
		if b := beside(u); b >= 0 && u.file != n.file {
			n.beside[b] += 1 / float64(all)
		}
	}
}

// alike is how much the name of a class has in common with ours, from 0 to 1.
func (n *nearness) alike(class int32) float64 {
	if n.like[class] < 0 {
		both := 0.0
		for _, w := range n.parts[class] {
			if n.ours[w] {
				both += n.weight[w]
			}
		}
		n.like[class] = 0
		if both > 0 {
			n.like[class] = both / math.Sqrt(n.classes.size[class]*n.size)
		}
	}
	return n.like[class]
}

// of is how near a class is. The weights were found on one half of the places of one large tree; on its other half, and
// on two trees that had no say in it, they put the right class among the first five about as often.
func (n *nearness) of(class string) float64 {
	id, known := n.ids[class]
	switch {
	case class == n.own || n.here[class]:
		return -1
	case !known:
		return 0
	}
	theirs, said := 0.0, 0.0
	for _, w := range n.parts[id] {
		said += n.around[w] * n.weight[w]
	}
	if size := n.classes.size[id]; size > 0 {
		said /= size
	}
	times := 0
	for _, u := range n.uses[id] {
		if u.file != n.file {
			times++
			theirs = max(theirs, n.alike(u.owner))
		}
	}
	score := 1.5*n.alike(id) + said + 0.75*theirs + n.with[id] + 5*n.beside[id]
	if times == 0 {
		return score + 1
	}
	return score + 0.2*math.Log(float64(1+times))
}
