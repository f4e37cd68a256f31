package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"bunraku/diff"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Comparing without facts. A tree as it was cloned has no facts, and often not its modules nor all of its data. Its
// nodes are invented, as for a check, and compiled with stand-ins (package eval, absent.go). What is known of them is
// compared; what is left unsaid is this:
//
//   - What classes, resources and functions do whose module is not there may hang on anything that a tree has, such as
//     a datum that is called after them. Of a node that has such there is no proof, only what is seen to change.
//   - A decision that was guessed leaves out what stands behind it. So do a selector that was not made, and a template,
//     a file, a function or a key whose name is not known: nothing of what they may be was asked for.
//   - A value that is not known is equal to nothing.
//
// A node that compiles on one side only newly fails, or is mended, if no other machine or data could help it (excuse),
// or if the new side refuses a system that the old one did not. Where what it was invented for is on one side only, it
// is gone, or new.

// Settle gives invented nodes machines on which they compile, on all sides of a comparison if there is such a machine.
// The first side counts most; a node that compiles on no machine stays as it is.
func Settle(ctx context.Context, nodes []Node, sides ...*compiler.Snapshot) ([]Node, error) {
	out, errs := slices.Clone(nodes), make([]error, len(nodes))
	refused := make([]bool, len(nodes))
	source.Each(ctx, len(out), func(i int) {
		if out[i].Invented == nil {
			return
		}
		if errs[i] = out[i].byDefault(ctx, sides); errs[i] != nil {
			return
		}
		first := out[i]
		if errs[i] = out[i].settle(ctx, sides); errs[i] == nil && out[i].Invented.System.ID != first.Invented.System.ID {
			refused[i], errs[i] = first.newlyRefused(ctx, sides)
		}
	})
	for i, is := range refused { // what a side newly refuses is told of the machine that it refuses
		if is {
			out = append(out, nodes[i])
		}
	}
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(n Node) bool { // two may have become one
		twice := seen[n.Title()]
		seen[n.Title()] = true
		return twice
	})
	return out, errors.Join(errs...)
}

func (n *Node) settle(ctx context.Context, sides []*compiler.Snapshot) error {
	var fine []*compiler.Snapshot
	for _, c := range sides {
		res, err := c.Compile(ctx, n.Node)
		if err != nil {
			return err
		}
		if res.Failure != nil {
			var other *Invention
			if res, other, err = otherwise(ctx, c, n.Invented, res); err != nil {
				return err
			}
			if better, err := other.fits(ctx, res, fine); err != nil || !better {
				return err
			}
			n.Node, n.Invented = other.Node, other
		}
		fine = append(fine, c)
	}
	return nil
}

// byDefault gives a node that has a class of the tree's a node statement, where all sides have some and none for others
// than the nodes that they name.
func (n *Node) byDefault(ctx context.Context, sides []*compiler.Snapshot) error {
	if n.Invented.Class == "" || n.Code != nil {
		return nil
	}
	for _, c := range sides {
		res, err := c.Compile(ctx, n.Node)
		if err != nil || res.Failure == nil || len(res.Failure.Names(source.MissingNode)) == 0 {
			return err
		}
	}
	with := *n.Invented
	with.Code, _ = syntax.Parse(source.NewFile("default node", "node default { }\n"), syntax.Options{})
	n.Node, n.Invented = with.Node, &with
	return nil
}

// newlyRefused reports whether the first side, which is the new one, refuses a machine on which all others compile, and
// would refuse every other one with the same system.
func (n *Node) newlyRefused(ctx context.Context, sides []*compiler.Snapshot) (bool, error) {
	if len(sides) < 2 {
		return false, nil
	}
	for _, c := range sides[1:] {
		if res, err := c.Compile(ctx, n.Node); err != nil || res.Failure != nil {
			return false, err
		}
	}
	res, err := sides[0].Compile(ctx, n.Node)
	if err != nil {
		return false, err
	}
	return refuses(ctx, sides[0], n.Invented, res)
}

