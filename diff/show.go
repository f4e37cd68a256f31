package diff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Show says how a report is printed for people.
type Show struct {
	Style source.Style
	Full  bool // everything, however long it gets
	By    By
	Time  time.Duration // that it took; 0 says nothing
}

// By is how changes are put together.
type By uint8

// The ways: what changes the same nodes for the same reason, node by node, or cause by cause.
const (
	ByChange By = iota
	ByNode
	ByCause
)

// screen is how many lines the first screen may have.
const screen = 60

// width is how many characters a line has where that can be chosen.
const width = 100

// Text prints a report: the answer first, then what changes in groups, and what is not known. Without Full it fits on a
// screen: the more there is, the less is shown of each.
func (r *Report) Text(w io.Writer, s Show) {
	var lines []string
	for level := range 4 {
		p := &printer{r: r, Show: s, level: level}
		if s.Full {
			p.level = -1
		}
		p.report()
		if lines = p.lines; s.Full || len(lines) <= screen {
			break
		}
		if level == 3 {
			keep := screen - 1
			more := fmt.Sprintf("… and %d lines more: --full shows them, --format json has them all", len(lines)-keep)
			lines = append(lines[:keep:keep], more)
		}
	}
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
}

// A printer makes lines. The higher its level, the less it shows of each change; below 0 it shows all.
type printer struct {
	r *Report
	Show
	level int
	lines []string
}

// line adds one. A title or a message that has several stays on it: else it could say what the answer seems to say.
func (p *printer) line(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", `\n`)
	p.lines = append(p.lines, strings.TrimRight(text, " "))
}

func paint(f func(string) string, s string) string {
	if f == nil {
		return s
	}
	return f(s)
}

func (p *printer) report() {
	p.head()
	p.consequences()
	for _, f := range p.r.Failures {
		p.failure(f)
	}
	switch p.By {
	case ByNode:
		p.byNode()
	case ByCause:
		p.byCause()
	default:
		p.byChange()
	}
	p.unknowns()
	p.effectless()
	p.notes()
}

// head is the answer: what was compared, and the counts.
func (p *printer) head() {
	r := p.r
	first := r.Name + "   " + r.From + " → " + r.To
	if n := len(r.Hunks); n > 0 {
		first += "   " + plural(n, "hunk")
	}
	p.line("%s", paint(p.Style.Place, first))
	parts := r.counts(CannotChange, Equal, Changed, Unknown, Fails, Mended, Gone, Comes, FailsBoth, Excused, NotDone)
	nodes := plural(len(r.Nodes), "node")
	if r.Invented {
		nodes += " (invented, since there are no facts)"
	}
	line := nodes + ": " + strings.Join(parts, ", ")
	if len(r.Nodes) == 0 {
		line = "no nodes"
	}
	if p.Time > 0 {
		line += fmt.Sprintf("   %.2f s", p.Time.Seconds())
	}
	p.line("%s", line)
	if text := r.verdict(); text != "" {
		p.line("%s", text)
	}
	p.excuses()
	var empty []int
	for i, n := range r.Nodes {
		if n.Empty {
			empty = append(empty, i)
		}
	}
	if len(empty) > 0 {
		p.line("%s %s: the catalog holds nothing of the site. Is it classified by something else?",
			paint(p.Style.Warning, "warning"), p.names(empty))
	}
}

// excuses says why nodes were not compared: at length if none was.
func (p *printer) excuses() {
	var order []string
	by := map[string][]int{}
	for i, n := range p.r.Nodes {
		if n.State != Excused {
			continue
		}
		if by[n.Excuse] == nil {
			order = append(order, n.Excuse)
		}
		by[n.Excuse] = append(by[n.Excuse], i)
	}
	most := map[int]int{-1: len(order), 0: 8, 1: 4, 2: 2, 3: 1}[p.level]
	if p.level >= 0 && p.r.Compared() {
		most = min(most, 3)
	}
	for i, why := range order {
		if i == most {
			p.line("not compared for %s more", plural(len(order)-most, "reason"))
			break
		}
		p.line("%s %s: %s", paint(p.Style.Warning, "not compared"), p.names(by[why]), why)
	}
}

