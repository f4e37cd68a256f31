package compiler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/internal/mutate"
	"bunraku/provenance"
	"bunraku/puppet/value"
	"bunraku/source"
)

// What a hiera.yaml says leads to files. Another file would be found with another text; so that there is one, which
// differs from the present one in one key, it is put beside the data, where nobody looks without the change.

const (
	mostKeys   = 8 // that a place of data is tried with
	mostValues = 6 // of each key
)

// keysOf are the keys of data that a slot hangs on: its own if it is a parameter of a class, then those of the
// parameters near it.
func (l *lab) keysOf(slot string) (keys []string) {
	if known, ok := l.slotKeys[slot]; ok {
		return known
	}
	seen := map[string]bool{}
	add := func(key string) {
		if key = strings.TrimPrefix(strings.ToLower(key), "::"); key != "" && !seen[key] && len(keys) < 2*mostKeys {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	if ref, name, ok := strings.Cut(strings.TrimPrefix(slot, "attribute Class["), "] "); ok &&
		strings.HasPrefix(slot, "attribute Class[") {
		add(ref + "::" + name)
	}
	if name, ok := strings.CutPrefix(slot, "variable "); ok {
		i := strings.LastIndex(name, "::")
		if c := l.res.Catalog.Find("Class[" + name[:i] + "]"); c != nil && l.res.Record().Parameter(c, name[i+2:]).Known() {
			add(name)
		}
	}
	tr := l.res.Trace
	refs := l.view.Slots[slot].Refs
	tr.Near(func(r provenance.Ref) bool {
		if n, ok := tr.NoteAt(r); ok {
			class, of := strings.CutPrefix(n.In, "Class[")
			switch {
			case n.Kind == provenance.LookedUp:
				add(n.Name)
			case n.Kind == provenance.Defaulted && of:
				add(strings.TrimSuffix(class, "]") + "::" + n.Name)
			}
		}
		return true
	}, refs[:]...)
	for _, label := range l.view.Depends(slot) {
		add(rootKey(label))
	}
	l.slotKeys[slot] = keys
	return keys
}

func placesByKey(list []*mutate.Place) map[provenance.LabelKey][]*mutate.Place {
	out := map[provenance.LabelKey][]*mutate.Place{}
	for _, p := range list {
		out[p.Was.Key] = append(out[p.Was.Key], p)
	}
	return out
}

// otherData are changes of a text in a hiera.yaml so that it leads to the same data with another value for one key.
func (l *lab) otherData(config *source.File, p *mutate.Place, keys []string, h *mutate.Hints) (out []*mutate.Place) {
	datadir := "data"
	root := mutate.ReadData(config)
	if d := root.Entry("defaults"); d != nil && d.Entry("datadir") != nil {
		datadir = value.ToString(d.Entry("datadir").Value)
	}
	if strings.Contains(datadir, "%{") || strings.HasSuffix(p.Was.Key.Path, "glob") ||
		strings.HasSuffix(p.Was.Key.Path, "globs") {
		return nil
	}
	dir := filepath.Join(filepath.Dir(p.Path), datadir)
	text := strings.Trim(config.Slice(p.Span), `'"`)
	for _, key := range keys {
		for i, v := range l.values(key, keys, h) {
			if i == mostValues {
				break
			}
			q := *p
			q.Beside = map[string]string{}
			switch {
			case p.Was.Key.Path == "defaults.datadir":
				if !l.otherDir(dir, key, v, q.Beside) {
					continue
				}
				q.New = []string{mutate.Flow(value.String(standIn + "-data"))}
			case strings.HasSuffix(p.Was.Key.Path, ".path") || strings.HasSuffix(p.Was.Key.Path, ".paths"):
				q.New = []string{mutate.Flow(value.String("../" + standIn + "-data/other" + filepath.Ext(text)))}
				q.Beside[filepath.Join(dir, "..", standIn+"-data", "other"+filepath.Ext(text))] = l.changed(filepath.Join(dir,
					l.interpolated(text)), key, v)
			default:
				continue
			}
			out = append(out, &q)
		}
	}
	return out
}

// changed is the text of a data file, which may be missing, with another value for a key.
func (l *lab) changed(path, key string, v value.Value) string {
	data := value.EmptyHash
	if text, err := os.ReadFile(path); err == nil {
		if n := mutate.ReadData(source.NewFile(path, string(text))); n != nil {
			data = n.Value.(*value.Hash)
		}
	}
	b := data.From(1)
	b.SetString(key, v)
	return mutate.Flow(b.Hash()) + "\n"
}

// otherDir copies a directory of data with another value for a key, wherever it has one.
func (l *lab) otherDir(dir, key string, v value.Value, out map[string]string) (found bool) {
	filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		to := filepath.Join(filepath.Dir(dir), standIn+"-data", strings.TrimPrefix(path, dir+"/"))
		out[to] = string(text)
		if n := mutate.ReadData(source.NewFile(path, string(text))); n != nil && n.Entry(key) != nil {
			out[to] = l.changed(path, key, v)
			found = true
		}
		return nil
	})
	return found
}

