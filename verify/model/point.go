package model

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/verify"
	"bunraku/verify/fs"
)

// An open point is a question about the fresh machine that the model met and that nothing known answers (verify-claims
// §1). Whether orders agree and whether a second run changes something is asked about all machines, with and without
// it; whether a run succeeds is asked about every combination of answers: what holds for all is proved, what holds for
// none is found, and else the answers that it takes are told. People can answer points themselves, which moves them to
// what is known, and is counted.

// A Point is an open point, as the sentence with which it can be accepted: "/etc/gitlab is there", "user deploy is
// there".
type Point struct {
	Text string
	set  func(s *fs.State, yes bool) // answers it; nil if that cannot be tried
}

// Accepted are points that people have answered: each is a sentence as Point has it. The forms are PATH is there, user
// NAME is there, group NAME is there, service NAME is there, package NAME is in the archive, package NAME brings PATH
// (or user NAME, service NAME, program NAME), unpacking brings PATH, fact NAME stays.
type Accepted []string

// ParseAccepted reads one sentence. The error says what can be written.
func ParseAccepted(text string) (string, error) {
	words := strings.Fields(text)
	n := len(words)
	switch {
	case n == 3 && strings.HasPrefix(words[0], "/") && words[1] == "is" && words[2] == "there":
		return string(fs.Clean(words[0])) + " is there", nil
	case n == 3 && words[0] == "unpacking" && words[1] == "brings" && strings.HasPrefix(words[2], "/"):
		return "unpacking brings " + string(fs.Clean(words[2])), nil
	case n == 4 && slices.Contains([]string{"user", "group", "service"}, words[0]) && words[2] == "is" &&
		words[3] == "there":
	case n == 3 && words[0] == "fact" && words[2] == "stays":
	case n >= 4 && n <= 5 && words[0] == "package" && words[2] == "brings":
	case n == 6 && words[0] == "package" && strings.Join(words[2:], " ") == "is in the archive":
	default:
		return "",
			fmt.Errorf("%q is nothing that can be assumed: write PATH is there, user NAME is there, group NAME is there, "+
				"service NAME is there, package NAME is in the archive, package NAME brings PATH, unpacking brings PATH, "+
				"or fact NAME stays", text)
	}
	return strings.Join(words, " "), nil
}

// accepts reports whether people have answered a point, and remembers that it mattered.
func (b *builder) accepts(format string, args ...any) bool {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(b.opt.Accept, text) {
		return false
	}
	if !slices.Contains(b.m.Accepted, text) {
		b.m.Accepted = append(b.m.Accepted, text)
	}
	return true
}

// grants is accepts for what a resource of the old catalog needs, too: a machine that has that catalog has it, wherever
// it came from. That it has the catalog is taken for true then.
func (b *builder) grants(typ, name, text string) bool {
	if b.accepts("%s", text) {
		return true
	}
	if b.opt.lived[[2]string{typ, name}] {
		b.open(nil, "%s", text)
		return true
	}
	return false
}

// acceptedDirs are the directories that are taken to be there: the paths below which something in the catalog lies.
func (b *builder) acceptedDirs() (out []fs.Path) {
	for _, x := range b.opt.Accept {
		p, ok := strings.CutSuffix(x, " is there")
		if !ok || !strings.HasPrefix(p, "/") {
			continue
		}
		if slices.ContainsFunc(b.items, func(it *item) bool {
			return it != nil && (strings.Contains(it.name, p+"/") ||
				slices.ContainsFunc(it.r.Params, func(x catalog.Param) bool {
					return strings.Contains(value.ToString(x.Value), p+"/")
				}))
		}) {
			out = append(out, b.path(p))
		}
	}
	return out
}

// open notes a point that nothing known decides.
func (b *builder) open(set func(s *fs.State, yes bool), format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(b.m.Open, func(p Point) bool { return p.Text == text }) {
		b.m.Open = append(b.m.Open, Point{text, set})
	}
}

// there answers whether there is something at a path. What is below goes with it.
func there(p fs.Path, k fs.Kind) func(*fs.State, bool) {
	return func(s *fs.State, yes bool) {
		if yes {
			if s.At(p).Kind == fs.None {
				s.Put(p, k)
			}
			return
		}
		for q := range s.Nodes {
			if q == p || q.Under(p) {
				delete(s.Nodes, q)
			}
		}
	}
}

// brings says that a package brings something that no list has: a point of its own for each.
func (b *builder) brings(pkg, what string) fs.Pred {
	text := "package " + pkg + " brings " + what
	if b.accepts("%s", text) {
		return fs.True{}
	}
	return b.point(text)
}

// point says that the answer to an open point is yes.
func (b *builder) point(text string) fs.Pred {
	cell := "whether " + text
	if _, known := b.closed[cell]; !known {
		b.variable(cell, "yes", "no")
		// Whether orders agree does not hang on it: without what nobody else brings, whoever needs it fails in every order.
		b.assume = append(b.assume, fs.VarIs(cell, "yes"))
		b.open(func(s *fs.State, yes bool) { s.Vars[cell] = fs.Text(map[bool]string{true: "yes", false: "no"}[yes]) }, "%s",
			text)
	}
	return fs.VarIs(cell, "yes")
}

// maxPoints bounds the points of which all combinations are tried.
const maxPoints = 6

// maxPointed bounds the resources of catalogs of which every order is looked at for every combination of answers.
const maxPointed = 40

// points decides whether what holds of success with every favourable answer holds with all others. needed are the
// answers without which the agent's own order fails; sure is false if nothing shows that an answer matters, and not all
// could be tried.
func (v *verifier) points(chance verify.Chance) (needed []Point, sure bool, err error) {
	open := v.m.Open
	if len(open) > maxPoints || slices.ContainsFunc(open, func(p Point) bool { return p.set == nil }) {
		return open, false, nil
	}
	machine := func(no uint) *fs.State {
		s := v.m.Graph.Fresh.Clone()
		for k, p := range open {
			p.set(s, no&(1<<k) == 0)
		}
		return s
	}
	order, dropped := v.a.Order(), uint(0)
	for k, p := range open {
		if v.a.Replay(order, machine(dropped|1<<k)).Failed >= 0 {
			needed = append(needed, p)
		} else {
			dropped |= 1 << k
		}
	}
	if len(needed) > 0 {
		return needed, true, nil
	}
	if len(order) > maxPointed {
		return open, false, nil
	}
	for no := uint(1); no < 1<<len(open); no++ {
		x, err := v.a.SuccessFrom(v.ctx, machine(no))
		if err != nil || x.Chance != chance {
			return open, false, err
		}
	}
	return nil, true, nil
}
