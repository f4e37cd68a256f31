package diff

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/environment"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Deferred function runs on the agent, which has its Ruby from the modules: a commit that changes it changes no
// catalog and still changes machines. What it comes to there nobody here can say.

// Deferred are the names of the functions that a value leaves to the agent.
func Deferred(v value.Value) (names []string) {
	switch v := v.(type) {
	case *value.Deferred:
		names = append(names, v.Name)
		if v.Args != nil {
			names = append(names, Deferred(v.Args)...)
		}
	case *value.Sensitive:
		return Deferred(v.Value)
	case *value.Array:
		for _, e := range v.Elems {
			names = append(names, Deferred(e)...)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			names = append(append(names, Deferred(e.Key)...), Deferred(e.Value)...)
		}
	}
	return names
}

// calledBy are what of a value agents call: the functions that it names, and what may be the name of one in the texts
// that these are given, since some run what they are given, as call and inline_epp do.
func calledBy(v value.Value) (names []string) {
	if names = Deferred(v); len(names) == 0 {
		return nil
	}
	var texts func(v value.Value, given bool)
	texts = func(v value.Value, given bool) {
		switch v := v.(type) {
		case value.String:
			if given {
				names = append(names, functionName.FindAllString(string(v), -1)...)
			}
		case *value.Deferred:
			if v.Args != nil {
				texts(v.Args, true)
			}
		case *value.Sensitive:
			texts(v.Value, given)
		case *value.Array:
			for _, e := range v.Elems {
				texts(e, given)
			}
		case *value.Hash:
			for _, e := range v.Entries() {
				texts(e.Key, given)
				texts(e.Value, given)
			}
		}
	}
	texts(v, false)
	return names
}

var functionName = regexp.MustCompile(`[a-z][a-z0-9_]*(::[a-z][a-z0-9_]*)*`)

// deferred tells of attributes that call functions whose Ruby is not the same on both sides.
func (c *comparison) deferred(r, s *catalog.Resource) {
	for i := range s.Params {
		p := &s.Params[i]
		for _, name := range calledBy(p.Value) {
			if text := c.opt.Contents.another(name); text != "" {
				c.add(&Change{Kind: NotKnown, Name: s.Name(), Attribute: p.Name, old: r, new: s, Text: text})
				break
			}
		}
	}
}

// another says that the Ruby of a function, or something that it may use, is not the same on both sides; "" if it is.
func (c *Contents) another(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.libraries == nil {
		c.libraries, c.functions = &[2]*library{libraryOf(c.from), libraryOf(c.to)}, map[string]string{}
	}
	text, ok := c.functions[name]
	if !ok {
		was, is := c.libraries[0], c.libraries[1]
		if was.files[was.function(name)].Digest != is.files[is.function(name)].Digest {
			text = "the function " + name + ", which agents run, is another one"
		} else if !maps.Equal(was.used(name), is.used(name)) {
			text = "what the function " + name + " may use, which agents run, is not the same"
		}
		c.functions[name] = text
	}
	return text
}

// OtherFunctions reports whether any Ruby that functions on agents may run is not the same on both sides.
func (c *Contents) OtherFunctions() bool {
	return !maps.Equal(libraryOf(c.from).digests(), libraryOf(c.to).digests())
}

// A library is the Ruby that agents have from modules: what is below lib, by its path there, from the first module that
// has it.
type library struct {
	files map[string]source.Content
	named map[string][]string // paths by the names that Ruby may call them: the file's, without capitals and underscores
	words map[string][]string // the names in a file, made when asked for
}

func libraryOf(env *environment.Environment) *library {
	l := &library{files: map[string]source.Content{}, named: map[string][]string{}, words: map[string][]string{}}
	if env == nil {
		return l
	}
	for _, m := range env.Modules() {
		at := path.Join(m.Dir, "lib")
		_ = source.Walk(env.Files(), at, func(p string, e source.Entry) bool { // what is not there holds nothing
			rel := strings.TrimPrefix(p, at+"/")
			if e.IsDir() {
				return rel != "facter" // facts are made before, and no function runs them
			}
			if _, first := l.files[rel]; first || path.Ext(rel) != ".rb" {
				return true
			}
			if text, err := env.Files().Read(p); err == nil {
				l.files[rel] = text
				name := rubyName(strings.TrimSuffix(path.Base(rel), ".rb"))
				l.named[name] = append(l.named[name], rel)
			}
			return true
		})
	}
	return l
}

// rubyName is a name as a file, a constant and a method may share it.
func rubyName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

var (
	rubyWord    = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	rubyComment = regexp.MustCompile(`(?m)^\s*#.*$`)
)

// used are digests of the files that a function runs: its own, and each that shares a name with a word in one of them.
// What is required or called is named there, and some more.
func (l *library) used(name string) map[string]source.Digest {
	out := map[string]source.Digest{}
	todo := []string{l.function(name)}
	if todo[0] == "" {
		return nil
	}
	for len(todo) > 0 {
		rel := todo[0]
		todo = todo[1:]
		if _, done := out[rel]; done {
			continue
		}
		out[rel] = l.files[rel].Digest
		words, known := l.words[rel]
		if !known {
			for _, w := range rubyWord.FindAllString(rubyComment.ReplaceAllString(l.files[rel].Text, ""), -1) {
				words = append(words, rubyName(w))
			}
			slices.Sort(words)
			words = slices.Compact(words)
			l.words[rel] = words
		}
		for _, w := range words {
			todo = append(todo, l.named[w]...)
		}
	}
	return out
}

// function is the file that a function is in; "" if no module has it.
func (l *library) function(name string) string {
	at := strings.ReplaceAll(strings.TrimPrefix(name, "::"), "::", "/") + ".rb"
	for _, dir := range []string{"puppet/functions", "puppet/parser/functions"} {
		if _, there := l.files[path.Join(dir, at)]; there {
			return path.Join(dir, at)
		}
	}
	return ""
}

func (l *library) digests() map[string]source.Digest {
	out := map[string]source.Digest{}
	for rel, text := range l.files {
		out[rel] = text.Digest
	}
	return out
}
