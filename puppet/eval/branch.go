package eval

import (
	"sync/atomic"

	"bunraku/provenance"
	"bunraku/puppet/syntax"
)

// A branch is code that was passed over in this compile, however often.
type branch struct {
	*branchCode
	file    *syntax.File
	effects *effects  // nil until somebody asks
	kept    bool      // in what is left of the compile,
	keptFor *Resource // the last time for this one's code
}

// A branchCode is what every compile that passes the code over wants to know of it.
type branchCode struct {
	stmts    []syntax.Expr
	assigned []string // the variables that it assigns
	bits     nameBits // of them
	changed  []string // those that templates in it may change in place
	jumps    bool
}

// reserve makes room for as many branches as another compile had.
func (g *ghosts) reserve(s traceSize) {
	g.branches = make(map[*syntax.Expr]*branch, s.branches)
	g.room = make([]branch, 0, s.branches)
	g.passed = make([]passedBranch, 0, s.passed)
}

// branchOf is the branch that begins with a statement.
func (ev *Evaluator) branchOf(stmts []syntax.Expr) *branch {
	g := &ev.ghosts
	b := g.branches[&stmts[0]]
	if b == nil {
		if len(g.room) == cap(g.room) {
			g.room = make([]branch, 0, 16)
		}
		g.room = append(g.room, branch{file: ev.file, branchCode: remember(ev.cache, ev.cache.branches, &stmts[0],
			func() (*branchCode, bool) {
				code := &branchCode{stmts: stmts, assigned: assignedIn(stmts), jumps: ev.cache.mayJump(stmts)}
				code.bits = bitsOf(code.assigned)
				if r, ok := ev.world.(Renderer); ok {
					code.changed = changedIn(stmts, r)
				}
				return code, true
			})})
		b = &g.room[len(g.room)-1]
		g.branches[&stmts[0]] = b
	}
	return b
}

// changedIn are the variables that templates which statements render may change in place. Templates whose names are
// computed are not looked at.
func changedIn(stmts []syntax.Expr, r Renderer) (names []string) {
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Call); ok {
				if f, ok := c.Functor.(*syntax.Name); ok && f.Value == "template" {
					for _, a := range c.Args {
						for _, name := range syntax.StaticNames(a) {
							if name != "" {
								names = append(names, r.TemplateChanges(name)...)
							}
						}
					}
				}
			}
			return true
		})
	}
	return names
}

// An effectIndex finds the pieces of code that may do something, among all whose effects were ever asked for. It only
// grows: whether a compile has passed one over is known by its number (ghosts.why).
type effectIndex struct {
	n         atomic.Int64         // how many pieces
	touching  map[string][]touchOf // the touches, by type
	declaring map[string][]*effects
}

// effectsOf are the effects of the code that begins with a statement, gathered once for all compiles.
func (c *Cache) effectsOf(first *syntax.Expr, gather func() *effects) *effects {
	c.mu.RLock()
	fx := c.effects[first]
	c.mu.RUnlock()
	if fx != nil {
		return fx
	}
	fx = gather()
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.effects[first]; other != nil {
		return other
	}
	fx.number = len(c.effects)
	c.effects[first] = fx
	c.index.n.Add(1)
	for _, t := range fx.touches {
		c.index.touching[t.typ] = append(c.index.touching[t.typ], touchOf{t, fx})
	}
	for class := range fx.classes {
		c.index.declaring[class] = append(c.index.declaring[class], fx)
	}
	return fx
}

// count is how many pieces of code the index knows.
func (c *Cache) count() int { return int(c.index.n.Load()) }

func (c *Cache) touching(typ string) []touchOf {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.touching[typ]
}

func (c *Cache) declaring(class string) []*effects {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.declaring[class]
}

// why joins the decisions that kept code from running; zero when it was not passed over.
func (g *ghosts) why(fx *effects) provenance.Ref {
	if fx.number < len(g.whys) {
		return g.whys[fx.number]
	}
	return 0
}
