package eval

import (
	"slices"
	"sync"
	"time"

	"bunraku/provenance"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Cache keeps what compiles of one environment have in common: the values of literals, compiled regular expressions,
// the types of parameters. Everything in it follows from parsed files alone, so any number of compiles may share it,
// also at the same time.
type Cache struct {
	mu        sync.RWMutex
	consts    map[*syntax.File][]value.Value
	spans     map[*syntax.File]func(ordinal int) source.Span // where literals stand
	regexps   map[*syntax.Regexp]*value.Regexp
	made      map[string]*value.Regexp // from strings, at run time
	types     map[syntax.Expr]knownType
	aliases   map[*syntax.TypeAlias]knownAlias
	parts     map[syntax.Expr]typeParts // of aliases
	names     map[string]*typeName
	shapes    map[syntax.Definition]*shape
	effects   map[*syntax.Expr]*effects      // what statements, named by their first, may do
	functions map[syntax.Definition]*hearsay // those of the program
	unloaded  map[link]unloaded              // what names lead to that a compile had not loaded
	index     effectIndex                    // of them
	branches  map[*syntax.Expr]*branchCode   // statements that were passed over, named by their first
	targets   map[syntax.Expr][]string       // the types of the resources that an operand may name
	jumps     map[*syntax.Expr]bool          // whether statements, named by their first, may jump
	defaults  map[*syntax.File][]touch       // the resource defaults that a file's code sets
	convert   types.Converter                // for its parsed signatures
	facts     *factTree                      // of the node compiled last
	size      traceSize                      // of that compile
	rooms     roomSize                       // likewise
}

// A knownType is a type that an expression stands for, with what had to be asked to find it, and what reading it reads.
type knownType struct {
	value.Type // nil if it is another one for each node
	typeParts
	asked  []trace.Question
	doubts []typeDoubt
}

// alias is what an alias means, if that is known.
func (c *Cache) alias(def *syntax.TypeAlias) (knownAlias, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	known, ok := c.aliases[def]
	return known, ok
}

func (c *Cache) keepAlias(def *syntax.TypeAlias, known knownAlias) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aliases[def] = known
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{
		consts: map[*syntax.File][]value.Value{}, spans: map[*syntax.File]func(int) source.Span{},
		regexps: map[*syntax.Regexp]*value.Regexp{}, made: map[string]*value.Regexp{}, types: map[syntax.Expr]knownType{},
		aliases: map[*syntax.TypeAlias]knownAlias{}, parts: map[syntax.Expr]typeParts{},
		jumps: map[*syntax.Expr]bool{}, defaults: map[*syntax.File][]touch{}, targets: map[syntax.Expr][]string{},
		branches: map[*syntax.Expr]*branchCode{}, effects: map[*syntax.Expr]*effects{},
		functions: map[syntax.Definition]*hearsay{}, unloaded: map[link]unloaded{}, shapes: map[syntax.Definition]*shape{},
		names: map[string]*typeName{},
		index: effectIndex{touching: map[string][]touchOf{}, declaring: map[string][]*effects{}},
	}
}

// remember looks a thing up and makes it at the first question. Two compiles may make it both; either one's will do.
func remember[K comparable, V any](c *Cache, m map[K]V, key K, make func() (V, bool)) V {
	c.mu.RLock()
	v, ok := m[key]
	c.mu.RUnlock()
	if ok {
		return v
	}
	v, keep := make()
	if keep {
		c.mu.Lock()
		m[key] = v
		c.mu.Unlock()
	}
	return v
}

// constants are the boxed values of a file's strings and bare words, by the literals' numbers, so that evaluating one
// allocates nothing.
func (c *Cache) constants(f *syntax.File) []value.Value {
	return remember(c, c.consts, f, func() ([]value.Value, bool) {
		table := make([]value.Value, f.Literals)
		box := func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Str:
				table[n.Ord] = value.String(n.Value)
			case *syntax.Name:
				table[n.Ord] = value.String(n.Value)
			case *syntax.Int:
				table[n.Ord] = value.Int(n.Value)
			case *syntax.Float:
				table[n.Ord] = value.Float(n.Value)
			}
			return true
		}
		for _, s := range f.Body.Stmts {
			syntax.Walk(s, box)
		}
		if f.Epp != nil {
			syntax.Walk(f.Epp, box)
		}
		return table, true
	})
}

// literalSpans tells where the literals of a file stand. It finds them at the first question.
func (c *Cache) literalSpans(f *syntax.File) func(ordinal int) source.Span {
	return remember(c, c.spans, f, func() (func(int) source.Span, bool) {
		spans := sync.OnceValue(func() []source.Span { return syntax.LiteralSpans(f) })
		return func(ordinal int) source.Span { return spans()[ordinal] }, true
	})
}

// mayJump is mayJump of the statements, worked out once.
func (c *Cache) mayJump(stmts []syntax.Expr) bool {
	if len(stmts) == 0 {
		return false
	}
	return remember(c, c.jumps, &stmts[0], func() (bool, bool) { return mayJump(stmts), true })
}

// targetTypes are the types of the resources that an operand may name, each once.
func (c *Cache) targetTypes(e syntax.Expr) []string {
	return remember(c, c.targets, e, func() (out []string, keep bool) {
		for _, t := range outline.References(e) {
			if !slices.Contains(out, t.Type) {
				out = append(out, t.Type)
			}
		}
		return out, true
	})
}

// Converter makes values of types, with the program's types in sight.
func (ev *Evaluator) Converter() *types.Converter {
	return &types.Converter{Shared: &ev.cache.convert, Load: ev.TypeNamed, Now: func() value.Timestamp {
		ev.ReadClock()
		return value.TimestampOf(time.Now())
	}}
}

const maxMade = 10_000 // beyond these, patterns and type names that are computed are worked out each time

// Regexp compiles a pattern that a program made at run time, once.
func (ev *Evaluator) Regexp(source string) (*value.Regexp, error) {
	var err error
	re := remember(ev.cache, ev.cache.made, source, func() (*value.Regexp, bool) {
		var re *value.Regexp
		re, err = value.NewRegexp(source)
		ev.cache.mu.RLock()
		defer ev.cache.mu.RUnlock()
		return re, err == nil && len(ev.cache.made) < maxMade
	})
	return re, err
}

// A traceSize is how much room a traced compile takes.
type traceSize struct {
	trace            provenance.Size
	branches, passed int
}

// traceSize is how much the last one took.
func (c *Cache) traceSize() traceSize {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.size
}

func (c *Cache) setTraceSize(s traceSize) {
	c.mu.Lock()
	c.size = s
	c.mu.Unlock()
}

// roomSize is how much room the last compile took.
func (c *Cache) roomSize() roomSize {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.rooms
}

func (c *Cache) setRoomSize(s roomSize) {
	if c.roomSize() == s {
		return
	}
	c.mu.Lock()
	c.rooms = s
	c.mu.Unlock()
}

// tracedFacts are a node's facts with their leaves; those of the last node are kept.
func (c *Cache) tracedFacts(h *value.Hash, first provenance.Ref) *factTree {
	c.mu.RLock()
	f := c.facts
	c.mu.RUnlock()
	if f == nil || f.source != h || f.first != first {
		f = newFactTree(h, first)
		c.mu.Lock()
		c.facts = f
		c.mu.Unlock()
	}
	return f
}
