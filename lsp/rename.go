package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"bunraku/fleet"
	"bunraku/lsp/protocol"
	"bunraku/puppet/catalog"
	"bunraku/puppet/outline"
	"bunraku/source"

	"github.com/creachadair/jrpc2"
)

// A rename is tried before it is given. The index knows every place that names a thing; but code also names things by
// words that it puts together when it runs, and a new name can be taken already, in a place where it then means
// something else. So the edits are laid over the files, and two things are asked of the outcome: does every edited
// place still mean one thing, and no other place; and do the nodes compile to the catalogs that they had, but for the
// name? If not, there is no rename, and a sentence that says why.

// requestFailed is the protocol's error for a request that was understood and cannot be fulfilled.
const requestFailed jrpc2.Code = -32803

// A renaming is a thing that can be renamed.
type renaming struct {
	*spot
	kind  outline.NameKind
	full  string // its name, as everybody calls it
	own   string // the part of it that can change: of a variable what stands behind the last colons
	owner string // of a variable: its class or define
	uses  []occurrence
}

// refused says why there is no rename. What a name has for a part that is computed is … for readers.
func refused(format string, args ...any) error {
	return jrpc2.Errorf(requestFailed, "%s", strings.ReplaceAll(fmt.Sprintf(format, args...), string(outline.Hole), "…"))
}

// renaming finds out what stands at a spot and whether it is ours to rename.
func (at *spot) renaming() (*renaming, error) {
	at.name = rooted(at.name)
	if at.name.Span.End < at.offset {
		return nil, refused("this is a part of the value of %s", at.name.Name)
	}
	r := &renaming{spot: at, kind: at.name.Kind, full: at.name.Name, uses: at.together(at.entry, at.name)}
	switch at.name.Kind {
	case outline.ResourceName:
		return nil, refused("%s is what the resource is called on machines: a new title is another resource", at.name.Name)
	case outline.TemplateName:
		return nil, refused("a template is called like its file: move that")
	case outline.FileName:
		return nil, refused("a file of a module is called so wherever it lies: move that")
	case outline.KeyName:
		switch {
		case at.name.Name == lookupOptions:
			return nil, refused("%s is what Hiera keeps its options in", lookupOptions)
		case at.params[at.name.Name]:
			r.kind = outline.VariableName
		}
	case outline.VariableName:
		as, _ := at.index.asRead(at.entry, at.name)
		names := at.resolve(at.entry, as)
		if len(names) > 1 {
			return nil, refused("it is %s: several classes render the template", strings.Join(names, " and "))
		}
		r.full = names[0]
	}
	r.own = r.full
	if r.kind == outline.VariableName {
		if i := strings.LastIndex(r.full, "::"); i >= 0 {
			r.owner, r.own = r.full[:i], r.full[i+2:]
		}
	}
	if !slices.ContainsFunc(r.uses, func(o occurrence) bool {
		return o.Defines && (o.Kind != outline.KeyName) == (r.kind != outline.KeyName)
	}) {
		if e := r.unreadable(); e != nil {
			return nil, refused("%s cannot be read as it is, and may define %s: mend that first", at.short(e.path), r.full)
		}
		return nil, refused("nothing in this folder defines %s", r.full)
	}
	besides := &also{at, map[*entry]map[source.Span][]outline.Name{}, map[identity]bool{}}
	for _, o := range r.uses {
		if at.folder.own != nil && !at.folder.own(o.path) {
			return nil, refused("%s names it, too, and is not yours to edit", at.short(o.path))
		}
		if text := lastPart(o.file.Slice(o.Span)); !strings.EqualFold(text, lastPart(r.full)) {
			if written := o.file.Slice(o.Span); strings.ContainsFunc(written, noName) { // it is no name at all
				text = clip(written)
			}
			return nil, refused("%s:%d writes it as %q", at.short(o.path), o.file.LineOf(o.Span.Start), text)
		}
		if o.Keyed {
			return nil, refused("%s:%d may take it out of a hash, by its name", at.short(o.path), o.file.LineOf(o.Span.Start))
		}
		other := besides.names(o)
		if other == "" {
			other = at.rendered(o, r.full)
		}
		if other != "" {
			return nil, refused("%s:%d names %s by the same word", at.short(o.path), o.file.LineOf(o.Span.Start), other)
		}
	}
	if err := r.ambiguous(); err != nil {
		return nil, err
	}
	return r, nil
}

