package explain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/record"
	"bunraku/puppet/value"
	"bunraku/source"
)

// The side file holds what questions need (docs/explain.md has its fields, paged.go how it is written): the catalog
// with secrets redacted, the part of the trace that its slots reach, variables, the facts and Hiera levels that were
// read. It names files by path, line and column, with a checksum, and never quotes them; when a file has changed since,
// its lines are not shown.

const sideVersion = 4

type sideFile struct {
	Root        string // the environment, as the user called it
	Environment string
	Catalog     json.RawMessage
	Trace       *provenance.Packed
	Sums        []string         // of the trace's files, SHA-256
	Resources   []sideResource   // in the catalog's order
	EdgeRefs    []provenance.Ref // likewise
	Variables   []sideVariable
	Facts       map[string]json.RawMessage // by path
	Hiera       []sideHiera                // by key
	Secret      []provenance.Ref           // leaves whose data must not be shown
	SecretAt    [][3]int                   // where they stand, all of them: file from 1, first and last line
	Passed      []sidePassed               // branches that were not taken and declare something
	Virtual     []sideStub

	refs    []string // of the resources
	changed []string // files that could not be read again, or are different now
	skip    []bool   // of files: nothing of what is here stands in it
}

type sideResource struct {
	At        provenance.PackedSpot   `json:"at"`
	Existence provenance.Ref          `json:"existence"`
	Title     provenance.Ref          `json:"title"`
	Position  provenance.Ref          `json:"position"`
	Tags      provenance.Ref          `json:"tags"`
	Params    map[string]sideParam    `json:"params"`
	Via       []sideStage             `json:"via,omitempty"`
	Asked     provenance.PackedSpot   `json:"asked"`           // of an included class: the call
	Again     []provenance.PackedSpot `json:"again,omitempty"` // and further ones
}

type sideParam struct {
	Ref      provenance.Ref         `json:"ref"`
	At       provenance.PackedSpot  `json:"at"`
	Declared *provenance.PackedSpot `json:"declared,omitempty"` // of a class or define: the parameter
}

type sidePassed struct {
	At  provenance.PackedSpot `json:"at"`
	In  string                `json:"in,omitempty"`
	Why provenance.Ref        `json:"why"`
}

type sideStub struct {
	Type  string                `json:"type"`
	Title string                `json:"title"`
	At    provenance.PackedSpot `json:"at"`
}

type sideStage struct {
	Text string                `json:"text"`
	At   provenance.PackedSpot `json:"at"`
}

type sideVariable struct {
	Class     string          `json:"class,omitempty"`
	Node      bool            `json:"node,omitempty"`
	Name      string          `json:"name"`
	Value     json.RawMessage `json:"value,omitempty"`
	Sensitive bool            `json:"sensitive,omitempty"`
	Ref       provenance.Ref  `json:"ref"`
}

type sideHiera struct {
	Key    string          `json:"key"`
	Found  bool            `json:"found"`
	Value  json.RawMessage `json:"value,omitempty"`
	Merge  string          `json:"merge"`
	Levels []sideLevel     `json:"levels"`
	Secret bool            `json:"sensitive,omitempty"`
}

type sideLevel struct {
	Layer  string                `json:"layer"`
	Name   string                `json:"name"`
	File   string                `json:"file"`
	Exists bool                  `json:"exists"`
	Found  bool                  `json:"found"`
	At     provenance.PackedSpot `json:"at"`
	Value  json.RawMessage       `json:"value,omitempty"`
}

