package lookup

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// resolved is a hierarchy for one node: every path interpolated, every file looked for.
type resolved struct {
	levels, defaults []*level
	reads            []scopeRead    // the variables that it depends on
	unasked          bool           // what was asked on the way was part of another question
	ref              provenance.Ref // of which levels there are
}

// A level is one entry of a hierarchy.
type level struct {
	name      string
	kind      string // data_hash, lookup_key, data_dig, hiera3_backend, v4_data_hash
	function  string
	options   *value.Hash
	locations []*location
	datadir   string
	movable   bool           // the directory has something interpolated
	v3        bool           // of a version 3 hiera.yaml: callers may put paths in front
	ref       provenance.Ref // of which locations there are, where that is found by looking
	how       provenance.Ref // of its function's name and options
}

func (lv *level) title() string {
	if lv.kind == "v4_data_hash" {
		return "Deprecated API function \"" + lv.function + "\""
	}
	return "Hierarchy entry \"" + lv.name + "\""
}

// fullName is how messages call the level's function.
func (lv *level) fullName() string {
	switch {
	case lv.kind == "v4_data_hash":
		return "deprecated API function '" + lv.function + "'"
	case lv.kind == "hiera3_backend":
		return "hiera version 3 backend '" + lv.function + "'"
	case lv.v3:
		return "v3_" + lv.kind + " function '" + lv.function + "'"
	}
	return lv.kind + " function '" + lv.function + "'"
}

type locationKind uint8

const (
	noLocation locationKind = iota
	pathLocation
	uriLocation
)

// A location is one place that a level's function is asked about.
type location struct {
	kind     locationKind
	path     string
	original string
	exists   bool
	gone     provenance.Ref // of a file that is not there, once that was asked
	ref      provenance.Ref // of what the path was made of
	fixed    provenance.Ref // without what was interpolated
	pattern  string         // the path before that; "" when it was not made so
	wider    *wider         // what else it could have led to, once that counts
	context  *Context
	data     *loaded
	hole     *value.Opaque // on what it hangs which file this is, if other machines have others (wider)
}

// hierarchy resolves a layer's hierarchy, again when a variable it depends on has changed since.
func (inv *invocation) hierarchy(ly *layer) (*resolved, error) {
	if inv.s.coarse {
		inv.s.log.Pause() // which files there are for this node is part of the one question
		defer inv.s.log.Resume()
	}
	again := ly.resolved != nil && ly.resolved.unasked && !inv.s.coarse && inv.s.log != nil
	if ly.resolved != nil && !again {
		if inv.stable(ly.resolved.reads) {
			return ly.resolved, nil
		}
		inv.explain.text(func() string {
			return "Hiera configuration recreated due to change of scope variables used in interpolation expressions"
		})
	}
	r := &resolved{unasked: inv.s.coarse}
	scope := inv.scope
	if ly.config.version == 3 {
		if _, is := scope.(hieraScope); !is {
			scope = hieraScope{scope}
		}
	}
	sub := &invocation{s: inv.s, scope: scope, reads: &r.reads} // Puppet starts anew here: no explanation, an empty stack
	var err error
	switch ly.config.version {
	case 3:
		r.levels, err = sub.levels3(ly.config)
	case 4:
		r.levels, err = sub.levels4(ly.config)
	default:
		if r.levels, err = sub.levels5(ly.config, ly.config.hierarchy, "hierarchy"); err == nil &&
			ly.config.defaultHierarchy != nil {
			r.defaults, err = sub.levels5(ly.config, ly.config.defaultHierarchy, "default_hierarchy")
		}
	}
	if err != nil {
		inv.s.readAll(ly.config.file)
		if name, undefined := strings.CutPrefix(message(err), "Undefined variable '"); undefined {
			name = strings.TrimSuffix(name, "'")
			return nil, ly.config.fail("H0333", "Undefined variable '"+name+"'", ly.config.findLine("%{"+name+"}"))
		}
		return nil, err
	}
	r.reads = once(r.reads)
	r.ref = inv.s.trace.Join(inv.leafAt(ly.config, "version"), inv.leafAt(ly.config, "hierarchy"),
		inv.leafAt(ly.config, "default_hierarchy"))
	ly.resolved = r
	return r, nil
}

// once leaves out what was read before: each variable needs to be looked at once.
func once(reads []scopeRead) []scopeRead {
	seen := map[string]bool{}
	return slices.DeleteFunc(reads, func(read scopeRead) bool {
		twice := seen[read.key]
		seen[read.key] = true
		return twice
	})
}

