package ruby

import (
	"sort"
	"strings"
)

// Files is what programs see of files: those that the host lets them see. A path is absolute.
type Files interface {
	// Read is what a file holds. outside says that the host does not let programs see there, so that nobody knows whether
	// there is one.
	Read(path string) (text string, found, outside bool)
	// Kind is "file", "directory" or "" for neither.
	Kind(path string) (kind string, outside bool)
	// List is the names in a directory.
	List(path string) (names []string, outside bool)
}

// seen ends the run if a path is outside of what programs may see.
func (c *call) seen(path string, outside bool) {
	if outside {
		c.in.refuse("reading " + path + ", which lies outside of what may be read")
	}
}

func (c *call) files(what string) Files {
	if c.in.Hooks.Files == nil {
		c.in.refuse("reading files (" + what + ")")
	}
	return c.in.Hooks.Files
}

// filePath is an argument that names a file, as an absolute path.
func (c *call) filePath(i int) string {
	s := c.path(i)
	if !strings.HasPrefix(s, "/") {
		c.in.refuse("the working directory (a file is named " + s + ")")
	}
	return cleanPath(s)
}

func (c *call) readFile(what string) string {
	path := c.filePath(0)
	text, found, outside := c.files(what).Read(path)
	c.seen(path, outside)
	if !found {
		if kind, _ := c.files(what).Kind(path); kind == "directory" {
			c.raise("Errno::EISDIR", "Is a directory @ io_fread - %s", c.path(0))
		}
		c.raise("Errno::ENOENT", "No such file or directory @ rb_sysopen - %s", c.path(0))
	}
	return text
}

func (c *call) kind(what string) string {
	path := c.filePath(0)
	kind, outside := c.files(what).Kind(path)
	c.seen(path, outside)
	return kind
}

// readingSingles are the functions of File that look at files.
func readingSingles() []builtin {
	is := func(name string, kinds ...string) builtin {
		return builtin{name, 1, 1, func(c *call) Object {
			k := c.kind("File." + name)
			for _, want := range kinds {
				if k == want {
					return Bool(true)
				}
			}
			return Bool(false)
		}}
	}
	read := func(c *call) Object {
		c.options()
		if len(c.args) > 1 {
			c.in.unsupported("reading a part of a file")
		}
		return c.ret(c.readFile("File." + c.name))
	}
	lines := func(c *call) []Object {
		chomp := truthy(c.options().at(Symbol("chomp")))
		var out []Object
		for _, l := range strings.SplitAfter(c.readFile("File."+c.name), "\n") {
			if l == "" {
				continue
			}
			if chomp {
				l = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
			}
			out = append(out, c.in.str(l))
		}
		return out
	}
	return []builtin{
		{"read", 1, -1, read}, {"binread", 1, -1, read},
		{"readlines", 1, -1, func(c *call) Object { return c.in.array(lines(c)) }},
		{"foreach", 1, -1, func(c *call) Object {
			all := lines(c)
			if c.block == nil {
				return &Enumerator{recv: c.in.array(all), name: "each"}
			}
			for _, l := range all {
				c.yield(l)
			}
			return Nil{}
		}},
		{"open", 1, -1, func(c *call) Object { return c.openFile() }},
		{"new", 1, -1, func(c *call) Object { return c.openFile() }},
		is("exist?", "file", "directory"), is("exists?", "file", "directory"), is("file?", "file"),
		is("directory?", "directory"), is("readable?", "file", "directory"),
		{"zero?", 1, 1, func(c *call) Object {
			return Bool(c.kind("File.zero?") == "file" &&
				c.readFile("File.zero?") == "")
		}},
		{"empty?", 1, 1, func(c *call) Object {
			return Bool(c.kind("File.empty?") == "file" &&
				c.readFile("File.empty?") == "")
		}},
		{"size", 1, 1, func(c *call) Object { return Int(len(c.readFile("File.size"))) }},
	}
}

// openFile is File.open for reading: what comes of it is a StringIO over the file's text.
func (c *call) openFile() Object {
	c.options()
	if c.has(1) {
		if mode, ok := c.arg(1).(*String); !ok || !strings.HasPrefix(mode.String(), "r") ||
			strings.Contains(mode.String(), "+") {
			c.in.refuse("writing files (File." + c.name + ")")
		}
	}
	text := c.in.str(c.readFile("File." + c.name))
	f := c.in.send(c.in.topConst("StringIO"), "new", []Object{text}, nil)
	if c.block != nil {
		return c.yield(f)
	}
	return f
}

