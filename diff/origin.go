package diff

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/explain"
	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Where the old side is another program's, nothing is known but what came of it: no hunk can be tried, and no trace can
// be read. What is known is where each part of our side comes from. A difference is told under the place that brought
// the part of it that differs: the line of a template or of data rather than the attribute that shows it, the call that
// asked for a class rather than what the class holds. So all that one wrong place does stands together.

// Origins sets From of all changes of a node's catalogs.
func Origins(changes []*Change) {
	came, went := map[catalog.Name]*Change{}, map[catalog.Name]*Change{}
	for _, c := range changes {
		switch c.Kind {
		case Added:
			came[c.Name] = c
		case Removed:
			went[c.Name] = c
		}
	}
	for _, c := range changes {
		switch {
		case c.Kind == Removed:
			c.From = "theirs: " + c.goes(went)
		case c.Kind == Added:
			c.From = c.comes(came)
		case c.Attribute == "tags" && c.Kind == Attribute:
			c.From = c.tagged()
		default:
			if c.From = c.brought(); c.From == "" {
				c.From = c.written()
			}
		}
	}
}

// text is a place as causes name it; "" if it is not known.
func (s Spot) text() string {
	if s.File == "" || s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

func spotAt(p source.Place) Spot {
	if !p.Known() {
		return Spot{}
	}
	return Spot{p.File.Name, p.Line()}
}

// written is where our side of a change is written; a class, for which many places may have asked, is named.
func (c *Change) written() string {
	if c.NewAt.File == "" {
		return c.Name.String()
	}
	return c.NewAt.text()
}

// comes is what brought a resource: the outermost of what came that it is reached through, else itself.
func (c *Change) comes(came map[catalog.Name]*Change) string {
	if c.newOwn != nil {
		for _, stage := range c.newOwn.rec.Via(c.new) {
			n, is := catalog.ParseRef(stage.Text)
			if !is {
				n, is = catalog.ParseRef("Class[" + stage.Text + "]")
			}
			if at := spotAt(stage.Place); is && came[n] != nil && at.File != "" {
				return at.text()
			}
		}
	}
	if c.NewAt.File == "" && c.newOwn != nil {
		return spotAt(c.newOwn.rec.Asked(c.new)).text()
	}
	return c.written()
}

// goes is where they have a resource from: the outermost of what only they have that it is in, else itself.
func (c *Change) goes(went map[catalog.Name]*Change) string {
	from := c
	for _, in := range c.within {
		if x := went[in.Name()]; x != nil {
			from = x
		}
	}
	if at := from.OldAt.text(); at != "" {
		return at
	}
	return from.Name.String()
}

// tagged is where a tag comes from that only we have, else where the resource is written.
func (c *Change) tagged() string {
	if c.newOwn != nil {
		_, gained, _ := listDelta(c.Old, c.New)
		for _, l := range c.newOwn.rec.Trace.Depends(c.new.TagsRef) {
			text := strings.ToLower(strings.Trim(l.Place.Text(), `'"`))
			if l.Kind == provenance.Literal && slices.Contains(gained, value.Value(value.String(text))) {
				return spotAt(l.Place).text()
			}
		}
	}
	return c.written()
}

// brought is the one place that brought what differs in a value of ours; "" if there is none, or are several.
func (c *Change) brought() string {
	if c.Kind != Attribute || c.New == nil || c.newRef == 0 || c.newOwn == nil {
		return ""
	}
	var places []Spot
	c.newOwn.places(c.Old, c.New, c.newRef, c.Blocks, func(s Spot) {
		if s.File != "" && !slices.Contains(places, s) {
			places = append(places, s)
		}
	})
	if len(places) != 1 {
		return ""
	}
	return places[0].text()
}

// places visits the places that the differing parts of a value come from.
func (o *own) places(old, new value.Value, r provenance.Ref, blocks []Block, visit func(Spot)) {
	switch v := new.(type) {
	case value.String:
		was, _ := old.(value.String)
		o.textPlaces(string(was), string(v), r, blocks, visit)
	case *value.Array:
		was, _ := old.(*value.Array)
		for i, e := range v.Elems {
			if was != nil && slices.ContainsFunc(was.Elems, func(x value.Value) bool { return encode(x) == encode(e) }) {
				continue
			}
			var before value.Value
			if was != nil && len(was.Elems) == len(v.Elems) {
				before = was.Elems[i]
			}
			o.places(before, e, v.Ref(i), nil, visit)
		}
	case *value.Hash:
		was, _ := old.(*value.Hash)
		for _, e := range v.Entries() {
			var before value.Value
			if was != nil {
				before, _ = was.Get(e.Key)
			}
			if before == nil || encode(before) != encode(e.Value) {
				o.places(before, e.Value, e.Ref, nil, visit)
			}
		}
	default:
		o.originPlaces(o.rec.Origins(r), visit)
	}
}

func (o *own) originPlaces(from []explain.Origin, visit func(Spot)) {
	for _, x := range from {
		if x.Kind == provenance.Literal || x.Kind == provenance.Datum {
			visit(spotAt(x.Place))
		}
	}
}

// textPlaces visits the places of the part of a text between what both texts begin and end with.
func (o *own) textPlaces(old, new string, r provenance.Ref, blocks []Block, visit func(Spot)) {
	from, end := 0, len(new)
	if len(blocks) == 1 { // the lines of one change among several
		b := blocks[0]
		all := strings.SplitAfter(new, "\n")
		first := min(b.NewLine-1, len(all))
		from = len(strings.Join(all[:first], ""))
		end = from + len(strings.Join(all[first:min(first+len(b.New), len(all))], ""))
		old = strings.Join(b.Old, "\n")
	}
	for from < end && old != "" && old[0] == new[from] {
		old, from = old[1:], from+1
	}
	for from < end && old != "" && old[len(old)-1] == new[end-1] {
		old, end = old[:len(old)-1], end-1
	}
	at := 0
	for _, p := range o.rec.Parts(new, r) {
		start, stop := at, at+len(p.Text)
		at = stop
		if stop <= from && !(from == end && stop == from) || start >= end && start > from {
			continue
		}
		if len(p.From) == 1 && p.From[0].Kind == provenance.Literal && p.From[0].Place.Known() {
			s := spotAt(p.From[0].Place)
			if skip := strings.Index(p.From[0].Place.Text(), p.Text); skip >= 0 { // the literal may have many lines
				s.Line += strings.Count(p.From[0].Place.Text()[:skip], "\n") +
					strings.Count(p.Text[:min(len(p.Text), max(0, from-start))], "\n")
			}
			visit(s)
			continue
		}
		o.originPlaces(p.From, visit)
	}
}
