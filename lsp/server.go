// Package lsp is the language server: what an editor asks about a tree of Puppet code is answered by the same engine
// that `check` and `explain` run. It is a door and holds no argument why something is true.
//
//	server.go     the session: starting, ending, cancelling, which request goes where
//	framing.go    where a message begins and ends
//	channel.go    messages as they come and go
//	document.go   an open file, and edits of it
//	position.go   the protocol's positions and our byte offsets
//	folder.go     a folder of the workspace: its files with the open ones laid over them
//	nodes.go      the nodes that answers are about
//	census.go     on how many nodes a class is
//	progress.go   work that takes a while
//	kinds.go      which files hold what
//	index.go      what is named where, in all files
//	names.go      definition, references, highlights
//	rename.go     new names, tried before they are given
//	meant.go      what is Sensitive because a parameter says so
//	hover.go      what a word is, and its value on each node
//	markup.go     the forms in which a client shows what is said
//	words.go      facts, what certificates say, data types
//	complete.go   what can stand at a place
//	offer.go      which there are of it, the nearest first
//	wanted.go     what can stand in strings, data and templates
//	near.go       which class is likely to be included
//	table.go      what completion asks of all files, gathered once
//	handed.go     keys of Hiera that hold names of classes
//	signature.go  how a function is called
//	action.go     edits that take problems away
//	extract.go    a default that moves into the data
//	guess.go      edits that messages propose, tried before they are offered
//	shown.go      values, counts and colours in the text, links, what a place is in
//	calls.go      who includes whom
//	command.go    which nodes there are, choosing among them, and what else can be asked by name
//	symbols.go    outlines, symbols of the workspace, folding
//	inline.go     texts that are code and no files
//	diagnose.go   what is wrong: the syntax of an open file at once, everything else when nobody types
//
// A request is answered from one unchanging view. Open files are immutable values; an edit makes a new one, and what
// was under way for the old one is cancelled. Notifications are handled in the order in which they come, before any
// request behind them (jrpc2 keeps that order), so no answer is about a text that the client has already changed.
//
// Nothing is run that the tree names, and everything that is sent goes through the screen of report/redact first.
// Start reading at Server.Serve.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/lsp/protocol"
	"bunraku/puppet/compiler"
	"bunraku/puppet/value"
	"bunraku/report/redact"
	"bunraku/source"

	"github.com/creachadair/jrpc2"
)

// Options are what the command line says.
type Options struct {
	Version string
	// Compile is how nodes are compiled. If nobody named a language, metadata.json may.
	Compile       compiler.Options
	LanguageGiven bool
	// Facts is where the facts of nodes are; "" for the folder's own.
	Facts string
	// Nodes are the nodes that answers are about, unless the client says which; names or patterns.
	Nodes []string
	// Judge makes the judge of a folder, which does without what is wrong in files that say what it judges by; JudgedBy
	// are the names of those.
	Judge    func(folder string, view source.Files) (*judge.Judge, source.Diagnostics, error)
	JudgedBy []string
	// Assign gives a real node what else the command line says of it; it may be nil.
	Assign func(view source.Files, nodes ...*compiler.Node) error
	// Certified is what the command line says of the certificates of invented nodes; it may be nil.
	Certified func(view source.Files) (func(name string) *value.Hash, error)
	// Exchange tells real nodes what others of them export; it may be nil.
	Exchange func(ctx context.Context, snap *compiler.Snapshot, nodes []fleet.Node) (*fleet.Exchange, error)
	// Other says what is wrong with an open file that is neither code nor a template nor data, such as a Puppetfile; nil
	// if nobody knows.
	Other func(file *source.File) source.Diagnostics
	// Diff says what the work tree of a folder changes, for people; Web shows a folder in the browser and returns the
	// link to it. Nil for what there is not.
	Diff func(ctx context.Context, folder string) (string, error)
	Web  func(ctx context.Context, folder string) (link string, err error)
	// Page is a file that explains a code, which is there; "" if there is none. Nil for no pages.
	Page func(code string) (path string)
	// Secrets are shown to nobody, and Watch takes in those of every compile.
	Secrets *redact.Secrets
	Watch   fleet.Watch
	// Idle is how long nobody types before nodes are compiled; 0 for a default.
	Idle time.Duration
}

// A Server serves one client.
type Server struct {
	opt  Options
	rpc  *jrpc2.Server
	wire *screened
	// begun is closed when initialize has been answered; nil before it comes. ended tells that shutdown came behind it.
	// They are Assign's alone, which is called for one message after the other.
	begun chan struct{}
	ended bool

	mu       sync.Mutex
	phase    phase
	enc      encoding
	client   protocol.ClientCapabilities
	settings settings
	docs     map[string]*document // by URI
	folders  []*folder
	shown    shown
	last     string                   // the path of the document that was last opened or edited
	works    int                      // of work that was shown
	lines    map[*source.File]*mapper // of files with problems, while those are told
	pages    map[string]string        // the URIs of pages that explain codes, by code
}

