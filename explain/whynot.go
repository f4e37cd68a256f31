package explain

import (
	"fmt"
	"io"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A WhyNot says why a resource is not in the catalog.
type WhyNot struct {
	Version  int      `json:"version"`
	Node     string   `json:"node"`
	Resource string   `json:"resource"`
	Present  bool     `json:"present,omitempty"` // it is in the catalog after all
	Virtual  *Spot    `json:"virtual,omitempty"` // declared there, virtually, and never realized
	Passed   []Branch `json:"passed,omitempty"`  // branches that were not taken
	Code     []Near   `json:"code,omitempty"`    // declarations that this node does not reach
	Similar  []string `json:"similar,omitempty"` // in the catalog, spelt alike
	// from a side file: files that have changed since, whose code is not known any more
	Changed []string `json:"changed,omitempty"`
}

// A Branch was not taken and leads to the declaration.
type Branch struct {
	At         *Spot       `json:"at"`
	In         string      `json:"in,omitempty"`
	Others     int         `json:"others,omitempty"` // how many more times it was passed over, in other instances
	Sure       bool        `json:"sure"`             // false: a name on the way is computed
	Conditions []Condition `json:"conditions,omitempty"`
	Hops       []Step      `json:"hops"` // the last is the declaration
	Data       []Leaf      `json:"data,omitempty"`
}

// A Near is a declaration in code that was not run.
type Near struct {
	At    *Spot  `json:"at"`
	In    string `json:"in,omitempty"`
	Sure  bool   `json:"sure"`
	State string `json:"state,omitempty"` // of the class or define around it
}

// WhyNot answers for Type[title].
func (rec *Record) WhyNot(ref string) (w *WhyNot, err error) {
	defer source.Catch(&err)
	n, ok := parseRef(strings.TrimSpace(ref))
	if !ok {
		return nil, &NotFound{Message: "\"" + ref + "\": --why-not takes a reference, Type[title]",
			Suggestions: rec.byText(ref)}
	}
	w = &WhyNot{Version: 1, Node: rec.Catalog.Name, Resource: n.String()}
	if r, err := rec.find(ref); err == nil {
		w.Resource, w.Present = r.Ref(), true
		return w, nil
	}
	w.Similar = rec.similar(n)
	virtual, passed, code := rec.missing(n)
	w.Virtual, w.Changed = rec.spot(virtual), rec.Changed
	for i, p := range passed {
		b := Branch{At: rec.spot(p.Branch), In: p.In, Others: p.Others, Sure: p.Sure}
		if i < rec.most(shownBranches) {
			b.Conditions = rec.conditions(p.Why)
			rec.lookInto(b.Conditions, rec.most(shownConditions))
		}
		for _, h := range p.Hops {
			b.Hops = append(b.Hops, Step{Kind: "hop", Name: h.Text, At: rec.spot(h.Place)})
		}
		w.Passed = append(w.Passed, b)
	}
	for _, d := range code {
		if rec.inHops(w, d.Place) {
			continue
		}
		w.Code = append(w.Code, Near{At: rec.spot(d.Place), In: d.In, Sure: d.Sure, State: rec.stateOf(d.In)})
	}
	return w, nil
}

// Text shows why something is not there.
func (n *WhyNot) Text(w io.Writer, show Show) {
	p := &page{w: w, Show: show}
	if n.Present {
		fmt.Fprintf(w, "%s is in the catalog of %s\n", n.Resource, n.Node)
		return
	}
	fmt.Fprintf(w, "%s is not in the catalog of %s\n", n.Resource, n.Node)
	if n.Virtual != nil {
		p.add("virtual", n.Virtual, n.Virtual.Text,
			"declared as a virtual resource; no collector and no realize() asked for it")
	}
	for i := range n.Passed {
		if p.enough(i, shownBranches) {
			p.add("", nil, fmt.Sprintf("… %d more branches like these (--all lists them)", len(n.Passed)-i))
			break
		}
		b := &n.Passed[i]
		last := b.Hops[len(b.Hops)-1]
		word := "would be declared"
		if !b.Sure {
			word = "might be declared (a name is computed)"
		}
		p.add("skipped", b.At, "", word+" by the branch that begins here")
		if b.At.Text != "" {
			p.rows[len(p.rows)-1].text = b.At.Text
		}
		p.conditions(b.Conditions, 2)
		switch {
		case b.In != "" && b.Others > 0:
			p.add("in", nil, fmt.Sprintf("%s, and in %d others", b.In, b.Others))
		case b.In != "":
			p.add("in", nil, b.In)
		}
		for _, h := range b.Hops[:len(b.Hops)-1] {
			p.add("then", h.At, h.Name)
		}
		if last.At != nil && (last.At.File != b.At.File || last.At.Line != b.At.Line) {
			p.add("then", last.At, last.Name)
		}
	}
	sure := n.Virtual != nil || len(n.Passed) > 0 || len(n.Code) > 0 && n.Code[0].Sure
	if !sure && len(n.Similar) > 0 {
		fmt.Fprintf(w, "did you mean %s?\n", strings.Join(n.Similar, ", "))
	}
	for i := range n.Code {
		c := &n.Code[i]
		if p.enough(i, 5) {
			p.add("", nil, fmt.Sprintf("… %d more (--all lists them)", len(n.Code)-i))
			break
		}
		remark := ""
		switch {
		case c.In != "" && c.State == "not declared":
			remark = "in " + c.In + ", which this node does not have (--why-not 'Class[" + c.In + "]' goes on from there)"
		case c.State == "another node":
			remark = "in the statement of another node: " + c.In
		case c.In != "" && c.State == "evaluated":
			remark = "in " + c.In + ", which this node has, in code that did not run"
		case c.In != "":
			remark = "in " + c.In + ", " + c.State
		default:
			remark = "in code that did not run for this node"
		}
		if !c.Sure {
			remark += "; its title is computed"
		}
		p.add("code", c.At, c.At.Text, remark)
	}
	p.flush()
	if n.Virtual == nil && len(n.Passed) == 0 && len(n.Code) == 0 {
		fmt.Fprintf(w, "No code in this environment declares it.\n")
	}
	if len(n.Changed) > 0 {
		fmt.Fprintf(w, "%s changed since the side file was written; what did not run there is not known: %s\n",
			plural(len(n.Changed), "file"), clip(strings.Join(n.Changed, ", "), 200))
	}
	if sure && len(n.Similar) > 0 {
		fmt.Fprintf(w, "The catalog has %s\n", strings.Join(n.Similar, ", "))
	}
}

// inHops reports whether a declaration was named already.
func (rec *Record) inHops(w *WhyNot, p source.Place) bool {
	at := rec.spot(p)
	for _, b := range w.Passed {
		for _, h := range b.Hops {
			if h.At != nil && at != nil && h.At.File == at.File && h.At.Line == at.Line {
				return true
			}
		}
	}
	return false
}

// stateOf says whether the class around a declaration is in the catalog.
func (rec *Record) stateOf(class string) string {
	if class == "" {
		return ""
	}
	if strings.HasPrefix(class, "node ") {
		return "another node"
	}
	if r := rec.Catalog.Find("Class[" + class + "]"); r != nil {
		return "evaluated"
	}
	typ, _ := catalog.ParseRef(class + "[x]")
	for _, r := range rec.Catalog.Resources {
		if r.Type == typ.Type {
			return "declared with other titles"
		}
	}
	return "not declared"
}

// declarations finds the statements that declare a resource, or a class, in parsed files.
func (rec *Record) declarations(files []*syntax.File, typ, title string) (out []Declaration) {
	for _, f := range files {
		look := func(in string, stmts []syntax.Expr) {
			for u := range outline.Uses(stmts, rec.Code.Effect) {
				if u.Kind != outline.Declares || u.Collected || u.Type != typ || u.Verb != "" && typ != "Class" {
					continue
				}
				sure := u.Name == title || typ == "Class" && sameClass(u.Name, title)
				if sure || u.Name == "" && (u.Verb == "" || u.Verb == "class") {
					out = append(out, Declaration{Place: source.Place{File: f.Source, Span: u.At.Span()}, In: in, Sure: sure})
				}
			}
		}
		look("", f.Body.Stmts)
		for _, d := range f.Defs {
			switch d := d.(type) {
			case *syntax.Class:
				look(d.Name, d.Body.Stmts)
			case *syntax.Define:
				look(d.Name, d.Body.Stmts)
			case *syntax.NodeDef:
				var hosts []string
				for _, h := range d.Hosts {
					hosts = append(hosts, f.Source.Slice(h.Span()))
				}
				look("node "+strings.Join(hosts, ", "), d.Body.Stmts)
			}
		}
	}
	return out
}

func sameClass(a, b string) bool {
	return strings.EqualFold(strings.TrimPrefix(a, "::"), strings.TrimPrefix(b, "::"))
}
