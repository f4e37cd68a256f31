package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"bunraku/puppet/deploy"
	"bunraku/puppet/environment"
)

// Files are asked for by a mount and a path: modules/apache/httpd.conf. The mounts modules, plugins, pluginfacts,
// locales, tasks and scripts show what the modules of an environment have; fileserver.conf names more.
//
// A path leads to a file below the directory that its mount stands for, and nowhere else: .. is refused, and a link is
// followed only where it ends inside of an environment's directories or of the mount (shelf.go).

// mounts are those of fileserver.conf. The file is deployed like the code, so it is read again when it has changed; if
// something is wrong with it then, the mounts from before stay.
type mounts struct {
	file string
	log  *slog.Logger

	mu      sync.Mutex
	dirs    map[string]string // name → directory, in which % patterns stand for the client
	stamp   stamp
	checked time.Time
	trouble error // why the file of now is not in force
}

func readMounts(file string, log *slog.Logger) (*mounts, error) {
	m := &mounts{file: file, log: log}
	return m, m.read()
}

// fresh reads the file again if it has changed since a moment or later.
func (m *mounts) fresh(since time.Time) {
	m.mu.Lock()
	look, changed := m.file != "" && m.checked.Before(since), false
	if look {
		m.checked = time.Now()
		changed = stampOf(m.file) != m.stamp
	}
	m.mu.Unlock()
	if !changed {
		return
	}
	if err := m.read(); err != nil {
		m.log.Error("fileserver.conf has changed and cannot be read: the mounts from before stay", "error", err)
	} else {
		m.log.Info("fileserver.conf was read again")
	}
}

var (
	mountName    = regexp.MustCompile(`^[-\w]+$`)
	mountSection = regexp.MustCompile(`\[([-\w]+)\]`)
	mountSetting = regexp.MustCompile(`^\s*(\w+)\s+(.+?)(\s*#.*)?$`)
	builtIn      = map[string]string{"modules": "files", "plugins": "lib", "pluginfacts": "facts.d", "locales": "locales",
		"tasks": "tasks", "scripts": "scripts"}
)

// read takes in fileserver.conf.
func (m *mounts) read() error {
	if m.file == "" {
		return nil
	}
	now := stampOf(m.file)
	dirs, err := m.parse()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stamp, m.checked, m.trouble = now, time.Now(), err
	if err == nil {
		m.dirs = dirs
	}
	return err
}

// problem is why the file of now is not in force; nil if it is.
func (m *mounts) problem() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.trouble
}

// parse reads the file (puppet/file_serving/configuration/parser.rb).
func (m *mounts) parse() (map[string]string, error) {
	text, err := os.ReadFile(m.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dirs := map[string]string{}
	name := ""
	for i, line := range strings.Split(string(text), "\n") {
		wrong := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", m.file, i+1, fmt.Sprintf(format, args...))
		}
		if t := strings.TrimSpace(line); t == "" || t[0] == '#' {
			continue
		}
		if s := mountSection.FindStringSubmatch(line); s != nil {
			if name = s[1]; dirs[name] != "" {
				return nil, wrong("%s is mounted already", name)
			}
			continue
		}
		s := mountSetting.FindStringSubmatch(line)
		switch {
		case s == nil || name == "":
			return nil, wrong("invalid entry: '%s'", line)
		case s[1] == "path" && builtIn[name] != "": // Puppet ignores it, too
		case s[1] == "path":
			if dir := strings.TrimSpace(s[2]); filepath.IsAbs(dir) {
				dirs[name] = filepath.Clean(dir)
			} else {
				return nil, wrong("%s is no absolute path", dir)
			}
		case s[1] == "allow" && strings.TrimSpace(s[2]) == "*":
		case s[1] == "allow" || s[1] == "deny":
			return nil, wrong("who may read a mount is said by auth.conf: '%s' would not be in force", strings.TrimSpace(line))
		default:
			return nil, wrong("invalid argument '%s'", s[1])
		}
	}
	return dirs, nil
}