// phase is how far a session has come.
type phase uint8

const (
	created phase = iota
	running
	shut
)

// settings are those that the client sends, at the start and when they change. They are data: none of them names a
// program or lets anything run.
type settings struct {
	Nodes []string `json:"nodes"` // names or patterns of the nodes that answers are about; none for a few that fit
}

// errors of the protocol that jrpc2 does not have.
const (
	notInitialized   jrpc2.Code = -32002
	requestCancelled jrpc2.Code = -32800
)

// New makes a server.
func New(opt Options) *Server {
	if opt.Idle == 0 {
		opt.Idle = 150 * time.Millisecond
	}
	return &Server{opt: opt, settings: settings{Nodes: opt.Nodes}, docs: map[string]*document{},
		enc: protocol.PositionEncodingKindUTF16}
}

// Serve talks to a client until that says goodbye or is gone. It reports whether the client left as the protocol wants
// it.
func (s *Server) Serve(in io.Reader, out io.WriteCloser) (orderly bool) {
	s.rpc = jrpc2.NewServer(s, &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true, Concurrency: 8})
	s.wire = newChannel(in, out, s.opt.Secrets)
	s.rpc.Start(s.wire)
	_ = s.rpc.Wait() // however it ended, there is nobody left to tell
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		f.close()
	}
	return s.ended
}

// Assign implements jrpc2.Assigner: the handler of a method, with what is the same for all of them.
func (s *Server) Assign(_ context.Context, method string) jrpc2.Handler {
	h := s.handler(method)
	if h == nil { // it is refused like others before the session begins and when it ends
		h = func(context.Context, *jrpc2.Request) (any, error) {
			return nil, jrpc2.Errorf(jrpc2.MethodNotFound, "method not found").WithData(method)
		}
	}
	switch method {
	case "initialize":
		s.begun = make(chan struct{})
	case "shutdown":
		s.ended = s.ended || s.begun != nil
	}
	begun := s.begun
	return func(ctx context.Context, req *jrpc2.Request) (answer any, err error) {
		switch {
		case method == "initialize":
			defer close(begun)
		case begun != nil: // who does not wait for the answer may say what comes next already
			select {
			case <-begun:
			case <-ctx.Done():
			case <-s.wire.done: // initialize may never get its turn
			}
		}
		defer func() {
			if p := recover(); p != nil { // a bug costs the question that it happens on
				bug := source.Bug(p)
				s.log(protocol.MessageTypeError, "bug in "+method+": "+bug.Summary+"\n"+bug.Detail)
				answer, err = nil, jrpc2.Errorf(jrpc2.InternalError, "bug: %s", bug.Summary)
			}
		}()
		s.mu.Lock()
		at := s.phase
		s.mu.Unlock()
		switch {
		case at == created && method != "initialize" && method != "exit":
			return nil, jrpc2.Errorf(notInitialized, "the first request is initialize")
		case at == running && method == "initialize", at == shut && method != "exit":
			return nil, jrpc2.InvalidRequest.Err()
		}
		answer, err = h(ctx, req)
		var said *jrpc2.Error
		switch {
		case err == nil:
		case ctx.Err() != nil:
			err = jrpc2.Errorf(requestCancelled, "cancelled")
		case !errors.As(err, &said): // jrpc2 has a code of its own for those
			err = jrpc2.Errorf(requestFailed, "%v", err)
		}
		return answer, err
	}
}

