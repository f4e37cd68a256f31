package fleet

import (
	"context"
	"sync"

	"bunraku/diff"
	"bunraku/fleet/store"
	"bunraku/puppet/eval"
)

// With a store (package store) a node is compiled only if nothing that is known from before, or of another node, says
// what it comes to. And where two nodes have the same two catalogs, they have the same changes: the second one is not
// compared.

// A reuse is what a store knows of the two sides.
type reuse struct {
	old, new *store.Run

	mu    sync.Mutex
	pairs map[[2]uint32]int  // catalogs of both sides → a node that was compared
	kinds map[uint32]*sameAs // of catalogs that are the same on both sides
	// effects are those of nodes that were compared
	effects map[int][]diff.Effect
}

// A sameAs is what there is to know of a catalog that both sides have.
type sameAs struct {
	once         sync.Once
	files, empty bool // files of modules that it names have changed; it holds nothing of the site
	err          error
}

func newReuse(c *Comparing) *reuse {
	if c.runs == nil {
		c.runs = &[2]*store.Run{c.Store.Over(c.From), c.Store.Over(c.To)}
	}
	return &reuse{old: c.runs[0], new: c.runs[1], pairs: map[[2]uint32]int{},
		kinds: map[uint32]*sameAs{}, effects: map[int][]diff.Effect{}}
}

// known asks the store. If it answers, done is true and the node's part of the report is complete; else was and is are
// what was compiled on the way, nil for what was not.
func (c *Comparing) known(ctx context.Context, u *reuse, r *diff.Report, i int, n Node) (was, is *eval.Result,
	pair [2]uint32, done bool, err error) {
	said, err := c.From.Classified(ctx, n.Node) // by the same classifier on both sides
	if err != nil {
		return nil, nil, pair, false, err
	}
	a, err := u.old.Result(ctx, store.Of(c.old(n)).With(said))
	if err != nil {
		return nil, nil, pair, false, err
	}
	b, err := u.new.Result(ctx, store.Of(c.new(n)).With(said))
	if err != nil {
		return nil, nil, pair, false, err
	}
	for _, fresh := range []*eval.Result{a.Fresh, b.Fresh} {
		if fresh != nil {
			c.Watch(fresh)
		}
	}
	pair = [2]uint32{a.ID(), b.ID()}
	if a.Failed || b.Failed || pair[0] == 0 || pair[1] == 0 || n.Invented != nil {
		return a.Fresh, b.Fresh, [2]uint32{}, false, nil
	}
	if pair[0] != pair[1] {
		u.mu.Lock()
		like, seen := u.pairs[pair]
		effects := u.effects[like]
		u.mu.Unlock()
		if seen {
			r.AddLike(i, like)
			r.Follow(i, effects)
		}
		return a.Fresh, b.Fresh, pair, seen, nil
	}
	stays := b.Same(a)
	if !stays {
		if stays, err = u.new.Stays(ctx, a, store.Of(c.new(n)).With(said)); err != nil {
			return nil, nil, pair, false, err
		}
	}
	if !stays && b.Unknown { // what is not known is not equal
		return a.Fresh, b.Fresh, pair, false, nil
	}
	k := u.kind(pair[0])
	k.once.Do(func() {
		k.empty = !a.Any(ofSite)
		if c.Options.Contents == nil {
			return
		}
		cat, err := a.Catalog()
		if k.err = err; err == nil && cat != nil {
			k.files = len(c.Options.Contents.Compare(cat, c.Options)) > 0
		}
	})
	if k.err != nil || k.files {
		return a.Fresh, b.Fresh, pair, false, k.err
	}
	r.Nodes[i].Empty = k.empty
	if r.Nodes[i].State = diff.Equal; stays {
		r.Nodes[i].State = diff.CannotChange
	}
	return nil, nil, pair, true, nil
}

// kind is what is known of a catalog.
func (u *reuse) kind(id uint32) *sameAs {
	u.mu.Lock()
	defer u.mu.Unlock()
	k := u.kinds[id]
	if k == nil {
		k = &sameAs{}
		u.kinds[id] = k
	}
	return k
}

// keep remembers a node that was compared, for others with the same two catalogs.
func (u *reuse) keep(pair [2]uint32, node int, effects []diff.Effect) {
	if pair[0] == 0 || pair[0] == pair[1] {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pairs[pair], u.effects[node] = node, effects
}