// dir is the directory that a mount stands for, for a client; "" if there is no such mount.
func (m *mounts) dir(name, client string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	host, domain, dotted := strings.Cut(client, ".")
	if !dotted {
		domain = client
	}
	if !strings.Contains(m.dirs[name], "%") {
		return m.dirs[name]
	}
	for _, part := range []string{client, host, domain} { // none may lead to what belongs to another
		if part == "" || part == "." || part == ".." || strings.ContainsRune(part, '/') {
			return ""
		}
	}
	return strings.NewReplacer("%%", "%", "%h", host, "%H", client, "%d", domain).Replace(m.dirs[name])
}

// A found is where a path of a mount leads.
type found struct {
	path  string           // as Puppet names it
	roots []string         // below which links may end
	rev   *deploy.Revision // that has it; nil for the disk
}

// at is another path of the same kind.
func (f found) at(path string) found { f.path = path; return f }

// place finds the files that a path of a mount stands for; several for a mount that merges what modules have. all says
// that everything below is wanted. With empty, there is a directory, but nothing of it is to be shown.
func (s *Server) place(ctx context.Context, r *request, key string, all bool) (places []found, empty bool, err error) {
	name, rest, _ := strings.Cut(key, "/")
	if !mountName.MatchString(name) {
		return nil, false, badRequest("Cannot find file: Invalid mount '%s'", name)
	}
	for _, part := range strings.Split(rest, "/") {
		if part == ".." {
			return nil, false, badRequest("Cannot find file: Invalid relative path '%s'", rest)
		}
	}
	if rest = strings.Trim(path.Clean("/"+rest), "/"); rest == "." {
		rest = ""
	}
	if builtIn[name] == "" {
		who := ""
		if r.client != nil {
			who = r.client.name
		}
		s.mounts.fresh(s.lately())
		dir := s.mounts.dir(name, who)
		if dir == "" {
			how := "find"
			if all {
				how = "search"
			}
			what, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/puppet/v3/"), "/")
			return nil, false, failed("Not authorized to call %s on /%s/%s with {:rest=>%q}", how,
				strings.TrimSuffix(what, "s"), key, key)
		}
		return one(found{path: filepath.Join(dir, rest), roots: append([]string{dir}, s.opt.Compile.Roots...)}), false, nil
	}
	envName, err := r.environment()
	if err != nil {
		return nil, false, err
	}
	served, err := s.pool.find(envName)
	if err != nil {
		return nil, false, err
	}
	snap, err := served.snapshot(ctx, s.lately())
	if err != nil {
		return nil, false, failed("the environment '%s' cannot be read: %v", envName, err)
	}
	env := snap.Environment()
	if name == "modules" || name == "tasks" || name == "scripts" {
		if rest == "" {
			return nil, false, failed("No module specified")
		}
		module, inside, _ := strings.Cut(rest, "/")
		m := env.Module(module)
		if m == nil {
			return nil, false, nil
		}
		return one(snap.find(filepath.Join(m.Dir, builtIn[name], inside), m)), false, nil
	}
	for _, m := range env.Modules() {
		dir := filepath.Join(m.Dir, builtIn[name])
		if !all {
			dir = filepath.Join(dir, rest)
		}
		if places = append(places, one(snap.find(dir, m))...); !all && len(places) > 0 {
			return places, false, nil
		}
	}
	if all && len(places) == 0 {
		for _, dir := range env.ModulePath {
			f := snap.find(dir, nil)
			if t, err := f.look(true); err == nil && t.mode.IsDir() {
				places = append(places, f)
			}
		}
		return places, true, nil
	}
	return places, false, nil
}

// one is a place if there is something.
func one(f found) []found {
	if !f.exists() {
		return nil
	}
	return []found{f}
}

// find is a file of an environment or of one of its modules. On the disk, links may lead to the environment itself, to
// its module path, to the module's own directory, which may be a link that who runs the machine has put there, and to
// what he has named.
func (t taken) find(path string, m *environment.Module) found {
	if t.rev != nil && (path == t.rev.Dir || strings.HasPrefix(path, t.rev.Dir+"/")) {
		return found{path: path, rev: t.rev}
	}
	env := t.Environment()
	list := slices.Concat([]string{env.Dir}, env.ModulePath, t.also)
	if m != nil {
		list = append(list, m.Dir)
	}
	return found{path: path, roots: list}
}
