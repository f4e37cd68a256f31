package deploy

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	ruby "bunraku/puppet/ruby/syntax"
	"bunraku/source"
)

// A module is what a Puppetfile wants to have in a directory.
type module struct {
	name string
	dir  string // below the environment
	// A module of the Forge is its release, OWNER-NAME-VERSION.
	release string
	// One from git is where it comes from, and which revision is wanted; otherwise says what to take if there is none.
	remote         string
	ref, otherwise string
	control        bool // the wanted revision is the branch of the environment's own name
}

var (
	plainTitle = regexp.MustCompile(`^\w+$`)
	ownedTitle = regexp.MustCompile(`^(\w+)[-/](\w+)$`)
	release    = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	fullCommit = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

// A Puppetfile is Ruby, and r10k runs it. Here it is read: what everybody writes is understood (forge, moduledir, mod
// with texts, symbols and numbers), and anything else is an error, as a module that was left out would make another
// catalog.
func readPuppetfile(f *source.File) ([]module, error) {
	tree, problems := ruby.Parse(f)
	wrong := func(n ruby.Node, format string, args ...any) error {
		p := f.Position(n.Span().Start)
		return fmt.Errorf("%s:%d: %s", f.Name, p.Line, fmt.Sprintf(format, args...))
	}
	if problems.HasErrors() {
		d := problems[0]
		return nil, fmt.Errorf("%s:%d: %s", f.Name, f.Position(d.Place.Span.Start).Line, d.Summary)
	}
	into := "modules"
	var list []module
	taken := map[string]bool{}
	for _, n := range tree.Body.Stmts {
		c, is := n.(*ruby.Call)
		if !is || c.Recv != nil || c.Block != nil || c.Pass != nil {
			return nil, wrong(n, "only forge, moduledir and mod are read of a Puppetfile")
		}
		switch c.Name {
		case "forge", "exclusion":
		case "moduledir":
			dir, ok := "", len(c.Args) == 1
			if ok {
				dir, ok = text(c.Args[0])
			}
			if dir, ok = inside(dir, ok); !ok {
				return nil, wrong(n, "moduledir is no directory of the environment")
			}
			into = dir
		case "mod":
			m, err := readModule(c, into)
			if err != nil {
				return nil, wrong(n, "%v", err)
			}
			if m == nil {
				continue
			}
			if taken[m.name] {
				return nil, wrong(n, "the module %s is there twice", m.name)
			}
			taken[m.name] = true
			list = append(list, *m)
		default:
			return nil, wrong(n, "only forge, moduledir and mod are read of a Puppetfile, not %s", c.Name)
		}
	}
	return list, nil
}

// text is what a literal says; a symbol is its name.
func text(n ruby.Node) (string, bool) {
	switch n := n.(type) {
	case *ruby.StrLit:
		return n.Value, true
	case *ruby.SymLit:
		return n.Name, true
	case *ruby.BoolLit:
		return fmt.Sprint(n.Value), true
	case *ruby.IntLit:
		return fmt.Sprint(n.Value), n.Big == nil
	}
	return "", false
}

// inside is a directory as a way below the environment.
func inside(dir string, ok bool) (string, bool) {
	dir = path.Clean(dir)
	return dir, ok && !path.IsAbs(dir) && dir != ".." && !strings.HasPrefix(dir, "../")
}

// readModule reads mod 'owner/name', …; nil for one that the repository has itself.
func readModule(c *ruby.Call, into string) (*module, error) {
	if len(c.Args) == 0 || len(c.Args) > 2 {
		return nil, fmt.Errorf("a module has a name, and a version or options")
	}
	title, ok := text(c.Args[0])
	owned := ownedTitle.FindStringSubmatch(title)
	m := &module{name: title}
	switch {
	case owned != nil:
		m.name = owned[2]
	case !ok || !plainTitle.MatchString(title):
		return nil, fmt.Errorf("the name of a module is NAME or OWNER/NAME")
	}
	options := map[string]string{"type": "forge"}
	if len(c.Args) == 2 {
		if hash, is := c.Args[1].(*ruby.HashLit); is {
			delete(options, "type")
			for _, p := range hash.Pairs {
				key, ok := "", p.Key != nil
				if ok {
					key, ok = text(p.Key)
				}
				said, also := text(p.Value)
				if !ok || !also {
					return nil, fmt.Errorf("an option of the module %s is no plain text", m.name)
				}
				if _, symbol := p.Value.(*ruby.SymLit); symbol && said == "control_branch" {
					m.control = true
					continue
				}
				options[key] = said
			}
		} else if options["version"], ok = text(c.Args[1]); !ok {
			return nil, fmt.Errorf("the version of the module %s is no plain text", m.name)
		}
	}
	if at, given := options["install_path"]; given {
		into = at
	}
	dir, ok := inside(path.Join(into, m.name), true)
	if !ok {
		return nil, fmt.Errorf("the module %s would lie outside of the environment", m.name)
	}
	m.dir = dir
	first := func(keys ...string) string {
		for _, k := range keys {
			if options[k] != "" {
				return options[k]
			}
		}
		return ""
	}
	kind := options["type"]
	switch {
	case options["git"] != "" || kind == "git":
		m.remote = first("git", "source")
		m.ref, m.otherwise = first("ref", "tag", "commit", "branch", "version"), options["default_branch"]
		if m.remote == "" || m.ref == "" && m.otherwise == "" && !m.control {
			return nil, fmt.Errorf("the module %s needs a ref, tag, commit or branch", m.name)
		}
	case options["local"] == "true" || kind == "local":
		return nil, nil
	case kind == "forge":
		if owned == nil {
			return nil, fmt.Errorf("a module of the Forge is named OWNER/NAME, not %s", title)
		}
		if !release.MatchString(options["version"]) {
			return nil, fmt.Errorf("the module %s has no version: which is the latest only the Forge knows", m.name)
		}
		m.release = owned[1] + "-" + owned[2] + "-" + options["version"]
	default:
		return nil, fmt.Errorf("the module %s comes from neither git nor the Forge", m.name)
	}
	return m, nil
}
