package explain

import (
	"fmt"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/record"
	"bunraku/puppet/value"
	"bunraku/source"
)

// explainHiera says what each level has for a key, which one counts, and what the key reaches.
func (rec *Record) explainHiera(a *Answer, key string) error {
	h := rec.hieraOf(key)
	if h == nil || !h.Found {
		near := ""
		var keys []string
		rec.Trace.EachLeaf(func(_ provenance.Ref, l provenance.Label) {
			if l.Kind == provenance.Datum && l.Place.File != nil && !isConfig(l.Place.File.Name) {
				keys = append(keys, RootKey(l.Path))
			}
		})
		if near = source.Nearest(key, keys); near != "" {
			near = "hiera:" + near
		}
		m := &NotFound{Message: "Hiera has no key " + key + " for " + rec.Catalog.Name}
		if rec.Data == nil {
			m.Message = "this record does not say what Hiera has for " + key
		}
		if near != "" {
			m.Suggestions = []string{near}
		}
		return m
	}
	a.Kind, a.Key, a.Merge = "hiera", key, h.Merge
	secret := rec.SecretKey(key)
	if a.Sensitive = secret; !secret {
		a.value, a.Value = h.Value, dataOf(h.Value)
	}
	used := false
	for _, lv := range h.Levels {
		use := lv.Found && (h.Merge != "first" || !used)
		used = used || lv.Found
		s := rec.levelSpot(h, lv, use)
		if secret {
			s.Sensitive = s.Found
			s.value, s.Value = nil, nil
			if s.At != nil {
				s.At.Text = ""
			}
		}
		a.Levels = append(a.Levels, s)
	}
	a.Reaches, _ = rec.Reaches("hiera:" + key)
	return nil
}

// SecretKey reports whether what Hiera has for a key must not be shown.
func (rec *Record) SecretKey(key string) bool {
	h := rec.hieraOf(RootKey(key))
	return rec.secrets().keys[RootKey(key)] || h != nil && rec.secretHiera(h)
}

// secretHiera is SecretKey for what the levels have.
func (rec *Record) secretHiera(h *record.Hiera) bool {
	for _, key := range append([]string{h.Key}, h.Quotes...) {
		if root := RootKey(key); rec.secrets().keys[root] || rec.isDeclaredSecret(root) {
			return true
		}
	}
	return value.HasSensitive(h.Value) ||
		slices.ContainsFunc(h.Levels, func(lv record.Level) bool { return len(lv.Secret) > 0 })
}

// isDeclaredSecret reports whether the code declares a key's parameter Sensitive, be there a node that has its class or
// not.
func (rec *Record) isDeclaredSecret(key string) bool {
	return rec.Code != nil && rec.Code.Sensitive(key)
}

// LevelFile is the data file in which a key would be set: that of a level, by its name or the end of its path; without
// one that of the level whose value counts now, else the first that is there.
func (rec *Record) LevelFile(key, level string) (string, error) {
	h := rec.hieraOf(RootKey(key))
	if h == nil || len(h.Levels) == 0 { // nobody has the key: ask for the levels by one that somebody has
		for k := range rec.askedKeys() {
			if h = rec.hieraOf(k); h != nil && len(h.Levels) > 0 {
				break
			}
		}
	}
	if h == nil || len(h.Levels) == 0 {
		return "", fmt.Errorf("no level of Hiera is known for %s: the environment has no data, or nobody asks it", key)
	}
	var names []string
	there := ""
	for _, lv := range h.Levels {
		if level != "" && (strings.EqualFold(lv.Name, level) || sameFile(lv.File, level)) {
			return lv.File, nil
		}
		if level == "" && lv.Found && h.Key == RootKey(key) {
			return lv.File, nil
		}
		if there == "" && lv.Exists {
			there = lv.File
		}
		names = append(names, lv.Name)
	}
	if level != "" {
		return "", fmt.Errorf("no level of Hiera is called %s: there are %s", level, strings.Join(names, ", "))
	}
	if there == "" {
		return "", fmt.Errorf("no level of Hiera has a file for %s", rec.Catalog.Name)
	}
	return there, nil
}

// explainFact shows a fact and how much it reaches.
func (rec *Record) explainFact(a *Answer, path string) error {
	path = strings.TrimPrefix(path, "facts.")
	v, ok := rec.Fact(path)
	if !ok {
		m := &NotFound{Message: "the facts of " + rec.Catalog.Name + " have no " + path}
		if near := source.Nearest(path, rec.factNames()); near != "" {
			m.Suggestions = []string{"fact:" + near}
		}
		return m
	}
	a.Kind, a.Key = "fact", path
	rec.showFact(a, v, path)
	a.Reaches, _ = rec.Reaches("fact:" + path)
	return nil
}

func (rec *Record) showFact(a *Answer, v value.Value, path string) {
	for leaf := range rec.secrets().leaves {
		if l, _ := rec.Trace.Label(leaf); l.Kind == provenance.Fact &&
			(l.Path == path || strings.HasPrefix(l.Path, path+".") || strings.HasPrefix(path, l.Path+".")) {
			a.Sensitive = true
			return
		}
	}
	a.value, a.Value = v, dataOf(v)
}

// factNames are the paths of all facts.
func (rec *Record) factNames() (out []string) {
	var walk func(prefix string, v value.Value)
	walk = func(prefix string, v value.Value) {
		if h, ok := v.(*value.Hash); ok {
			for _, e := range h.Entries() {
				name := prefix + value.ToString(e.Key)
				out = append(out, name)
				walk(name+".", e.Value)
			}
		}
	}
	if rec.Facts != nil {
		walk("", rec.Facts)
	}
	return out
}
