package deploy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/source"
	"bunraku/source/git"
)

// A Revision is one state of an environment: a commit of its branch, and for each module of the Puppetfile a commit or
// a release. Its files never change.
type Revision struct {
	Environment string
	Dir         string // where it is said to lie
	// ID names the state: the commit, and if there is a Puppetfile with modules, a digest of what those are.
	ID   string
	Time time.Time // when the branch was committed to last

	pins   pins
	layers []layer
	files  *source.Layers // without what lies elsewhere
}

// pins are what a revision consists of, as it is kept.
type pins struct {
	Branch  string `json:"branch"`
	Commit  string `json:"commit"`
	Modules []pin  `json:"modules,omitempty"`
}

// A pin is one module: a commit of a mirror in the cache, or a release with its checksum.
type pin struct {
	Dir     string `json:"dir"`
	Mirror  string `json:"mirror,omitempty"`
	Commit  string `json:"commit,omitempty"`
	Release string `json:"release,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
}

func (p pins) equal(q pins) bool {
	return p.Branch == q.Branch && p.Commit == q.Commit && slices.Equal(p.Modules, q.Modules)
}

// id names what is pinned.
func (p pins) id() string {
	if len(p.Modules) == 0 {
		return p.Commit
	}
	text, err := json.Marshal(p.Modules)
	if err != nil {
		panic(err) // they are texts
	}
	sum := sha256.Sum256(text)
	return p.Commit + "-" + hex.EncodeToString(sum[:8])
}

// A layer is a part of a revision.
type layer struct {
	at   string
	tree *git.Tree // or
	file *archive
}

// repository is one that objects are read of, as of when its packs were looked at.
type repository struct {
	repo  *git.Repo
	packs time.Time
}

// objects opens a repository, and lets go of packs that are gone.
func (s *Source) objects(dir string) (*git.Repo, error) {
	var packs time.Time
	for _, at := range []string{"objects/pack", ".git/objects/pack"} {
		if info, err := os.Stat(filepath.Join(dir, at)); err == nil {
			packs = info.ModTime()
			break
		}
	}
	if r := s.repos[dir]; r != nil {
		if !r.packs.Equal(packs) {
			r.packs = packs
			return r.repo, r.repo.Refresh()
		}
		return r.repo, nil
	}
	repo, err := git.OpenAt(dir, git.Options{CacheBytes: 8 << 20, Lasting: true})
	if err != nil {
		return nil, err
	}
	s.repos[dir] = &repository{repo, packs}
	return repo, nil
}

// state finds out what an environment is now; was is what it was, if it may still be that.
func (s *Source) state(name string, b branch, is *state, was *Revision) (*Revision, error) {
	repo, err := s.objects(s.opt.Repo)
	if err != nil {
		return nil, err
	}
	tree, err := repo.Tree(b.tip.String(), s.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("branch %s: %w", b.name, err)
	}
	p := pins{Branch: b.name, Commit: tree.Commit().String()}
	if was == nil {
		if is.wants, err = puppetfile(tree, s.Dir(name)); err != nil {
			return nil, fmt.Errorf("branch %s: %w", b.name, err)
		}
	}
	for _, m := range is.wants {
		at, err := s.pin(m, b.name)
		if err != nil {
			return nil, fmt.Errorf("branch %s, Puppetfile: %w", b.name, err)
		}
		p.Modules = append(p.Modules, at)
	}
	if was != nil && was.pins.equal(p) {
		return was, nil
	}
	return s.build(name, p)
}

// puppetfile are the modules that a revision wants. One that is in the repository as well is an error: r10k would put
// the one in the place of the other, and who reads the repository would not know.
func puppetfile(tree *git.Tree, dir string) ([]module, error) {
	c, err := tree.Read(path.Join(dir, "Puppetfile"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := readPuppetfile(source.NewFile("Puppetfile", c.Text))
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if _, err := tree.Lstat(path.Join(dir, m.dir)); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is in the repository and in its Puppetfile", m.dir)
		}
		for _, n := range list {
			if m.dir != n.dir && strings.HasPrefix(n.dir, m.dir+"/") {
				return nil, fmt.Errorf("Puppetfile: %s lies in %s", n.dir, m.dir)
			}
		}
	}
	return list, nil
}

// pin finds out what a module is now.
func (s *Source) pin(m module, branch string) (pin, error) {
	p := pin{Dir: m.dir}
	if s.opt.Cache == "" {
		return p, fmt.Errorf("the module %s is in r10k's cache, and nobody has said where that is", m.name)
	}
	if m.release != "" {
		sum, err := s.release(m.release)
		if err != nil {
			return p, fmt.Errorf("module %s: %w", m.name, err)
		}
		p.Release, p.SHA256 = m.release, sum
		return p, nil
	}
	names := cacheNames(m.remote)
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(s.opt.Cache, name)); err == nil && info.IsDir() && plainName(name) {
			p.Mirror = name
			break
		}
	}
	if p.Mirror == "" {
		return p, fmt.Errorf("module %s: r10k's cache has no mirror %s", m.name, names[0])
	}
	dir := filepath.Join(s.opt.Cache, p.Mirror)
	wanted := m.ref
	if m.control {
		wanted = branch
	}
	repo, err := s.objects(dir)
	if err != nil {
		return p, fmt.Errorf("module %s: %w", m.name, err)
	}
	if fullCommit.MatchString(wanted) {
		if id, err := repo.Resolve(wanted); err == nil {
			p.Commit = id.String()
			return p, nil
		}
	}
	repo, err = git.OpenAt(dir, git.Options{}) // references are read anew
	if err != nil {
		return p, fmt.Errorf("module %s: %w", m.name, err)
	}
	defer repo.Close()
	var first error
	for _, ref := range []string{wanted, m.otherwise} {
		if ref == "" {
			continue
		}
		id, err := repo.Resolve(ref)
		if err == nil {
			p.Commit = id.String()
			return p, nil
		}
		if first == nil {
			first = err
		}
	}
	return p, fmt.Errorf("module %s: the mirror %s: %w", m.name, p.Mirror, first)
}

// build makes the files of a revision of what it consists of.
func (s *Source) build(name string, p pins) (*Revision, error) {
	r := &Revision{Environment: name, Dir: s.Dir(name), pins: p, ID: p.id()}
	repo, err := s.objects(s.opt.Repo)
	if err != nil {
		return nil, err
	}
	tree, err := repo.Tree(p.Commit, r.Dir)
	if err != nil {
		return nil, err
	}
	c, err := repo.Commit(tree.Commit())
	if err != nil {
		return nil, err
	}
	r.Time = time.Unix(c.Date, 0)
	r.layers = []layer{{at: r.Dir, tree: tree}}
	for _, m := range p.Modules {
		at := path.Join(r.Dir, m.Dir)
		if m.Release != "" {
			a, err := s.archive(m.Release, m.SHA256)
			if err != nil {
				return nil, err
			}
			r.layers = append(r.layers, layer{at: at, file: a})
			continue
		}
		repo, err := s.objects(filepath.Join(s.opt.Cache, m.Mirror))
		if err != nil {
			return nil, err
		}
		tree, err := repo.Tree(m.Commit, at)
		if err != nil {
			return nil, fmt.Errorf("the mirror %s: %w", m.Mirror, err)
		}
		r.layers = append(r.layers, layer{at: at, tree: tree})
	}
	r.files = r.Over(source.NewMemory(nil, nil, nil))
	return r, nil
}

// Over shows the files of the revision in their place, and what lies elsewhere as another view has it.
func (r *Revision) Over(under source.Files) *source.Layers {
	var layers []source.Layer
	for _, l := range r.layers {
		if l.tree != nil {
			layers = append(layers, source.Layer{At: l.at, Files: l.tree, Dir: l.at})
		} else {
			layers = append(layers, source.Layer{At: l.at, Files: l.file.view, Dir: archiveDir})
		}
	}
	return source.NewLayers(under, layers...)
}

// Files are those of the revision alone.
func (r *Revision) Files() source.Files { return r.files }

// Lstat says what is at a path of the revision, a link there not followed, and whether it may be run.
func (r *Revision) Lstat(name string) (in source.Inode, runs bool, err error) {
	at := r.layers[0]
	for _, l := range r.layers[1:] {
		if name == l.at || strings.HasPrefix(name, l.at+"/") {
			at = l
		}
	}
	if at.tree != nil {
		if in, err = at.tree.Lstat(name); err == nil && in.Kind == source.Regular {
			runs, err = at.tree.Executable(name)
		}
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return in, runs, err
		}
	}
	info, err := r.files.Stat(name) // of a release, or a directory above modules
	if err != nil {
		return in, false, err
	}
	in = source.Inode{Name: path.Base(name), Kind: info.Kind, Size: info.Size}
	return in, at.file != nil && at.file.runs[archiveDir+strings.TrimPrefix(name, at.at)], nil
}

// Pins are what the revision consists of, to be kept: Recall makes it of them again.
func (r *Revision) Pins() ([]byte, error) { return json.Marshal(r.pins) }

// Recall makes a revision of what Pins has said, as long as repository and caches still have it.
func (s *Source) Recall(name string, kept []byte) (*Revision, error) {
	var p pins
	if err := json.Unmarshal(kept, &p); err != nil {
		return nil, err
	}
	for _, m := range p.Modules {
		if _, ok := inside(m.Dir, m.Dir != ""); !ok || m.Release == "" && !plainName(m.Mirror) ||
			m.Release != "" && !plainName(m.Release) {
			return nil, fmt.Errorf("what was kept of a revision makes no sense")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.build(name, p)
}
