package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bunraku/explain"
	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/report"
	"bunraku/report/redact"
	"bunraku/source"
)

// What is wrong is told in three steps. The syntax of an open file is looked at with every edit, before anything else.
// When nobody types, all files are parsed and the chosen nodes compiled, as `check` does; what comes of that is shown
// for the whole folder. Then the catalogs are verified, and what is found comes to it. Each step shows everything that
// it knows, so that nothing disappears only to come again: until a file has been looked at anew, what was said of it
// stays, moved along with its text.

// shown is what the client was last told of each file, by path, or by URI for what is no file.
type shown map[string]*notice

// A notice is what was said of one file. Folders that lie in one another may both have something to say of it.
type notice struct {
	uri    string
	syntax []protocol.Diagnostic // of an open file, as it is now
	rest   map[*folder]*opinion
}

// An opinion is what one folder says of a file.
type opinion struct {
	list []protocol.Diagnostic
	late map[string]bool // those of the list that only the last step finds, by keyOf
}

// of is what a folder says; nil for nothing.
func (n *notice) of(f *folder) []protocol.Diagnostic {
	if n == nil || n.rest[f] == nil {
		return nil
	}
	return n.rest[f].list
}

// isLate reports whether a folder found a problem in its last step.
func (n *notice) isLate(f *folder, d protocol.Diagnostic) bool {
	return n != nil && n.rest[f] != nil && n.rest[f].late[keyOf(d)]
}

// keyOf tells a problem of a file from others, wherever it has moved.
func keyOf(d protocol.Diagnostic) string { return d.Code + " " + d.Message }

// move keeps what was said of a document in step with an edit of it. What the edit touches is no longer true.
func (s shown) move(d *document, changes []protocol.TextDocumentContentChangePartial, enc encoding) {
	n := s[d.key()]
	if n == nil {
		return
	}
	for _, said := range n.rest {
		var list []protocol.Diagnostic
		for _, x := range said.list {
			ok := true
			for _, c := range changes {
				if x.Range, ok = moved(x.Range, c, enc); !ok {
					break
				}
			}
			if ok {
				list = append(list, x)
			}
		}
		said.list = list
	}
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
	switch {
	case d.ext != ".pp" && d.ext != ".epp":
		if f != nil {
			list = f.wrong(d)
		}
	case f != nil:
		// The file alone is enough; what comes of it is kept for the compile.
		view := source.NewMemory([]string{"/"}, map[string]string{d.path: d.text}, nil)
		var err error
		if _, list, err = f.ws.Parse(view, d.path, fleet.IsPlan(d.path)); err != nil {
			s.log(protocol.MessageTypeError, err.Error())
		}
	default:
		_, list = parseAlone(d)
	}
	var out []protocol.Diagnostic
	var remedies []remedy
	for _, x := range list {
		told := s.diagnostic(x, f)
		out = append(out, told)
		if fix, ok := guess(x, nil); ok {
			remedies = append(remedies, remedy{problem: told, fix: fix, untried: x})
		}
	}
	if f != nil {
		f.offerMore(d.path, remedies)
	}
	s.notice(d.key(), d.uri).syntax = out
	s.publish(d.key())
}

// parseAlone parses a file that is in no folder.
func parseAlone(d *document) (*syntax.File, source.Diagnostics) {
	file := source.NewFile(d.key(), d.text)
	opt := syntax.Options{Language: source.Puppet8, Strict: source.StrictError, Tasks: fleet.IsPlan(d.key())}
	parse := syntax.Parse
	if d.ext == ".epp" {
		parse = syntax.ParseEPP
	}
	tree, list := parse(file, opt)
	if !list.HasErrors() {
		list = append(list, syntax.Validate(tree, opt)...)
	}
	list.Sort()
	return tree, list
}

