package diff

import "strings"

// A Cause is what makes a change: one hunk that is enough by itself, or several that are needed together. It is
// confirmed by compiling if Sure is set, else it is what provenance says.
type Cause struct {
	Hunks []*Hunk
	Sure  bool
	// Either tells that each of the hunks is enough.
	Either bool
	// Through are nodes that the change comes through: what they export is another one.
	Through []string
	// Other says what makes the change if no hunk does: the clock, say.
	Other string
}

// id is the same for the same cause.
func (c *Cause) id() string {
	if c == nil {
		return ""
	}
	var parts []string
	for _, h := range c.Hunks {
		parts = append(parts, h.Path+":"+h.Old.String()+":"+h.New.String())
	}
	if c.Either {
		parts = append(parts, "each")
	}
	return strings.Join(append(append(parts, c.Through...), c.Other), "\n")
}
