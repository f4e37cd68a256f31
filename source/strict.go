package source

import "fmt"

// Strictness is Puppet's setting `strict`: how serious is what Puppet leaves to it.
type Strictness uint8

// The three settings. The zero Strictness is what Puppet 7 has by default.
const (
	StrictWarning Strictness = iota // Puppet 7's default
	StrictError                     // Puppet 8's default
	StrictOff
)

// ParseStrictness reads the setting as people write it.
func ParseStrictness(text string) (Strictness, error) {
	for _, s := range []Strictness{StrictOff, StrictWarning, StrictError} {
		if s.String() == text {
			return s, nil
		}
	}
	return StrictWarning, fmt.Errorf("strict is off, warning or error, not %q", text)
}

func (s Strictness) String() string {
	switch s {
	case StrictOff:
		return "off"
	case StrictError:
		return "error"
	}
	return "warning"
}
