package stdlib

import (
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// paths are the functions on file names.
func paths() []old {
	return []old{
		{"basename", "The last part of a path, without a suffix if one is given.", eval.Pure, -1, basenameFunction},
		{"dirname", "A path without its last part.", eval.Pure, -1, dirnameFunction},
	}
}

func basenameFunction(c *eval.Call) (value.Value, error) {
	switch n := len(c.Args); {
	case n == 0:
		return nil, parseErrorf("basename(): No arguments given")
	case n > 2:
		return nil, parseErrorf("basename(): Too many arguments given (%d)", n)
	}
	s, is := c.Args[0].(value.String)
	if !is {
		return nil, parseErrorf("basename(): Requires string as first argument")
	}
	suffix := value.String("")
	if len(c.Args) == 2 {
		if suffix, is = c.Args[1].(value.String); !is {
			return nil, parseErrorf("basename(): Requires string as second argument")
		}
	}
	return value.String(basename(string(s), string(suffix))), nil
}

// basename is Ruby's File.basename.
func basename(path, suffix string) string {
	trimmed := strings.TrimRight(path, "/")
	if trimmed == "" {
		if path == "" {
			return ""
		}
		return "/"
	}
	base := trimmed[strings.LastIndexByte(trimmed, '/')+1:]
	switch {
	case suffix == "":
	case suffix == ".*":
		lead := len(base) - len(strings.TrimLeft(base, "."))
		if dot := strings.LastIndexByte(base[lead:], '.'); dot >= 0 {
			return base[:lead+dot]
		}
	case len(suffix) == 2 && suffix[1] == '*':
		if at := strings.LastIndexByte(base, suffix[0]); at > 0 {
			return base[:at]
		}
	case len(suffix) < len(base):
		return strings.TrimSuffix(base, suffix)
	}
	return base
}

func dirnameFunction(c *eval.Call) (value.Value, error) {
	switch n := len(c.Args); {
	case n == 0:
		return nil, parseErrorf("dirname(): No arguments given")
	case n > 1:
		return nil, parseErrorf("dirname(): Too many arguments given (%d)", n)
	}
	s, is := c.Args[0].(value.String)
	if !is {
		return nil, parseErrorf("dirname(): Requires string as argument")
	}
	if s == "" {
		return nil, parseErrorf("dirname(): Requires a non-empty string as argument")
	}
	return value.String(dirname(string(s))), nil
}

// dirname is Ruby's File.dirname.
func dirname(path string) string {
	trimmed := strings.TrimRight(path, "/")
	at := strings.LastIndexByte(trimmed, '/')
	switch {
	case trimmed == "" && path != "":
		return "/"
	case at < 0:
		return "."
	}
	if dir := strings.TrimRight(trimmed[:at], "/"); dir != "" {
		if strings.HasPrefix(dir, "//") {
			dir = "/" + strings.TrimLeft(dir, "/")
		}
		return dir
	}
	return "/"
}

// extname is Ruby's File.extname.
func extname(path string) string {
	base := path
	if trimmed := strings.TrimRight(path, "/"); trimmed != "" {
		base = trimmed[strings.LastIndexByte(trimmed, '/')+1:]
	}
	name := strings.TrimLeft(base, ".")
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return ""
	}
	return name[at:]
}

// absolutePath is Puppet::Util.absolute_path? for POSIX or Windows.
func absolutePath(path string) bool {
	return matches(posixPath, path) || matches(windowsPath, path)
}
