package listing

import (
	"errors"
	"os"
)

// A Choice says which lists a run may use.
type Choice struct {
	Platform string   // what the node runs; "" if nobody knows
	Places   []string // folders, databases of dpkg and stores, asked first
	Store    string   // the user's store, "" for none
	Named    bool     // the user named the store, so it must be there
	Embedded bool     // use the built-in index for what the others do not have
}

// Select opens the lists for a platform: the given places, the user's store, the built-in index. Where there are none
// of the platform, those of its nearest relative are taken, and Notes says so.
func Select(c Choice) (*Set, error) {
	s, err := Open(c.Platform, c.Places...)
	if err != nil {
		return nil, err
	}
	if c.Store != "" {
		_, err := os.Stat(c.Store)
		if err == nil {
			err = s.openStore(c.Platform, c.Store)
		}
		switch {
		case err == nil:
		case !c.Named && errors.Is(err, os.ErrNotExist):
		case !c.Named && errors.Is(err, os.ErrPermission): // a container's user whose home is somebody else's
			s.shut = "the package lists in " + c.Store + " are not used: you have no permission to read them"
		default:
			s.Close()
			return nil, err
		}
	}
	if c.Embedded {
		if err := s.addEmbedded(c.Platform); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// addEmbedded adds the built-in index if it is of the platform, of a relative and there is nothing nearer, or if nobody
// knows the platform.
func (s *Set) addEmbedded(platform string) error {
	x, err := builtInIndex()
	if err != nil {
		return err
	}
	stored := false
	for _, src := range s.sources {
		if _, ok := src.(*storeSource); ok {
			stored = true
		}
	}
	const advice = "; `bunraku packages import` brings the right ones"
	switch {
	case platform == x.Platform:
		s.add(x, "")
		if s.archive, err = builtInNames(); err != nil {
			return err
		}
	case stored:
	case platform == "":
		s.add(x, "the platform is not known (no facts, no --platform): the built-in package lists of "+x.Platform+" are used")
	case nearest(platform, []string{x.Platform}) != "":
		s.add(x, "no package lists of "+platform+": the built-in ones of "+x.Platform+" are used"+advice)
	default:
		s.none = "no package lists of " + platform + ": what its packages bring is guessed from their names" + advice
	}
	return nil
}
