package diff

// A Cause is what makes a change.
type Cause struct {
	Hunks []*Hunk
}

func (c *Cause) id() string {
	if c == nil {
		return ""
	}
	id := ""
	for _, h := range c.Hunks {
		id += h.String() + " "
	}
	return id
}

// A Hunk is a place where the trees differ.
type Hunk struct {
	File string // for people
	Line int    // of the new file, or of the old one if the lines are gone
	End  int    // the last line
}

// String is the place.
func (h *Hunk) String() string { return h.File }
