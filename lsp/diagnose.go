package lsp

import (
	"context"
	"errors"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bunraku/audit"
	"bunraku/explain"
	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/report"
	"bunraku/source"
)

// What is wrong is told in three steps. The syntax of an open file is looked at with every edit, before anything else.
// When nobody types, all files are parsed and the chosen nodes compiled, as `check` does; what comes of that is shown for
// the whole folder. Then the catalogs are verified, and what is found comes to it. Each step shows everything that it
// knows, so that nothing disappears only to come again: until a file has been looked at anew, what was said of it stays,
// moved along with its text.

// shown is what the client was last told of each file, by path, or by URI for what is no file.
type shown map[string]*notice

// A notice is what was said of one file.
type notice struct {
	uri    string
	folder *folder               // that said the rest; nil for none
	syntax []protocol.Diagnostic // of an open file, as it is now
	rest   []protocol.Diagnostic
	late   map[string]bool // those of the rest that only the last step finds, by keyOf
}

// keyOf tells a problem of a file from others, wherever it has moved.
func keyOf(d protocol.Diagnostic) string { return d.Code + " " + d.Message }

// move keeps what was said of a document in step with an edit of it. What the edit touches is no longer true.
func (s shown) move(d *document, changes []protocol.TextDocumentContentChangePartial, enc encoding) {
	n := s[d.key()]
	if n == nil {
		return
	}
	var rest []protocol.Diagnostic
	for _, x := range n.rest {
		ok := true
		for _, c := range changes {
			if x.Range, ok = moved(x.Range, c, enc); !ok {
				break
			}
		}
		if ok {
			rest = append(rest, x)
		}
	}
	n.rest = rest
}

// key is what a document is known by.
func (d *document) key() string {
	if d.path != "" {
		return d.path
	}
	return d.uri
}

// syntax tells what is wrong with the syntax of an open file, at once.
func (s *Server) syntax(d *document) {
	var list source.Diagnostics
	f := s.folderOf(d.path)
	switch ext := path.Ext(d.key()); {
	case ext != ".pp" && ext != ".epp":
	case f != nil:
		// The file alone is enough; what comes of it is kept for the compile.
		view := source.NewMemory([]string{"/"}, map[string]string{d.path: d.text}, nil)
		var err error
		if _, list, err = f.ws.Parse(view, d.path, isPlan(d.path)); err != nil {
			s.log(protocol.MessageTypeError, err.Error())
		}
	default:
		_, list = parseAlone(d)
	}
	var out []protocol.Diagnostic
	for _, x := range list {
		out = append(out, s.diagnostic(x, nil))
	}
	n := s.notice(d.key(), d.uri)
	s.publish(d.uri, d.path, out, n.rest)
}

// parseAlone parses a file that is in no folder.
func parseAlone(d *document) (*syntax.File, source.Diagnostics) {
	file := source.NewFile(d.key(), d.text)
	opt := syntax.Options{Language: source.Puppet8, Strict: source.StrictError, Tasks: isPlan(d.key())}
	parse := syntax.Parse
	if strings.HasSuffix(d.key(), ".epp") {
		parse = syntax.ParseEPP
	}
	tree, list := parse(file, opt)
	if !list.HasErrors() {
		list = append(list, syntax.Validate(tree, opt)...)
	}
	list.Sort()
	return tree, list
}

// isPlan reports whether `plan` and `apply` are keywords in a file.
func isPlan(p string) bool { return strings.Contains(filepath.ToSlash(p), "/plans/") }

// notice is what the client was told of a file; there is one from now on.
func (s *Server) notice(key, uri string) *notice {
	if s.shown == nil {
		s.shown = shown{}
	}
	n := s.shown[key]
	if n == nil {
		n = &notice{}
		s.shown[key] = n
	}
	n.uri = uri
	return n
}

// publish tells the client what is wrong with a file.
func (s *Server) publish(uri, path string, now, rest []protocol.Diagnostic) {
	key := path
	if key == "" {
		key = uri
	}
	n := s.notice(key, uri)
	n.syntax, n.rest = now, rest
	p := protocol.PublishDiagnosticsParams{URI: uri, Diagnostics: append(append([]protocol.Diagnostic{}, now...), rest...)}
	if d := s.docs[uri]; d != nil {
		p.Version = &d.version
	}
	_ = s.rpc.Notify(context.Background(), "textDocument/publishDiagnostics", p)
	if s.docs[uri] == nil && len(p.Diagnostics) == 0 {
		delete(s.shown, key)
	}
}

