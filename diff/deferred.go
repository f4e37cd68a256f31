package diff

import (
	"maps"
	"path"
	"path/filepath"
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
//
// So it is with the files of modules that an agent finds by what a function came to: those that it copies, and those
// that file, template and their like read where the modules are, as for puppet apply. Where their names are not in the
// catalog, it may be any that is not the same on both sides.

// eachDeferred visits what a value leaves to the agent, outer calls first.
func eachDeferred(v value.Value, visit func(*value.Deferred)) {
	switch v := v.(type) {
	case *value.Deferred:
		visit(v)
		if v.Args != nil {
			eachDeferred(v.Args, visit)
		}
	case *value.Sensitive:
		eachDeferred(v.Value, visit)
	case *value.Array:
		for _, e := range v.Elems {
			eachDeferred(e, visit)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			eachDeferred(e.Key, visit)
			eachDeferred(e.Value, visit)
		}
	}
}

// Deferred are the names of the functions that a value leaves to the agent.
func Deferred(v value.Value) (names []string) {
	eachDeferred(v, func(d *value.Deferred) { names = append(names, d.Name) })
	return names
}

// givenTo are the texts among what a function is given; what it is given by other ones is not.
func givenTo(d *value.Deferred) []string {
	if d.Args == nil {
		return nil
	}
	return textsIn(d.Args)
}

// textsIn are the texts in a value, but for what agents make of it.
func textsIn(v value.Value) (texts []string) {
	switch v := v.(type) {
	case value.String:
		return []string{string(v)}
	case *value.Sensitive:
		return textsIn(v.Value)
	case *value.Array:
		for _, e := range v.Elems {
			texts = append(texts, textsIn(e)...)
		}
	case *value.Hash:
		for _, e := range v.Entries() {
			texts = append(texts, textsIn(e.Key)...)
			texts = append(texts, textsIn(e.Value)...)
		}
	}
	return texts
}

// calledBy are what of a value agents call: the functions that it names, and what may be the name of one in the texts
// that these are given, since some run what they are given, as call and inline_epp do.
func calledBy(v value.Value) (names []string) {
	names = Deferred(v)
	eachDeferred(v, func(d *value.Deferred) {
		for _, text := range givenTo(d) {
			names = append(names, functionName.FindAllString(text, -1)...)
		}
	})
	return names
}

var functionName = regexp.MustCompile(`[a-z][a-z0-9_]*(::[a-z][a-z0-9_]*)*`)

// deferred tells of attributes that agents make of something that is not the same on both sides.
func (c *comparison) deferred(r, s *catalog.Resource) {
	for i := range s.Params {
		p := &s.Params[i]
		text := ""
		for _, name := range calledBy(p.Value) {
			if text = c.opt.Contents.another(name); text != "" {
				break
			}
		}
		switch {
		case text != "":
		case mayName(s, p) && c.opt.Contents.otherFiles(served...):
			text = "agents find out which file it is, and files of modules are not the same"
		case c.opt.Contents.otherRead(p.Value):
			text = "agents read files of modules for it that are not the same"
		default:
			continue
		}
		c.add(&Change{Kind: NotKnown, Name: s.Name(), Attribute: p.Name, old: r, new: s, Text: text})
	}
}

// served are the directories of a module that agents may copy files from.
var served = []string{"files", "scripts", "tasks", "lib", "facts.d", "locales"}

// whichFiles are the attributes of a file that say which files are copied.
var whichFiles = []string{"source", "sourceselect", "recurse", "recurselimit", "ignore", "links"}

// FoundByAgents reports whether agents find out by an attribute which file of a module they copy or read.
func FoundByAgents(r *catalog.Resource, p *catalog.Param) bool {
	may := mayName(r, p)
	eachDeferred(p.Value, func(d *value.Deferred) {
		may = may || readers[d.Name] != "" || slices.ContainsFunc(givenTo(d), func(text string) bool {
			return readersIn(text) != nil
		})
	})
	return may
}

// mayName reports whether agents find out by an attribute which file of a module they copy. Of other types than file
// that is one which is called so, or whose functions are given the beginning of such a name.
func mayName(r *catalog.Resource, p *catalog.Param) (may bool) {
	if strings.TrimPrefix(r.Type, catalog.ForOthers) == "File" {
		return len(Deferred(p.Value)) > 0 && slices.Contains(whichFiles, p.Name) && r.Get("source") != nil &&
			r.Get("ensure") != value.String("absent")
	}
	eachDeferred(p.Value, func(d *value.Deferred) {
		may = may || strings.Contains(p.Name, "source") || slices.ContainsFunc(givenTo(d), func(text string) bool {
			return strings.Contains(strings.ToLower(text), "puppet:/")
		})
	})
	return may
}

// readers are Puppet's functions that read files of modules, and the directories that these are in.
var readers = map[string]string{"file": "files", "binary_file": "files", "find_file": "files", "template": "templates",
	"epp": "templates", "find_template": "templates"}

// otherRead reports whether a function that a value leaves to the agent may read a file that is not the same on both
// sides. One that is called by code, or by its name, or is given what another one comes to, may read any.
func (c *Contents) otherRead(v value.Value) (other bool) {
	eachDeferred(v, func(d *value.Deferred) {
		given := givenTo(d)
		if dir := readers[d.Name]; dir != "" && d.Args != nil && len(Deferred(d.Args)) == 0 {
			other = other || slices.ContainsFunc(given, func(name string) bool { return c.otherFile(dir, name) })
		} else if dir != "" {
			other = other || c.otherFiles(dir)
		}
		for _, text := range given {
			for _, name := range readersIn(text) {
				other = other || c.otherFiles(readers[name])
			}
		}
	})
	return other
}

var tag = regexp.MustCompile(`(?s)<%.*?(%>|$)`)

// readersIn are the readers that a text names, if it is the name of one or a template.
func readersIn(text string) (names []string) {
	if readers[text] != "" {
		return []string{text}
	}
	for _, code := range tag.FindAllString(text, -1) {
		names = append(names, functionName.FindAllString(code, -1)...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return readers[name] == "" })
}

// otherFile reports whether a file in a directory of a module, named MODULE/PATH, is not the same on both sides.
func (c *Contents) otherFile(dir, name string) bool {
	module, rest, _ := strings.Cut(name, "/")
	if !filepath.IsLocal(rest) {
		return false
	}
	var is [2]moduleFile
	for i, env := range []*environment.Environment{c.from, c.to} {
		if env == nil {
			return true
		}
		if m := env.Module(module); m != nil && source.Exists(env.Files(), path.Join(m.Dir, dir, rest)) {
			is[i] = readModuleFile(env.Files(), path.Join(m.Dir, dir, rest), true)
		}
	}
	return !is[0].same(is[1])
}

// otherFiles reports whether any file in some directories of modules is not the same on both sides.
func (c *Contents) otherFiles(dirs ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, dir := range dirs {
		other, known := c.others[dir]
		if !known {
			other = c.from == nil || c.to == nil ||
				!maps.EqualFunc(filesIn(c.from, dir), filesIn(c.to, dir), moduleFile.same)
			c.others[dir] = other
		}
		if other {
			return true
		}
	}
	return false
}

// filesIn are the files in a directory of each module, by their paths, with what links lead to.
func filesIn(env *environment.Environment, dir string) map[string]moduleFile {
	out := map[string]moduleFile{}
	for _, m := range env.Modules() {
		_ = source.Walk(env.Files(), path.Join(m.Dir, dir), func(p string, e source.Entry) bool { // as far as it is there
			switch {
			case !e.Link && e.IsDir():
				out[p] = moduleFile{there: true, dir: true}
				return true
			case e.Link && e.IsDir():
				if err := walkSource(env.Files(), p, true, func(below string, dir bool) {
					if !dir {
						out[below] = readModuleFile(env.Files(), below, true)
					}
				}); err != nil {
					out[p+"/"] = moduleFile{text: err.Error()}
				}
			case e.Link:
				out[p+"/"] = readModuleFile(env.Files(), p, true)
			}
			out[p] = readModuleFile(env.Files(), p, false)
			return true
		})
	}
	return out
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

// OtherForAgents reports whether anything that agents may run or read for a Deferred or a command is not the same on
// both sides, or the way in which they get such a value.
func (c *Contents) OtherForAgents() bool {
	return c.otherRich() || c.otherFiles(append([]string{"templates"}, served...)...) ||
		!maps.Equal(libraryOf(c.from).digests(), libraryOf(c.to).digests())
}

// A library is the Ruby that agents have from modules, and what it may read beside itself: what is below lib, by its
// path there, from the first module that has it.
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
			if _, first := l.files[rel]; first {
				return true
			}
			if text, err := env.Files().Read(p); err == nil {
				l.files[rel] = text
				name := rubyName(strings.TrimSuffix(path.Base(rel), path.Ext(rel)))
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
		if !known && path.Ext(rel) == ".rb" {
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
