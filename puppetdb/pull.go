package puppetdb

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A snapshot of facts is a directory with a file for each node, NAME.json: its entry of PuppetDB's inventory, which has
// its facts and what its certificate says. Beside them .pulled says when it was made, and which version of each node's
// facts it has (PuppetDB's own hash of a factset), so that next time only those come that are others by then.
//
// Whatever happens on the way, the directory is as it was or as it is to be:
//
//   - Rows come in batches, each in one answer that was read to its end. They are put into .incoming, and a line in
//     .incoming/done says so. Who is killed goes on there, as long as the facts are still those.
//   - When all have come, .incoming/complete gets the new .pulled. From then on the rest is moving files, which the
//     next one does if this one cannot.

// Names in a snapshot's directory.
const (
	indexName    = ".pulled"
	incomingName = ".incoming"
	doneName     = "done"
	completeName = "complete"
	lockName     = ".lock"
)

// A Snapshot is what .pulled says.
type Snapshot struct {
	Version int               `json:"version"`
	URL     string            `json:"puppetdb"`
	Pulled  time.Time         `json:"pulled"`
	Nodes   map[string]string `json:"nodes"` // name → hash of its facts, "" if it is not known
}

func (s *Snapshot) has(name string) bool {
	_, is := s.Nodes[name]
	return is
}

// Pulling is how facts are pulled.
type Pulling struct {
	Dir   string
	Batch int                   // nodes in one question; 100 when zero
	Step  func(done, total int) // is told how far it has come; may be nil
	Now   func() time.Time      // nil for the clock
}

// Pulled is what came of it.
type Pulled struct {
	Snapshot *Snapshot
	Changed  int // nodes whose facts have come
	Resumed  int // those of them that an earlier pull had fetched before it was ended
	Gone     int // nodes that are no more
}

const snapshotVersion = 1

// Pull brings a snapshot up to date, or makes one.
func (c *Client) Pull(ctx context.Context, p Pulling) (*Pulled, error) {
	if p.Batch <= 0 {
		p.Batch = 100
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return nil, err
	}
	unlock, err := lock(filepath.Join(p.Dir, lockName))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := p.install(); err != nil { // what the last one could not
		return nil, err
	}
	old, err := ReadSnapshot(p.Dir)
	if err != nil {
		return nil, err
	}
	wanted, err := c.factsets(ctx)
	if err != nil {
		return nil, err
	}
	if len(wanted) == 0 && len(old.Nodes) > 0 {
		return nil, &Error{URL: c.URL(), Detail: fmt.Sprintf("it has facts of no node, and %s those of %d", p.Dir,
			len(old.Nodes)), Help: "delete the directory if they are really gone"}
	}
	next := &Snapshot{Version: snapshotVersion, URL: c.URL(), Pulled: p.Now().UTC().Truncate(time.Second), Nodes: wanted}
	var todo []string
	for name, hash := range wanted {
		_, err := os.Stat(p.file(name))
		if hash == "" || old.Nodes[name] != hash || err != nil {
			todo = append(todo, name)
		}
	}
	slices.Sort(todo)
	out := &Pulled{Snapshot: next}
	done, err := p.staged()
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(todo), func(name string) bool {
		return wanted[name] != "" && done[name] == wanted[name]
	})
	out.Resumed = len(todo) - len(rest)
	if err := c.fetchAll(ctx, &p, rest, next, len(todo)); err != nil {
		return nil, err
	}
	for _, name := range todo {
		if next.has(name) {
			out.Changed++
		}
	}
	for name := range old.Nodes {
		if !next.has(name) {
			out.Gone++
		}
	}
	if err := p.complete(next, todo); err != nil {
		return nil, err
	}
	return out, p.install()
}

// factsets are the nodes that are not deactivated, each with the hash of its facts.
func (c *Client) factsets(ctx context.Context) (map[string]string, error) {
	nodes := map[string]string{}
	err := c.again(ctx, func() error {
		clear(nodes)
		return c.Query(ctx, Query{Entity: "factsets", OrderBy: []string{"certname"},
			Text: `["extract",["certname","hash"],["=","node_state","active"]]`}, func(row json.RawMessage) error {
			var r struct {
				Certname string
				Hash     *string // null while PuppetDB has not reckoned it
			}
			if err := json.Unmarshal(row, &r); err != nil || r.Certname == "" {
				return c.strange("a factset", row, "a name and a hash")
			}
			if !fileName(r.Certname) {
				return fmt.Errorf("PuppetDB has facts of a node named %q, which is no name of a file", r.Certname)
			}
			if nodes[r.Certname] = ""; r.Hash != nil {
				nodes[r.Certname] = *r.Hash
			}
			return nil
		})
	})
	return nodes, err
}

// fileName reports whether a name is one of a file in a directory, and of none that is hidden.
func fileName(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsAny(name, "/\\\x00\n ")
}

// mostTries is how often a question is asked that may be answered in a moment.
const mostTries = 3

// again asks a question that may be answered in a moment once more.
func (c *Client) again(ctx context.Context, ask func() error) (err error) {
	for tries := range mostTries {
		if err = ask(); !Temporary(err) || tries+1 == mostTries {
			break
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(c.conf.Pause << (2 * tries)):
		}
	}
	return err
}

