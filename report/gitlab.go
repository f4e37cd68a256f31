package report

import (
	"fmt"
	"io"
	"strings"

	"bunraku/source"
)

// gitlabProblem is an entry of GitLab's code quality report, which is a list of them
// (docs.gitlab.com, "Code Quality": description, check_name, fingerprint, severity and location are required).
type gitlabProblem struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

// GitLab prints the problems that count as a code quality report, which GitLab shows beside the lines of a merge
// request. A problem without a place cannot be shown there and stands at the first line of the environment's first
// file.
func (run *Run) GitLab(w io.Writer) error {
	out := []gitlabProblem{}
	times := map[string]int{} // GitLab takes two of one fingerprint for one: what several lines have is told apart
	for _, p := range run.Problems {
		if p.Suppressed.By != "" {
			continue
		}
		g := gitlabProblem{Description: p.Message(), Check: p.Code, Fingerprint: p.Fingerprint,
			Severity: map[source.Severity]string{source.Error: "major", source.Warning: "minor",
				source.Note: "info"}[p.Severity]}
		if times[p.Fingerprint]++; times[p.Fingerprint] > 1 {
			g.Fingerprint += fmt.Sprintf("-%d", times[p.Fingerprint])
		}
		if len(p.Nodes) > 0 {
			g.Description += " (on " + nodeList(p.Nodes) + ")"
		}
		g.Location.Path, g.Location.Lines.Begin = strings.TrimPrefix(p.Where.File, "./"), max(p.Where.Line, 1)
		if g.Location.Path == "" {
			g.Location.Path = "environment.conf"
		}
		out = append(out, g)
	}
	return writeJSON(w, out)
}