// Save writes a record down. root is the environment as the user called it: the beginning of its files' names. hide
// blots secrets out of texts in JSON.
func Save(rec *Record, root string, hide func(string) string) (_ []byte, err error) {
	defer source.Catch(&err)
	c := rec.Catalog
	secret := rec.secrets()
	roots := rec.slots()
	var passed []record.PassedBranch
	for _, b := range rec.Passed {
		if declaresAny(rec.statementsAt(b.Place)) {
			passed = append(passed, b)
			roots = append(roots, b.Why)
		}
	}
	p := rec.Trace.Pack(roots...)
	s := &sideFile{Root: root, Trace: p, Facts: map[string]json.RawMessage{}, Environment: c.Environment}
	files := map[string]*source.File{}
	spot := func(at source.Place) provenance.PackedSpot {
		if at.File != nil {
			files[at.File.Name] = at.File
		}
		return p.Spot(at)
	}
	shown := &catalog.Catalog{Name: c.Name, Environment: c.Environment, Version: c.Version, CodeID: c.CodeID, UUID: c.UUID,
		Format: c.Format, Tags: c.Tags, Classes: c.Classes}
	copies := map[*catalog.Resource]*catalog.Resource{}
	for _, r := range c.Resources {
		side := sideResource{At: spot(r.Place), Existence: p.At(r.Existence), Title: p.At(r.TitleRef),
			Position: p.At(r.Position), Tags: p.At(r.TagsRef), Params: map[string]sideParam{}}
		copied := *r
		copied.Sensitive = slices.Clone(r.Sensitive)
		for _, q := range r.Params {
			param := sideParam{Ref: p.At(q.Ref), At: spot(q.Place)}
			if r.Kind != catalog.CompilableType {
				if at := rec.Parameter(r, q.Name); at.Known() {
					s := spot(at)
					param.Declared = &s
				}
			}
			side.Params[q.Name] = param
			if !copied.IsSensitive(q.Name) && (value.HasSensitive(q.Value) || secret.hides(rec, q.Ref)) {
				copied.Sensitive = append(copied.Sensitive, q.Name)
			}
		}
		for _, v := range rec.Via(r) {
			side.Via = append(side.Via, sideStage{v.Text, spot(v.Place)})
		}
		if !r.Place.Known() {
			side.Asked = spot(rec.Asked(r))
		}
		for _, at := range rec.Again(r) {
			side.Again = append(side.Again, spot(at))
		}
		s.Resources, s.refs = append(s.Resources, side), append(s.refs, r.Ref())
		shown.Resources = append(shown.Resources, &copied)
		copies[r] = &copied
	}
	for _, e := range c.Edges {
		shown.Edges = append(shown.Edges, catalog.Edge{Source: copies[e.Source], Target: copies[e.Target]})
		s.EdgeRefs = append(s.EdgeRefs, p.At(e.Ref))
	}
	if s.Catalog, err = (catalog.JSON{Redact: true}).Append(nil, shown); err != nil {
		return nil, err
	}
	for _, v := range rec.Variables {
		side := sideVariable{Class: v.Class, Node: v.Node, Name: v.Name, Ref: p.At(v.Ref)}
		if side.Sensitive = value.HasSensitive(v.Value) || secret.hides(rec, v.Ref); !side.Sensitive {
			side.Value = dataOf(v.Value)
		}
		s.Variables = append(s.Variables, side)
	}
	for _, b := range passed {
		s.Passed = append(s.Passed, sidePassed{spot(b.Place), b.In, p.At(b.Why)})
	}
	for _, v := range rec.Unrealized {
		s.Virtual = append(s.Virtual, sideStub{v.Name.Type, v.Name.Title, spot(v.Place)})
	}
	rec.saveLeaves(s, p, files, spot)
	for i := range p.Notes {
		n := &p.Notes[i]
		n.Text = rec.shortNote(provenance.Note{Kind: n.Kind, Value: n.Value}, n.Ref)
		if note, ok := rec.Trace.NoteAt(n.Ref); ok && note.Place.File != nil {
			files[note.Place.File.Name] = note.Place.File
		}
	}
	s.Sums = make([]string, len(p.Files))
	for i, name := range p.Files {
		if f := files[name]; f != nil {
			s.Sums[i] = sum(f.Text)
		}
	}
	return s.encode(hide)
}

