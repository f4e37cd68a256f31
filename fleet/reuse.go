package fleet

import (
	"context"
	"slices"
	"strings"
	"sync"

	"bunraku/diff"
	"bunraku/fleet/store"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
)

// With a store (package store) a node is compiled only if nothing that is known from before, or of another node, says
// what it comes to. And where two nodes have the same two catalogs, they have the same changes: the second one is not
// compared.
//
// Most nodes that one line changes do not have the same two catalogs, since each has its name somewhere. They still
// have the same changes if the resources that differ are the same on both sides, were declared at the same places by
// compiles that asked the same, and all that relations and models look at is the same in the rest
// (judge.PairLikeness).

// A reuse is what a store knows of the two sides.
type reuse struct {
	old, new *store.Run

	mu    sync.Mutex
	pairs map[pairKey]int    // catalogs of both sides → a node that was compared
	likes map[string]int     // the same by what differs between them, and what it may hang on
	kinds map[uint32]*sameAs // of catalogs that are the same on both sides
	// effects are those of nodes that were compared
	effects map[int][]diff.Effect
}

// A pair is the catalogs of a node on both sides, 0 for those that the store cannot compare with anything.
type pair struct {
	pairKey
	like string // nodes of which it is equal have the same changes; "" if that cannot be told
}

// A pairKey is the same for nodes that have the same two catalogs, with the same consequences.
type pairKey struct {
	old, new uint32
	machine  string // what consequences hang on besides
}

// A sameAs is what there is to know of a catalog that both sides have.
type sameAs struct {
	once         sync.Once
	files, empty bool // files of modules that it names have changed, or may have; it holds nothing of the site
	ignored      bool // files have changed, and none that counts
	err          error
}

func newReuse(c *Comparing) *reuse {
	if c.runs == nil {
		c.runs = &[2]*store.Run{c.Store.Over(c.From), c.Store.Over(c.To)}
	}
	return &reuse{old: c.runs[0], new: c.runs[1], pairs: map[pairKey]int{}, likes: map[string]int{},
		kinds: map[uint32]*sameAs{}, effects: map[int][]diff.Effect{}}
}

// known asks the store. If it answers, done is true and the node's part of the report is complete; else was and is are
// what was compiled on the way, nil for what was not.
func (c *Comparing) known(ctx context.Context, u *reuse, r *diff.Report, i int, n *Node) (was, is *eval.Result,
	p pair, done bool, err error) {
	said, err := c.From.Classified(ctx, n.Node) // by the same classifier on both sides
	if err != nil {
		return nil, nil, p, false, err
	}
	a, err := u.old.Result(ctx, store.Of(c.old(*n)).With(said))
	if err != nil {
		return nil, nil, p, false, err
	}
	b, err := u.new.Result(ctx, store.Of(c.new(*n)).With(said))
	if err != nil {
		return nil, nil, p, false, err
	}
	for _, fresh := range []*eval.Result{a.Fresh, b.Fresh} {
		if fresh != nil {
			c.Watch(fresh)
		}
	}
	if p.old, p.new = a.ID(), b.ID(); a.Failed || b.Failed || p.old == 0 || p.new == 0 || n.Invented != nil {
		return a.Fresh, b.Fresh, pair{}, false, nil
	}
	if p.old != p.new {
		if c.Consequences != nil {
			n.Facts = n.Facts.Loaded()
			p.machine = judge.PlatformOf(n.Facts) + "\n" + strings.Join(judge.ShownBy(n.Facts), "\n")
		}
		like, seen := u.compared(&p, func() string { return c.likeness(a, b, n) })
		if seen {
			u.mu.Lock()
			effects := u.effects[like]
			u.mu.Unlock()
			r.AddLike(i, like)
			r.Follow(i, effects)
		}
		return a.Fresh, b.Fresh, p, seen, nil
	}
	stays := b.Same(a)
	if !stays {
		if stays, err = u.new.Stays(ctx, a, store.Of(c.new(*n)).With(said)); err != nil {
			return nil, nil, p, false, err
		}
	}
	if !stays && b.Unknown { // what is not known is not equal
		return a.Fresh, b.Fresh, p, false, nil
	}
	k := u.kind(p.old)
	k.once.Do(func() {
		k.empty = !a.Any(ofSite)
		if c.Options.Contents == nil {
			return
		}
		cat, err := a.Catalog()
		if k.err = err; err == nil && cat != nil {
			k.files = slices.ContainsFunc(cat.Resources, sealedSource) ||
				len(c.Options.Contents.Compare(diff.Side{Catalog: cat}, c.Options)) > 0 ||
				slices.ContainsFunc(cat.Resources, sealedForAgents) && c.Options.Contents.OtherForAgents()
			k.ignored = !k.files && c.Options.Contents.Ignored(diff.Side{Catalog: cat}, c.Options)
		}
	})
	if k.err != nil || k.files {
		return a.Fresh, b.Fresh, p, false, k.err
	}
	r.Nodes[i].Empty, r.Nodes[i].Ignored = k.empty, k.ignored
	if r.Nodes[i].State = diff.Equal; stays && !k.ignored {
		r.Nodes[i].State = diff.CannotChange
	}
	return nil, nil, p, true, nil
}

// sealedSource reports whether the store does not say from where something is copied, or which files of a directory
// are.
func sealedSource(r *catalog.Resource) bool {
	return r.Get("source") != nil && store.Sealed(r)
}

// sealedForAgents reports whether the store does not say what agents make of something, or what they run.
func sealedForAgents(r *catalog.Resource) bool {
	if strings.TrimPrefix(r.Type, catalog.ForOthers) != "Exec" {
		return store.SealedRich(r)
	}
	return store.SealedRich(r) || r.Get("command") == nil && store.Sealed(r) || // the title may be what is sealed
		slices.ContainsFunc(r.Params, func(p catalog.Param) bool { return store.SealedValue(p.Value) })
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

// compared is a node that was compared and has the changes of a pair. likeness is only asked if no node has the pair.
func (u *reuse) compared(p *pair, likeness func() string) (like int, seen bool) {
	u.mu.Lock()
	like, seen = u.pairs[p.pairKey]
	u.mu.Unlock()
	if seen {
		return like, true
	}
	if p.like = likeness(); p.like == "" {
		return 0, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	like, seen = u.likes[p.like]
	return like, seen
}

// likeness is the same for nodes that have the same changes, with the same consequences; "" if that cannot be told.
func (c *Comparing) likeness(a, b *store.Result, n *Node) string {
	if c.Consequences == nil || c.Options.Contents != nil || c.Options.Whole {
		return ""
	}
	delta, old, new := a.Delta(b), a.Bare(), b.Bare()
	if delta == "" || old == nil || new == nil {
		return ""
	}
	return c.Consequences.Judge.PairLikeness(bareSuspect(c.From, old, n.Facts), bareSuspect(c.To, new, n.Facts)) + delta
}

// bareSuspect is what there is to judge about a catalog of the store.
func bareSuspect(s *compiler.Snapshot, c *catalog.Catalog, node *facts.Facts) judge.Suspect {
	return judge.Suspect{Catalog: c.Own(), Platform: judge.PlatformOf(node), Shown: judge.ShownBy(node), Types: s,
		Modules: s.Environment()}
}

// keep remembers a node that was compared, for others with the same two catalogs or the same changes.
func (u *reuse) keep(p pair, node int, effects []diff.Effect) {
	if p.old == 0 || p.old == p.new {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pairs[p.pairKey], u.effects[node] = node, effects
	if p.like != "" {
		u.likes[p.like] = node
	}
}