// stable reports whether the variables that were read still have the same values.
func (inv *invocation) stable(reads []scopeRead) bool {
	explain := inv.explain
	inv.explain = nil
	defer func() { inv.explain = explain }()
	inv.s.budget.Spend(int64(len(reads)), searching)
	for i := range reads {
		r := &reads[i]
		v, ref, known := variableAt(inv.scope, r.root, r.segments)
		if !known {
			v = value.Undef{}
		}
		it, fits := steps(item{value.OrUndef(v), ref}, r.segments)
		if !fits || !value.Same(it.v, r.v) {
			return false
		}
	}
	return true
}

// steps follows steps into containers, to undef where one is not there. It does not fit where dig would fail: what is
// reached is no container, or one of another kind.
func steps(it item, list []value.Value) (to item, fits bool) {
	for _, step := range list {
		next := item{v: value.Undef{}}
		switch v := it.v.(type) {
		case *value.Array:
			n, is := step.(value.Int)
			if !is {
				return next, false
			}
			if n >= 0 && int(n) < v.Len() {
				next = item{v.Elems[n], v.Ref(int(n))}
			}
		case *value.Hash:
			if e := v.Entry(step); e != nil {
				next = item{e.Value, e.Ref}
			}
		case value.Undef:
		case *value.Opaque:
			next = it
		default:
			return next, false
		}
		it = next
	}
	return it, true
}

func (inv *invocation) levels5(c *config, hierarchy []*value.Hash, name string) ([]*level, error) {
	var levels []*level
	seen := map[string]bool{}
	for i, he := range hierarchy {
		title := levelName(he)
		if seen[title] {
			return nil, inv.multiply(c, "Hierarchy name '"+title+"' defined more than once.", title)
		}
		seen[title] = true
		lv, err := inv.level5(c, he, name, i)
		if err != nil {
			return nil, err
		}
		if lv != nil {
			levels = append(levels, lv)
		}
	}
	return levels, nil
}

func levelName(he *value.Hash) string { return value.ToString(he.At("name")) }

// level5 is one entry of a hierarchy, the i-th of what is called so; nil if it is as though it were not there.
func (inv *invocation) level5(c *config, he *value.Hash, name string, i int) (*level, error) {
	inv.s.budget.Spend(levelSteps, searching)
	datadir := textOf(c.defaults, "datadir", "data")
	lv := &level{name: levelName(he)}
	for _, k := range allFunctionKeys {
		if he.EntryString(k) != nil {
			lv.kind, lv.function = k, textOf(he, k, "")
			break
		}
	}
	if lv.kind == "" {
		for _, k := range functionKeys {
			if c.defaults.EntryString(k) != nil {
				lv.kind, lv.function = k, textOf(c.defaults, k, "")
				break
			}
		}
	}
	at := []string{name, strconv.Itoa(i)}
	dir, err := inv.interpolate(item{value.String(join(c.root, textOf(he, "datadir", datadir))),
		inv.datadirLeaf(c, he, at)}, false)
	if err != nil {
		return nil, err
	}
	lv.datadir, lv.movable = inv.s.moved(rubyText(dir.v)), strings.Contains(textOf(he, "datadir", datadir), "%{")
	if inv.s.l.opt.Language.Eight() {
		inv.s.forgiving++
	}
	given, err := inv.locations(c, he, lv, at, dir.ref)
	if inv.s.l.opt.Language.Eight() {
		inv.s.forgiving--
	}
	if err != nil {
		return nil, err
	}
	if c.path == "" && given && len(lv.locations) == 0 {
		return nil, nil
	}
	if !given {
		lv.locations = []*location{{}}
	}
	options, in := he.At("options"), append(at, "options")
	if value.IsUndef(options) {
		options, in = c.defaults.At("options"), []string{"defaults", "options"}
	}
	it := item{options, 0}
	if n := c.nodeAt(in...); n != nil && inv.s.trace != nil {
		it.v, it.ref = n.Traced(inv.s.trace, provenance.Datum, c.file.Source, strings.Join(in, "."))
	}
	if it, err = inv.interpolate(it, false); err != nil {
		return nil, err
	}
	lv.options, _ = it.v.(*value.Hash)
	lv.how = inv.s.trace.Join(inv.functionLeaf(c, lv, at), inv.s.deep(it))
	return lv, nil
}

// datadirLeaf is the place of the directory that a level's files are in; that of a new one when nobody names one.
func (inv *invocation) datadirLeaf(c *config, he *value.Hash, at []string) provenance.Ref {
	if he.EntryString("datadir") != nil {
		return inv.leafAt(c, append(at, "datadir")...)
	}
	if leaf := inv.leafAt(c, "defaults", "datadir"); leaf != 0 || c.file == nil {
		return leaf
	}
	return inv.s.absence(c.file.Source.Name, "key defaults.datadir in file ")
}