// saveLeaves adds what the leaves need: the facts read, the Hiera keys asked for, which places are secret.
func (rec *Record) saveLeaves(s *sideFile, p *provenance.Packed, files map[string]*source.File,
	spot func(source.Place) provenance.PackedSpot) {
	secret := rec.secrets()
	asked := map[string]bool{}
	rec.Trace.EachLeaf(func(r provenance.Ref, l provenance.Label) {
		if p.At(r) == 0 {
			return
		}
		if l.Place.File != nil {
			files[l.Place.File.Name] = l.Place.File
		}
		if secret.leaves[r] {
			s.Secret = append(s.Secret, p.At(r))
		}
		switch l.Kind {
		case provenance.Fact:
			if v, ok := rec.Fact(l.Path); ok && !secret.leaves[r] {
				s.Facts[l.Path] = dataOf(v)
			}
		case provenance.World:
			if v, ok := rec.trusted(l); ok && !secret.leaves[r] {
				s.Facts[l.Path] = dataOf(v) // no fact is called so
			}
		case provenance.Datum:
			if l.Place.File != nil && !isConfig(l.Place.File.Name) {
				asked[RootKey(l.Path)] = true
			}
		}
	})
	var keys []string
	for k := range asked {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		h := rec.hieraOf(k)
		if h == nil {
			continue
		}
		hidden := rec.secretHiera(h)
		side := sideHiera{Key: k, Found: h.Found, Merge: h.Merge, Secret: hidden}
		if !hidden && h.Found {
			side.Value = dataOf(h.Value)
		}
		for _, lv := range h.Levels {
			level := sideLevel{Layer: lv.Layer, Name: lv.Name, File: lv.File, Exists: lv.Exists, Found: lv.Found,
				At: spot(lv.Place)}
			if lv.Found && !hidden {
				level.Value = dataOf(lv.Value)
			}
			side.Levels = append(side.Levels, level)
		}
		s.Hiera = append(s.Hiera, side)
	}
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:8])
}

// An Opener reads a file that a side file names: it is given the file's name and the root that it begins with, and says
// what the file is called now and what it holds.
type Opener func(name, root string) (shown string, text []byte, err error)

// Load reads a record.
func Load(text []byte, open Opener) (*Record, error) {
	r, err := openPages(text)
	if err != nil {
		return nil, err
	}
	s, err := r.whole()
	if err != nil {
		return nil, err
	}
	return s.load(open)
}

// LoadFor reads as much of a record as a question needs: of a resource, with or without one of its attributes, or of a
// variable. Other questions need all of it.
func LoadFor(text []byte, open Opener, ref, attribute string) (*Record, error) {
	r, err := openPages(text)
	if err != nil {
		return nil, err
	}
	s, err := r.part(ref, attribute)
	if s == nil && err == nil {
		s, err = r.whole()
	}
	if err != nil {
		return nil, err
	}
	return s.load(open)
}

