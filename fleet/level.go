package fleet

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/compiler"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Most hierarchies have levels for what only real machines say of themselves, such as
// "location/%{trusted.extensions.pp_datacenter}.yaml". An invented node says nothing of the kind, so it has none of
// those data, and code that takes them for granted, or refuses machines without a data centre, ends its compile. Which
// values there are is no secret: the level has a file for each. So a node that does not compile is asked once more, as
// a machine that says what some file is for. What it says is invented as much as its address is, and an error that
// hangs on it is none of the tree's.

// A levelPath is where a level of a hierarchy looks for files, as it is written, from a directory on.
type levelPath struct{ dir, path string }

// levelPaths are those of an environment's hierarchy, in its order. What is no plain list of paths is left out.
func levelPaths(env *environment.Environment) (paths []levelPath) {
	if env.Dir == "" {
		return nil
	}
	text, err := env.Read(filepath.Join(env.Dir, "hiera.yaml"))
	if err != nil {
		return nil
	}
	file, err := datafile.YAMLFile(source.NewFile("", text))
	if err != nil || file.Hash() == nil {
		return nil // who looks something up is told
	}
	usual := ""
	if defaults, is := file.Hash().At("defaults").(*value.Hash); is {
		usual = textAt(defaults, "datadir")
	}
	levels, _ := file.Hash().At("hierarchy").(*value.Array)
	if levels == nil {
		return nil
	}
	for _, x := range levels.Elems {
		level, is := x.(*value.Hash)
		if !is {
			continue
		}
		dir := cmp.Or(textAt(level, "datadir"), usual, "data")
		if !source.IsAbs(dir) {
			dir = filepath.Join(env.Dir, dir)
		}
		if one := textAt(level, "path"); one != "" {
			paths = append(paths, levelPath{dir, one})
		}
		if many, is := level.At("paths").(*value.Array); is {
			for _, p := range many.Elems {
				if s, is := p.(value.String); is {
					paths = append(paths, levelPath{dir, string(s)})
				}
			}
		}
	}
	return paths
}

func textAt(h *value.Hash, key string) string {
	s, _ := h.At(key).(value.String)
	return string(s)
}

// interpolated is a name that a path asks for.
var interpolated = regexp.MustCompile(`%\{ *(?:::)?([\w.]+) *\}`)

// Levels are what the node says so that levels of the hierarchy are its: "$facts['site'] is 'east'".
func (i *Invention) Levels() (out []string) {
	for _, s := range i.levels {
		out = append(out, s.String()+" is '"+s.value+"'")
	}
	return out
}

// ofLevels are values of what levels of the hierarchy ask for and the node does not say, of which there are files.
func (i *Invention) ofLevels(env *environment.Environment) (out []saying) {
	known := value.NewHashBuilder(2)
	known.SetString("facts", i.Facts.Loaded().Values)
	known.SetString("trusted", i.Trusted())
	for _, p := range levelPaths(env) {
		out = append(out, i.follow(env, p, known.Hash(), out)...)
	}
	return out
}

// follow goes down where a level looks for a file. Where the name of a directory or file has one part that is not
// known, that is what the first there is called; nothing if a later one is not there.
func (i *Invention) follow(env *environment.Environment, p levelPath, known *value.Hash, said []saying) (out []saying) {
	dir := p.dir
	if strings.Contains(dir, "%{") {
		return nil
	}
	parts := strings.Split(p.path, "/")
	for n, part := range parts {
		var unknown [][]string
		part = interpolated.ReplaceAllStringFunc(part, func(m string) string {
			path := factPath(interpolated.FindStringSubmatch(m)[1])
			for _, s := range append(slices.Clip(said), out...) {
				if slices.Equal(s.path, path) {
					return s.value
				}
			}
			if v, there := at(known, path); there {
				return value.ToString(v)
			}
			unknown = append(unknown, path)
			return "%{}"
		})
		if len(unknown) == 0 {
			dir = filepath.Join(dir, part)
			continue
		}
		if len(unknown) > 1 || !i.sayable(env, unknown[0]) {
			return nil
		}
		before, after, _ := strings.Cut(part, "%{}")
		name := firstNamed(env.Files(), dir, before, after, n < len(parts)-1)
		if name == "" {
			return nil
		}
		out = append(out, saying{unknown[0], name})
		dir = filepath.Join(dir, before+name+after)
	}
	if len(out) == 0 || !source.Exists(env.Files(), dir) {
		return nil
	}
	return out
}