// notice is what the client was told of a file; there is one from now on. Clients spell URIs in several ways: what was
// said of a file under another name, while it was open or before, is taken back.
func (s *Server) notice(key, uri string) *notice {
	if s.shown == nil {
		s.shown = shown{}
	}
	n := s.shown[key]
	if n == nil {
		n = &notice{uri: uri, rest: map[*folder]*opinion{}}
		s.shown[key] = n
	}
	if n.uri != uri {
		_ = s.rpc.Notify(context.Background(), "textDocument/publishDiagnostics",
			protocol.PublishDiagnosticsParams{URI: n.uri, Diagnostics: []protocol.Diagnostic{}})
		n.uri = uri
	}
	return n
}

// publish tells the client what is known to be wrong with a file. What several folders say alike of a place, or one
// says several times, is said once, and so is what keeps a file from being read: a folder says it in the words of
// `check`, once it has come to the file.
func (s *Server) publish(key string) {
	n := s.shown[key]
	var all []protocol.Diagnostic
	said := map[string]bool{}
	say := func(d protocol.Diagnostic) {
		if id := fmt.Sprint(d.Range.Start, keyOf(d)); !said[id] {
			said[id] = true
			all = append(all, d)
		}
	}
	for _, d := range n.syntax {
		if !slices.ContainsFunc(s.folders, func(f *folder) bool {
			return slices.ContainsFunc(n.of(f), func(x protocol.Diagnostic) bool {
				return x.Range.Start == d.Range.Start && strings.Contains(x.Message, d.Message)
			})
		}) {
			say(d)
		}
	}
	for _, f := range s.folders {
		for _, d := range n.of(f) {
			say(d)
		}
	}
	p := protocol.PublishDiagnosticsParams{URI: n.uri, Diagnostics: listed(all)}
	if d := s.docs[n.uri]; d != nil {
		p.Version = &d.version
	} else if len(all) == 0 {
		delete(s.shown, key)
	}
	_ = s.rpc.Notify(context.Background(), "textDocument/publishDiagnostics", p)
}

// mostListed is how many problems of one file the client is told: nobody reads more, and each key would send them all.
const mostListed = 2000

// listed are the problems of a file that the client is told, of too many the worst, and how many others there are.
func listed(all []protocol.Diagnostic) []protocol.Diagnostic {
	if len(all) <= mostListed {
		return append([]protocol.Diagnostic{}, all...) // a list, also of none
	}
	slices.SortStableFunc(all, func(a, b protocol.Diagnostic) int { return int(a.Severity) - int(b.Severity) })
	next := all[mostListed]
	return append(all[:mostListed], protocol.Diagnostic{Range: next.Range, Source: "bunraku",
		Severity: protocol.DiagnosticSeverityInformation,
		Message: fmt.Sprintf("%d more problems of this file are not listed here, of which this line has one: "+
			"`bunraku check` tells them all", len(all)-mostListed)})
}

// show tells what is wrong with all files of a folder, and takes back what was said of others before. The server is
// locked.
func (s *Server) show(f *folder, found map[string][]protocol.Diagnostic) {
	paths := slices.Collect(maps.Keys(found))
	for p, n := range s.shown {
		if n.rest[f] != nil && found[p] == nil {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		uri := s.uriLocked(p)
		n := s.notice(p, uri)
		if s.docs[uri] == nil {
			n.syntax = nil
		}
		if found[p] == nil {
			delete(n.rest, f)
		} else if n.rest[f] == nil {
			n.rest[f] = &opinion{list: found[p]}
		} else {
			n.rest[f].list = found[p]
		}
		s.publish(p)
	}
}

// diagnose looks at the whole folder.
func (f *folder) diagnose(ctx context.Context) {
	err := f.check(ctx)
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, source.ErrChanged): // somebody else writes, and does not say so to every editor
		f.kick()
	case !f.nothingBut(err):
		f.server.log(protocol.MessageTypeError, f.dir+": "+err.Error())
		if errors.Is(err, fs.ErrNotExist) && !source.Exists(f.ws.Disk(), f.dir) { // nothing is true of what is gone
			f.server.mu.Lock()
			defer f.server.mu.Unlock()
			f.offer(map[string][]remedy{}, nil)
			f.server.show(f, nil)
		}
	}
}

