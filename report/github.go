package report

import (
	"fmt"
	"io"
	"strings"

	"bunraku/source"
)

// GitHub prints the problems that count as workflow commands, which GitHub shows beside the lines of a pull request.
func (run *Run) GitHub(w io.Writer) error {
	for _, p := range run.Problems {
		if p.Suppressed.By != "" {
			continue
		}
		command := map[source.Severity]string{source.Error: "error", source.Warning: "warning",
			source.Note: "notice"}[p.Severity]
		var where []string
		if p.Where.File != "" {
			where = append(where, "file="+property(strings.TrimPrefix(p.Where.File, "./")))
			if p.Where.Line > 0 {
				where = append(where, fmt.Sprintf("line=%d,endLine=%d", p.Where.Line, p.Where.EndLine))
			}
			if p.Where.Column > 0 {
				where = append(where, fmt.Sprintf("col=%d,endColumn=%d", p.Where.Column, p.Where.EndColumn))
			}
		}
		title := p.Code
		if m := Meaning(p.Code); m != "" {
			title += " " + m
		}
		where = append(where, "title="+property(title))
		message := p.Message()
		if len(p.Nodes) > 0 {
			message += "\non " + nodeList(p.Nodes)
		}
		if _, err := fmt.Fprintf(w, "::%s %s::%s\n", command, strings.Join(where, ","), data(message)); err != nil {
			return err
		}
	}
	return nil
}

// nodeList names nodes, at most three of them.
func nodeList(nodes []string) string {
	if len(nodes) > 3 {
		return fmt.Sprintf("%s and %d more nodes", strings.Join(nodes[:3], ", "), len(nodes)-3)
	}
	return strings.Join(nodes, ", ")
}

// data and property escape as @actions/core does: a message must stay on its line, and a property ends at a comma or a
// colon.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