// load makes a record of what was read.
func (s *sideFile) load(open Opener) (*Record, error) {
	files, names := s.open(open)
	trace, err := s.Trace.Unpack(files)
	if err != nil {
		return nil, fmt.Errorf("the trace is damaged: %w", err)
	}
	c, err := catalog.Read(s.Catalog)
	if err != nil {
		return nil, err
	}
	if len(c.Resources) != len(s.Resources) || len(s.Sums) != len(s.Trace.Files) {
		return nil, errors.New("the file is damaged: its parts do not fit each other")
	}
	ways := &sideWays{map[*catalog.Resource][]record.Stage{}, map[*catalog.Resource]source.Place{},
		map[*catalog.Resource][]source.Place{}, map[sideSlot]source.Place{}}
	rec := Of(&record.Record{Catalog: c, Trace: trace, Facts: value.EmptyHash, Ways: ways})
	rec.memo.secret = newSecrets(trace)
	known := func(r provenance.Ref) provenance.Ref {
		if int(r) > trace.Len() {
			err = errors.New("the file is damaged: a slot points outside of the trace")
			return 0
		}
		return r
	}
	for i, r := range c.Resources {
		side := s.Resources[i]
		r.Place, r.Existence, r.TitleRef, r.Position, r.TagsRef = side.At.Place(files), known(side.Existence),
			known(side.Title), known(side.Position), known(side.Tags)
		for j := range r.Params {
			q := side.Params[r.Params[j].Name]
			r.Params[j].Ref, r.Params[j].Place = known(q.Ref), q.At.Place(files)
			if q.Declared != nil {
				ways.declared[sideSlot{r, r.Params[j].Name}] = q.Declared.Place(files)
			}
		}
		for _, v := range side.Via {
			ways.via[r] = append(ways.via[r], record.Stage{Text: v.Text, Place: v.At.Place(files)})
		}
		ways.asked[r] = side.Asked.Place(files)
		for _, at := range side.Again {
			ways.again[r] = append(ways.again[r], at.Place(files))
		}
	}
	edges, e := s.edges()
	if e != nil {
		return nil, e
	}
	for i := range c.Edges {
		e := &c.Edges[i]
		e.Ref = known(edges[e.Source.Ref()+" -> "+e.Target.Ref()])
	}
	for _, v := range s.Variables {
		val := fromJSON(v.Value)
		if v.Sensitive {
			val = &value.Sensitive{Value: value.Undef{}}
		}
		rec.Variables = append(rec.Variables, record.Variable{Class: v.Class, Node: v.Node, Name: v.Name, Value: val,
			Ref: known(v.Ref)})
	}
	for _, b := range s.Passed {
		rec.Passed = append(rec.Passed, record.PassedBranch{Place: b.At.Place(files), In: b.In, Why: known(b.Why)})
	}
	for _, v := range s.Virtual {
		rec.Unrealized = append(rec.Unrealized, record.Stub{Name: catalog.Name{Type: v.Type, Title: v.Title},
			Place: v.At.Place(files)})
	}
	rec.Changed = s.changed
	rec.loadLeaves(s, files, names)
	return rec, err
}

// edges are the nodes of edges by their names.
func (s *sideFile) edges() (map[string]provenance.Ref, error) {
	var c struct {
		Edges []struct{ Source, Target string }
	}
	if json.Unmarshal(s.Catalog, &c) != nil || len(c.Edges) != len(s.EdgeRefs) {
		return nil, errDamaged
	}
	out := make(map[string]provenance.Ref, len(c.Edges))
	for i, e := range c.Edges {
		out[e.Source+" -> "+e.Target] = s.EdgeRefs[i]
	}
	return out, nil
}

// open finds the files again. One that is not there, or has changed, is replaced by an empty one of the same shape, so
// that places keep their lines and columns.
func (s *sideFile) open(open Opener) ([]*source.File, map[string]string) {
	files := make([]*source.File, len(s.Trace.Files))
	names := map[string]string{}
	for i, name := range s.Trace.Files {
		if s.skip != nil && s.skip[i] {
			files[i] = source.NewFile(name, "")
			continue
		}
		shown, text, err := open(name, s.Root)
		names[name] = shown
		if err == nil && i < len(s.Sums) && sum(string(text)) == s.Sums[i] {
			files[i] = source.NewFile(shown, string(text))
		} else {
			files[i] = source.NewFile(shown, "")
			s.changed = append(s.changed, shown)
		}
	}
	shape := make([][]int, len(files)) // columns that each line must have
	note := func(at provenance.PackedSpot) {
		if i := at[0] - 1; i >= 0 && i < len(files) && files[i].Text == "" {
			for _, p := range [][2]int{{at[1], at[2]}, {at[3], at[4]}} {
				if p[0] < 1 || p[0] > 1<<20 || p[1] > 1<<16 {
					continue
				}
				for len(shape[i]) < p[0] {
					shape[i] = append(shape[i], 0)
				}
				shape[i][p[0]-1] = max(shape[i][p[0]-1], p[1])
			}
		}
	}
	s.eachSpot(note)
	for i, lines := range shape {
		if lines == nil {
			continue
		}
		var b strings.Builder
		for _, n := range lines {
			b.WriteString(strings.Repeat(" ", n))
			b.WriteByte('\n')
		}
		files[i] = source.NewFile(files[i].Name, b.String())
	}
	return files, names
}