// rendered is another variable that a word of a template names, because somebody else renders that, too; "" if none is.
func (at *spot) rendered(o occurrence, full string) string {
	if o.Kind != outline.VariableName || !o.Free {
		return ""
	}
	for _, name := range at.resolve(o.entry, o.Name) {
		if name != full && (at.sets[name] || at.defines(outline.Name{Kind: outline.VariableName, Name: name})) {
			return name
		}
	}
	return ""
}

// factBeside refuses a word of a template that somebody else renders who does not set it, and one that is not set on
// all ways: there it is the node's fact.
func (r *renaming) factBeside(nodes []fleet.Node) error {
	for _, o := range r.uses {
		var names []string
		switch {
		case o.Kind == outline.VariableName && o.Free:
			names = r.resolve(o.entry, o.Name)
		case o.Kind == outline.VariableName && o.Defines && r.owner != "" && !o.sure(r.owner, r.own):
			names = []string{r.inherited(r.parents[r.owner], r.own)}
		}
		for _, name := range names {
			if name == r.full || strings.Contains(name, "::") {
				continue
			}
			for _, n := range nodes {
				if f := n.Facts.Loaded(); f != nil && f.Values != nil && f.Values.EntryString(name) != nil {
					return refused("%s:%d names the fact %s by the same word", r.short(o.path), o.file.LineOf(o.Span.Start), name)
				}
			}
		}
	}
	return nil
}

// An also finds what else a word names that is to be renamed: one hash may set parameters of two defines. It keeps what
// it has found out, for a file may name a thing tens of thousands of times.
type also struct {
	*spot
	texts   map[*entry]map[source.Span][]outline.Name // the names that stand in strings, by where they stand
	defined map[identity]bool
}

// names is another thing that a word names, and that there is; "" if there is none.
func (a *also) names(o occurrence) string {
	texts := a.texts[o.entry]
	if texts == nil {
		texts = map[source.Span][]outline.Name{}
		for _, n := range o.names {
			if n.Text {
				texts[n.Span] = append(texts[n.Span], n)
			}
		}
		a.texts[o.entry] = texts
	}
	ids := a.meanings(o.entry, o.Name)
	for _, n := range texts[o.Span] {
		if (n.Kind != o.Kind || n.Name != o.Name.Name) && a.there(n) &&
			!slices.ContainsFunc(a.meanings(o.entry, n), func(id identity) bool { return slices.Contains(ids, id) }) {
			return n.Name
		}
	}
	return ""
}

// there reports whether something defines what a name names. What a type has that the folder does not define, such as
// file, counts as defined: nobody knows better.
func (a *also) there(n outline.Name) bool {
	id := identity{kind: n.Kind, name: n.Name}
	is, known := a.defined[id]
	if !known {
		is = a.defines(n)
		if i := strings.LastIndex(n.Name, "::"); n.Param && n.Kind == outline.VariableName && i > 0 && !is {
			is = !a.defines(outline.Name{Kind: outline.TypeName, Name: n.Name[:i]}) &&
				!a.defines(outline.Name{Kind: outline.ClassName, Name: n.Name[:i]})
		}
		a.defined[id] = is
	}
	return is
}

// short is a path as people of the folder say it.
func (f *folder) short(p string) string { return strings.TrimPrefix(p, f.dir+"/") }

func (s *Server) prepareRename(_ context.Context, p *protocol.TextDocumentPositionParams) (
	*protocol.PrepareRenamePlaceholder, error) {
	at, err := s.spot(p.TextDocument.URI, p.Position)
	if at == nil || err != nil || !at.named {
		return nil, err
	}
	r, err := at.renaming()
	if err != nil {
		return nil, err
	}
	span := at.name.Span
	if r.kind == outline.VariableName { // of $web::port only the port
		span.Start = span.End - uint32(len(lastPart(at.entry.file.Slice(span))))
	}
	return &protocol.PrepareRenamePlaceholder{Range: at.entry.mapper(s.enc).span(span),
		Placeholder: at.entry.file.Slice(span)}, nil
}