// nothingBut shows a mistake that keeps the folder from being looked at, such as one in environment.conf, where it
// stands; false if it stands nowhere.
func (f *folder) nothingBut(err error) bool {
	var d *source.Diagnostic
	if !errors.As(err, &d) || !d.Place.Known() {
		return false
	}
	s := f.server
	s.mu.Lock()
	defer s.mu.Unlock()
	f.offer(map[string][]remedy{}, nil)
	s.show(f, map[string][]protocol.Diagnostic{f.path(d.Place.File): {s.diagnostic(d, f)}})
	return true
}

// check finds what `check` would, for the chosen nodes.
func (f *folder) check(ctx context.Context) (err error) {
	defer source.Catch(&err)
	view, open, err := f.view()
	if err != nil {
		return err
	}
	x, err := f.reindex(view)
	if err != nil {
		return err
	}
	if err := f.rejudge(view); err != nil {
		return err
	}
	if f.opt.Classifier != nil {
		f.opt.Classifier.Refresh()
	}
	c := f.look(view)
	if w := f.server.work("Bunraku looks at " + path.Base(f.dir)); w != nil {
		c.Progress = w.progress
		defer w.stop()
	}
	fresh := &latest{results: map[string]*result{}}
	c.Watch = fresh.watch(f.server.opt.Watch, f.server.opt.Secrets)
	early := map[string]bool{}
	tell := func(last bool) {
		run := &report.Run{Command: "check", Own: f.own, Part: c.Part()}
		for _, d := range f.trouble { // by which who works is judging
			run.Add(nil, d)
		}
		c.Tell(run)
		if ignores := run.Ignore(c.Sources); last { // before that nobody knows what verify will find
			for _, d := range report.Unused(ignores, c.About()) {
				run.Add(nil, d)
			}
		}
		f.tell(ctx, run, c, open, early, last)
	}
	c.Early = func() {
		f.keep(c, fresh.results)
		tell(false)
		f.server.refresh()
	}
	if err := c.Do(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if !x.meant.found.Load() {
		x.secretly() // for messages about what is broken
		f.unhush()
	}
	tell(true)
	if err := f.seek(ctx, c); err != nil || ctx.Err() != nil {
		return err
	}
	return f.census(ctx, c)
}

// latest are the compiles of a check, as they end.
type latest struct {
	mu      sync.Mutex
	results map[string]*result // by node
}

// watch keeps a compile, and takes in what is secret in it: also what its code has made of that.
func (l *latest) watch(also fleet.Watch, secrets *redact.Secrets) fleet.Watch {
	return func(r *eval.Result) {
		also(r)
		record := explain.Of(r.Record())
		if secrets != nil && record.Trace != nil { // also of a compile that failed, whose code may have warned before
			record.EachMade(secrets.AddMade)
		}
		if r.Catalog != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.results[r.Catalog.Name] = &result{node: r.Catalog.Name, Result: r, record: record}
		}
	}
}

