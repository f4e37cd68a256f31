package web

import (
	"context"
	"slices"
	"sync"

	"bunraku/explain"
	"bunraku/puppet/compiler"
	"bunraku/puppet/value"
)

// Compiles with provenance cost more than plain ones, and a fleet has many nodes: they are made for the nodes that
// somebody asks about, and a few are kept.

// Bounds of what is kept: how many records, and about how many bytes they take together. The last one is kept whatever
// it takes.
const (
	maxRecords     = 8
	maxRecordBytes = 40 << 20
)

type records struct {
	mu   sync.Mutex
	snap *compiler.Snapshot
	kept []*kept // the one that was asked last is the last
}

type kept struct {
	node string
	mu   sync.Mutex
	rec  *explain.Record
	size int // guarded by the mutex of all; 0 until it is made
}

// record is the compile of a node, for questions.
func (st *state) record(ctx context.Context, name string) (*explain.Record, error) {
	n, i, err := st.node(name)
	if err != nil {
		return nil, err
	}
	if !n.compiles {
		return nil, notFound("%s does not compile", n.name)
	}
	k, snap, err := st.keep(ctx, n.name)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rec == nil {
		if k.rec, err = st.make(ctx, snap, i); err == nil {
			st.records.made(k)
		}
	}
	return k.rec, err
}

// made lets go of the oldest records until there is room for one that is new.
func (rs *records) made(k *kept) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	k.size = weight(k.rec)
	sum := 0
	for i := len(rs.kept) - 1; i >= 0; i-- {
		if sum += rs.kept[i].size; sum > maxRecordBytes && i < len(rs.kept)-1 {
			rs.kept = slices.Clone(rs.kept[i+1:])
			return
		}
	}
}

// weight is about how many bytes a record takes.
func weight(rec *explain.Record) int {
	s := rec.Trace.Size()
	sum := 16*s.Nodes + 4*s.Operands + 64*(s.Notes+s.Labels+s.Contents)
	for _, r := range rec.Catalog.Resources {
		sum += 600 + 80*len(r.Params)
		for _, p := range r.Params {
			if text, is := p.Value.(value.String); is {
				sum += len(text)
			}
		}
	}
	return sum
}

// make compiles a node with provenance.
func (st *state) make(ctx context.Context, snap *compiler.Snapshot, node int) (*explain.Record, error) {
	given, err := st.given(node)
	if err != nil {
		return nil, err
	}
	res, err := snap.Compile(ctx, given)
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