// show tells what is wrong with all files of a folder, and takes back what was said of others before. The server is
// locked.
func (s *Server) show(f *folder, found map[string][]protocol.Diagnostic) {
	paths := make([]string, 0, len(found))
	for p := range found {
		paths = append(paths, p)
	}
	for p, n := range s.shown {
		if n.folder == f && found[p] == nil {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		uri := s.uriLocked(p)
		n := s.notice(p, uri)
		n.folder = f
		now := n.syntax
		if s.docs[uri] == nil {
			now = nil
		}
		s.publish(uri, p, now, found[p])
	}
}

// diagnose looks at the whole folder.
func (f *folder) diagnose(ctx context.Context) {
	err := f.check(ctx)
	if err != nil && ctx.Err() == nil {
		f.server.log(protocol.MessageTypeError, f.dir+": "+err.Error())
	}
}

// check finds what `check` would, for the chosen nodes.
func (f *folder) check(ctx context.Context) (err error) {
	defer source.Catch(&err)
	view, open, err := f.view()
	if err != nil {
		return err
	}
	files, err := environment.PuppetFiles(view, f.dir)
	if err != nil {
		return err
	}
	trouble, sources, err := f.parse(ctx, view, files)
	if err != nil {
		return err
	}
	all, err := indexed(view, f.dir)
	if err != nil {
		return err
	}
	base := f.build(view, all)
	f.mu.Lock()
	f.base = base
	f.mu.Unlock()
	nodes, err := f.nodes(ctx, view)
	if err != nil {
		return err
	}
	snap, err := f.ws.Snapshot(ctx, view)
	if err != nil {
		return err
	}
	compiled, kinds, err := f.compile(ctx, snap, nodes)
	if err != nil || ctx.Err() != nil {
		return err
	}
	early := map[string]bool{}
	tell := func(checked []fleet.Checked, static source.Diagnostics, last bool) {
		run := &report.Run{Command: "check", Own: f.own}
		syntactic := map[*source.Diagnostic]bool{}
		for _, d := range trouble {
			syntactic[run.Add(nil, d).Diagnostic] = true
		}
		checked = slices.DeleteFunc(checked, func(c fleet.Checked) bool { return c.Excuse != nil })
		for _, d := range fleet.Unsaid(checked, static) {
			run.Add(nil, d)
		}
		fleet.Gather(run, checked)
		run.Ignore(sources)
		f.tell(ctx, run, syntactic, open, len(nodes), early, last)
	}
	unverified := make([]fleet.Checked, len(compiled))
	for i := range compiled {
		unverified[i].Compiled = compiled[i]
	}
	tell(unverified, nil, false)
	f.server.refresh()
	checked, err := fleet.Verify(ctx, f.judge, compiled, fleet.OnceAClass(kinds, compiled, false), func() {})
	if err != nil || ctx.Err() != nil {
		return err
	}
	snap = snap.Current()
	tell(checked, audit.New(snap, f.own, len(fleet.Wanted(snap.Environment())) > 0).Check(), true)
	return nil
}

// compile compiles nodes and keeps what came of it for questions. A node that does not compile keeps what it was before:
// who is in the middle of a word still wants to know what a value is.
func (f *folder) compile(ctx context.Context, snap *compiler.Snapshot, nodes []fleet.Node) ([]fleet.Compiled,
	[]*fleet.Kind, error) {
	var mu sync.Mutex
	fresh := map[string]*result{}
	compiled, kinds, err := fleet.Compile(ctx, snap, f.judge, nodes, func(r *eval.Result) {
		f.server.opt.Watch(r)
		if r.Catalog != nil {
			mu.Lock()
			defer mu.Unlock()
			fresh[r.Catalog.Name] = &result{node: r.Catalog.Name, Result: r, record: explain.Of(r.Record())}
		}
	})
	if err != nil || ctx.Err() != nil {
		return compiled, kinds, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	chosen := map[string]bool{}
	for _, n := range nodes {
		chosen[n.Node.Name] = true
		if n.Facts != nil {
			chosen[n.Facts.Name] = true
		}
	}
	for _, r := range f.results {
		if fresh[r.node] == nil && chosen[r.node] {
			fresh[r.node] = r
		}
	}
	f.snap, f.results = snap.Current(), nil
	for _, name := range slices.Sorted(maps.Keys(fresh)) {
		f.results = append(f.results, fresh[name])
	}
	return compiled, kinds, err
}

// parse reads all files of the folder.
func (f *folder) parse(ctx context.Context, view source.Files, files []string) (all source.Diagnostics,
	sources []*source.File, err error) {
	trees, found, errs := make([]*syntax.File, len(files)), make([]source.Diagnostics, len(files)),
		make([]error, len(files))
	source.Each(ctx, len(files), func(i int) {
		trees[i], found[i], errs[i] = f.ws.Parse(view, files[i], isPlan(files[i]))
	})
	for i := range files {
		if trees[i] != nil {
			sources = append(sources, trees[i].Source)
		}
		all = append(all, found[i]...)
	}
	return all, sources, errors.Join(errs...)
}

// tell shows the problems of a run, unless the work was ended: then its texts are no longer those of the editor. Before the
// last step, what only that finds stays as it was; early are the problems that the step before it has found.
func (f *folder) tell(ctx context.Context, run *report.Run, syntactic map[*source.Diagnostic]bool,
	open map[string]*document, nodes int, early map[string]bool, last bool) {
	s := f.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	found := map[string][]protocol.Diagnostic{}
	remedies := map[string][]remedy{}
	for _, p := range run.Problems {
		if p.Suppressed.By != "" || !p.Place.Known() {
			continue
		}
		at := f.path(p.Place.File)
		if open[at] != nil && syntactic[p.Diagnostic] {
			continue // it was told already
		}
		d := s.diagnostic(p.Diagnostic, f)
		if p.Nodes != nil && len(p.Nodes) < nodes {
			d.Message += "\non " + strings.Join(p.Nodes, ", ")
		}
		found[at] = append(found[at], d)
		for _, fix := range p.Fixes {
			remedies[at] = append(remedies[at], remedy{problem: d, fix: fix})
		}
		if fix, ok := guess(p.Diagnostic); ok {
			remedies[at] = append(remedies[at], remedy{d, fix, p.Diagnostic})
		}
		for _, r := range p.Diagnostic.Related {
			if !r.Place.Known() || p.Finding != nil {
				continue
			}
			if to := f.path(r.Place.File); to != at {
				found[to] = append(found[to], s.beside(p.Diagnostic, r, f))
			}
		}
	}
	if !last {
		for p, list := range found {
			for _, d := range list {
				early[p+keyOf(d)] = true
			}
		}
		for p, n := range s.shown {
			for _, d := range n.rest {
				if n.folder == f && n.late[keyOf(d)] {
					found[p] = append(found[p], d)
				}
			}
		}
		s.show(f, found)
		return
	}
	s.show(f, found)
	for p, n := range s.shown {
		if n.folder != f {
			continue
		}
		n.late = map[string]bool{}
		for _, d := range found[p] {
			if !early[p+keyOf(d)] {
				n.late[keyOf(d)] = true
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remedies = remedies
}

// path is the absolute path of a file that was read.
func (f *folder) path(file *source.File) string {
	if path.IsAbs(file.Name) {
		return path.Clean(file.Name)
	}
	return path.Join(f.dir, file.Name)
}

// diagnostic puts one of ours into the protocol's words.
func (s *Server) diagnostic(d *source.Diagnostic, f *folder) protocol.Diagnostic {
	out := protocol.Diagnostic{Range: s.firstLine(d.Place), Code: d.Code, Source: "bunraku",
		Message: (&report.Problem{Diagnostic: d}).Message()}
	switch d.Severity {
	case source.Error:
		out.Severity = protocol.DiagnosticSeverityError
	case source.Warning:
		out.Severity = protocol.DiagnosticSeverityWarning
	default:
		out.Severity = protocol.DiagnosticSeverityInformation
	}
	for _, r := range d.Related {
		if !r.Place.Known() || f == nil {
			continue
		}
		out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: uriOf(f.path(r.Place.File)), Range: s.firstLine(r.Place)}, Message: r.Label})
	}
	return out
}

// beside tells in another file that it has part in a problem: who edits the data wants to know what a manifest makes of it.
func (s *Server) beside(d *source.Diagnostic, r source.Related, f *folder) protocol.Diagnostic {
	return protocol.Diagnostic{Range: s.firstLine(r.Place), Code: d.Code, Source: "bunraku",
		Severity: protocol.DiagnosticSeverityInformation, Message: r.Label + ": " + d.Summary,
		RelatedInformation: []protocol.DiagnosticRelatedInformation{{Message: d.Summary,
			Location: protocol.Location{URI: uriOf(f.path(d.Place.File)), Range: s.firstLine(d.Place)}}}}
}

// firstLine is the range of a place, of several lines the first: that is what is underlined.
func (s *Server) firstLine(p source.Place) protocol.Range {
	m := newMapper(p.File.Text, s.enc)
	r := m.span(p.Span)
	if r.End.Line > r.Start.Line {
		start, text := m.line(r.Start.Line)
		r.End = m.position(start + len(text))
	}
	return r
}