// handler finds the handler of a method, or nil.
func (s *Server) handler(method string) jrpc2.Handler {
	switch method {
	case "initialize":
		return takes(s.initialize)
	case "initialized":
		return takes(s.initialized)
	case "shutdown":
		return func(context.Context, *jrpc2.Request) (any, error) { return nil, s.shutdown() }
	case "exit":
		return func(context.Context, *jrpc2.Request) (any, error) { s.wire.end(); return nil, nil }
	case "$/cancelRequest":
		return takes(func(_ context.Context, p *protocol.CancelParams) (any, error) {
			s.rpc.CancelRequest(string(p.ID))
			return nil, nil
		})
	case "textDocument/hover":
		return takes(s.hover)
	case "textDocument/completion":
		return takes(s.completion)
	case "textDocument/signatureHelp":
		return takes(s.signatureHelp)
	case "textDocument/codeAction":
		return takes(s.codeAction)
	case "textDocument/definition":
		return takes(s.definition)
	case "textDocument/references":
		return takes(s.references)
	case "textDocument/documentHighlight":
		return takes(s.documentHighlight)
	case "textDocument/documentSymbol":
		return takes(s.documentSymbol)
	case "workspace/symbol":
		return takes(s.workspaceSymbol)
	case "textDocument/foldingRange":
		return takes(s.foldingRange)
	case "textDocument/inlayHint":
		return takes(s.inlayHint)
	case "textDocument/codeLens":
		return takes(s.codeLens)
	case "textDocument/semanticTokens/full":
		return takes(s.semanticTokens)
	case "textDocument/semanticTokens/range":
		return takes(s.semanticTokensRange)
	case "textDocument/selectionRange":
		return takes(s.selectionRange)
	case "textDocument/documentLink":
		return takes(s.documentLink)
	case "textDocument/prepareCallHierarchy":
		return takes(s.prepareCallHierarchy)
	case "callHierarchy/incomingCalls":
		return takes(s.incomingCalls)
	case "callHierarchy/outgoingCalls":
		return takes(s.outgoingCalls)
	case "textDocument/prepareRename":
		return takes(s.prepareRename)
	case "textDocument/rename":
		return takes(s.rename)
	case "textDocument/didOpen":
		return takes(s.didOpen)
	case "textDocument/didChange":
		return takes(s.didChange)
	case "textDocument/didSave":
		return takes(s.didSave)
	case "textDocument/didClose":
		return takes(s.didClose)
	case "workspace/executeCommand":
		return takes(s.executeCommand)
	case "workspace/didChangeWatchedFiles":
		return takes(s.didChangeWatchedFiles)
	case "workspace/didChangeConfiguration":
		return takes(s.didChangeConfiguration)
	case "workspace/didChangeWorkspaceFolders":
		return takes(s.didChangeWorkspaceFolders)
	}
	return nil
}

// takes makes a handler of a function of its parameters.
func takes[P, R any](f func(context.Context, *P) (R, error)) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (any, error) {
		p := new(P)
		if err := req.UnmarshalParams(p); err != nil {
			return nil, err
		}
		return f(ctx, p)
	}
}

func (s *Server) initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = running
	s.client = p.Capabilities
	if g := p.Capabilities.General; g != nil {
		s.enc = encodingOf(g.PositionEncodings)
	}
	s.set(p.InitializationOptions)
	roots := p.WorkspaceFolders
	if len(roots) == 0 && p.RootURI != nil {
		roots = []protocol.WorkspaceFolder{{URI: *p.RootURI}}
	} else if len(roots) == 0 && p.RootPath != nil {
		roots = []protocol.WorkspaceFolder{{URI: uriOf(*p.RootPath)}}
	}
	for _, w := range roots {
		s.addFolder(pathOf(w.URI))
	}
	yes := true
	return &protocol.InitializeResult{
		ServerInfo: &protocol.ServerInfo{Name: "bunraku", Version: s.opt.Version},
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding: s.enc,
			TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: yes,
				Change: protocol.TextDocumentSyncKindIncremental, Save: &protocol.SaveOptions{}},
			Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: yes, ChangeNotifications: yes}},
			HoverProvider:      yes,
			CompletionProvider: &protocol.CompletionOptions{TriggerCharacters: []string{"$", ":", "'", "@"}},
			CodeActionProvider: &protocol.CodeActionOptions{
				CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix,
					protocol.CodeActionKindRefactorExtract}},
			SignatureHelpProvider: &protocol.SignatureHelpOptions{TriggerCharacters: []string{"(", ","}},
			DefinitionProvider:    yes, ReferencesProvider: yes, DocumentHighlightProvider: yes,
			DocumentSymbolProvider: yes, WorkspaceSymbolProvider: yes, FoldingRangeProvider: yes,
			RenameProvider:    &protocol.RenameOptions{PrepareProvider: yes},
			InlayHintProvider: yes, CodeLensProvider: &protocol.CodeLensOptions{},
			SemanticTokensProvider: &protocol.SemanticTokensOptions{Full: yes, Range: yes,
				Legend: protocol.SemanticTokensLegend{TokenTypes: tokenTypes, TokenModifiers: tokenModifiers}},
			SelectionRangeProvider: yes, DocumentLinkProvider: &protocol.DocumentLinkOptions{}, CallHierarchyProvider: yes,
			ExecuteCommandProvider: &protocol.ExecuteCommandOptions{Commands: s.commands()},
		}}, nil
}

// watched are all files: templates and what modules serve may be called anything. Which matter, matters says.
const watched = "**/*"

