package stdlib

import (
	"errors"
	"path"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/value"
)

// Globber is a World that finds files by a pattern. One that compiles what strangers wrote finds them only where they
// may be read.
type Globber interface {
	Glob(pattern string) ([]string, error)
}

// files are the functions that read files, and find modules.
func files() []old {
	return []old{
		{"get_module_path", "The directory of a module.", eval.Observer, -1, func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, parseErrorf("get_module_path(): Wrong number of arguments, expects one")
			}
			dir, err := moduleDirectory(c, c.Args[0])
			if o := c.Eval.UnsureModule(text(c.Args[0])); o != nil && err != nil {
				return o, nil
			}
			return value.String(dir), err
		}},
		{"load_module_metadata", "What a module's metadata.json says.", eval.Observer, -1, moduleMetadata},
		{"loadjson", "Reads a JSON file of the server, or gives a default.", eval.Observer, -2,
			func(c *eval.Call) (value.Value, error) { return load(c, readPSON) }},
		{"loadyaml", "Reads a YAML file of the server, or gives a default.", eval.Observer, -2,
			func(c *eval.Call) (value.Value, error) { return load(c, readYAML) }},
		{"glob", "The files of the server that match patterns.", eval.Observer, -1, glob},
	}
}

func moduleDirectory(c *eval.Call, name value.Value) (string, error) {
	if w, is := c.Eval.World().(functions.Files); is {
		s, text := name.(value.String)
		if dir, found := w.ModuleDirectory(string(s)); found && text {
			c.Ref = c.Trace().With(functions.Present(c, dir), functions.Everything(c))
			return dir, nil
		}
	}
	c.Ref = c.Trace().Join(functions.Everything(c), functions.Absent(c, "module "+text(name)))
	return "", parseErrorf("Could not find module %s in environment %s", text(name), c.Eval.Environment())
}

func moduleMetadata(c *eval.Call) (value.Value, error) {
	if n := len(c.Args); n != 1 && n != 2 {
		return nil, parseErrorf("load_module_metadata(): Wrong number of arguments, expects one or two")
	}
	dir, err := moduleDirectory(c, c.Args[0])
	if err != nil {
		if o := c.Eval.UnsureModule(text(c.Args[0])); o != nil {
			return o, nil
		}
		return nil, err
	}
	content, err := c.Eval.World().(functions.Files).ReadFile(dir + "/metadata.json")
	if err != nil {
		c.Ref = c.Trace().Join(functions.Everything(c), functions.Absent(c, "file "+dir+"/metadata.json"))
		if truthy(c, 1) {
			return value.EmptyHash, nil
		}
		return nil, parseErrorf("load_module_metadata(): No metadata.json file for module %s", text(c.Args[0]))
	}
	c.Ref = c.Trace().With(functions.Present(c, dir+"/metadata.json"), functions.Everything(c))
	return readPSON(string(content))
}

// readAbsolute reads a file of the server by its path. Files of modules may always be read, others only if the World
// finds them; what may not be read is not known to be there or not.
func readAbsolute(c *eval.Call, name string) (content []byte, found, allowed bool) {
	w, is := c.Eval.World().(functions.Files)
	if !is {
		return nil, false, false
	}
	if !strings.HasPrefix(name, "/") {
		return nil, false, true // relative to the server's directory, where nothing of ours is
	}
	clean := path.Clean(name)
	for _, part := range strings.Split(clean, "/") {
		if part == "" {
			continue
		}
		if dir, is := w.ModuleDirectory(part); is && strings.HasPrefix(clean, dir+"/") {
			content, err := w.ReadFile(clean)
			return content, err == nil, true
		}
	}
	if at, is := w.FindFile(clean); is {
		content, err := w.ReadFile(at)
		return content, err == nil, true
	}
	return nil, false, false
}

func load(c *eval.Call, read reader) (value.Value, error) {
	c.Ref = functions.Everything(c)
	name, is := c.Args[0].(value.String)
	if _, symbol := c.Args[0].(value.Default); symbol {
		return orDefault(c, nil, noConversion(c.Args[0], "String"))
	}
	if !is {
		return orDefault(c, nil, noMethod("start_with?", c.Args[0]))
	}
	s := string(name)
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		return &value.Opaque{Why: c.Name + "(): " + s + " is not fetched"}, nil
	}
	content, found, allowed := readAbsolute(c, s)
	switch {
	case !allowed:
		return &value.Opaque{Why: c.Name + "(): reading " + s + " is not allowed"}, nil
	case !found:
		c.Ref = c.Trace().Join(functions.Everything(c), functions.Absent(c, "file "+s))
		c.Log("warning", "Can't load '"+s+"' File does not exist!")
		return c.Arg(1), nil
	}
	c.Ref = c.Trace().With(functions.Present(c, s), functions.Everything(c))
	v, err := read(string(content))
	return orDefault(c, v, err)
}

func glob(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 1 {
		return nil, given(c, "1")
	}
	var patterns []value.Value
	switch v := c.Args[0].(type) {
	case value.String:
		patterns = []value.Value{v}
	case *value.Array:
		patterns = v.Elems
	default:
		return nil, parseErrorf("glob(): Requires either array or string to work")
	}
	c.Ref = randomly(c, "files "+functions.RubyJoin(patterns, " "))
	w, lists := c.Eval.World().(Globber)
	b := value.NewArrayBuilder(4)
	for _, p := range patterns {
		s, is := p.(value.String)
		if !is {
			return nil, noConversion(p, "String")
		}
		if !strings.HasPrefix(string(s), "/") {
			continue // relative to the server's directory, where nothing of ours is
		}
		if !lists {
			return &value.Opaque{Why: "glob(): files are not listed here"}, nil
		}
		found, err := w.Glob(string(s))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			b.Add(value.String(f))
		}
	}
	return b.Array(), nil
}

// pry would start a debugger.
func pry() old {
	return old{"pry", "Would start a debugger on the server. Every call of it fails.", statement, -1,
		func(*eval.Call) (value.Value, error) {
			return nil, errors.New("pry(): Requires the 'pry' rubygem to use, but it was not found")
		}}
}