// dirSingles are the functions of Dir.
func dirSingles() []builtin {
	list := func(c *call) []Object {
		path := c.filePath(0)
		kind, outside := c.files("Dir." + c.name).Kind(path)
		c.seen(path, outside)
		if kind != "directory" {
			c.raise("Errno::ENOENT", "No such file or directory @ dir_initialize - %s", c.path(0))
		}
		names, outside := c.files("Dir." + c.name).List(path)
		c.seen(path, outside)
		// Ruby gives them in the order of the directory, which nobody knows; who sorts them gets the right order.
		sort.Strings(names)
		out := make([]Object, len(names))
		for i, n := range names {
			out[i] = c.in.str(n)
		}
		return out
	}
	exist := func(c *call) Object { return Bool(c.kind("Dir."+c.name) == "directory") }
	return []builtin{
		{"exist?", 1, 1, exist}, {"exists?", 1, 1, exist},
		{"empty?", 1, 1, func(c *call) Object { return Bool(c.kind("Dir.empty?") == "directory" && len(list(c)) == 0) }},
		{"children", 1, 2, func(c *call) Object {
			all := list(c)
			if len(all) > 1 {
				c.in.unsupported("the order of a directory (Dir.children)")
			}
			return c.in.array(all)
		}},
		{"glob", 1, -1, func(c *call) Object { return c.glob() }},
		{"[]", 1, -1, func(c *call) Object { return c.glob() }},
	}
}

// glob is Dir.glob, which sorts what it finds (since Ruby 3.0).
func (c *call) glob() Object {
	c.options()
	var patterns []string
	for _, a := range c.args {
		if l, ok := a.(*Array); ok {
			for _, e := range l.els() {
				patterns = append(patterns, c.in.toStr(e))
			}
			continue
		}
		patterns = append(patterns, c.in.toStr(a))
	}
	files := c.files("Dir.glob")
	var out []Object
	for _, p := range patterns {
		if !strings.HasPrefix(p, "/") {
			c.in.refuse("the working directory (Dir.glob)")
		}
		if strings.ContainsAny(p, "{[\\") {
			c.in.unsupported("Dir.glob of " + p)
		}
		for _, found := range c.globbed(files, "", strings.Split(strings.TrimPrefix(p, "/"), "/")) {
			out = append(out, c.in.str(found))
		}
	}
	if c.block != nil {
		for _, o := range out {
			c.yield(o)
		}
		return Nil{}
	}
	return c.in.array(out)
}

func (c *call) globbed(files Files, dir string, parts []string) (out []string) {
	c.in.enter()
	defer c.in.leave()
	if len(parts) == 0 {
		return []string{dir}
	}
	head, rest := parts[0], parts[1:]
	if !strings.ContainsAny(head, "*?") {
		path := dir + "/" + head
		kind, outside := files.Kind(cleanPath(path))
		if outside && len(rest) == 0 {
			c.seen(path, true)
		}
		if outside || kind == "directory" || kind != "" && len(rest) == 0 {
			return c.globbed(files, path, rest)
		}
		return nil
	}
	names, outside := files.List(cleanPath(dir))
	c.seen(dir, outside)
	sort.Strings(names)
	if head == "**" {
		out = c.globbed(files, dir, rest)
	}
	for _, n := range names {
		c.in.step()
		if strings.HasPrefix(n, ".") && !strings.HasPrefix(head, ".") {
			continue
		}
		path := dir + "/" + n
		kind, _ := files.Kind(cleanPath(path))
		switch {
		case head == "**":
			if kind == "directory" {
				out = append(out, c.globbed(files, path, parts)...)
			}
		case wildcard(head, n) && (len(rest) == 0 || kind == "directory"):
			out = append(out, c.globbed(files, path, rest)...)
		}
	}
	return out
}

// wildcard matches a name against a pattern of * and ?.
func wildcard(pattern, name string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*':
			p, n = p+1, n+1
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