// inert makes sure that the files which stand beside a changed one are read by nobody without the change: every slot is
// as it was, and a sample of them names the same places.
func (l *lab) inert(path string, beside map[string]string) error {
	key := path + ": " + strings.Join(sorted(beside), " ")
	if len(beside) == 0 || l.beside[key] {
		return nil
	}
	l.beside[key] = true
	at := sorted(beside)[0]
	c, err := l.withData(at, beside[at], beside)
	if err != nil {
		return err
	}
	res, err := c.compile(context.Background(), l.node)
	if err != nil || res.Failure != nil {
		return fmt.Errorf("%s: does not compile with %s beside: %v %v", l.name, at, err, res.Failure)
	}
	view, err := mutate.Look(res)
	if err != nil {
		return err
	}
	names := l.view.Names()
	if !slices.Equal(names, view.Names()) {
		return fmt.Errorf("%s has other slots with %s, which it does not read", l.name, at)
	}
	for i, s := range names {
		same := l.view.Slots[s].Value == view.Slots[s].Value
		if was := keys(l.view, s); same && i%97 == 0 && !slices.ContainsFunc(was, asksForAll) {
			same = slices.Equal(was, keys(view, s))
		}
		if !same {
			return fmt.Errorf("%s: %s is another with %s, which is not read", l.name, s, at)
		}
	}
	return nil
}

// asksForAll tells the place of a slot that depends on all that was read before it, such as the text of a template that
// asks for every variable. How many places those are was seen to differ between a compile and one that reads all data
// anew; why is not known, so they are not compared.
func asksForAll(key string) bool { return strings.HasSuffix(key, "more facts") }

// interpolated is a level's path with the facts in it.
func (l *lab) interpolated(level string) string {
	return interpolation.ReplaceAllStringFunc(level, func(part string) string {
		name := interpolation.FindStringSubmatch(part)[1]
		if v, ok := l.places.At(provenance.Label{Kind: provenance.Fact, Path: name}); ok {
			return value.ToString(v)
		}
		return ""
	})
}

// newConfig adds a hiera.yaml, which leads to a file with one key.
func (l *lab) newConfig(name string, keys []string, h *mutate.Hints) (out []*mutate.Place) {
	path := l.path(name)
	module := ""
	if m := l.base.env.ModuleOf(path); m != nil {
		module = m.Name
	}
	for _, key := range keys {
		if module != "" && !strings.HasPrefix(key, module+"::") {
			continue
		}
		for i, v := range l.values(key, keys, h) {
			if i == mostValues {
				break
			}
			p := &mutate.Place{Kind: mutate.Insertion, Path: path,
				New: []string{"version: 5\nhierarchy:\n  - {name: other, path: " + standIn + ".yaml}\n"},
				Was: mutate.Named(provenance.LabelKey{Kind: provenance.Absence, Path: "file " + name}),
				Is: mutate.Names{Key: provenance.LabelKey{Kind: provenance.Datum, File: name, Path: "hierarchy.0.path"},
					More: func(k provenance.LabelKey) bool { return k.Kind == provenance.Datum && k.File == name }},
				Beside: map[string]string{filepath.Join(filepath.Dir(path), "data", standIn+
					".yaml"): mutate.Flow(value.NewHash(value.String(key), v)) + "\n"}}
			out = append(out, p)
		}
	}
	return out
}
