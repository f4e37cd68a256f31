package fleet

import (
	"errors"
	"path"

	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/source"
)

// unread says what a compile failed for that may not be read; "" if it is something else. What the node comes to where
// it may be read is not known then, of a real node no more than of one that was invented.
func unread(s *compiler.Snapshot, res *eval.Result) string {
	d := res.Failure
	if d == nil {
		return ""
	}
	if d.Code == environment.CodeUnread {
		return d.Summary
	}
	s = s.Current()
	for _, about := range d.About {
		switch about.Kind {
		case source.UnreadFile:
			return d.Summary
		case source.MissingFile:
			var no *source.Refused
			if _, err := s.Files().Stat(path.Clean(about.Name)); errors.As(err, &no) && path.IsAbs(about.Name) {
				return no.Error()
			}
		case source.MissingClass, source.MissingFunction, source.MissingResourceType, source.MissingType:
		default:
			continue
		}
		s.Environment().Modules() // they have problems, too
		for _, p := range s.Environment().Problems {
			if p.Code == environment.CodeUnread {
				return d.Summary + "; " + p.Summary
			}
		}
	}
	return ""
}

// unreadOn is what a compile of either side failed for that may not be read.
func (c *Comparing) unreadOn(was, is *eval.Result) string {
	if why := unread(c.To, is); why != "" {
		return why
	}
	return unread(c.From, was)
}