// fetchAll puts the facts of nodes into .incoming. Nodes that are gone by then are taken off the snapshot.
func (c *Client) fetchAll(ctx context.Context, p *Pulling, names []string, next *Snapshot, total int) error {
	if len(names) == 0 {
		return nil
	}
	if err := os.MkdirAll(p.incoming(), 0o755); err != nil {
		return err
	}
	journal, err := os.OpenFile(filepath.Join(p.incoming(), doneName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer journal.Close()
	came := total - len(names)
	var missing []string
	for batch := range slices.Chunk(names, p.Batch) {
		rows := map[string]json.RawMessage{}
		err := c.again(ctx, func() error {
			clear(rows)
			return c.inventory(ctx, batch, rows)
		})
		if err != nil {
			return err
		}
		var lines strings.Builder
		for _, name := range batch {
			row := rows[name]
			if row == nil {
				missing = append(missing, name)
				continue
			}
			if err := os.WriteFile(filepath.Join(p.incoming(), name+".json"), append(row, '\n'), 0o644); err != nil {
				return err
			}
			fmt.Fprintf(&lines, "%s %s\n", name, next.Nodes[name])
		}
		if _, err := journal.WriteString(lines.String()); err != nil {
			return err
		}
		if came += len(batch); p.Step != nil {
			p.Step(came, total)
		}
	}
	if err := journal.Close(); err != nil || len(missing) == 0 {
		return err
	}
	now, err := c.factsets(ctx)
	if err != nil {
		return err
	}
	for _, name := range missing {
		if _, is := now[name]; is {
			return &Error{URL: c.URL(), Detail: fmt.Sprintf("it has a factset of %s and no inventory", name)}
		}
		delete(next.Nodes, name)
	}
	return nil
}

// inventory asks for some nodes.
func (c *Client) inventory(ctx context.Context, names []string, rows map[string]json.RawMessage) error {
	query, err := json.Marshal([]any{"in", "certname", []any{"array", names}})
	if err != nil {
		return err
	}
	return c.Query(ctx, Query{Entity: "inventory", Text: string(query)}, func(row json.RawMessage) error {
		var r struct {
			Certname       string
			Facts, Trusted map[string]json.RawMessage
		}
		if err := json.Unmarshal(row, &r); err != nil || r.Certname == "" || r.Facts == nil {
			return c.strange("an inventory", row, "a name, and facts as a hash")
		}
		rows[r.Certname] = slices.Clone(row)
		return nil
	})
}

func (p *Pulling) incoming() string        { return filepath.Join(p.Dir, incomingName) }
func (p *Pulling) file(name string) string { return filepath.Join(p.Dir, name+".json") }

// staged are the nodes that an earlier pull has fetched.
func (p *Pulling) staged() (map[string]string, error) {
	f, err := os.Open(filepath.Join(p.incoming(), doneName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[string]string{}
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // the last line may have been cut off
			return out, nil
		}
		if name, hash, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && fileName(name) {
			out[name] = hash
		}
	}
}

// A ready snapshot only needs its files moved.
type ready struct {
	Snapshot *Snapshot `json:"snapshot"`
	Files    []string  `json:"files"` // nodes whose files are to be moved
}

// complete says that all has come.
func (p *Pulling) complete(next *Snapshot, todo []string) error {
	if err := os.MkdirAll(p.incoming(), 0o755); err != nil {
		return err
	}
	files := slices.DeleteFunc(slices.Clone(todo), func(name string) bool { return !next.has(name) })
	return writeWhole(filepath.Join(p.incoming(), completeName), ready{next, files})
}

// install moves what is complete to its place, and takes away what is gone. It may be done in several goes.
func (p *Pulling) install() error {
	text, err := os.ReadFile(filepath.Join(p.incoming(), completeName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var r ready
	if err := json.Unmarshal(text, &r); err != nil || r.Snapshot == nil {
		return fmt.Errorf("%s is not what was written there; delete it", filepath.Join(p.incoming(), completeName))
	}
	old, err := ReadSnapshot(p.Dir)
	if err != nil {
		return err
	}
	for _, name := range r.Files {
		err := os.Rename(filepath.Join(p.incoming(), name+".json"), p.file(name))
		if err != nil && !errors.Is(err, os.ErrNotExist) { // it was moved before
			return err
		}
	}
	for name := range old.Nodes {
		if !r.Snapshot.has(name) {
			if err := os.Remove(p.file(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	if err := writeWhole(filepath.Join(p.Dir, indexName), r.Snapshot); err != nil {
		return err
	}
	return os.RemoveAll(p.incoming())
}

// ReadSnapshot reads what a directory has; it is empty if it is none yet.
func ReadSnapshot(dir string) (*Snapshot, error) {
	path := filepath.Join(dir, indexName)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return &Snapshot{}, nil
	}
	if err != nil {
		return nil, err
	}
	s := &Snapshot{}
	if err := json.Unmarshal(text, s); err != nil || s.Version != snapshotVersion {
		return nil, fmt.Errorf("%s is of no version that is known; delete it, and all facts are pulled anew", path)
	}
	for name := range s.Nodes {
		if !fileName(name) {
			return nil, fmt.Errorf("%s names a node %q; delete it, and all facts are pulled anew", path, name)
		}
	}
	return s, nil
}

// writeWhole writes a file so that it is there as a whole or not at all.
func writeWhole(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// lock lets nobody else pull into a directory.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := take(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("somebody else pulls facts into %s", filepath.Dir(path))
	}
	return func() { f.Close() }, nil
}
