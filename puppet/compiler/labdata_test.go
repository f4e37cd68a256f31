package compiler

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"bunraku/internal/mutate"
	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// An aim lists the ways to change a place that can matter to some keys.
type aim func(keys []string) []*mutate.Place

// A reading is what a compile looked for in data files.
type reading struct {
	files  map[string]string   // name → path
	missed map[string][]string // keys by the file that has them not; those of lookup options as "lookup_options.KEY"
	absent map[string]bool     // files
	asked  []string            // keys
}

func (l *lab) reading() *reading {
	r := &reading{map[string]string{}, map[string][]string{}, map[string]bool{}, nil}
	keys := map[string]bool{}
	l.res.Trace.EachLeaf(func(_ provenance.Ref, label provenance.Label) {
		if label.Kind == provenance.Datum && label.Place.File != nil {
			r.files[label.Place.File.Name] = l.path(label.Place.File.Name)
		}
		if key, name, ok := missedKey(label); ok {
			r.missed[name] = append(r.missed[name], key)
			r.files[name] = l.path(name)
		} else if name, ok := strings.CutPrefix(label.Path, "file "); ok && label.Kind == provenance.Absence {
			r.absent[name] = true
		}
		if key := rootKey(label); key != "" {
			keys[key] = true
		}
	})
	r.asked = sorted(keys)
	return r
}

// missedKey is the key whose absence in a file a label is.
func missedKey(label provenance.Label) (key, file string, ok bool) {
	rest, ok := strings.CutPrefix(label.Path, "key ")
	if !ok || label.Kind != provenance.Absence {
		return "", "", false
	}
	key, file, ok = strings.Cut(rest, " in file ")
	if option, is := strings.CutPrefix(key, "lookup_options."); is {
		return "lookup_options." + unquoted(option), file, ok
	}
	return unquoted(key), file, ok
}

// unquoted is a segment of a key path as data has it.
func unquoted(segment string) string {
	if n := len(segment); n >= 2 && (segment[0] == '"' || segment[0] == '\'') && segment[n-1] == segment[0] {
		return segment[1 : n-1]
	}
	return segment
}

// rootKey is the key that a label of data belongs to; "" for those of lookup options and of what is no data.
func rootKey(label provenance.Label) string {
	key, _, ok := missedKey(label)
	if !ok {
		if label.Kind != provenance.Datum || label.Place.File == nil || filepath.Base(label.Place.File.Name) == "hiera.yaml" {
			return ""
		}
		if key, _, _ = strings.Cut(label.Path, "."); strings.ContainsAny(key, `'"`) {
			return ""
		}
	}
	if strings.HasPrefix(key, "lookup_options") {
		return ""
	}
	return key
}

// data lists what can change in the data files that were read, and the keys and files that were missed.
func (l *lab) data(h *mutate.Hints) ([]*mutate.Place, error) {
	r := l.reading()
	var out []*mutate.Place
	add := func(p *mutate.Place) {
		if p != nil {
			out = append(out, p)
		}
	}
	for _, name := range sorted(r.files) {
		path := r.files[name]
		text, err := l.text(path)
		if err != nil {
			return nil, err
		}
		f := source.NewFile(name, text)
		if mutate.ReadData(f) == nil {
			continue
		}
		if filepath.Base(name) == "hiera.yaml" {
			list := mutate.InConfig(f, path)
			out = append(out, list...)
			for at, places := range placesByKey(list) {
				l.aims[at] = func(keys []string) []*mutate.Place {
					return append(places[:len(places):len(places)], l.otherData(f, places[0], keys, h)...)
				}
			}
			continue
		}
		out = append(out, mutate.InData(f, path, h)...)
		sort.Strings(r.missed[name])
		for _, key := range r.missed[name] {
			option, is := strings.CutPrefix(key, "lookup_options.")
			switch {
			case is && option == "^…":
				l.aim(mutate.Missed(key, name), func(keys []string) (list []*mutate.Place) {
					for _, k := range keys {
						list = append(list, mutate.InsertOptions(f, path, "^"+regexp.QuoteMeta(k)+"$"))
					}
					return list
				})
				if len(r.asked) > 0 {
					add(mutate.InsertOptions(f, path, "^"+regexp.QuoteMeta(r.asked[0])+"$"))
				}
			case is:
				add(mutate.InsertOptions(f, path, option))
			default:
				add(mutate.Insert(f, path, key, l.values(key, r.asked, h)))
			}
			if key == "lookup_options" {
				l.aim(mutate.Missed(key, name), func(keys []string) []*mutate.Place {
					return []*mutate.Place{mutate.Insert(f, path, key, optionsOf(keys))}
				})
			}
		}
	}
	for _, name := range sorted(r.absent) {
		if filepath.Base(name) == "hiera.yaml" {
			with := func(keys []string) []*mutate.Place { return l.newConfig(name, keys, h) }
			l.aim(mutate.Names{Key: provenance.LabelKey{Kind: provenance.Absence, Path: "file " + name}}, with)
			out = append(out, with(r.asked[:min(3, len(r.asked))])...)
			continue
		}
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".json" {
			continue
		}
		with := func(keys []string) (list []*mutate.Place) {
			for _, key := range append(keys[:len(keys):len(keys)], "lookup_options") {
				list = append(list, mutate.NewFile(name, l.path(name), key, l.values(key, keys, h)))
			}
			return list
		}
		l.aim(mutate.Names{Key: provenance.LabelKey{Kind: provenance.Absence, Path: "file " + name}}, with)
		out = append(out, with(r.asked)...)
	}
	return out, nil
}

func (l *lab) aim(at mutate.Names, with aim) { l.aims[at.Key] = with }

