package diff

import (
	"fmt"
	"slices"
	"strings"
)

// causeText names the hunks of a cause, with the commit that they come from.
func (p *printer) causeText(c *Cause, lead string) string {
	if c == nil {
		return ""
	}
	if c.Other != "" {
		return lead + c.Other
	}
	const few = 3
	var parts []string
	for i, h := range c.Hunks {
		if i == few && p.level >= 0 {
			parts = append(parts, plural(len(c.Hunks)-few, "hunk")+" more")
			break
		}
		text := h.String()
		if h.Commit != "" {
			text += " (" + shortCommit(h.Commit) + ")"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ")
	switch {
	case c.Either:
		text += ", each by itself"
	case len(c.Hunks) > 1:
		text += ", together"
	}
	if n := len(c.Through); n > few && p.level >= 0 {
		text += fmt.Sprintf(", through what %s and %d more nodes export", strings.Join(c.Through[:few], ", "), n-few)
	} else if n > 0 {
		text += ", through what " + strings.Join(c.Through, ", ") + map[bool]string{true: " exports",
			false: " export"}[n == 1]
	}
	if !c.Sure {
		text += ", perhaps"
	}
	return lead + text
}

// shortCommit is a commit's name for people; words stay as they are.
func shortCommit(id string) string {
	if strings.Contains(id, " ") {
		return id
	}
	return id[:min(9, len(id))]
}

// effectless lists the hunks that change nothing, and those that do not seem to, by reason.
func (p *printer) effectless() {
	p.hunks("without effect", func(h *Hunk) string { return h.Effect })
	p.hunks("no effect seen", func(h *Hunk) string { return h.Unseen })
}

// hunks lists the hunks of which something is said.
func (p *printer) hunks(lead string, said func(*Hunk) string) {
	var order []string
	by := map[string][]string{}
	for _, h := range p.r.Hunks {
		why := said(h)
		if why == "" {
			continue
		}
		if by[why] == nil {
			order = append(order, why)
		}
		by[why] = append(by[why], h.String())
	}
	slices.Sort(order)
	if len(order) > 0 && p.level < 3 {
		p.line("")
	}
	for _, why := range order {
		few := 4
		if p.level < 0 {
			few = len(by[why])
		} else if p.level >= 2 {
			few = 2
		}
		text := strings.Join(by[why][:min(few, len(by[why]))], ", ")
		if more := len(by[why]) - few; more > 0 {
			text += " and " + plural(more, "hunk") + " more"
		}
		p.line("%s   %s   (%s)", paint(p.Style.Faint, lead), text, why)
	}
}
