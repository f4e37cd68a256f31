package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"bunraku/puppet/environment"
)

// Files are asked for by a mount and a path: modules/apache/httpd.conf. The mounts modules, plugins, pluginfacts,
// locales, tasks and scripts show what the modules of an environment have; fileserver.conf names more.
//
// A path leads to a file below the directory that its mount stands for, and nowhere else: .. is refused, and a link is
// followed only where it ends inside of an environment's directories or of the mount. Files are then opened by a way
// without any link on it, below an open directory (os.Root), so that nothing can be put in between.

// mounts are those of fileserver.conf.
type mounts struct {
	file string
	mu   sync.Mutex
	dirs map[string]string // name → directory, in which % patterns stand for the client
}

func readMounts(file string) (*mounts, error) {
	m := &mounts{file: file}
	return m, m.read()
}

var (
	mountName    = regexp.MustCompile(`^[-\w]+$`)
	mountSection = regexp.MustCompile(`\[([-\w]+)\]`)
	mountSetting = regexp.MustCompile(`^\s*(\w+)\s+(.+?)(\s*#.*)?$`)
	builtIn      = map[string]string{"modules": "files", "plugins": "lib", "pluginfacts": "facts.d", "locales": "locales",
		"tasks": "tasks", "scripts": "scripts"}
)

// read takes in fileserver.conf (puppet/file_serving/configuration/parser.rb).
func (m *mounts) read() error {
	if m.file == "" {
		return nil
	}
	text, err := os.ReadFile(m.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
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
				return wrong("%s is mounted already", name)
			}
			continue
		}
		s := mountSetting.FindStringSubmatch(line)
		switch {
		case s == nil || name == "":
			return wrong("invalid entry: '%s'", line)
		case s[1] == "path" && builtIn[name] != "": // Puppet ignores it, too
		case s[1] == "path":
			if dir := strings.TrimSpace(s[2]); filepath.IsAbs(dir) {
				dirs[name] = filepath.Clean(dir)
			} else {
				return wrong("%s is no absolute path", dir)
			}
		case s[1] == "allow" && strings.TrimSpace(s[2]) == "*":
		case s[1] == "allow" || s[1] == "deny":
			return wrong("who may read a mount is said by auth.conf: '%s' would not be in force", strings.TrimSpace(line))
		default:
			return wrong("invalid argument '%s'", s[1])
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dirs = dirs
	return nil
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
	if client == "" || client == "." || client == ".." || strings.ContainsRune(client, '/') {
		return ""
	}
	return strings.NewReplacer("%%", "%", "%h", host, "%H", client, "%d", domain).Replace(m.dirs[name])
}

// A found is where a path of a mount leads.
type found struct {
	path  string   // as Puppet names it
	roots []string // below which links may end
}

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
		dir := s.mounts.dir(name, who)
		if dir == "" {
			return nil, false, nil
		}
		return []found{{filepath.Join(dir, rest), []string{dir}}}, false, nil
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
		return []found{{filepath.Join(m.Dir, builtIn[name], inside), roots(env, m)}}, false, nil
	}
	for _, m := range env.Modules() {
		dir := filepath.Join(m.Dir, builtIn[name])
		if !all {
			dir = filepath.Join(dir, rest)
		}
		if _, err := os.Stat(dir); err == nil {
			places = append(places, found{dir, roots(env, m)})
			if !all {
				return places, false, nil
			}
		}
	}
	if all && len(places) == 0 {
		for _, dir := range env.ModulePath {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				places = append(places, found{dir, roots(env, nil)})
			}
		}
		return places, true, nil
	}
	return places, false, nil
}

// roots are what links of an environment may lead to: itself, its module path, and the module's own directory, which
// may be a link that who runs the machine has put there.
func roots(env *environment.Environment, m *environment.Module) []string {
	list := append([]string{env.Dir}, env.ModulePath...)
	if m != nil {
		list = append(list, m.Dir)
	}
	return list
}

// errOutside says that a link leads away.
var errOutside = errors.New("the path leads out of what may be served")

// resolve is the way to a file without links, and the root that it lies in. The last step is not followed if links are
// to be seen as such.
func (f found) resolve(follow bool) (root, rel string, err error) {
	var real string
	if follow {
		real, err = filepath.EvalSymlinks(f.path)
	} else {
		var dir string
		dir, err = filepath.EvalSymlinks(filepath.Dir(f.path))
		real = filepath.Join(dir, filepath.Base(f.path))
	}
	if err != nil {
		return "", "", err
	}
	for _, root := range f.roots {
		to, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(to, real); err == nil && filepath.IsLocal(rel) {
			return to, rel, nil
		}
	}
	return "", "", errOutside
}