// functionLeaf is the place of the name of a level's function.
func (inv *invocation) functionLeaf(c *config, lv *level, at []string) provenance.Ref {
	if leaf := inv.leafAt(c, append(at, lv.kind)...); leaf != 0 {
		return leaf
	}
	return inv.leafAt(c, "defaults", lv.kind)
}

func textOf(h *value.Hash, key, otherwise string) string {
	if h != nil {
		if s, is := h.At(key).(value.String); is {
			return string(s)
		}
	}
	return otherwise
}

// join is Ruby's Pathname#+: an absolute right side stands alone, and only dots at its start are resolved.
func join(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	for {
		for len(parts) > 0 && parts[0] == "." {
			parts = parts[1:]
		}
		base := filepath.Base(dir)
		if base == "/" || base == "." && dir == "" {
			for len(parts) > 0 && parts[0] == ".." && base == "/" {
				parts = parts[1:]
			}
			break
		}
		if base == "." {
			dir = strings.TrimSuffix(dir, "/.")
			continue
		}
		if base == ".." || len(parts) == 0 || parts[0] != ".." {
			break
		}
		dir, parts = dir[:strings.LastIndexByte(dir, '/')], parts[1:]
	}
	if len(parts) == 0 {
		return dir
	}
	joined := strings.TrimSuffix(dir, "/") + "/" + strings.Join(parts, "/")
	if strings.HasSuffix(path, "/") {
		joined += "/"
	}
	return joined
}

func (inv *invocation) multiply(c *config, text, name string) error {
	first := c.findLine(name)
	line := 0
	if first > 0 {
		line = c.findLineAfter(name, first)
	}
	if line > 0 {
		text += " First defined at (line: " + strconv.Itoa(first) + ")"
	} else {
		line = first
	}
	return c.fail("H0334", text, line)
}

// locations finds the files or URIs of a level. given is false when the entry names none at all.
func (inv *invocation) locations(c *config, he *value.Hash, lv *level, at []string, dirRef provenance.Ref) (given bool,
	err error) {
	for _, key := range locationKeys {
		e := he.EntryString(key)
		if e == nil {
			continue
		}
		declared := stringList(e.Value)
		refs := inv.leavesAt(c, len(declared), append(at, key)...)
		for i := range refs {
			refs[i] = inv.s.trace.Join(refs[i], dirRef)
		}
		switch key {
		case "path", "paths":
			lv.locations, err = inv.paths(lv.datadir, declared, "", refs, c.path == "")
			for _, loc := range lv.locations {
				if !lv.movable {
					loc.pattern = filepath.Clean(join(lv.datadir, loc.original))
				}
			}
		case "glob", "globs":
			lv.locations, err = inv.globs(lv.datadir, declared, refs, &lv.ref)
		case "uri", "uris":
			lv.locations, err = inv.uris(declared, refs)
		case "mapped_paths":
			lv.locations, err = inv.mappedPaths(lv.datadir, declared, inv.s.trace.Join(refs...))
		}
		return true, err
	}
	return false, nil
}

// text interpolates one text of a configuration.
func (inv *invocation) text(s string, ref provenance.Ref) (string, provenance.Ref, error) {
	text, _, r, err := inv.textOr(s, ref)
	return text, r, err
}

// textOr is text, and on what it hangs if it is not known.
func (inv *invocation) textOr(s string, ref provenance.Ref) (string, *value.Opaque, provenance.Ref, error) {
	it, err := inv.interpolate(item{value.String(s), ref}, false)
	if err != nil {
		return "", nil, 0, err
	}
	o, is := it.v.(*value.Opaque)
	if is {
		inv.unclear(s, o)
	}
	return rubyText(it.v), o, it.ref, nil
}

// elsewhere is the location of what other machines read: one of the files that a path could lead to.
func (inv *invocation) elsewhere(dir, declared, extension string, hole *value.Opaque, ref provenance.Ref) *location {
	if !strings.HasSuffix(declared, extension) {
		declared += extension
	}
	return &location{kind: pathLocation, original: declared, ref: ref, hole: hole,
		wider: &wider{pattern: join(dir, declared)}}
}

// unclear tells that it is not known what Hiera reads: the level is taken as if it had nothing. Where data or modules
// are missing that is told of the whole node.
func (inv *invocation) unclear(of string, o *value.Opaque) {
	if !o.Absent {
		inv.s.warning("E0701", "What Hiera reads for "+of+" hangs on a value that is not known: "+o.Why, source.Place{})
	}
}

