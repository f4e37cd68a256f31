package serve

import (
	"container/list"
	"context"
	"sync"

	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/trace"
)

// Most runs of most agents get the catalog that they got the last time: of what the compile has asked (package trace)
// nothing is different, though the code was deployed anew and half of the facts are others. So the last catalog of
// each node is kept with its questions, as far as there is room. When all have the same answers as before, it is the
// catalog; only what says when and of which revision it was made is written anew, and the metadata of files.

// A memory keeps catalogs, those that were asked for last.
type memory struct {
	limit int64

	mu     sync.Mutex
	bytes  int64
	byNode map[memoryKey]*list.Element
	order  list.List // of *remembered, the last one used in front
}

type memoryKey struct{ environment, node string }

// remembered is a catalog with what it depends on.
type remembered struct {
	key     memoryKey
	trace   *trace.Trace
	catalog *catalog.Catalog
	rest    catalog.Rest
	logs    []eval.LogLine
	bytes   int64
}

func newMemory(limit int64) *memory {
	return &memory{limit: limit, byNode: map[memoryKey]*list.Element{}}
}

// What an entry takes, about: a question is shared by many nodes, a resource is not.
const (
	questionBytes = 16
	resourceBytes = 600
	paramBytes    = 200
)

// keep remembers what a compile came to. One that asked something which nobody can answer again has no trace that
// holds.
func (m *memory) keep(environment, node string, r *eval.Result) {
	if r.Questions == nil {
		return
	}
	e := &remembered{key: memoryKey{environment, node}, trace: r.Questions(), catalog: r.Catalog, rest: r.Rest,
		logs: r.Logs}
	e.bytes = questionBytes * int64(len(e.trace.Entries))
	for _, x := range r.Catalog.Resources {
		e.bytes += resourceBytes + paramBytes*int64(len(x.Params))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(m.byNode[e.key])
	m.byNode[e.key] = m.order.PushFront(e)
	for m.bytes += e.bytes; m.bytes > m.limit; {
		m.drop(m.order.Back())
	}
}

func (m *memory) drop(at *list.Element) {
	if at == nil {
		return
	}
	e := m.order.Remove(at).(*remembered)
	delete(m.byNode, e.key)
	m.bytes -= e.bytes
}

// find is the catalog of a node if it would be compiled the same now; nil if not, or if that is not known.
func (m *memory) find(ctx context.Context, environment string, snap *compiler.Snapshot,
	node compiler.Node) *remembered {
	m.mu.Lock()
	at := m.byNode[memoryKey{environment, node.Name}]
	if at == nil {
		m.mu.Unlock()
		return nil
	}
	m.order.MoveToFront(at)
	e := at.Value.(*remembered)
	m.mu.Unlock()
	holds, _, err := snap.Holds(ctx, e.trace, node)
	if err != nil || !holds {
		return nil
	}
	return e
}
