package fleet

import (
	"cmp"
	"context"
	"slices"

	"bunraku/diff"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
)

// What hangs on a guess. A decision on a value that is not known goes on as if it were false: a resource that somebody
// puts under such a decision looks removed then, and is not where it is true. So whatever differs between two compiles
// of which one has guessed is looked at again with other branches taken on both sides (eval.Input.Branch), and is sure
// only if it differs there in the same way. The same is asked of what a run does.

// mostBranches bounds how many branches of a decision are looked at.
const mostBranches = 4

// twins are the two compiles of a node that are compared.
type twins struct {
	from, to *compiler.Snapshot
	old, new compiler.Node
	was, is  *eval.Result
	opt      diff.Options
}

// between says in what the catalogs differ. others are the compiles with other branches taken; none if nothing was
// guessed, or nothing differs.
func (c *Comparing) between(ctx context.Context, t twins) (changes []*diff.Change, others []twins, err error) {
	changes = diff.Compare(c.side(t.from, t.was), c.side(t.to, t.is), t.opt)
	if len(changes) == 0 {
		return changes, nil, nil
	}
	if names := typesNotThere(t.was, t.is); len(names) > 0 &&
		slices.ContainsFunc(changes, func(x *diff.Change) bool { return x.Kind == diff.Attribute || x.Kind == diff.Added }) {
		changes = append(changes, &diff.Change{Kind: diff.NotKnown, Name: catalog.Name{Type: "Class", Title: "main"},
			Text: "whether types that are not there take what changes: " + Listed(names)})
	}
	for branch := 1; branch <= min(max(t.was.Branches, t.is.Branches), mostBranches); branch++ {
		o := t
		o.old.Branch, o.new.Branch, o.old.Trial, o.new.Trial = branch, branch, true, true
		if o.was, err = c.compile(ctx, t.from, o.old); err != nil {
			return nil, nil, err
		}
		if o.is, err = c.compile(ctx, t.to, o.new); err != nil {
			return nil, nil, err
		}
		if o.was.Catalog == nil || o.is.Catalog == nil {
			continue
		}
		there := map[string]bool{}
		for _, x := range diff.Compare(c.side(t.from, o.was), c.side(t.to, o.is), t.opt) {
			there[x.Key()], there[comes(x)] = true, true
		}
		for _, x := range changes {
			if x.Kind != diff.NotKnown && !there[x.Key()] && (comes(x) == "" || !there[comes(x)]) {
				x.Doubt(cmp.Or(t.is.Open, t.was.Open, "it hangs on a decision that is not known"))
			}
		}
		others = append(others, o)
	}
	return changes, others, nil
}

// comes names a resource that comes, whatever attributes it has; "" for other changes.
func comes(x *diff.Change) string {
	if x.Kind != diff.Added {
		return ""
	}
	return "comes: " + x.Name.String()
}

// typesNotThere are the data types without which compiles went on, and which take every value.
func typesNotThere(all ...*eval.Result) (names []string) {
	for _, res := range all {
		for _, s := range res.StandIns {
			if s.OnlyType() && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}