// aimed are the ways to change a place that can matter to some slots: all that are listed, or those that concern the
// keys that the slots depend on.
func (l *lab) aimed(at provenance.LabelKey, listed []*mutate.Place, slots []string) (out []*mutate.Place) {
	with := l.aims[at]
	if with == nil {
		return listed
	}
	var keys []string
	for n := range mostKeys { // of each slot in turn
		for _, s := range slots {
			if of := l.keysOf(s); n < len(of) && !slices.Contains(keys, of[n]) {
				keys = append(keys, of[n])
			}
		}
	}
	for _, p := range with(keys[:min(mostKeys, len(keys))]) {
		if p != nil {
			out = append(out, p)
		}
	}
	return out
}

// optionsOf are lookup options of one of the first few keys.
func optionsOf(keys []string) (out []value.Value) {
	for _, k := range keys[:min(3, len(keys))] {
		for _, o := range mutate.Options {
			out = append(out, value.NewHash(value.String(k), o))
		}
	}
	return out
}

var interpolation = regexp.MustCompile(`%\{(?:facts\.|::)?([^}]+)\}`)

// paths tells the hints with which values of facts the levels of a hiera.yaml lead to files that are there.
func (l *lab) paths(h *mutate.Hints) error {
	for _, name := range sorted(l.reading().files) {
		if filepath.Base(name) != "hiera.yaml" {
			continue
		}
		path := l.path(name)
		text, err := l.text(path)
		if err != nil {
			return err
		}
		var files []string
		err = filepath.WalkDir(filepath.Dir(path), func(p string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() && (e.Name() == "manifests" || e.Name() == "modules" ||
				strings.HasPrefix(e.Name(), ".")) {
				return filepath.SkipDir
			}
			files = append(files, p)
			return nil
		})
		if err != nil {
			return err
		}
		for _, p := range mutate.InConfig(source.NewFile(name, text), path) {
			l.leads(h, strings.Trim(text[p.Span.Start:p.Span.End], `'"`), files)
		}
	}
	return nil
}

// leads compares one level's path with files.
func (l *lab) leads(h *mutate.Hints, level string, files []string) {
	parts := interpolation.FindAllStringSubmatchIndex(level, -1)
	for n, part := range parts {
		var pattern strings.Builder
		at := 0
		for m, other := range parts {
			pattern.WriteString(regexp.QuoteMeta(level[at:other[0]]))
			v, known := l.places.At(provenance.Label{Kind: provenance.Fact, Path: level[other[2]:other[3]]})
			switch {
			case m == n:
				pattern.WriteString("([^/]+)")
			case known:
				pattern.WriteString(regexp.QuoteMeta(value.ToString(v)))
			default:
				pattern.WriteString("[^/]+")
			}
			at = other[1]
		}
		re := regexp.MustCompile("/" + pattern.String() + regexp.QuoteMeta(level[at:]) + "$")
		for _, f := range files {
			if found := re.FindStringSubmatch(f); found != nil {
				h.Compare(level[part[2]:part[3]], value.String(found[1]))
			}
		}
	}
}

// stems are what the names of data files beside the ones that were looked at are made of: a fact with such a value
// leads to another file.
func (l *lab) stems() (out []string) {
	seen := map[string]bool{}
	l.res.Trace.EachLeaf(func(_ provenance.Ref, label provenance.Label) {
		name := strings.TrimPrefix(label.Path, "file ")
		if label.Kind != provenance.Absence || name == label.Path || seen[filepath.Dir(name)] {
			return
		}
		seen[filepath.Dir(name)] = true
		entries, _ := os.ReadDir(l.path(filepath.Dir(name)))
		for _, e := range entries {
			ext := filepath.Ext(e.Name())
			stem, _, _ := strings.Cut(strings.TrimSuffix(e.Name(), ext), "-")
			if !seen[stem] && len(out) < 5 && ext == filepath.Ext(name) {
				seen[stem] = true
				out = append(out, stem)
			}
		}
	})
	return out
}

// values are what a key that has none can be: other values than the parameter it is for has now.
func (l *lab) values(key string, asked []string, h *mutate.Hints) (out []value.Value) {
	if key == "lookup_options" {
		return optionsOf(asked)
	}
	if i := strings.LastIndex(key, "::"); i > 0 {
		if list := h.Parameter(key[:i], key[i+2:]); len(list) > 0 {
			out = append(out, list...)
		}
		for _, r := range l.res.Catalog.Resources {
			if r.Type == "Class" && strings.EqualFold(r.Title, key[:i]) {
				if p := r.Param(key[i+2:]); p != nil {
					return append(out, mutate.Alternatives(p.Value, h.Pool)...)
				}
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, name := range sorted(l.texts) {
		if root := mutate.ReadData(source.NewFile(name, l.texts[name])); root != nil {
			if n := root.Entry(key); n != nil {
				return mutate.Alternatives(n.Value, h.Pool)
			}
		}
	}
	return []value.Value{value.String("fresh"), value.Bool(true), value.Int(3), value.Strings("fresh"),
		value.NewHash(value.String("fresh"), value.Int(1))}
}

// withData lays a data file, and what stands beside it, over the files that there are, and reads all data anew.
func (l *lab) withData(path, text string, beside map[string]string) (*Snapshot, error) {
	texts := map[string]string{path: text}
	for path, text := range beside {
		texts[path] = text
	}
	files, err := source.NewOverlay(l.base.files, texts)
	if err != nil {
		return nil, err
	}
	n := l.clone()
	n.files = files
	n.lookup = n.Hiera(l.base.set.Strict)
	return n, nil
}

func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
