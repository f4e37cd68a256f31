package web

import (
	"context"
	"sync"

	"bunraku/explain"
	"bunraku/puppet/compiler"
)

// Compiles with provenance cost more than plain ones, and a fleet has many nodes: they are made for the nodes that
// somebody asks about, and a few are kept.

// maxRecords is how many are kept.
const maxRecords = 8

type records struct {
	mu   sync.Mutex
	snap *compiler.Snapshot
	kept []*kept // the one that was asked last is the last
}

type kept struct {
	node string
	mu   sync.Mutex
	rec  *explain.Record
}

// record is the compile of a node, for questions.
func (st *state) record(ctx context.Context, name string) (*explain.Record, error) {
	n, i, err := st.node(name)
	if err != nil {
		return nil, err
	}
	if n.Catalog == nil {
		return nil, notFound("%s does not compile", n.Name)
	}
	k, snap, err := st.keep(ctx, n.Name)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rec == nil {
		k.rec, err = st.make(ctx, snap, i)
	}
	return k.rec, err
}

// make compiles a node with provenance.
func (st *state) make(ctx context.Context, snap *compiler.Snapshot, node int) (*explain.Record, error) {
	res, err := snap.Compile(ctx, st.given[node].Node)
	if err != nil {
		return nil, err
	}
	st.site.opt.Watch(res) // before anything of it is shown
	if res.Failure != nil {
		return nil, res.Failure
	}
	return explain.Of(res.Record()), nil
}

// passing is the compile of a node for one question: it is not kept, so that those that somebody looks at stay.
func (st *state) passing(ctx context.Context, node int) (*explain.Record, error) {
	snap, err := st.tracedSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	return st.make(ctx, snap, node)
}

// tracedSnapshot is what compiles with provenance are made from.
func (st *state) tracedSnapshot(ctx context.Context) (*compiler.Snapshot, error) {
	rs := &st.records
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.snap == nil {
		snap, err := st.site.traced.Snapshot(context.WithoutCancel(ctx), st.snap.Files())
		if err != nil {
			return nil, err
		}
		rs.snap = snap
	}
	return rs.snap, nil
}

// keep finds the place of a node's record, and makes room for it.
func (st *state) keep(ctx context.Context, name string) (*kept, *compiler.Snapshot, error) {
	snap, err := st.tracedSnapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	rs := &st.records
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i, k := range rs.kept {
		if k.node == name {
			rs.kept = append(append(rs.kept[:i:i], rs.kept[i+1:]...), k)
			return k, snap, nil
		}
	}
	k := &kept{node: name}
	if rs.kept = append(rs.kept, k); len(rs.kept) > maxRecords {
		rs.kept = rs.kept[1:]
	}
	return k, snap, nil
}