// keep keeps what came of compiling nodes for questions. A node that does not compile keeps what it was before: who is
// in the middle of a word still wants to know what a value is.
func (f *folder) keep(c *fleet.Check, fresh map[string]*result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.facts = nil
	for _, n := range c.Nodes {
		if n.Facts == nil {
			continue
		}
		if n.Facts.Values != nil {
			f.facts = append(f.facts, n.Facts.Values)
		}
		for _, name := range []string{n.Node.Name, n.Facts.Name} {
			if r := fresh[name]; r != nil {
				r.facts, r.trusts = n.Facts.Values, n.Trusted()
			}
		}
	}
	for i := range c.Checked {
		f.learn(c.Given[i].Title(), c.Checked[i].Catalog)
	}
	chosen := map[string]bool{}
	for _, n := range c.Nodes {
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
	f.snap, f.results = c.Snapshot.Current(), nil
	for _, name := range slices.Sorted(maps.Keys(fresh)) {
		f.results = append(f.results, fresh[name])
	}
}

// tell shows the problems of a run, unless the work was ended: then its texts are no longer those of the editor. Before
// the last step, what only that finds stays as it was; early are the problems that the step before it has found.
func (f *folder) tell(ctx context.Context, run *report.Run, c *fleet.Check, open map[string]*document,
	early map[string]bool, last bool) {
	s := f.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	s.lines = map[*source.File]*mapper{} // a file may have very many problems
	defer func() { s.lines = nil }()
	told := map[*source.Diagnostic]bool{}
	for _, d := range c.Trouble {
		told[d] = true
	}
	found := map[string][]protocol.Diagnostic{}
	remedies := map[string][]remedy{}
	nodes, rest := c.Nodes, f.newOthers(c)
	var aside []*source.Diagnostic
	for _, p := range run.Problems {
		if p.Suppressed.By != "" {
			continue
		}
		var shown *source.Diagnostic
		if p.Place.Known() {
			shown = f.inFile(p.Diagnostic)
		}
		if shown == nil {
			aside = append(aside, p.Diagnostic)
			continue
		}
		at := f.path(shown.Place.File)
		d := s.diagnostic(shown, f)
		if p.Nodes != nil && len(p.Nodes) < len(nodes) {
			d.Message += "\non " + strings.Join(p.Nodes, ", ")
		}
		typed := open[at] != nil && told[p.Diagnostic] // it was told when it was typed
		if !typed {
			found[at] = append(found[at], d)
		}
		for _, fix := range p.Fixes {
			remedies[at] = append(remedies[at], remedy{problem: d, fix: fix, of: p, others: rest})
		}
		if p.Verified() {
			rest.problems = append(rest.problems, p)
		}
		if fix, ok := guess(p.Diagnostic, nodes); ok {
			remedies[at] = append(remedies[at], remedy{problem: d, fix: fix, untried: p.Diagnostic})
		}
		for _, r := range p.Diagnostic.Related {
			if !r.Place.Known() || p.Finding != nil || typed || !f.isFile(r.Place.File) {
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
			for _, d := range n.of(f) {
				if n.isLate(f, d) {
					found[p] = append(found[p], d)
				}
			}
		}
		f.offer(remedies, s.shown)
		s.show(f, found)
		return
	}
	f.offer(remedies, nil)
	s.show(f, found)
	f.sayAside(aside)
	for p, n := range s.shown {
		if n.rest[f] == nil {
			continue
		}
		n.rest[f].late = map[string]bool{}
		for _, d := range found[p] {
			if !early[p+keyOf(d)] {
				n.rest[f].late[keyOf(d)] = true
			}
		}
	}
}

// sayAside logs problems that stand in no file, such as a node that no node statement is for; each when it comes up.
func (f *folder) sayAside(list []*source.Diagnostic) {
	said := map[string]bool{}
	for _, d := range list {
		text := d.Code + " " + f.within(f.hushed(d, unquoted((&report.Problem{Diagnostic: d}).Message())))
		if d.Severity == source.Error || d.Severity == source.Warning {
			if !f.aside[text] && !said[text] {
				f.server.log(protocol.MessageTypeWarning, f.dir+": "+text)
			}
			said[text] = true
		}
	}
	f.aside = said
}

// offer keeps the edits for what is about to be shown: a client may ask for them as soon as it shows a problem. Edits
// for problems that stay as they were are those of before.
func (f *folder) offer(remedies map[string][]remedy, stay shown) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p, list := range f.remedies {
		for _, r := range list {
			if stay[p].isLate(f, r.problem) {
				remedies[p] = append(remedies[p], r)
			}
		}
	}
	f.remedies = remedies
}

// offerMore keeps edits for what is wrong with the syntax of an open file, beside those that there are.
func (f *folder) offerMore(path string, more []remedy) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(more) == 0 {
		return
	}
	all := slices.Clone(more)
	for _, r := range f.remedies[path] {
		if !slices.ContainsFunc(more, func(m remedy) bool { return keyOf(m.problem) == keyOf(r.problem) }) {
			all = append(all, r)
		}
	}
	if f.remedies == nil {
		f.remedies = map[string][]remedy{}
	}
	f.remedies[path] = all
}