// initialized begins the work: everything before it is only an exchange of letters.
func (s *Server) initialized(context.Context, *protocol.InitializedParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		f.kick()
	}
	w := s.client.Workspace
	if w == nil || w.DidChangeWatchedFiles == nil || !w.DidChangeWatchedFiles.DynamicRegistration {
		return nil, nil
	}
	options, err := json.Marshal(protocol.DidChangeWatchedFilesRegistrationOptions{
		Watchers: []protocol.FileSystemWatcher{{GlobPattern: watched}}})
	if err != nil {
		return nil, err
	}
	go func() { // the answer comes behind this notification
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, err := s.rpc.Callback(ctx, "client/registerCapability", protocol.RegistrationParams{
			Registrations: []protocol.Registration{{ID: "files", Method: "workspace/didChangeWatchedFiles",
				RegisterOptions: options}}})
		if err != nil && !errors.Is(err, jrpc2.ErrConnClosed) {
			s.log(protocol.MessageTypeWarning, "the editor does not watch files: "+err.Error())
		}
	}()
	return nil, nil
}

// shutdown ends all work; the client will say exit.
func (s *Server) shutdown() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = shut
	for _, f := range s.folders {
		f.close()
	}
	return nil
}

// log tells the client something for its log.
func (s *Server) log(kind protocol.MessageType, text string) {
	_ = s.rpc.Notify(context.Background(), "window/logMessage", protocol.LogMessageParams{Type: kind, Message: text})
}

// tell shows a message to whoever sits before the editor. It has the parts of one that is logged.
func (s *Server) tell(kind protocol.MessageType, text string) {
	_ = s.rpc.Notify(context.Background(), "window/showMessage", protocol.LogMessageParams{Type: kind, Message: text})
}

// set takes in settings, which some clients send alone and others in a section of our name. What they leave out stays
// as it is: Emacs sends empty ones as soon as it is connected.
func (s *Server) set(raw json.RawMessage) {
	given := settings{Nodes: slices.Clone(s.settings.Nodes)}
	section := struct{ Bunraku *settings }{&given}
	if json.Unmarshal(raw, &given) == nil && json.Unmarshal(raw, &section) == nil {
		s.settings = given
	}
}

func (s *Server) didOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := p.TextDocument
	file := pathOf(t.URI)
	d := &document{t.URI, file, extension(file, t.URI, t.LanguageId), t.Version, newMapper(t.Text, s.enc)}
	s.docs[t.URI] = d
	s.changed(d)
	return nil, nil
}

func (s *Server) didChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s is not open", p.TextDocument.URI)
	}
	d = d.edited(p.TextDocument.Version, p.ContentChanges)
	s.docs[d.uri] = d
	s.shown.move(d, p.ContentChanges, s.enc)
	s.changed(d)
	return nil, nil
}

func (s *Server) didSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.docs[p.TextDocument.URI]; d != nil {
		s.again(d.path)
	}
	return nil, nil
}

func (s *Server) didClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[p.TextDocument.URI]
	if d == nil {
		return nil, nil
	}
	delete(s.docs, d.uri)
	uri := d.uri
	if s.folderOf(d.path) != nil {
		uri = uriOf(d.path)
	}
	s.notice(d.key(), uri).syntax = nil // what was typed and not saved is nowhere any more
	s.publish(d.key())
	s.again(d.path)
	return nil, nil
}

func (s *Server) didChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		if slices.ContainsFunc(p.Changes, func(c protocol.FileEvent) bool { return f.matters(pathOf(c.URI)) }) {
			f.kick()
		}
	}
	return nil, nil
}

func (s *Server) didChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(p.Settings)
	for _, f := range s.folders {
		f.kick()
	}
	return nil, nil
}

// foldersChange are the protocol's DidChangeWorkspaceFoldersParams. Neovim 0.7 sends a list with an empty list in it
// for no folders.
type foldersChange struct {
	Event struct{ Added, Removed []json.RawMessage }
}

// folderPaths are the directories of this machine among folders.
func folderPaths(list []json.RawMessage) (paths []string) {
	for _, raw := range list {
		var w protocol.WorkspaceFolder
		if json.Unmarshal(raw, &w) == nil && pathOf(w.URI) != "" {
			paths = append(paths, pathOf(w.URI))
		}
	}
	return paths
}

func (s *Server) didChangeWorkspaceFolders(_ context.Context, p *foldersChange) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, dir := range folderPaths(p.Event.Removed) {
		s.removeFolder(dir)
	}
	for _, dir := range folderPaths(p.Event.Added) {
		if f := s.addFolder(dir); f != nil {
			f.kick()
		}
	}
	return nil, nil
}

// changed looks at a document that is new or was edited.
func (s *Server) changed(d *document) {
	s.last = d.path
	if f := s.folderOf(d.path); f != nil && len(d.text) > longText {
		f.unseen[d.uri] = true
	} else {
		s.syntax(d)
	}
	s.again(d.path)
}

// longText is the length of texts that take longer to parse than to type at: they are looked at when nobody types.
const longText = 1 << 20

// again lets the folders that have to do with a file be looked at once more.
func (s *Server) again(path string) {
	for _, f := range s.folders {
		if f.reads(path) {
			f.kick()
		}
	}
}