// Same reports whether nothing differs and everything is known.
func (r *Report) Same() bool {
	return len(r.Nodes) > 0 && !slices.ContainsFunc(r.Nodes, func(n *Node) bool {
		return n.State != CannotChange && n.State != Equal
	})
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// names lists nodes, a few of them by name.
func (p *printer) names(nodes []int) string {
	few := 3
	if p.level < 0 {
		few = len(nodes)
	}
	names := p.r.Names(nodes[:min(few, len(nodes))])
	text := strings.Join(names, ", ")
	if more := len(nodes) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (p *printer) failure(f *Failure) {
	word := map[State]string{Fails: "newly failing", Mended: "compiles again", FailsBoth: "failing on both sides",
		Gone: "gone", Comes: "new"}[f.State]
	style := p.Style.Error
	if f.State != Fails {
		style = p.Style.Faint
	}
	p.line("")
	p.line("%s on %s   %s", paint(style, word), plural(len(f.Nodes), "node"), f.told())
	if f.Was != nil {
		p.line("   was   %s", f.Was.Summary)
	}
	if p.level < 2 {
		if f.Place.Known() {
			p.line("   at    %s", f.Place)
		}
		if f.Code == source.CodeBug { // whoever reports it needs to know where it happened
			for at := range strings.Lines(f.Detail) {
				p.line("         %s", strings.TrimSpace(at))
			}
		}
		if text := p.causeText(f.Cause, "   from  "); text != "" {
			p.line("%s", text)
		}
		p.line("   on    %s", p.names(f.Nodes))
	}
}

// group prints changes that the same nodes have.
func (p *printer) group(g *Group) {
	if p.level < 3 {
		p.line("")
	}
	mark := fmt.Sprintf("%s  on %s", paint(p.Style.Note, g.Letter), plural(len(g.Nodes), "node"))
	if g.Unexpected() {
		mark += "   " + paint(p.Style.Error, "not expected")
	}
	if p.level >= 3 {
		p.line("%s   %s%s", mark, g.Summary(), p.causeText(g.Cause, "   from "))
		return
	}
	p.line("%s", mark)
	p.items(g.Items, "     ")
	if text := p.causeText(g.Cause, "   from  "); text != "" {
		p.line("%s", text)
	}
	p.line("   on    %s", p.names(g.Nodes))
}

// items prints changes, as many as the level allows.
func (p *printer) items(items []*Item, indent string) {
	idle := 0
	if p.level >= 0 && !items[0].Container {
		items, idle = withoutParameters(items)
	}
	most := map[int]int{-1: len(items), 0: 12, 1: 6, 2: 3}[p.level]
	for i, it := range items {
		if i == most {
			p.line("%sand %s", indent, plural(len(items)-most, "change")+" more")
			break
		}
		p.item(it.Change, indent, i > 0 && items[i-1].Slot() == it.Slot() && items[i-1].Blocks != nil)
	}
	if idle > 0 {
		p.line("%sand %s of classes and defines", indent, plural(idle, "parameter"))
	}
}

// withoutParameters leaves out parameters of classes and defines if there are more than a few, and counts them: beside
// what they do to resources they tell little.
func withoutParameters(items []*Item) (rest []*Item, out int) {
	const few = 2
	for _, it := range items {
		if it.Container && it.Kind == Attribute {
			out++
		} else {
			rest = append(rest, it)
		}
	}
	if out <= few {
		return items, 0
	}
	return rest, out
}

// noEnd stands behind the last line of a text that does not end it, if the other one does.
const noEnd = `\ no end of line`

// item prints one change; on goes on with the text that the last one was about.
func (p *printer) item(c *Change, indent string, on bool) {
	if on {
		p.line("%s  …", indent)
	} else {
		p.line("%s%s", indent, c.headline())
	}
	most := map[int]int{-1: 1 << 30, 0: 12, 1: 6, 2: 4}[p.level]
	var lines []string
	for i, b := range c.Blocks {
		if i > 0 && (b.OldLine > 0) {
			lines = append(lines, "…")
		}
		for _, l := range b.Old {
			lines = append(lines, "-"+l)
		}
		if b.OldNoEnd && !b.NewNoEnd {
			lines = append(lines, noEnd)
		}
		for _, l := range b.New {
			lines = append(lines, "+"+l)
		}
		if b.NewNoEnd && !b.OldNoEnd {
			lines = append(lines, noEnd)
		}
	}
	if hashes(c.Old, c.New) && !c.Secret {
		for _, x := range differing(nil, c.Old, c.New, nil) {
			lines = append(lines, x.lines()...)
		}
	} else if len(c.Blocks) == 0 && c.long() {
		lines = append(lines, "-"+Shown(c.Old), "+"+Shown(c.New))
	}
	if c.Kind == Added && p.level <= 0 {
		for _, a := range c.new.Params {
			lines = append(lines, "+"+a.Name+" => "+attributeText(c.new.IsSensitive(a.Name), a.Value))
		}
	}
	for i, l := range lines {
		if i == most-1 && len(lines) > most {
			p.line("%s  … %s more", indent, plural(len(lines)-i, "line"))
			break
		}
		style := map[byte]func(string) string{'-': p.Style.Error, '+': p.Style.Note}[l[0]]
		p.line("%s  %s", indent, paint(style, p.cut(l)))
	}
}

// cut shortens a line that is far too long for a screen.
func (p *printer) cut(s string) string {
	const most = 200
	if p.level < 0 || len(s) <= most {
		return s
	}
	n := most
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "… " + plural(utf8.RuneCountInString(s[n:]), "character") + " more"
}

const wholeCatalog = "Class[main]" // what is not known of a catalog, and not of a resource of it

// headline is a change in one line.
func (c *Change) headline() string {
	ref := c.Name.String()
	switch c.Kind {
	case Added:
		return "+ " + ref
	case Removed:
		return "- " + ref
	case Renamed:
		text := ref + " is now " + c.To.String() + ", with the same attributes"
		if c.Text != "" {
			text += " and the same name on the machine"
		}
		return text
	case Relation:
		switch {
		case strings.HasPrefix(c.Text, "moved"):
			return ref + " " + c.Text
		case c.Gone:
			return "- " + c.Text
		}
		return "+ " + c.Text
	case Cycle:
		if c.Gone {
			return "cycle gone: " + c.Text
		}
		return "NEW CYCLE, no agent applies this: " + c.Text
	case NotKnown:
		if c.Attribute != "" {
			ref += " " + c.Attribute
		}
		return ref
	}
	name := ref + " " + c.Attribute
	if c.Example {
		name += ", of each node its own, such as"
	}
	if c.Kind == ModuleFile {
		name = ref + " " + c.Attribute + " of " + cmp.Or(c.File, "its source")
	}
	switch {
	case c.Secret && c.Text != "":
		return name + "   " + c.Text
	case c.Secret && c.Old == nil:
		return name + "   comes, Sensitive"
	case c.Secret && c.New == nil:
		return name + "   goes, was Sensitive"
	case c.Secret:
		return name + "   changes, Sensitive"
	case c.listText() != "":
	case hashes(c.Old, c.New) && len(differing(nil, c.Old, c.New, nil)) == 0:
		return name + "   the same in another order"
	case hashes(c.Old, c.New):
		return name
	case c.Old == nil && (c.Blocks != nil || c.long()):
		return name + "   comes"
	case c.New == nil && (c.Blocks != nil || c.long()):
		return name + "   goes"
	case c.Blocks != nil || c.long():
		return name
	}
	if text := c.listText(); text != "" {
		return name + "   " + text
	}
	return name + "   " + Shown(c.Old) + " → " + Shown(c.New)
}

// listText says what joined and left a list; "" if the values are no lists, or if the whole of them must be shown.
func (c *Change) listText() string {
	if relationship(c.Attribute) {
		var was, is value.Value = listOf(c.Old), listOf(c.New)
		c = &Change{Old: was, New: is}
	}
	lost, gained, ok := listDelta(c.Old, c.New)
	if !ok {
		return ""
	}
	var parts []string
	for _, v := range gained {
		parts = append(parts, "+ "+plainText(v))
	}
	for _, v := range lost {
		parts = append(parts, "- "+plainText(v))
	}
	return strings.Join(parts, ", ")
}

// listOf is a value as a list.
func listOf(v value.Value) *value.Array {
	switch v := v.(type) {
	case nil:
		return value.NewArray()
	case *value.Array:
		return v
	}
	return value.NewArray(v)
}

// plainText is an element of a list: references stand without quotes, as code writes them.
func plainText(v value.Value) string {
	if s, is := v.(value.String); is {
		if _, ref := catalog.ParseRef(string(s)); ref {
			return string(s)
		}
	}
	return Shown(v)
}

// long reports whether the values of an attribute do not fit behind its name.
func (c *Change) long() bool {
	if c.Secret || c.Kind != Attribute && c.Kind != ModuleFile || c.listText() != "" {
		return false
	}
	return len(c.Name.String())+len(c.Attribute)+len(Shown(c.Old))+len(Shown(c.New)) > width
}

// byChange prints the groups. What only changes parameters of classes and defines does nothing by itself: beside what
// does, it is only counted.
func (p *printer) byChange() {
	idle := func(g *Group) bool {
		return !g.Unexpected() && !slices.ContainsFunc(g.Items, func(it *Item) bool {
			return !it.Container || it.Kind == Relation
		})
	}
	var rest []*Group
	for _, g := range p.r.Groups {
		if idle(g) && p.level >= 0 {
			rest = append(rest, g)
		} else {
			p.group(g)
		}
	}
	if len(rest) == len(p.r.Groups) {
		if len(rest) > 0 {
			p.line("Only parameters of classes and defines change, and no resource that does something.")
		}
		for _, g := range rest {
			p.group(g)
		}
		return
	}
	if len(rest) > 0 {
		items, nodes := 0, map[int]bool{}
		for _, g := range rest {
			items += len(g.Items)
			for _, n := range g.Nodes {
				nodes[n] = true
			}
		}
		p.line("")
		p.line("%s   %s of classes and defines on %s, which do nothing by themselves: %s%s", paint(p.Style.Faint, "and"),
			plural(items, "parameter"), plural(len(nodes), "node"), rest[0].Summary(), " (--full shows them)")
	}
}

// lines are the lines for a part of a hash that changes.
func (x part) lines() (out []string) {
	at := ""
	for _, k := range x.path {
		at += "['" + k + "']"
	}
	if lost, gained, ok := listDelta(x.old, x.new); ok {
		for _, v := range lost {
			out = append(out, "-"+at+" "+Shown(v))
		}
		for _, v := range gained {
			out = append(out, "+"+at+" "+Shown(v))
		}
		return out
	}
	if x.old != nil {
		out = append(out, "-"+at+" "+Shown(x.old))
	}
	if x.new != nil {
		out = append(out, "+"+at+" "+Shown(x.new))
	}
	return out
}

func (p *printer) byNode() {
	for _, n := range p.r.Nodes {
		if n.State != Changed {
			continue
		}
		p.line("")
		p.line("%s", paint(p.Style.Place, n.Name))
		var items []*Item
		for _, it := range n.Changes {
			if it.Kind != NotKnown {
				items = append(items, it)
			}
		}
		p.items(items, "   ")
	}
}

func (p *printer) byCause() {
	var order []string
	by := map[string][]*Group{}
	for _, g := range p.r.Groups {
		id := g.Cause.id()
		if by[id] == nil {
			order = append(order, id)
		}
		by[id] = append(by[id], g)
	}
	for _, id := range order {
		nodes := map[int]bool{}
		for _, g := range by[id] {
			for _, n := range g.Nodes {
				nodes[n] = true
			}
		}
		p.line("")
		p.line("%s   on %s", paint(p.Style.Place, cmp.Or(p.causeText(by[id][0].Cause, ""), "no cause is known")),
			plural(len(nodes), "node"))
		for _, g := range by[id] {
			p.line("   %s  on %s: %s", g.Letter, plural(len(g.Nodes), "node"), p.names(g.Nodes))
			p.items(g.Items, "     ")
		}
	}
}

// unknowns says what could not be compared, by reason.
func (p *printer) unknowns() {
	if len(p.r.Unknown) == 0 {
		return
	}
	p.line("")
	var order []string
	by := map[string][]*Item{}
	for _, it := range p.r.Unknown {
		why, _, _ := strings.Cut(it.Text, "\n")
		if it.Cause != nil && len(it.Cause.Hunks) > 0 {
			why += p.causeText(it.Cause, "   from ")
		}
		if by[why] == nil {
			order = append(order, why)
		}
		by[why] = append(by[why], it)
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(by[b]) - len(by[a]) })
	most := map[int]int{-1: len(order), 0: 8, 1: 4, 2: 2, 3: 1}[p.level]
	if p.level >= 0 && p.r.Compared() {
		most = min(most, 3)
	}
	for i, why := range order {
		if i == most {
			p.line("not known for %s more", plural(len(order)-most, "reason"))
			break
		}
		items := by[why]
		nodes := map[int]bool{}
		var names []string
		for _, it := range items {
			for _, n := range it.Nodes {
				nodes[n] = true
			}
			if name := it.headline(); name != wholeCatalog {
				names = append(names, name)
			}
		}
		few := min(3, len(names))
		if p.level < 0 {
			few = len(names)
		}
		text := strings.Join(names[:few], ", ")
		if len(names) > few {
			text += fmt.Sprintf(" and %d more", len(names)-few)
		}
		if text != "" {
			text += ": "
		}
		p.line("%s on %s   %s%s", paint(p.Style.Warning, "not known"), plural(len(nodes), "node"), text, why)
	}
}

func (p *printer) notes() {
	if len(p.r.Notes) > 0 {
		p.line("")
	}
	for _, n := range p.r.Notes {
		p.line("%s", n)
	}
}
