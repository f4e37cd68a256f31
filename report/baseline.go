package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bunraku/source"
)

// A Baseline is a file of problems that were there before: those do not count, new ones do. It holds fingerprints,
// which stay the same when lines move; code and summary are there for people.
type Baseline struct {
	Version  int     `json:"bunraku_baseline"`
	Problems []Known `json:"problems"`
}

// Known is one problem of a baseline.
type Known struct {
	Fingerprint string `json:"fingerprint"`
	Code        string `json:"code"`
	Summary     string `json:"summary"`
}

// ReadBaseline reads a baseline that WriteBaseline wrote.
func ReadBaseline(file string) (*Baseline, error) {
	content, err := source.ReadFile(file)
	if err != nil {
		return nil, err
	}
	b := &Baseline{}
	if err := json.Unmarshal([]byte(content.Text), b); err != nil {
		return nil, fmt.Errorf("%s is no baseline; --write-baseline writes one", file)
	}
	if b.Version != 1 {
		return nil, fmt.Errorf("%s is no baseline of version 1; write it again with --write-baseline", file)
	}
	return b, nil
}

// Apply takes known problems out of the count. It returns those of the baseline that are gone.
func (b *Baseline) Apply(run *Run) (gone []Known) {
	have := map[string]bool{}
	known := map[string]bool{}
	for _, k := range b.Problems {
		known[k.Fingerprint] = true
	}
	for _, p := range run.Problems {
		have[p.Fingerprint] = true
		if known[p.Fingerprint] && p.Suppressed.By == "" && p.suppressible() {
			p.Suppressed = Suppression{By: "baseline"}
		}
	}
	for _, k := range b.Problems {
		if !have[k.Fingerprint] {
			gone = append(gone, k)
		}
	}
	return gone
}

// suppressible reports whether a problem can be lived with. What stops a compile cannot.
func (p *Problem) suppressible() bool { return p.Finding != nil || p.Severity != source.Error }

// WriteBaseline writes the problems that no comment ignores, sorted, and returns how many. hide blots out secrets.
func (run *Run) WriteBaseline(file string, hide func(string) string) (int, error) {
	b := Baseline{Version: 1, Problems: []Known{}}
	seen := map[string]bool{}
	for _, p := range run.Problems {
		if p.Suppressed.By != "comment" && p.suppressible() && p.Severity != source.Note && !seen[p.Fingerprint] {
			seen[p.Fingerprint] = true
			b.Problems = append(b.Problems, Known{p.Fingerprint, p.Code, hide(p.Summary)})
		}
	}
	slices.SortFunc(b.Problems, func(x, y Known) int {
		return strings.Compare(x.Code+x.Summary+x.Fingerprint, y.Code+y.Summary+y.Fingerprint)
	})
	var text bytes.Buffer
	if err := writeJSON(&text, b); err != nil {
		return 0, err
	}
	return len(b.Problems), WriteFile(file, text.Bytes())
}