// refuses reports whether the code says itself that it is not for the system of a machine, whatever else is known of
// the machine and whatever data there are.
func refuses(ctx context.Context, c *compiler.Snapshot, n *Invention, res *eval.Result) (bool, error) {
	if res.Failure == nil || len(res.Failure.Names(source.Refusal)) == 0 || stoodIn(res) != nil {
		return false, nil
	}
	if names, err := lackedValues(ctx, c, n, res); err != nil || len(names) > 0 {
		return false, err
	}
	names, err := lackedFacts(ctx, c, n, res)
	return len(names) == 0, err
}

// lost reports whether a node does not compile since nothing is there any more of what it was invented for: its class,
// or its node statement.
func (n Node) lost(c *compiler.Snapshot, d *source.Diagnostic) bool {
	i := n.Invented
	if i.Class == "" && i.Define == "" {
		return len(d.Names(source.MissingNode)) > 0
	}
	module, rest, _ := strings.Cut(i.Class, "::")
	_, there := c.Environment().ManifestFile(module, rest)
	return !there && slices.Contains(d.Names(source.MissingClass), i.Class)
}

// fits reports whether a machine compiles where res is from and on some other sides.
func (i *Invention) fits(ctx context.Context, res *eval.Result, sides []*compiler.Snapshot) (bool, error) {
	for _, c := range sides {
		if res.Failure != nil {
			break
		}
		var err error
		if res, err = c.Compile(ctx, i.Node); err != nil {
			return false, err
		}
	}
	return res.Failure == nil, nil
}

// Want collects the modules that were wanted and are not there.
type Want struct {
	mu      sync.Mutex
	modules map[string]bool
}

func (w *Want) add(names []string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.modules == nil {
		w.modules = map[string]bool{}
	}
	for _, name := range names {
		w.modules[name] = true
	}
}

// Modules are they.
func (w *Want) Modules() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.modules {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Why nothing can be proved of a node.
const (
	wantsModules = "what modules do that are not there"
	wantsData    = "what hangs on data, files or facts that were not found: "
)

// unproved is why a compile may come to something else than is seen, for want of modules and data; "" if it may not.
func (w *Want) unproved(res *eval.Result) string {
	some := slices.DeleteFunc(slices.Clone(res.StandIns), func(s eval.StandIn) bool {
		return s.OnlyType() || lackedKinds[s.Kind] != ""
	})
	w.add(Modules(some))
	if len(some) > 0 {
		return wantsModules
	}
	names := notFound(res.LooseOn)
	switch {
	case len(names) > 0:
		return wantsData + Listed(names)
	case res.Guessed: // whether something is of a type
		return wantsModules
	}
	return ""
}

// standsFor tells the classes and resource types of a catalog of which only the names are known.
func standsFor(res *eval.Result) (names map[string]bool) {
	for _, s := range res.StandIns {
		if s.Kind == source.MissingClass || s.Kind == source.MissingResourceType {
			if names == nil {
				names = map[string]bool{}
			}
			names[strings.ToLower(s.Name)] = true
		}
	}
	return names
}

// one compares an invented node that compiles on one side only: it tells something if no other machine or data could
// help it there.
func (c *Comparing) one(ctx context.Context, out *diff.Node, n Node, was, is *eval.Result) error {
	side, fails := c.From, was
	if out.State = diff.Mended; is.Failure != nil {
		out.State, side, fails = diff.Fails, c.To, is
	}
	if n.lost(side, fails.Failure) {
		if out.State = diff.Comes; is.Failure != nil {
			out.State = diff.Gone
		}
		return nil
	}
	x, err := excuse(ctx, side, n.Invented, fails)
	if err != nil {
		return err
	}
	if x != nil && x.Kind == Refuses && is.Failure != nil {
		if newly, err := refuses(ctx, side, n.Invented, fails); err != nil || newly {
			return err
		}
	}
	if x != nil {
		excused(out)
	}
	return nil
}