// path is the absolute path of a file that was read.
func (f *folder) path(file *source.File) string {
	if path.IsAbs(file.Name) {
		return path.Clean(file.Name)
	}
	return path.Join(f.dir, file.Name)
}

// within is a message that names files of the folder as `check` does which is started there; f is nil for no folder.
func (f *folder) within(message string) string {
	if f == nil || f.dir == "/" || !strings.Contains(message, f.dir) {
		return message
	}
	message = strings.ReplaceAll(message, f.dir+"/", "")
	return regexp.MustCompile(regexp.QuoteMeta(f.dir)+`($|[\s'"),.:;])`).ReplaceAllString(message, ".$1")
}

// diagnostic puts one of ours into the protocol's words.
func (s *Server) diagnostic(d *source.Diagnostic, f *folder) protocol.Diagnostic {
	out := protocol.Diagnostic{Range: s.firstLine(d.Place), Code: d.Code, Source: "bunraku",
		Message: f.within(f.hushed(d, unquoted((&report.Problem{Diagnostic: d}).Message())))}
	out.CodeDescription = s.page(d.Code)
	switch d.Severity {
	case source.Error:
		out.Severity = protocol.DiagnosticSeverityError
	case source.Warning:
		out.Severity = protocol.DiagnosticSeverityWarning
	default:
		out.Severity = protocol.DiagnosticSeverityInformation
	}
	for _, r := range d.Related {
		if !r.Place.Known() || f == nil || !f.isFile(r.Place.File) {
			continue
		}
		out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: uriOf(f.path(r.Place.File)), Range: s.firstLine(r.Place)},
			Message:  f.within(f.hushed(d, r.Label))})
	}
	return out
}

// page leads to what explains a code, for a client that shows such links. The server is locked.
func (s *Server) page(code string) *protocol.CodeDescription {
	t := s.client.TextDocument
	if s.opt.Page == nil || t == nil || t.PublishDiagnostics == nil || !t.PublishDiagnostics.CodeDescriptionSupport {
		return nil
	}
	uri, known := s.pages[code]
	if !known {
		if path := s.opt.Page(code); path != "" {
			uri = uriOf(path)
		}
		if s.pages == nil {
			s.pages = map[string]string{}
		}
		s.pages[code] = uri
	}
	if uri == "" {
		return nil // a link that leads nowhere is worse than none
	}
	return &protocol.CodeDescription{Href: uri}
}

// beside tells in another file that it has part in a problem: who edits the data wants to know what a manifest makes of
// it.
func (s *Server) beside(d *source.Diagnostic, r source.Related, f *folder) protocol.Diagnostic {
	summary := f.within(f.hushed(d, unquoted(d.Summary)))
	return protocol.Diagnostic{Range: s.firstLine(r.Place), Code: d.Code, CodeDescription: s.page(d.Code), Source: "bunraku",
		Severity: protocol.DiagnosticSeverityInformation,
		Message:  f.within(r.Label) + ": " + summary,
		RelatedInformation: []protocol.DiagnosticRelatedInformation{{Message: summary,
			Location: protocol.Location{URI: uriOf(f.path(d.Place.File)), Range: s.firstLine(d.Place)}}}}
}

// firstLine is the range of a place, of several lines the first: that is what is underlined.
func (s *Server) firstLine(p source.Place) protocol.Range {
	m := s.lines[p.File]
	if m == nil {
		m = s.mapperOf(p.File)
		if s.lines != nil {
			s.lines[p.File] = m
		}
	}
	r := m.span(p.Span)
	if r.End.Line > r.Start.Line {
		start, text := m.line(r.Start.Line)
		r.End = m.position(start + len(text))
	}
	return r
}

// mapperOf is the mapper of a file that is open or not. The server is locked.
func (s *Server) mapperOf(file *source.File) *mapper {
	for _, d := range s.docs {
		if d.text == file.Text {
			return d.mapper
		}
	}
	return fileMapper(file.Text, s.enc)
}
