package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"bunraku/puppet/compiler"
	"bunraku/puppet/deploy"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Environments are directories that somebody deploys into while we serve. What is compiled is a snapshot: one state of
// the files, from which any number of catalogs are made at the same time. Every second or so the first request looks
// whether anything that the snapshot has shown is different now, and then takes a new one; what was made of files that
// did not change is kept. A request that is under way stays with its snapshot.
//
// Or they are branches of a repository (package deploy): then a snapshot is of a revision, which never changes, and
// what is looked at every second is where the branches are.

// A pool is the environments that were asked for.
type pool struct {
	server *Server
	mu     sync.Mutex
	open   map[string]*served
}

// served is one environment.
type served struct {
	name, dir string
	ws        *compiler.Workspace
	branches  *deploy.Source // nil for a directory
	also      []string       // what may be read besides

	mu      sync.Mutex
	real    string // where dir led when the snapshot was taken
	snap    *compiler.Snapshot
	rev     *deploy.Revision // that the snapshot is of; nil for a directory
	checked time.Time
	stale   bool

	kept     string                      // the last id of code that was noted
	recalled map[string]*deploy.Revision // a few earlier states, by id
}

// taken is a snapshot with the revision that it is of; nil for one of a directory.
type taken struct {
	*compiler.Snapshot
	rev  *deploy.Revision
	also []string // what who runs the server lets environments read besides
}

// current is the one that answers now: files that lie elsewhere may be others.
func (t taken) current() taken { return taken{t.Current(), t.rev, t.also} }

func newPool(s *Server) *pool { return &pool{server: s, open: map[string]*served{}} }

var environmentName = regexp.MustCompile(`^\w+$`)

// find is the environment of a name, or the problem that there is none.
func (p *pool) find(name string) (*served, error) {
	if !environmentName.MatchString(name) {
		return nil, badRequest("The environment must be purely alphanumeric, not '%s'", name)
	}
	dir, err := p.dir(name)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.open[name]
	if dir == "" {
		delete(p.open, name)
		return nil, &problem{status: http.StatusNotFound, kind: "RUNTIME_ERROR",
			message: fmt.Sprintf("Not Found: Could not find environment '%s'", name)}
	}
	if e == nil || e.dir != dir {
		opt := p.server.opt.Compile
		opt.StrictOpaque = true
		opt.OlderYAML = opt.Language == source.Puppet7 // puppetserver's Ruby is older than that of agents
		opt.Decrypted = p.server.secrets.Add
		b := p.server.facts.From(1)
		b.SetString("environment", value.String(name))
		opt.ServerFacts = b.Hash()
		e = &served{name: name, dir: dir, ws: compiler.NewWorkspace(dir, opt), branches: p.server.branches,
			also: opt.Roots}
		p.open[name] = e
	}
	return e, nil
}