// shapes are what new names have to look like.
var shapes = map[outline.NameKind]*regexp.Regexp{
	outline.ClassName:    regexp.MustCompile(`^[a-z][a-z0-9_]*(::[a-z][a-z0-9_]*)*$`),
	outline.TypeName:     regexp.MustCompile(`^[A-Za-z][a-z0-9_]*(::[A-Za-z][a-z0-9_]*)*$`),
	outline.FunctionName: regexp.MustCompile(`^[a-z][a-z0-9_]*(::[a-z][a-z0-9_]*)*$`),
	outline.VariableName: regexp.MustCompile(`^[a-z_][a-zA-Z0-9_]*$`),
	outline.LocalName:    regexp.MustCompile(`^[a-z_][a-zA-Z0-9_]*$`),
	outline.KeyName:      regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_:-]*$`),
}

// A change is what a rename does to the files.
type change struct {
	edits map[string][]source.Edit // by path, in the order of the text
	moves map[string]string        // files that get another name
}

// rename renames what stands at a place. Of folders that lie in one another each tries it for itself: what is right in
// a module may be wrong in the tree around it. The outermost one knows all places.
func (s *Server) rename(ctx context.Context, p *protocol.RenameParams) (*protocol.WorkspaceEdit, error) {
	file := pathOf(p.TextDocument.URI)
	s.mu.Lock()
	var folders, beside []*folder
	for _, f := range s.folders {
		if f.holds(file) {
			folders = append(folders, f)
		} else {
			beside = append(beside, f)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(folders, func(a, b *folder) int { return len(a.dir) - len(b.dir) })
	var whole *change
	var of *renaming
	for _, f := range folders {
		view, _, err := f.view()
		if err != nil {
			return nil, err
		}
		x, err := f.reindex(view)
		if err != nil {
			return nil, err
		}
		at := f.spot(x, file, p.Position)
		if at == nil {
			continue
		}
		r, to, err := at.renamed(p.NewName)
		if err != nil || to == r.own {
			return &protocol.WorkspaceEdit{}, err
		}
		c, err := r.change(to)
		if err != nil {
			return nil, err
		}
		if whole == nil {
			whole, of = c, r
		} else if more := c.beside(whole); more != "" {
			return nil, refused("%s would be edited as part of %s, and not as part of %s", more, f.dir, of.dir)
		}
		for from, to := range c.moves {
			if !s.movesFiles() {
				return nil, refused("%s has to become %s, and this editor lets nobody move files", at.short(from), at.short(to))
			}
		}
		if err := r.leaves(beside); err != nil {
			return nil, err
		}
		nodes, failing, err := r.try(ctx, view, c, to)
		if err != nil {
			return nil, err
		}
		s.log(protocol.MessageTypeInfo, fmt.Sprintf("%s is now %s in %d files; %d nodes compile to what they were, %d fail as "+
			"they did", r.full, to, len(c.edits), nodes, failing))
		if nodes == 0 {
			s.tell(protocol.MessageTypeWarning, fmt.Sprintf("%s is now %s; but no node compiles, so that there was no catalog to "+
				"compare: look at the edits", r.full, to))
		}
		if module := r.takenBy(); module != "" {
			s.tell(protocol.MessageTypeWarning, fmt.Sprintf("%s is now %s in the data; but there is no module %s here whose "+
				"class may take it by its old name: look for that", r.full, to, module))
		}
	}
	switch {
	case whole != nil:
		return s.workspaceEdit(of.spot, whole)
	case len(folders) > 0:
		return nil, refused("%s is none of the files that are looked at: if a link leads to it, open it where it lies", file)
	}
	return nil, nil
}

// renamed is what stands at the spot, with the new name that somebody wrote, if it could have that.
func (at *spot) renamed(name string) (r *renaming, to string, err error) {
	if !at.named {
		return nil, "", refused("there is no name here")
	}
	r, err = at.renaming()
	if err != nil {
		return nil, "", err
	}
	to = strings.TrimPrefix(strings.TrimPrefix(name, "$"), "::")
	if r.owner != "" {
		to = strings.TrimPrefix(to, r.owner+"::")
	}
	if !shapes[r.kind].MatchString(to) {
		return nil, "", refused("%q is no name that it could have", name)
	}
	if why := r.kept(to); why != "" {
		return nil, "", refused("%s is %s", name, why)
	}
	if err := r.taken(to); err != nil {
		return nil, "", err
	}
	if at.server.secret(to) {
		return nil, "", refused("%s", bared)
	}
	if r.kind == outline.TypeName {
		to = outline.Class(to)
	}
	return r, to, nil
}

// mentioned refuses to rename what texts may name of which nobody knows what becomes: a list of classes that code goes
// through, an argument of somebody's function, a hash of attributes.
func (r *renaming) mentioned() error {
	list := slices.DeleteFunc(r.possible(r.spot.name), func(o occurrence) bool {
		return o.Free && !r.renders(r.owner) // a template that nobody renders
	})
	if r.kind == outline.ClassName {
		list = append(list, r.below(r.full)...)
	}
	if len(list) == 0 {
		return nil
	}
	const most = 3
	var more []string
	for _, o := range list[1:] {
		if len(more) == most {
			more = append(more, fmt.Sprintf("%d more", len(list)-1-most))
			break
		}
		more = append(more, fmt.Sprintf("%s:%d", r.short(o.path), o.file.LineOf(o.Span.Start)))
	}
	says := "%s:%d has %s as a text, and nobody knows what becomes of that"
	if list[0].Pattern {
		says = "%s:%d may put the name %s together when it runs"
	}
	why := fmt.Sprintf(says, r.short(list[0].path), list[0].file.LineOf(list[0].Span.Start), list[0].Name.Name)
	if len(more) > 0 {
		why += "; so have " + strings.Join(more, ", ")
	}
	return refused("%s", why)
}

// beside is a file that a change edits otherwise than another one that knows more does; "" if there is none.
func (c *change) beside(whole *change) string {
	for _, p := range slices.Sorted(maps.Keys(c.edits)) {
		if !slices.EqualFunc(c.edits[p], whole.edits[p], func(a, b source.Edit) bool {
			return a.Place.Span == b.Place.Span && a.Text == b.Text
		}) || c.moves[p] != whole.moves[p] {
			return p
		}
	}
	return ""
}

// movesFiles reports whether the client can move files.
func (s *Server) movesFiles() bool {
	w := s.client.Workspace
	return w != nil && w.WorkspaceEdit != nil &&
		slices.Contains(w.WorkspaceEdit.ResourceOperations, protocol.ResourceOperationKindRename)
}

// change gathers the edits.
func (r *renaming) change(to string) (*change, error) {
	c := &change{edits: map[string][]source.Edit{}, moves: map[string]string{}}
	put := func(e *entry, span source.Span, text string) {
		c.edits[e.path] = append(c.edits[e.path], source.Edit{Place: source.Place{File: e.file, Span: span}, Text: text})
	}
	for _, o := range r.uses {
		text := o.file.Slice(o.Span)
		switch {
		case r.kind == outline.VariableName:
			put(o.entry, o.Span, text[:len(text)-len(lastPart(text))]+to)
		case text[0] >= 'A' && text[0] <= 'Z':
			put(o.entry, o.Span, outline.Capitalized(to))
		default:
			put(o.entry, o.Span, to)
		}
		for _, at := range documented(o) {
			put(o.entry, at, to)
		}
		if from := r.file(o); from != "" {
			next, err := r.moved(from, to)
			if err != nil {
				return nil, err
			}
			if next != from {
				c.moves[from] = next
			}
		}
	}
	if r.kind == outline.ClassName { // $web::port and the key web::port begin with the class
		for _, e := range r.index.entries {
			for _, m := range e.names {
				text := e.file.Slice(m.Span)
				last := lastPart(text)
				if m.Text && strings.ContainsAny(text, `\$`) && m.Name == r.full+"::"+lastPart(m.Name) {
					return nil, refused("%s:%d writes %s as %s", r.short(e.path), e.file.LineOf(m.Span.Start), m.Name, text)
				}
				if m.Kind != outline.VariableName && !(m.Kind == outline.KeyName && r.params[m.Name]) ||
					outline.Class(strings.TrimSuffix(text, "::"+last)) != r.full || last == text {
					continue
				}
				if r.folder.own != nil && !r.folder.own(e.path) {
					return nil, refused("%s has %s, and is not yours to edit", r.short(e.path), text)
				}
				put(e, m.Span, to+"::"+last)
			}
		}
	}
	if err := r.patterned(to); err != nil {
		return nil, err
	}
	if err := r.noticed(to); err != nil {
		return nil, err
	}
	if err := r.askedByData(to); err != nil {
		return nil, err
	}
	if err := r.mentioned(); err != nil {
		return nil, err
	}
	if err := r.throughAll(); err != nil {
		return nil, err
	}
	if err := r.computed(); err != nil {
		return nil, err
	}
	for p, list := range c.edits {
		slices.SortFunc(list, func(a, b source.Edit) int { return int(a.Place.Span.Start) - int(b.Place.Span.Start) })
		c.edits[p] = slices.CompactFunc(list, func(a, b source.Edit) bool { return a.Place.Span == b.Place.Span })
	}
	if err := r.once(c); err != nil {
		return nil, err
	}
	if err := r.unread(c); err != nil {
		return nil, err
	}
	return c, nil
}

// patterned asks the patterns of lookup_options whether they say of a new key what they said of the old one.
func (r *renaming) patterned(to string) (err error) {
	keys := map[string]string{}
	switch {
	case r.kind == outline.KeyName:
		keys[r.full] = to
	case r.kind == outline.VariableName && r.params[r.full]:
		keys[r.full] = r.owner + "::" + to
	case r.kind == outline.ClassName:
		for key := range r.params {
			if last := lastPart(key); key == r.full+"::"+last {
				keys[key] = to + "::" + last
			}
		}
	}
	r.patterns(func(o occurrence, matches func(string) bool) {
		for _, was := range slices.Sorted(maps.Keys(keys)) {
			if err == nil && o.isData && matches(was) != matches(keys[was]) {
				err = refused("%s:%d speaks of %s by a pattern: %s", r.short(o.path), o.file.LineOf(o.Span.Start), was,
					o.Name.Name)
			}
		}
	})
	return err
}

// computed refuses to rename what code may put the name together of when it runs: whoever is compiled tells what
// becomes of it there, and no more.
func (r *renaming) computed() (err error) {
	ids := r.meanings(r.entry, r.spot.name)
	if r.kind == outline.ClassName {
		ids = append(ids, r.owned(r.full)...)
	}
	r.patterns(func(o occurrence, matches func(string) bool) {
		if err != nil || o.isData || o.Param && r.kind == outline.ClassName { // an attribute's name says no class
			return
		}
		if i := slices.IndexFunc(ids, func(id identity) bool { return id.kind == o.Kind && matches(id.name) }); i >= 0 {
			err = refused("%s:%d may put the name %s together when it runs", r.short(o.path), o.file.LineOf(o.Span.Start),
				ids[i].name)
		}
	})
	return err
}

// file is the file that has its name from a definition; "" if it does not.
func (r *renaming) file(o occurrence) string {
	if !o.Defines || r.kind == outline.VariableName || r.kind == outline.LocalName || r.kind == outline.KeyName {
		return ""
	}
	for _, sort := range sorts {
		if p := r.folder.autoloaded(o.path, sort, r.full); p == o.path {
			return p
		}
	}
	if r.folder.ofEnvironment(o.path, r.full) == o.path {
		return o.path
	}
	return ""
}

// ofEnvironment is the file of the environment's own functions or types in which a name is looked for, beside another
// file of that sort; "" if that is none. Their names have no module in front.
func (f *folder) ofEnvironment(file, name string) string {
	for _, sort := range []string{"functions", "types"} {
		if path.Dir(file) == f.dir+"/"+sort && f.module() == "" && !strings.Contains(name, "::") {
			return f.dir + "/" + sort + "/" + outline.Class(name) + ".pp"
		}
	}
	return ""
}

// moved is where a file belongs that holds the definition of a name.
func (r *renaming) moved(file, to string) (string, error) {
	module, _, qualified := strings.Cut(r.full, "::")
	if next := r.folder.ofEnvironment(file, to); next != "" && !qualified {
		if r.byPath[next] != nil && next != file {
			return "", refused("there is a %s already", r.short(next))
		}
		return next, nil
	}
	if other, rest, _ := strings.Cut(to, "::"); !qualified || other != module || rest == "" {
		return "", refused("%s belongs to the module %s: under another module's name it is not found", r.full, module)
	}
	next := ""
	for _, sort := range sorts {
		if next == "" {
			next = r.folder.autoloaded(file, sort, to)
		}
	}
	if r.byPath[next] != nil {
		return "", refused("there is a %s already", r.short(next))
	}
	return next, nil
}

// sorts are the folders of a module in which definitions lie.
var sorts = []string{"manifests", "functions", "types", "plans"}

// autoloaded is the file of a module in which a name is looked for, in the module that another file is in.
func (f *folder) autoloaded(file, sort, name string) string {
	module, rest, _ := strings.Cut(name, "::")
	root := f.rootOf(file, sort, module)
	if root == "" {
		return ""
	}
	if rest == "" {
		rest = "init"
	}
	return root + "/" + sort + "/" + strings.ReplaceAll(rest, "::", "/") + ".pp"
}

// rootOf is the directory of a module that a file is in, among its definitions of a sort; "" if it is not.
func (f *folder) rootOf(file, sort, module string) string {
	if module == f.module() && strings.HasPrefix(file, f.dir+"/"+sort+"/") {
		return f.dir
	}
	if i := strings.LastIndex(file, "/"+module+"/"+sort+"/"); i >= 0 {
		return file[:i] + "/" + module
	}
	return ""
}

// edited is a file with its edits.
func edited(e *entry, list []source.Edit) string {
	var b strings.Builder
	from := uint32(0)
	for _, x := range list {
		b.WriteString(e.file.Text[from:x.Place.Span.Start])
		b.WriteString(x.Text)
		from = x.Place.Span.End
	}
	b.WriteString(e.file.Text[from:])
	return b.String()
}

// try lays the change over the files and asks what has become of names and of nodes. It returns how many nodes it has
// seen compile to what they were, and how many fail as they did.
func (r *renaming) try(ctx context.Context, before source.Files, c *change, to string) (nodes, failing int, err error) {
	texts := map[string]string{}
	var gone []string
	for p, list := range c.edits {
		at := p
		if next := c.moves[p]; next != "" {
			at, gone = next, append(gone, p)
		}
		texts[at] = edited(r.byPath[p], list)
	}
	over, err := source.NewOverlay(before, texts)
	if err != nil {
		return 0, 0, err
	}
	after := over.Without(gone...)
	if err := r.mean(after, c); err != nil {
		return 0, 0, err
	}
	all, _, err := r.trial(ctx, before)
	if err != nil {
		return 0, 0, err
	}
	if err := r.factBeside(all); err != nil {
		return 0, 0, err
	}
	was, err := r.catalogs(ctx, before, all)
	if err != nil {
		return 0, 0, err
	}
	all, err = r.anew(ctx, after, all, to)
	if err != nil {
		return 0, 0, err
	}
	is, err := r.catalogs(ctx, after, all)
	if err != nil {
		return 0, 0, err
	}
	for i := range was {
		switch {
		case was[i].Catalog == nil && is[i].Catalog == nil:
			if d := r.otherwise(was[i].Problems, is[i].Problems, c, to); d != nil {
				return 0, 0, refused("%s does not compile, and would say something else: %s", was[i].Name, unquoted(d.Summary))
			}
			failing++
		case was[i].Catalog == nil:
			return 0, 0, refused("%s would compile, and does not now", was[i].Name)
		case is[i].Catalog == nil:
			why := "it does not compile"
			for _, d := range is[i].Problems {
				if d.Severity == source.Error { // it may have warned before
					why = unquoted(d.Summary)
					break
				}
			}
			return 0, 0, refused("%s would fail: %s", was[i].Name, why)
		default:
			if ref := r.differs(was[i].Catalog, is[i].Catalog, to); ref != "" {
				return 0, 0, refused("%s of %s would be another: the name is more than a name there", ref, was[i].Name)
			}
			nodes++
		}
	}
	return nodes, failing, nil
}

// anew are nodes as they are after the rename. One that was invented for a class or define has it under its new name,
// and declares it with its new parameters: it is the one that is invented now. Its name and facts stay, as a real
// node's would.
func (r *renaming) anew(ctx context.Context, after source.Files, nodes []fleet.Node, to string) ([]fleet.Node, error) {
	if !slices.ContainsFunc(nodes, func(n fleet.Node) bool { return n.Invented != nil }) {
		return nodes, nil
	}
	all, err := r.everybody(ctx, after)
	if err != nil {
		return nil, err
	}
	now := map[string]*fleet.Invention{}
	for _, n := range all {
		if n.Invented != nil {
			now[n.Title()] = n.Invented
		}
	}
	out := slices.Clone(nodes)
	for i, n := range out {
		if n.Invented == nil {
			continue
		}
		was := *n.Invented
		switch {
		case r.kind == outline.ClassName && was.Class == r.full:
			was.Class = to
		case r.kind == outline.TypeName && was.Define == r.full:
			was.Define = to
		}
		if is := now[was.Title()]; is != nil {
			invented := *is
			invented.Name, invented.Facts = was.Name, was.Facts
			out[i].Node, out[i].Invented = invented.Node, &invented
		}
	}
	return out, nil
}

// mean asks the edited files whether each place that was edited means the new thing, and no other place does.
func (r *renaming) mean(after source.Files, c *change) error {
	files, err := r.indexed(after)
	if err != nil {
		return err
	}
	x := r.build(after, files)
	type spanIn struct {
		path string
		at   source.Span
	}
	moved := map[spanIn]source.Span{} // where each edited place is then
	for p, list := range c.edits {
		shift := 0
		for _, e := range list {
			start := uint32(int(e.Place.Span.Start) + shift)
			moved[spanIn{p, e.Place.Span}] = source.Span{Start: start, End: start + uint32(len(e.Text))}
			shift += len(e.Text) - int(e.Place.Span.Len())
		}
	}
	want := map[spanIn]bool{}
	var first *occurrence
	for _, o := range r.uses {
		p := o.path
		if next := c.moves[p]; next != "" {
			p = next
		}
		at, edited := moved[spanIn{r.real(o.path), o.Span}]
		if !edited {
			return refused("%s:%d would stay as it is", r.short(o.path), o.file.LineOf(o.Span.Start))
		}
		want[spanIn{p, at}] = true
		e := x.byPath[p]
		if e == nil || r.byPath[o.path].whole && !e.whole {
			why := "it cannot be read"
			if _, list, err := r.ws.Parse(after, p, fleet.IsPlan(p)); err == nil && len(list) > 0 {
				why = list[0].Summary
			}
			return refused("%s would be no program: %s", r.short(p), why)
		}
		if first != nil && (!o.Defines || first.Defines) {
			continue // it is known by another place
		}
		for _, n := range e.names {
			if n.Span == at && n.Kind == o.Kind && n.Defines == o.Defines {
				first = &occurrence{e, n}
			}
		}
	}
	if first == nil {
		return refused("nothing would be called so")
	}
	for _, o := range x.together(first.entry, first.Name) {
		if k := (spanIn{o.path, o.Span}); want[k] {
			delete(want, k)
		} else {
			return refused("%s:%d has that name already, and would mean the same", r.short(o.path), o.file.LineOf(o.Span.Start))
		}
	}
	for k := range want {
		return refused("%s:%d would mean something else", r.short(k.path), x.byPath[k.path].file.LineOf(k.at.Start))
	}
	return nil
}

// differs compares two catalogs up to the name, and says which resource is another; "" if none is.
func (r *renaming) differs(a, b *catalog.Catalog, to string) string {
	was, is := r.plain(a, to, true), r.plain(b, to, false)
	for _, ref := range slices.Sorted(maps.Keys(was)) {
		if !reflect.DeepEqual(was[ref], is[ref]) {
			return ref
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(is)) {
		if was[ref] == nil {
			return ref
		}
	}
	return ""
}

// plain is a catalog without places, tags and order of edges, by resource; of the old one with the new name.
func (r *renaming) plain(c *catalog.Catalog, to string, old bool) map[string]any {
	text, err := catalog.JSON{}.Append(nil, c)
	var whole struct {
		Resources []map[string]any
		Edges     []map[string]any
		Classes   []any
	}
	if err != nil || json.Unmarshal(text, &whole) != nil {
		return map[string]any{"the catalog": err}
	}
	names := func(v any) any { return v }
	whys := r.words(to)
	if old && (r.kind == outline.ClassName || r.kind == outline.TypeName) {
		was, is := outline.Capitalized(r.full), outline.Capitalized(to)
		if r.kind == outline.ClassName {
			was, is = "Class["+was+"]", "Class["+is+"]"
		} else {
			was, is = was+"[", is+"["
		}
		names = func(v any) any { return replaced(v, was, is) }
	}
	out := map[string]any{}
	for _, x := range whole.Resources {
		for _, key := range []string{"file", "line", "tags"} {
			delete(x, key)
		}
		ref := names(fmt.Sprintf("%v[%v]", x["type"], x["title"])).(string)
		delete(x, "type")
		delete(x, "title")
		if old && r.owner != "" && strings.HasPrefix(strings.ToLower(ref), strings.ToLower(r.resource())) {
			if p, is := x["parameters"].(map[string]any); is && p[r.own] != nil {
				p[to] = p[r.own]
				delete(p, r.own)
			}
			if list, is := x["sensitive_parameters"].([]any); is {
				if i := slices.Index(list, any(r.own)); i >= 0 {
					list[i] = to
				}
			}
		}
		out[ref] = nameless(names(x), whys)
	}
	var edges []string
	for _, e := range whole.Edges {
		edges = append(edges, fmt.Sprint(names(e["source"]), " → ", names(e["target"])))
	}
	slices.Sort(edges)
	out["the order"] = edges
	return out
}

// resource is how references to the owner of a parameter begin.
func (r *renaming) resource() string {
	if slices.ContainsFunc(r.index.entries, func(e *entry) bool {
		return slices.ContainsFunc(e.names, func(n outline.Name) bool {
			return n.Kind == outline.ClassName && n.Defines && n.Name == r.owner
		})
	}) {
		return "Class[" + r.owner + "]"
	}
	return r.owner + "["
}

// replaced is a value with references to one resource in place of those to another.
func replaced(v any, was, is string) any {
	switch v := v.(type) {
	case string:
		if rest, cut := strings.CutPrefix(v, was); cut {
			return is + rest
		}
	case []any:
		for i := range v {
			v[i] = replaced(v[i], was, is)
		}
	case map[string]any:
		for k := range v {
			v[k] = replaced(v[k], was, is)
		}
	}
	return v
}

// words matches the old and the new name in a text.
func (r *renaming) words(to string) *regexp.Regexp {
	var all []string
	for _, name := range []string{r.full, strings.TrimSuffix(r.full, r.own) + to, to, lastPart(r.full), lastPart(to)} {
		all = append(all, regexp.QuoteMeta(name))
	}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(all, "|") + `)\b`)
}

// nameless is a value in which what could not be computed, such as a secret without a key, says why without the name.
func nameless(v any, names *regexp.Regexp) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = nameless(v[i], names)
		}
	case map[string]any:
		why, is := v["why"].(string)
		if is && v["__ptype"] == "Bunraku::Opaque" {
			v["why"] = names.ReplaceAllString(why, "…")
		}
		for k := range v {
			v[k] = nameless(v[k], names)
		}
	}
	return v
}

// workspaceEdit puts a change into the protocol's words.
func (s *Server) workspaceEdit(at *spot, c *change) (*protocol.WorkspaceEdit, error) {
	out := &protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{}}
	for p, list := range c.edits {
		m, uri := at.byPath[p].mapper(s.enc), at.openURI(p)
		for _, e := range list {
			out.Changes[uri] = append(out.Changes[uri], protocol.TextEdit{Range: m.span(e.Place.Span), NewText: e.Text})
		}
	}
	if err := at.versioned(out, len(c.moves) > 0); err != nil {
		return nil, err
	}
	for _, from := range slices.Sorted(maps.Keys(c.moves)) {
		to := filepath.ToSlash(path.Clean(c.moves[from]))
		raw, err := json.Marshal(protocol.RenameFile{Kind: "rename", OldURI: s.uriOf(from), NewURI: s.uriOf(to)})
		if err != nil {
			return nil, err
		}
		out.DocumentChanges = append(out.DocumentChanges, raw)
	}
	return out, nil
}

// versioned says of an edit which versions of open documents it is for, to a client that can refuse one which is for
// another text, and to one that moves files: of an edit with such moves nobody looks at the other list.
func (at *spot) versioned(edit *protocol.WorkspaceEdit, moves bool) error {
	s := at.server
	w := s.client.Workspace
	if !moves && (w == nil || w.WorkspaceEdit == nil || !w.WorkspaceEdit.DocumentChanges) {
		return nil
	}
	for _, uri := range slices.Sorted(maps.Keys(edit.Changes)) {
		id := protocol.OptionalVersionedTextDocumentIdentifier{URI: uri}
		s.mu.Lock()
		d := s.docs[uri]
		s.mu.Unlock()
		if d != nil {
			at.folder.mu.Lock()
			if was := at.opened[d.path]; was.entry == at.byPath[d.path] && was.document != nil {
				d = was.document // it may have been edited since
			}
			at.folder.mu.Unlock()
			id.Version = &d.version
		}
		raw, err := json.Marshal(protocol.TextDocumentEdit{TextDocument: id, Edits: edit.Changes[uri]})
		if err != nil {
			return err
		}
		edit.DocumentChanges = append(edit.DocumentChanges, raw)
	}
	edit.Changes = nil
	return nil
}
