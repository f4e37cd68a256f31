package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/explain"
	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
	"bunraku/report/redact"
)

// Where the values of a catalog come from can be kept with it, so that somebody can ask weeks later why a machine got
// what it got, whatever the code says by then. A side file is kept once for all catalogs that have the same one, and a
// small file for each catalog names it:
//
//	provenance/texts/DIGEST
//	provenance/nodes/NODE/TIME    the digest, and the catalog's name
//
// No secret is in them.

// sideTime is how the names of files tell the time, so that they sort by it.
const sideTime = "20060102T150405.000000000Z"

// keepProvenance writes the side file of a catalog.
func (s *Server) keepProvenance(dir, node, catalog string, result *eval.Result) error {
	hidden := &redact.Secrets{}
	hidden.AddCatalog(result.Catalog)
	result.EachVariable(func(_, _ string, v value.Value, _ provenance.Ref) { hidden.AddValue(v) })
	result.EachBared(hidden.AddBared, hidden.AddMade)
	text, err := explain.Save(explain.Of(result.Record()), filepath.ToSlash(dir), func(text string) string {
		return s.secrets.HideJSON(hidden.HideJSON(text))
	})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	name := hex.EncodeToString(sum[:])
	kept := filepath.Join(s.store.dir, "provenance", "texts", name)
	s.store.sweeping.RLock() // from here on until it is named
	defer s.store.sweeping.RUnlock()
	now := time.Now()
	if err := os.Chtimes(kept, now, now); err != nil { // used again: it is as good as written now
		if err := s.store.write(text, false, "provenance", "texts", name); err != nil {
			return err
		}
	}
	return s.store.write([]byte(name+" "+catalog+"\n"), false, "provenance", "nodes", node,
		s.opt.Now().UTC().Format(sideTime))
}

// SideFile is the file that says where the values of the catalog come from which a node got last at a time, and when it
// was compiled.
func SideFile(state, node string, at time.Time) (path string, when time.Time, err error) {
	if !nodeName.MatchString(node) {
		return "", when, fmt.Errorf("'%s' cannot be the name of a node", node)
	}
	entries, err := os.ReadDir(filepath.Join(state, "provenance", "nodes", node))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", when, err
	}
	for _, e := range slices.Backward(entries) {
		when, err = time.Parse(sideTime, e.Name())
		if err != nil || when.After(at) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(state, "provenance", "nodes", node, e.Name()))
		if err != nil {
			return "", when, err
		}
		name, _, _ := strings.Cut(string(text), " ")
		return filepath.Join(state, "provenance", "texts", filepath.Base(name)), when, nil
	}
	return "", when, fmt.Errorf("no catalog of %s from before %s is kept in %s", node, at.Format(time.RFC3339), state)
}

// sweep removes what is kept of catalogs that are older than an age, and side files that none of the others has.
func (s *store) sweep(age time.Duration, now time.Time) {
	root := filepath.Join(s.dir, "provenance")
	used := map[string]bool{}
	nodes, _ := os.ReadDir(filepath.Join(root, "nodes")) // none at first
	for _, n := range nodes {
		dir := filepath.Join(root, "nodes", n.Name())
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			when, err := time.Parse(sideTime, e.Name())
			if err != nil {
				continue
			}
			path := filepath.Join(dir, e.Name())
			if now.Sub(when) > age {
				os.Remove(path)
				continue
			}
			if text, err := os.ReadFile(path); err == nil {
				name, _, _ := strings.Cut(string(text), " ")
				used[name] = true
			}
		}
	}
	texts, _ := os.ReadDir(filepath.Join(root, "texts"))
	for _, e := range texts {
		if !used[e.Name()] {
			s.drop(filepath.Join(root, "texts", e.Name()), now)
		}
	}
}

// drop removes a side file that no catalog had when the sweep began, unless one has got it since.
func (s *store) drop(path string, now time.Time) {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > time.Hour {
		os.Remove(path)
	}
}

// sweepOften is how long after a sweep the next one is.
const sweepOften = time.Hour

// tidy sweeps until the server ends.
func (s *Server) tidy() {
	s.store.clear(time.Now())
	if s.opt.Provenance <= 0 {
		return
	}
	tick := time.NewTicker(sweepOften)
	defer tick.Stop()
	for {
		s.store.sweep(s.opt.Provenance, s.opt.Now())
		select {
		case <-s.ended:
			return
		case <-tick.C:
		}
	}
}
