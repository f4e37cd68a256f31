package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/explain"
	"bunraku/judge"
	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/report"
	"bunraku/source"
	"bunraku/verify/model"
)

// The gate holds every catalog against what check would say of it: what agents refuse, what verify finds, and rules
// about data (a policy). A catalog that has a problem which the node's last one had not is not served: the agent
// gets a 500 that names the problem, and goes on with the catalog that it has.
//
// What a node's last catalog had is kept below gate/, by the fingerprints of the problems, which have no line numbers
// in them. The first catalog of a node that the gate sees passes whatever it has: the gate keeps things from getting
// worse and does not stop a site that is not perfect. A problem that was mended and comes back is new. What verify
// cannot decide is no problem.

// A gate judges catalogs.
type gate struct {
	judge  *judge.Judge
	policy *explain.Policy // nil for none
}

// A GateOptions says what catalogs are held against.
type GateOptions struct {
	Policy *explain.Policy // rules about data; nil for none
}

func newGate(opt GateOptions, hide func(string) string) *gate {
	return &gate{judge: judge.New(judge.Options{Budget: model.DefaultUnits, Hide: hide}), policy: opt.Policy}
}

// passed is what is kept of a node's last catalog.
type passed struct {
	Catalog  string   `json:"catalog"` // digest: the same one need not be judged again
	Problems []string `json:"problems"`
}

// check says why a catalog may not be served; nil if it may.
func (s *Server) check(ctx context.Context, snap taken, node compiler.Node, result *eval.Result) error {
	digest, err := digestOf(result.Catalog)
	if err != nil {
		return failed("the catalog of %s cannot be written as JSON: %v", node.Name, err)
	}
	file := filepath.Join(s.store.dir, "gate", node.Name+".json")
	var last passed
	text, err := os.ReadFile(file)
	known := err == nil && json.Unmarshal(text, &last) == nil
	if err == nil && !known {
		s.opt.Log.Error("what the last catalog had cannot be read, and the next one passes", "certname", node.Name,
			"file", file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("what the last catalog of %s had cannot be read: %v", node.Name, err)
	}
	if known && last.Catalog == digest {
		return nil
	}
	problems, err := s.gate.problems(ctx, snap, node, result)
	if err != nil {
		return failed("the catalog of %s cannot be judged: %v", node.Name, err)
	}
	now := passed{Catalog: digest, Problems: []string{}}
	var fresh []problemOf
	for _, p := range problems {
		now.Problems = append(now.Problems, p.print)
		if !slices.Contains(last.Problems, p.print) {
			fresh = append(fresh, p)
		}
	}
	if known && len(fresh) > 0 {
		s.counts.gated.Add(1)
		more := ""
		if len(fresh) > 1 {
			more = fmt.Sprintf(" (and %d more)", len(fresh)-1)
		}
		return failed("%s", hiding(result).Hide(
			fmt.Sprintf("the catalog of %s has a problem that its last one had not: %s%s", node.Name,
				fresh[0].text, more)))
	}
	slices.Sort(now.Problems)
	if text, err = json.Marshal(now); err == nil {
		err = s.store.write(text, false, "gate", node.Name+".json")
	}
	return s.written("gate", node.Name, err)
}

// digestOf stands for what an agent would do with a catalog.
func digestOf(c *catalog.Catalog) (string, error) {
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, c)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// A problemOf is one thing that is wrong with a catalog.
type problemOf struct{ print, text string }

// problems are what is wrong with a catalog, the gravest first.
func (g *gate) problems(ctx context.Context, snap taken, node compiler.Node, result *eval.Result) (out []problemOf,
	err error) {
	rec := result.Record()
	v, err := g.judge.Judge(ctx, judge.Suspect{Catalog: result.Catalog, Platform: judge.PlatformOf(node.Facts),
		Shown: judge.ShownBy(node.Facts), Types: snap.Current(), Modules: snap.Environment(), Record: rec})
	if err != nil {
		return nil, err
	}
	run := &report.Run{}
	v.Tell(run)
	var files []*source.File
	for _, p := range run.Problems {
		if p.Place.Known() && !slices.Contains(files, p.Place.File) {
			files = append(files, p.Place.File)
		}
	}
	run.Ignore(files) // comments of the user's
	run.Sort()
	for _, p := range run.Problems {
		if p.Suppressed.By != "" || p.Severity != source.Error && (p.Severity != source.Warning || p.Finding == nil) {
			continue
		}
		text := p.Code + ": " + p.Summary
		if p.Where.File != "" {
			text += fmt.Sprintf(" (file: %s, line: %d)", p.Where.File, p.Where.Line)
		}
		out = append(out, problemOf{p.Fingerprint, text})
	}
	if g.policy == nil {
		return out, nil
	}
	rules := *g.policy
	rules.Root = snap.Environment().Dir
	broken, err := rules.Check(explain.Of(rec))
	if err != nil {
		return nil, err
	}
	for _, b := range broken {
		slot := b.Resource
		if b.Attribute != "" {
			slot += "." + b.Attribute
		}
		sum := sha256.Sum256([]byte(strings.Join([]string{b.Rule, slot, b.Flow, b.Why}, "\x00")))
		p := problemOf{hex.EncodeToString(sum[:10]),
			fmt.Sprintf("%s breaks the rule '%s' (file: %s, line: %d)", slot, b.Rule, b.RuleAt.File,
				b.RuleAt.Line)}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}