// paths finds the files of a level; refs are the places of what is declared.
func (inv *invocation) paths(dir string, declared []string, extension string, refs []provenance.Ref,
	existing bool) ([]*location, error) {
	var out []*location
	for i, d := range declared {
		path, hole, r, err := inv.textOr(d, refs[i])
		if err != nil {
			return nil, err
		}
		if hole != nil && hole.Elsewhere {
			out = append(out, inv.elsewhere(dir, d, extension, hole, r))
			continue
		}
		if extension != "" && !strings.HasSuffix(path, extension) {
			path += extension
		}
		loc := &location{kind: pathLocation, path: join(dir, path), original: d, ref: r, fixed: refs[i]}
		loc.exists = inv.s.asksExists(loc.path)
		if loc.exists || !existing {
			out = append(out, loc)
		}
	}
	return out, nil
}

// globs finds files by patterns; more is what a new file would change.
func (inv *invocation) globs(dir string, declared []string, refs []provenance.Ref, more *provenance.Ref) ([]*location,
	error) {
	var out []*location
	for i, d := range declared {
		pattern, hole, r, err := inv.textOr(d, refs[i])
		if err != nil {
			return nil, err
		}
		if hole != nil && hole.Elsewhere {
			out = append(out, inv.elsewhere(dir, d, "", hole, r))
			continue
		}
		pattern = join(dir, pattern)
		inv.s.asksGlob(pattern)
		for _, path := range inv.s.globbed(pattern) {
			out = append(out, &location{kind: pathLocation, path: path, original: pattern, exists: true, ref: r})
		}
		*more = inv.s.trace.Join(*more, r, inv.s.absence(inv.s.shown(pattern), "more files like "))
	}
	return out, nil
}

func (inv *invocation) uris(declared []string, refs []provenance.Ref) ([]*location, error) {
	var out []*location
	for i, d := range declared {
		text, r, err := inv.text(d, refs[i])
		if err != nil {
			return nil, err
		}
		if _, err := value.ParseURI(text); err != nil {
			return nil, fail("H0414", message(err))
		}
		out = append(out, &location{kind: uriLocation, path: text, original: d, exists: true, ref: r})
	}
	return out, nil
}

// mappedPaths makes a path of each element of a variable: [variable, name of the element, template].
func (inv *invocation) mappedPaths(dir string, triplet []string, ref provenance.Ref) ([]*location, error) {
	it, err := inv.scopeLookup(triplet[0], "mapped_path[0]")
	if err != nil {
		return nil, err
	}
	var elems []item
	switch v := it.v.(type) {
	case value.Undef:
	case *value.Opaque:
		inv.unclear(triplet[2], v)
	case value.String:
		if v != "" {
			elems = []item{it}
		}
	case *value.Array:
		for i, e := range v.Elems {
			elems = append(elems, item{e, inv.s.trace.With(v.Ref(i), it.ref)})
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			elems = append(elems, item{e.Pair(), it.ref})
		}
	default:
		return nil, fail("H0415", "undefined method `empty?' for "+value.Inspect(it.v)+":"+types.RubyClass(it.v))
	}
	var out []*location
	outer, reads := inv.scope, inv.reads
	defer func() { inv.scope, inv.reads = outer, reads }()
	for _, e := range elems {
		var local []scopeRead
		inv.reads = &local
		inv.scope = localScope{outer, triplet[1], e}
		path, r, err := inv.text(triplet[2], ref)
		if err != nil {
			return nil, err
		}
		if reads != nil {
			for _, read := range local {
				if read.root != triplet[1] {
					*reads = append(*reads, read)
				}
			}
		}
		loc := &location{kind: pathLocation, path: join(dir, path), original: triplet[2], ref: r}
		loc.exists = inv.s.asksExists(loc.path)
		out = append(out, loc)
	}
	return out, nil
}

// localScope adds one variable to a scope.
type localScope struct {
	Scope
	name string
	it   item
}

func (s localScope) Variable(name string) (value.Value, provenance.Ref, bool) {
	if name == s.name {
		return s.it.v, s.it.ref, true
	}
	return s.Scope.Variable(name)
}

// nodeAt is the node at the end of a way from the top; nil when there is none.
func (c *config) nodeAt(way ...string) *datafile.Node {
	if c.file == nil {
		return nil
	}
	n := c.file.Root
	for _, step := range way {
		n = n.Step(step)
	}
	return n
}
