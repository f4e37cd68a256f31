package main

import (
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A faultTree is a public tree of which faults are made. Its places are found here with the parser alone, and nothing
// is asked of what check knows.
type faultTree struct {
	name    string            // as bench/fetched.txt has it
	from    string            // the clone
	copy    string            // where it is changed; "" before
	before  map[string]int    // what check says of it as it is, after copying
	files   []string          // paths in the tree, with slashes, in order
	texts   map[string]string // of those that are text
	modules []faultModule
	code    []*syntax.File               // manifests of modules and main manifests, those without an error
	epp     []*syntax.File               // templates
	owners  map[string]syntax.Definition // classes and defines, by name
	words   *faultWords
	levels  []faultHiera
}

// A faultModule is a module: its name, and where it is in the tree ("" for a tree that is a module).
type faultModule struct{ name, dir string }

// A faultHiera is a hiera.yaml with the data files that its levels can read.
type faultHiera struct {
	file  string
	data  []string
	eyaml bool // some level decrypts
}

// faultWords are all words of all trees and of Puppet itself: a misspelling that is none of them names nothing.
type faultWords struct{ known map[string]bool }

var faultWord = regexp.MustCompile(`[A-Za-z0-9_]+`)

func (w *faultWords) learn(text string) {
	for _, word := range faultWord.FindAllString(text, -1) {
		w.known[strings.ToLower(word)] = true
	}
}

// misspell gives a word with one mistake of the hand: a letter left out, doubled, struck beside, or two that changed
// places. It is no word that anything has.
func (w *faultWords) misspell(r *rand.Rand, word string) string {
	letters := []rune(word)
	if len(letters) < 4 {
		return ""
	}
	for range 40 {
		i := 1 + r.IntN(len(letters)-2)
		var out []rune
		switch r.IntN(4) {
		case 0:
			out = slices.Concat(letters[:i], letters[i+1:])
		case 1:
			out = slices.Concat(letters[:i], letters[i:i+1], letters[i:])
		case 2:
			out = slices.Concat(letters[:i], []rune{letters[i+1], letters[i]}, letters[i+2:])
		default:
			out = slices.Concat(letters[:i], []rune{'a' + rune(r.IntN(26))}, letters[i+1:])
		}
		s := string(out)
		if !w.known[strings.ToLower(s)] && !strings.Contains(s, "__") && letters[i] != '_' && !strings.HasSuffix(s, "_") {
			return s
		}
	}
	return ""
}

// misspellIn misspells one segment of a qualified name.
func (w *faultWords) misspellIn(r *rand.Rand, name string) string {
	parts := strings.Split(name, "::")
	for range 8 {
		i := r.IntN(len(parts))
		if s := w.misspell(r, parts[i]); s != "" {
			return strings.Join(append(append(slices.Clone(parts[:i]), s), parts[i+1:]...), "::")
		}
	}
	return ""
}

// misspellLast misspells the last segment of a qualified name.
func (w *faultWords) misspellLast(r *rand.Rand, name string) string {
	i := strings.LastIndex(name, "::")
	if i < 0 {
		return w.misspell(r, name)
	}
	if s := w.misspell(r, name[i+2:]); s != "" {
		return name[:i+2] + s
	}
	return ""
}

// faultTrees reads the trees that bench/fetched.txt names: control repos, and modules.
func faultTrees(t *testing.T) []*faultTree {
	fetched := filepath.Dir(live.Fetched(t, "puppet8"))
	list, err := os.ReadFile(filepath.Join(live.Root(), "bench", "fetched.txt"))
	if err != nil {
		t.Fatal(err)
	}
	words := &faultWords{map[string]bool{}}
	var trees []*faultTree
	for line := range strings.SplitSeq(string(list), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		name := fields[0]
		if !strings.HasPrefix(name, "lint-modules/") && !strings.HasPrefix(name, "modern/") &&
			!strings.HasPrefix(name, "site_") && name != "miraheze_puppet" && !strings.HasPrefix(name, "mozilla") ||
			strings.HasSuffix(name, "puppetlabs-apache") { // whose check takes too long for many of them
			continue
		}
		tree := &faultTree{name: name, from: filepath.Join(fetched, name), texts: map[string]string{},
			owners: map[string]syntax.Definition{}, words: words}
		if _, err := os.Stat(tree.from); err != nil {
			continue
		}
		tree.read(t)
		if len(tree.code) > 0 {
			trees = append(trees, tree)
		}
	}
	err = filepath.WalkDir(filepath.Join(fetched, "puppet8", "lib"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".rb") {
			text, err := os.ReadFile(path)
			words.learn(string(text) + " " + strings.TrimSuffix(d.Name(), ".rb"))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return trees
}

func (tree *faultTree) read(t *testing.T) {
	err := filepath.WalkDir(tree.from, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		name, _ := filepath.Rel(tree.from, path)
		tree.files = append(tree.files, filepath.ToSlash(name))
		if info, err := d.Info(); err != nil || info.Size() > 1<<20 {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.Contains(string(text), "\x00") {
			tree.texts[filepath.ToSlash(name)] = string(text)
			tree.words.learn(string(text))
		}
		tree.words.learn(name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tree.findModules()
	for _, name := range tree.files {
		module := tree.moduleOf(name)
		switch {
		case strings.HasSuffix(name, ".pp") && (module != nil && strings.HasPrefix(name, module.dir+"manifests/") ||
			module == nil && strings.HasPrefix(name, "manifests/")):
			f, said := syntax.Parse(source.NewFile(name, tree.texts[name]), syntax.Options{})
			if len(said) > 0 {
				continue
			}
			tree.code = append(tree.code, f)
			for _, d := range f.Defs {
				owner := ""
				switch d := d.(type) {
				case *syntax.Class:
					owner = d.Name
				case *syntax.Define:
					owner = d.Name
				}
				if owner != "" && module != nil && strings.HasPrefix(owner+"::", module.name+"::") {
					tree.owners[owner] = d
				}
			}
		case strings.HasSuffix(name, ".epp") && module != nil && strings.HasPrefix(name, module.dir+"templates/"):
			if f, said := syntax.ParseEPP(source.NewFile(name, tree.texts[name]), syntax.Options{}); len(said) == 0 {
				tree.epp = append(tree.epp, f)
			}
		}
	}
	for _, name := range tree.files {
		if module := tree.moduleOf(name); name == "hiera.yaml" || module != nil && name == module.dir+"hiera.yaml" {
			tree.readHiera(name)
		}
	}
}

var (
	faultModulepath = regexp.MustCompile(`(?m)^\s*modulepath\s*=\s*(.*)$`)
	faultModuleName = regexp.MustCompile(`"name"\s*:\s*"\w+[-/](\w+)"`)
)

// findModules finds the directories of modules: those of environment.conf, or the tree itself.
func (tree *faultTree) findModules() {
	_, conf := tree.texts["environment.conf"]
	_, puppetfile := tree.texts["Puppetfile"]
	site := slices.ContainsFunc(tree.files, func(f string) bool {
		return strings.HasPrefix(f, "modules/") || f == "manifests/site.pp"
	})
	if !conf && !puppetfile && !site {
		if m := faultModuleName.FindStringSubmatch(tree.texts["metadata.json"]); m != nil {
			tree.modules = []faultModule{{m[1], ""}}
		}
		return
	}
	dirs := []string{"modules"}
	if m := faultModulepath.FindStringSubmatch(tree.texts["environment.conf"]); m != nil {
		dirs = strings.Split(m[1], ":")
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		dir = strings.TrimPrefix(strings.TrimSpace(dir), "./")
		for _, f := range tree.files {
			if rest, is := strings.CutPrefix(f, dir+"/"); is {
				name, in, _ := strings.Cut(rest, "/")
				if strings.HasPrefix(in, "manifests/") && !seen[name] {
					seen[name] = true
					tree.modules = append(tree.modules, faultModule{name, dir + "/" + name + "/"})
				}
			}
		}
	}
}

func (tree *faultTree) moduleOf(file string) *faultModule {
	for i, m := range tree.modules {
		if strings.HasPrefix(file, m.dir) {
			return &tree.modules[i]
		}
	}
	return nil
}

var (
	faultDatadir = regexp.MustCompile(`(?m)^\s*(?:- )?datadir:\s*['"]?([\w/.-]+)['"]?\s*$`)
	faultPath    = regexp.MustCompile(`['"]?([^'"\s\[,]+\.(?:e?yaml))['"]?\s*\]?\s*$`)
	faultInterp  = regexp.MustCompile(`%\\?\{[^}]*\}`)
)

// readHiera finds the data files that a level of a hiera.yaml can read.
func (tree *faultTree) readHiera(name string) {
	h := faultHiera{file: name, eyaml: strings.Contains(tree.texts[name], "eyaml")}
	base := strings.TrimSuffix(name, "hiera.yaml")
	dirs := faultDatadir.FindAllStringSubmatch(tree.texts[name], -1)
	if dirs == nil {
		dirs = [][]string{{"", "data"}}
	}
	for line := range strings.SplitSeq(tree.texts[name], "\n") {
		m := faultPath.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, dir := range dirs {
			pattern := regexp.QuoteMeta(base + dir[1] + "/" + faultInterp.ReplaceAllString(m[1], "\x01"))
			match := regexp.MustCompile("^" + strings.ReplaceAll(pattern, "\x01", ".+") + "$")
			for _, f := range tree.files {
				if match.MatchString(f) && tree.texts[f] != "" && !slices.Contains(h.data, f) {
					h.data = append(h.data, f)
				}
			}
		}
	}
	tree.levels = append(tree.levels, h)
}

// faultRandom is the same sequence in every run, and another one for every kind; BUNRAKU_SEED is the number of another
// run.
func faultRandom(kind string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(kind))
	seed, err := strconv.ParseUint(os.Getenv("BUNRAKU_SEED"), 10, 64)
	if err != nil {
		seed = 20261117
	}
	return rand.New(rand.NewPCG(h.Sum64(), seed))
}

// faultCopy copies a clone, which is not changed itself.
func (tree *faultTree) faultCopy(t *testing.T, to string) {
	err := filepath.WalkDir(tree.from, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(tree.from, path)
		at := filepath.Join(to, name)
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" && path != tree.from:
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(at, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, at)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(at, text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	tree.copy = to
}
