package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"bunraku/fleet"
	"bunraku/lsp/protocol"

	"github.com/creachadair/jrpc2"
)

// Commands are for what the protocol has no request for: which nodes there are, and of which of them values are shown.
// They do what the setting "nodes" does, for editors in which a setting is hard to change while one works. Their names
// are not those of the extension for VS Code, whose client would take them for its own.
const (
	listNodes   = "bunraku.nodes.list"   // no argument, or the URI of a file: the nodes of its folder
	chooseNodes = "bunraku.nodes.choose" // names or patterns; none for a few that fit what is being written
)

// A listedNode is one of the nodes that a command lists.
type listedNode struct {
	Name     string `json:"name"`
	Invented bool   `json:"invented"` // there are no facts of it; it stands for nodes that there may be
	Chosen   bool   `json:"chosen"`   // values are shown of it
}

func (s *Server) executeCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	var words []string
	for _, raw := range p.Arguments {
		var word string
		if json.Unmarshal(raw, &word) != nil {
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s takes texts, not %s", p.Command, raw)
		}
		words = append(words, word)
	}
	switch {
	case p.Command == chooseNodes:
		return s.choosing(ctx, words)
	case p.Command == listNodes && len(words) == 1:
		return s.listed(ctx, pathOf(words[0]))
	case p.Command == listNodes && len(words) == 0:
		return s.listed(ctx, "")
	case p.Command == listNodes:
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s takes the URI of one file at most", p.Command)
	}
	return nil, jrpc2.Errorf(jrpc2.InvalidParams, "there is no command %s", p.Command)
}

// foldersOf are the folders that a file is in, or all of them.
func (s *Server) foldersOf(path string) []*folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path == "" {
		return slices.Clone(s.folders)
	}
	if f := s.folderOf(path); f != nil {
		return []*folder{f}
	}
	return nil
}

// listed are the nodes of the folder that a file is in, or of all folders.
func (s *Server) listed(ctx context.Context, path string) ([]listedNode, error) {
	out := []listedNode{}
	for _, f := range s.foldersOf(path) {
		all, err := f.everyNode(ctx)
		if err != nil {
			return nil, err
		}
		chosen, err := f.choose(all)
		if err != nil { // a setting that names nothing here chooses nothing here
			chosen = nil
		}
		for _, n := range all {
			out = append(out, listedNode{n.Title(), n.Invented != nil, slices.ContainsFunc(chosen, func(c fleet.Node) bool {
				return c.Title() == n.Title()
			})})
		}
	}
	return out, nil
}

// everyNode are all nodes of a folder, those that were not chosen too.
func (f *folder) everyNode(ctx context.Context) ([]fleet.Node, error) {
	view, _, err := f.view()
	if err != nil {
		return nil, err
	}
	c := f.look(view)
	c.Choose = nil
	err = c.FindNodes(ctx)
	return c.Nodes, err
}

// choosing shows values of other nodes from now on, as if the setting had changed. A word that names no node of any
// folder is refused, and nothing changes.
func (s *Server) choosing(ctx context.Context, patterns []string) ([]listedNode, error) {
	var all []fleet.Node
	for _, f := range s.foldersOf("") {
		nodes, err := f.everyNode(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, nodes...)
	}
	if _, err := fleet.Pick(all, patterns); err != nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%v", err)
	}
	s.mu.Lock()
	s.settings.Nodes = patterns
	for _, f := range s.folders {
		f.kick()
	}
	s.mu.Unlock()
	return s.listed(ctx, "")
}