// oldNames are the facts that the hierarchies of the tree ask for by names of old of facter's.
func oldNames(env *environment.Environment, own func(file string) bool) (names []string) {
	dirs := []string{env.Dir}
	for _, m := range env.Modules() {
		if own == nil || own(filepath.Join(m.Dir, "hiera.yaml")) {
			dirs = append(dirs, m.Dir)
		}
	}
	for _, dir := range dirs {
		if !ofNow(env, dir) {
			continue
		}
		for _, path := range asksFor(env, dir) {
			if len(path) == 1 && facts.Legacy[path[0]] != "" && !slices.Contains(names, path[0]) {
				names = append(names, path[0])
			}
		}
	}
	return names
}

// ofNow reports whether a directory has a hierarchy as Puppet reads it of environments and modules.
func ofNow(env *environment.Environment, dir string) bool {
	if dir == "" {
		return false
	}
	text, err := env.Read(filepath.Join(dir, "hiera.yaml"))
	return err == nil && versionNow.MatchString(text)
}

// versionNow is the version of a hiera.yaml that counts in environments and modules.
var versionNow = regexp.MustCompile(`(?m)^["']?version["']?[ \t]*:[ \t]*["']?5`)

// factPath is where what a hierarchy calls so stands, from facts or trusted on.
func factPath(name string) []string {
	path := strings.Split(name, ".")
	if path[0] != "facts" && path[0] != "trusted" {
		path = append([]string{"facts"}, path...)
	}
	return path
}

// at is the value at a path in hashes.
func at(h *value.Hash, path []string) (value.Value, bool) {
	v, there := h.GetString(path[0])
	if inner, is := v.(*value.Hash); there && is && len(path) > 1 {
		return at(inner, path[1:])
	}
	return v, there && len(path) == 1
}

// sayable reports whether a machine can say something: an extension of its certificate, of which nobody says what it
// has, or a fact that is neither the system's under a name of old nor a variable of the main manifests.
func (i *Invention) sayable(env *environment.Environment, path []string) bool {
	if path[0] == "trusted" {
		return len(path) == 3 && path[1] == "extensions" && !i.certifies(path[1])
	}
	if len(path) != 2 || facts.Legacy[path[1]] != "" || notFacts[path[1]] {
		return false
	}
	main, err := env.Manifests()
	return err == nil && !slices.ContainsFunc(main, func(file string) bool { return sets(env, file, path[1], false) })
}

// notFacts are variables that hierarchies ask for and no machine brings.
var notFacts = map[string]bool{"environment": true, "module_name": true, "calling_module": true, "calling_class": true,
	"server_facts": true, "servername": true, "title": true, "name": true}

// firstNamed is the first of the names between a beginning and an end that files of a directory have, or directories.
// One that is for no machine in particular comes last.
func firstNamed(files source.Files, dir, before, after string, dirs bool) (name string) {
	entries, err := files.List(dir)
	if err != nil {
		return ""
	}
	last := ""
	for _, e := range entries {
		rest, begins := strings.CutPrefix(e.Name, before)
		rest, ends := strings.CutSuffix(rest, after)
		switch {
		case !begins || !ends || !plainName.MatchString(rest) || e.IsDir() != dirs:
		case general[rest]:
			last = cmp.Or(last, rest)
		default:
			return rest
		}
	}
	return last
}

var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9][\w-]*(\.[\w-]+)*$`)
	general   = map[string]bool{"default": true, "defaults": true, "common": true, "global": true, "all": true,
		"example": true, "unknown": true, "none": true, "test": true}
)

// withLevels is a node that says what levels of the hierarchy have files for, if it compiles so, or if it then gets
// past a main manifest that ended the compile.
func withLevels(ctx context.Context, c *compiler.Snapshot, n *Invention, failed *eval.Result) (*eval.Result, *Invention,
	error) {
	env := c.Environment()
	says := n.ofLevels(env)
	if len(says) == 0 {
		return failed, n, nil
	}
	with := *n
	with.levels = says
	with = *with.on(n.System, n.Legacy)
	res, err := c.Compile(ctx, with.Node)
	if err != nil {
		return nil, nil, err
	}
	if f := res.Failure; f != nil && (sameFailure(failed, res) || !ofMain(env, failed.Failure) || ofMain(env, f)) {
		return failed, n, nil
	}
	return res, &with, nil
}

// ofMain reports whether something is said of a main manifest.
func ofMain(env *environment.Environment, d *source.Diagnostic) bool {
	return isMain(env, d.Place.File)
}

// isMain reports whether a file is a main manifest.
func isMain(env *environment.Environment, f *source.File) bool {
	main, err := env.Manifests()
	return err == nil && f != nil && slices.ContainsFunc(main, func(p string) bool { return env.Display(p) == f.Name })
}