// dir is where an environment lies, or is said to lie; "" if there is none.
func (p *pool) dir(name string) (string, error) {
	if b := p.server.branches; b != nil {
		has, err := b.Has(name, p.server.lately())
		if err != nil {
			return "", failed("%v", err)
		}
		if !has {
			return "", nil
		}
		return b.Dir(name), nil
	}
	for _, path := range p.server.opt.Environments {
		dir := filepath.Join(path, name)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", nil
}

// names are the environments that there are.
func (p *pool) names() (names []string) {
	if b := p.server.branches; b != nil {
		names, err := b.Names(p.server.lately())
		if err != nil {
			p.server.opt.Log.Error("environments", "error", err)
		}
		return names
	}
	for _, path := range p.server.opt.Environments {
		entries, _ := os.ReadDir(path) // one that is gone has none
		for _, e := range entries {
			if !environmentName.MatchString(e.Name()) || slices.Contains(names, e.Name()) {
				continue
			}
			if info, err := os.Stat(filepath.Join(path, e.Name())); err == nil && info.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return names
}

// flush lets the next request take a new snapshot of an environment, or of all ("").
func (p *pool) flush(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.open {
		if name == "" || e.name == name {
			e.mu.Lock()
			e.stale = true
			e.mu.Unlock()
		}
	}
}

// lately is since when an environment must have been looked at for its snapshot to answer as it is.
func (s *Server) lately() time.Time { return time.Now().Add(-s.opt.Recheck) }

// snapshot is the one that answers now: it shows the files as they were at a moment or later.
func (e *served) snapshot(ctx context.Context, since time.Time) (taken, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.snap != nil && !e.stale && e.checked.After(since) {
		return taken{e.snap, e.rev, e.also}.current(), nil
	}
	now := time.Now()
	if e.stale {
		since = now
	}
	rev, real, err := e.state(since)
	if err != nil {
		return taken{}, err
	}
	same := e.snap != nil && rev == e.rev && real == e.real
	if same && !e.stale {
		if disk := diskOf(e.snap.Current()); disk != nil && !disk.Stale() {
			e.checked = now
			return taken{e.snap, e.rev, e.also}.current(), nil
		}
	}
	var files *source.Dir
	if same {
		if disk := diskOf(e.snap.Current()); disk != nil {
			files, _ = disk.Fresh().(*source.Dir)
		}
	}
	if files == nil {
		files = e.ws.Disk()
	}
	var view source.Files = files
	if rev != nil {
		view = rev.Over(files)
	}
	snap, err := e.ws.Snapshot(ctx, view)
	if err != nil {
		return taken{}, err
	}
	env := snap.Environment()
	if env.Alone() != nil || env.Dir != filepath.ToSlash(e.dir) {
		return taken{}, fmt.Errorf("%s is no environment: it needs an environment.conf or manifests", e.dir)
	}
	if rev == nil {
		if after, err := filepath.EvalSymlinks(e.dir); err != nil || after != real {
			real = "" // which of the two the files are of is not known: the next one looks again
		}
	}
	e.snap, e.rev, e.real, e.checked, e.stale = snap, rev, real, now, false
	return taken{snap, rev, e.also}, nil
}

// state is the revision that a branch is at, or where a directory really lies.
func (e *served) state(since time.Time) (rev *deploy.Revision, real string, err error) {
	if e.branches != nil {
		rev, err = e.branches.Revision(e.name, since)
		return rev, "", err
	}
	real, err = filepath.EvalSymlinks(e.dir)
	return nil, real, err
}

// diskOf is what a snapshot reads of the disk: all, or what lies under a revision.
func diskOf(snap *compiler.Snapshot) *source.Dir {
	files := snap.Files()
	if layers, is := files.(*source.Layers); is {
		files = layers.Under()
	}
	disk, _ := files.(*source.Dir)
	return disk
}

// unread is what the environment names and what may not be read: code that is missing makes another catalog.
func unread(snap taken) *source.Diagnostic {
	env := snap.Environment()
	env.Modules()
	for _, d := range env.Problems {
		if d.Code == "N0104" {
			return d
		}
	}
	return nil
}

// serverFacts are what a server says of itself: $servername and its kin.
func serverFacts(version string, cert *tls.Certificate) *value.Hash {
	b := value.NewHashBuilder(5)
	b.SetString("serverversion", value.String(version))
	name, _ := os.Hostname()
	if leaf := cert.Leaf; leaf != nil && leaf.Subject.CommonName != "" {
		name = leaf.Subject.CommonName
	}
	b.SetString("servername", value.String(strings.ToLower(name)))
	four, six := addresses()
	if four != "" {
		b.SetString("serverip", value.String(four))
	}
	if six != "" {
		b.SetString("serverip6", value.String(six))
	}
	return b.Hash()
}

// addresses are the machine's own: the first of the first interface that is no loopback.
func addresses() (four, six string) {
	all, _ := net.Interfaces() // none is no reason not to serve
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 || i.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			n, is := a.(*net.IPNet)
			switch {
			case !is || n.IP.IsLinkLocalUnicast():
			case n.IP.To4() != nil && four == "":
				four = n.IP.String()
			case n.IP.To4() == nil && six == "":
				six = n.IP.String()
			}
		}
	}
	if four == "" && six == "" {
		four = "127.0.0.1"
	}
	return four, six
}
