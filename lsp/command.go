package lsp

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"time"

	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/source"

	"github.com/creachadair/jrpc2"
)

// Commands are for what the protocol has no request for: which nodes there are, of which of them values are shown, all
// that explain says of a place, what the work tree changes, and a page in the browser. They answer with a text or a
// link, so that every client can use them, with a line or two of its own that shows the answer. Their names are not
// those of the extension for VS Code, whose client would take them for its own.
const (
	listNodes   = "bunraku.nodes.list"   // no argument, or the URI of a file: the nodes of its folder
	chooseNodes = "bunraku.nodes.choose" // names or patterns; none for a few that fit what is being written
	explainAt   = "bunraku.explain.at"   // TextDocumentPositionParams: Markdown, or null where nothing is to be explained
	diffOf      = "bunraku.diff.tree"    // no argument, or the URI of a file or folder: a text
	webOf       = "bunraku.web.open"     // no argument, or the URI of a file or folder: a link
)

// commands are those that there are.
func (s *Server) commands() []string {
	out := []string{listNodes, chooseNodes, explainAt}
	if s.opt.Diff != nil {
		out = append(out, diffOf)
	}
	if s.opt.Web != nil {
		out = append(out, webOf)
	}
	return out
}

// A listedNode is one of the nodes that a command lists.
type listedNode struct {
	Name     string `json:"name"`
	Invented bool   `json:"invented"` // there are no facts of it; it stands for nodes that there may be
	Chosen   bool   `json:"chosen"`   // values are shown of it
}

func (s *Server) executeCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	if !slices.Contains(s.commands(), p.Command) {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "there is no command %s", p.Command)
	}
	if p.Command == explainAt {
		return s.explainAt(p.Arguments)
	}
	var words []string
	for _, raw := range p.Arguments {
		var word string
		if json.Unmarshal(raw, &word) != nil {
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s takes texts, not %s", p.Command, raw)
		}
		words = append(words, word)
	}
	if p.Command == chooseNodes {
		return s.choosing(ctx, words)
	}
	at := ""
	switch len(words) {
	case 0:
	case 1:
		if at = pathOf(words[0]); at == "" {
			return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s takes the URI of a file", p.Command)
		}
	default:
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s takes the URI of one file at most", p.Command)
	}
	switch p.Command {
	case listNodes:
		return s.listed(ctx, at)
	case diffOf:
		return s.ofFolder(ctx, p.Command, at, "Bunraku compares ", s.opt.Diff)
	}
	link, err := s.ofFolder(ctx, p.Command, at, "Bunraku looks at ", s.opt.Web)
	if err == nil {
		s.browse(link)
	}
	return link, err
}

// explainAt is all that is known of the place that a command names.
func (s *Server) explainAt(arguments []json.RawMessage) (any, error) {
	var where protocol.TextDocumentPositionParams
	if len(arguments) != 1 || json.Unmarshal(arguments[0], &where) != nil || where.TextDocument.URI == "" {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams,
			`%s takes a place: {"textDocument": {"uri": …}, "position": {"line": …, "character": …}}`, explainAt)
	}
	at, err := s.spot(where.TextDocument.URI, where.Position)
	if at == nil || err != nil {
		return nil, err
	}
	at.fully = true
	if text, _ := at.said(); text != "" {
		return at.unmeant(text), nil
	}
	return nil, nil
}

// ofFolder does something that takes a while with the folder that a path is in, or that it is; without a path, with the
// one that there is.
func (s *Server) ofFolder(ctx context.Context, command, at, title string,
	do func(context.Context, string) (string, error)) (string, error) {
	s.mu.Lock()
	var f *folder
	if at != "" {
		f = s.folderOf(at + "/")
	} else if len(s.folders) == 1 {
		f = s.folders[0]
	}
	many := len(s.folders) > 1
	s.mu.Unlock()
	switch {
	case f == nil && at != "":
		return "", jrpc2.Errorf(jrpc2.InvalidParams, "%s: no folder of the workspace has %s", command, at)
	case f == nil && many:
		return "", jrpc2.Errorf(jrpc2.InvalidParams, "%s: there are several folders; name a file of one", command)
	case f == nil:
		return "", jrpc2.Errorf(jrpc2.InvalidParams, "%s: no folder is open", command)
	}
	w := s.work(title + path.Base(f.dir))
	defer w.stop()
	return do(ctx, f.dir)
}

// browse asks the client to show a link in the browser, if it can.
func (s *Server) browse(link string) {
	s.mu.Lock()
	w := s.client.Window
	s.mu.Unlock()
	if w == nil || w.ShowDocument == nil || !w.ShowDocument.Support {
		return
	}
	go func() { // the client may want the answer to its command first
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, _ = s.rpc.Callback(ctx, "window/showDocument", protocol.ShowDocumentParams{URI: link, External: true})
	}()
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

// eachFolder does something with some folders. One that is not there, or cannot be looked at, takes nothing away from
// the others.
func eachFolder(folders []*folder, do func(*folder) error) (err error) {
	done := false
	for _, f := range folders {
		if e := do(f); e == nil || !source.Exists(f.ws.Disk(), f.dir) {
			done = true
		} else {
			err = e
		}
	}
	if done {
		return nil
	}
	return err
}

// listed are the nodes of the folder that a file is in, or of all folders.
func (s *Server) listed(ctx context.Context, path string) ([]listedNode, error) {
	out := []listedNode{}
	err := eachFolder(s.foldersOf(path), func(f *folder) error {
		all, err := f.everyNode(ctx)
		if err != nil {
			return err
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
		return nil
	})
	return out, err
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
	err := eachFolder(s.foldersOf(""), func(f *folder) error {
		nodes, err := f.everyNode(ctx)
		all = append(all, nodes...)
		return err
	})
	if err != nil {
		return nil, err
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