func (s *sideFile) eachSpot(visit func(provenance.PackedSpot)) {
	for _, l := range s.Trace.Leaves {
		visit(l.At)
	}
	for _, n := range s.Trace.Notes {
		visit(n.At)
	}
	for _, r := range s.Resources {
		visit(r.At)
		visit(r.Asked)
		for _, at := range r.Again {
			visit(at)
		}
		for _, p := range r.Params {
			visit(p.At)
			if p.Declared != nil {
				visit(*p.Declared)
			}
		}
		for _, v := range r.Via {
			visit(v.At)
		}
	}
	for _, h := range s.Hiera {
		for _, l := range h.Levels {
			visit(l.At)
		}
	}
	for _, b := range s.Passed {
		visit(b.At)
	}
	for _, v := range s.Virtual {
		visit(v.At)
	}
}

func (rec *Record) loadLeaves(s *sideFile, files []*source.File, names map[string]string) {
	b := value.NewHashBuilder(len(s.Facts))
	var paths []string
	for path := range s.Facts {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		b.SetString(path, fromJSON(s.Facts[path]))
	}
	rec.Facts = b.Hash()
	for _, r := range s.Secret {
		if int(r) > rec.Trace.Len() {
			continue
		}
		if l, ok := rec.Trace.Label(r); ok {
			rec.memo.secret.hide(r, l)
		}
	}
	for _, at := range s.SecretAt {
		if i := at[0] - 1; i >= 0 && i < len(files) {
			for n := at[1]; n <= at[2] && n-at[1] < 1<<16; n++ {
				rec.memo.secret.lines[line{files[i].Name, n}] = true
			}
		}
	}
	hiera := sideData{}
	for _, h := range s.Hiera {
		out := &record.Hiera{Key: h.Key, Found: h.Found, Merge: h.Merge, Value: fromJSON(h.Value)}
		if h.Secret {
			rec.memo.secret.keys[h.Key] = true
		}
		for _, lv := range h.Levels {
			name := lv.File
			if now := names[name]; now != "" {
				name = now
			}
			out.Levels = append(out.Levels, record.Level{Layer: lv.Layer, Name: lv.Name, File: name, Exists: lv.Exists,
				Found: lv.Found, Place: lv.At.Place(files), Value: fromJSON(lv.Value)})
		}
		hiera[h.Key] = out
	}
	rec.Data = hiera
}

// sideData is what a side file says of Hiera's keys.
type sideData map[string]*record.Hiera

// Levels implements record.Data.
func (d sideData) Levels(key string) *record.Hiera { return d[key] }

// Mentions implements record.Data: a side file does not say.
func (d sideData) Mentions(string) []record.Mention { return nil }

// sideWays is what a side file says of resources.
type sideWays struct {
	via      map[*catalog.Resource][]record.Stage
	asked    map[*catalog.Resource]source.Place
	again    map[*catalog.Resource][]source.Place
	declared map[sideSlot]source.Place
}

type sideSlot struct {
	r    *catalog.Resource
	name string
}

// Via implements record.Ways.
func (w *sideWays) Via(r *catalog.Resource) []record.Stage { return w.via[r] }

// Asked implements record.Ways.
func (w *sideWays) Asked(r *catalog.Resource) source.Place { return w.asked[r] }

// Again implements record.Ways.
func (w *sideWays) Again(r *catalog.Resource) []source.Place { return w.again[r] }

// Parameter implements record.Ways.
func (w *sideWays) Parameter(r *catalog.Resource, name string) source.Place {
	return w.declared[sideSlot{r, name}]
}

// Absent implements record.Ways: a side file does not say.
func (w *sideWays) Absent(*catalog.Resource, string) []provenance.Ref { return nil }

func fromJSON(text json.RawMessage) value.Value {
	if len(text) == 0 {
		return value.Undef{}
	}
	v, err := catalog.ReadJSON(text)
	if err != nil {
		return value.Undef{}
	}
	return catalog.FromData(v)
}
