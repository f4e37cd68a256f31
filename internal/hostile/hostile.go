//go:build unix

// Package hostile makes trees as a stranger could send them in a pull request: each tries to make the program run code,
// read or tell what lies outside, work without end, crash, print a secret, or write into a terminal or a log what these
// would obey. The same seed always makes the same trees. It is for tests only.
//
// It imports nothing of this module. Start reading at Trees; each family has a file or a function of its own.
package hostile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What is planted, and must never be printed.
const (
	Secret  = "pl4nted-s3cret"  // a value that the tree calls sensitive
	Outside = "pl4nted-0utside" // what a file outside of the tree holds
)

// A Place is where a tree is written.
type Place struct {
	Dir     string // the tree
	Outside string // a directory beside it, with a file "text" that holds Outside
	Marker  string // a file that nobody may make
	Side    []byte // a side file that compile --provenance wrote of Plain
}

// A Tree is one hostile tree and the commands to ask about it; "ENV" in them stands for its directory.
type Tree struct {
	Name     string // family/what
	Commands [][]string
	write    func(*writer)
}

// Write makes the tree.
func (t Tree) Write(p Place) error {
	w := &writer{Place: p}
	for name, text := range Plain() {
		w.file(name, text)
	}
	t.write(w)
	return errors.Join(w.errs...)
}

// Plain is a small site without malice that uses every kind of file; a hostile tree changes something of it.
func Plain() map[string]string {
	return map[string]string{
		"environment.conf": "modulepath = modules\n",
		"manifests/site.pp": "include m\nnotify { 'x': message => lookup('k') }\n" +
			"file { '/x': content => template('m/t.erb'), mode => '0600' }\n",
		"modules/m/manifests/init.pp": "class m(M::T $p = 1, $q = m::f(1)) {\n  file { '/e': content => epp('m/t.epp') }\n" +
			"  file { '/f': content => file('m/f') }\n  m::d { 'd': }\n}\n",
		"modules/m/manifests/d.pp":   "define m::d($a = lookup('m::k')) { notify { \"d ${title}\": } }\n",
		"modules/m/functions/f.pp":   "function m::f($x) { $x + 1 }\n",
		"modules/m/types/t.pp":       "type M::T = Integer[0, 9]\n",
		"modules/m/templates/t.erb":  "<%= 1 + 1 %>\n",
		"modules/m/templates/t.epp":  "<%= 1 + 1 %>\n",
		"modules/m/files/f":          "text\n",
		"modules/m/metadata.json":    `{"name": "a-m", "version": "1.0.0", "author": "a", "summary": "", "license": "MIT", "source": "x", "dependencies": []}`,
		"modules/m/hiera.yaml":       "version: 5\n",
		"modules/m/data/common.yaml": "m::k: 1\n",
		"modules/m/lib/puppet/functions/m/g.rb": "Puppet::Functions.create_function(:'m::g') do\n  def g\n    1\n  " +
			"end\nend\n",
		"modules/m/lib/puppet/type/mt.rb": "Puppet::Type.newtype(:mt) do\n  newparam(:name)\nend\n",
		"hiera.yaml": "version: 5\nhierarchy:\n  - name: Node\n    path: nodes/%{trusted.certname}.yaml\n" +
			"  - name: All\n    path: common.yaml\n",
		"data/common.yaml":  "k: v\n",
		"data/nodes/n.yaml": "z: 1\n",
		"facts/n.yaml":      "os: {family: Debian, name: Debian, release: {major: '12', full: '12.1'}}\nnetworking: {fqdn: n}\n",
		"bunraku.assert":    "",
	}
}

// commands are what is asked of most trees.
var commands = [][]string{
	{"check", "ENV"},
	{"compile", "ENV", "--node", "n"},
	{"explain", "ENV", "--node", "n", "Notify[x]", "message"},
	{"verify", "ENV", "--node", "n"},
	{"parse", "ENV/manifests/site.pp"},
}

// Trees are all trees of a seed, by name.
func Trees(seed int) []Tree {
	var out []Tree
	for _, family := range [][]Tree{links(), texts(), work(), secrets(), repositories(), documents(), languages(), more(),
		noise(seed)} {
		out = append(out, family...)
	}
	for i := range out {
		if out[i].Commands == nil {
			out[i].Commands = commands
		}
	}
	slices.SortStableFunc(out, func(a, b Tree) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// A writer writes a tree and remembers what failed.
type writer struct {
	Place
	errs []error
}

func (w *writer) at(name string) string { return filepath.Join(w.Dir, filepath.FromSlash(name)) }

// file writes a file; OUTSIDE and MARKER in it stand for their paths.
func (w *writer) file(name, text string) {
	text = strings.NewReplacer("OUTSIDE", w.Outside, "MARKER", w.Marker).Replace(text)
	w.make(name, func(at string) error { return os.WriteFile(at, []byte(text), 0o644) })
}

// make makes the directories above a name and clears it for something new.
func (w *writer) make(name string, f func(at string) error) {
	at := w.at(name)
	err := os.MkdirAll(filepath.Dir(at), 0o755)
	if err == nil {
		err = os.RemoveAll(at)
	}
	if err == nil {
		err = f(at)
	}
	if err != nil && !errors.Is(err, fs.ErrInvalid) {
		w.errs = append(w.errs, err)
	}
}

func (w *writer) link(name, target string) {
	w.make(name, func(at string) error { return os.Symlink(target, at) })
}

func (w *writer) sparse(name string, size int64) {
	w.make(name, func(at string) error {
		f, err := os.Create(at)
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(size), f.Close())
	})
}

// tree makes a Tree that replaces one file of the plain one.
func tree(name, file, text string) Tree {
	return Tree{Name: name, write: func(w *writer) { w.file(file, text) }}
}
