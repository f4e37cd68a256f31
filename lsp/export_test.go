package lsp

import "slices"

// TextOf is the text of an open file, as the server has it.
func (s *Server) TextOf(uri string) (text string, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[uri]
	if d == nil {
		return "", false
	}
	return d.text, true
}

// Rest waits until nothing is being looked at, and nothing is about to be. Nobody may write meanwhile.
func (s *Server) Rest() {
	s.mu.Lock()
	folders := s.folders
	s.mu.Unlock()
	for _, f := range folders {
		f.pending.Wait()
	}
}

// Matters reports whether a folder is looked at again after a file was written.
func (s *Server) Matters(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.folders, func(f *folder) bool { return f.matters(path) })
}
