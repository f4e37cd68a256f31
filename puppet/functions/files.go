package functions

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Files is a World that has files. Names are Puppet's: module/file, or an absolute path, which a World finds only if it
// allows to read there.
type Files interface {
	// FindFile is the path of a file in a module's files directory, FindTemplate of one in its templates directory.
	FindFile(name string) (path string, found bool)
	FindTemplate(name string) (path string, found bool)
	// ReadFile is the content of a file that was found.
	ReadFile(path string) ([]byte, error)
	// ModuleDirectory is the path of a module.
	ModuleDirectory(module string) (path string, found bool)
}

// Templates is a World that can render ERB templates: named as Puppet does, or given as text when inline.
type Templates interface {
	Template3(c *eval.Call, template string, inline bool) (value.Value, provenance.Ref, error)
}

// Generator is a World that runs programs for the function generate. A World that compiles what strangers wrote is
// none.
type Generator interface {
	Generate(command []string) (string, error)
}

// fileFunctions read files, find them, and render templates.
func fileFunctions() []*eval.Function {
	params := []string{"path", "parameters"}
	const rendered = "Variant[String, Sensitive[String]]"
	return []*eval.Function{
		seeking(legacy("file", "The content of the first of the given files that exists.", eval.Observer, -2, file)),
		{Name: "binary_file", Doc: "The content of a file as a Binary.", Flow: eval.Observer, Seeks: true,
			Dispatches: []eval.Dispatch{
				{Signature: "Callable[String]", Names: []string{"path"}, Run: func(c *eval.Call) (value.Value, error) {
					name := string(c.Args[0].(value.String))
					content, found, err := read(c, name)
					if o := unknown(err); o != nil {
						return o, nil
					}
					if err == nil && !found {
						if o := c.Eval.NoFile(name); o != nil {
							return o, nil
						}
						err = fmt.Errorf("binary_file(): The given file '%s' does not exist", name)
					}
					return value.Binary(content), err
				}},
			}},
		firstFound("find_file", "The path of the first of the given files that exists, or undef.", "paths", "paths_array",
			Files.FindFile),
		firstFound("find_template", "The path of the first of the given templates that exists, or undef.", "paths",
			"paths_array", Files.FindTemplate),
		firstFound("module_directory", "The path of the first of the given modules that exists, or undef.", "names", "names",
			Files.ModuleDirectory),
		{Name: "epp", Doc: "Renders an EPP template of a module.", Flow: eval.Observer, Seeks: true,
			Dispatches: []eval.Dispatch{
				{Signature: `Callable[[String, Hash[Pattern[/^\w+$/], Any], 1, 2], ` + rendered + "]", Names: params, Run: epp},
			}},
		{Name: "inline_epp", Doc: "Renders an EPP template that is given as text.", Flow: eval.Observer, Seeks: true,
			Dispatches: []eval.Dispatch{
				{Signature: `Callable[[String, Hash[Pattern[/^\w+$/], Any], 1, 2], ` + rendered + "]",
					Names: []string{"template", "parameters"}, Run: inlineEpp},
			}},
		seeking(legacy("template", "Renders ERB templates of modules and joins the results.", eval.Observer, -2,
			func(c *eval.Call) (value.Value, error) { return template(c, false) })),
		seeking(legacy("inline_template", "Renders ERB templates that are given as text and joins the results.",
			eval.Observer, -2, func(c *eval.Call) (value.Value, error) { return template(c, true) })),
		legacy("generate", "The output of a program that runs on the server. Bunraku runs none unless told to.",
			eval.Observer, -2, generate),
	}
}

// absent is the provenance of something looked for and not found, present of a file's content.
func absent(c *eval.Call, what string) provenance.Ref {
	return c.Trace().Leaf(provenance.Label{Kind: provenance.Absence, Path: what})
}

func present(c *eval.Call, path string) provenance.Ref {
	return c.Trace().Leaf(provenance.Label{Kind: provenance.World, Path: "file " + path})
}

func read(c *eval.Call, name string) (content []byte, found bool, err error) {
	w, is := c.Eval.World().(Files)
	if !is {
		return nil, false, nil
	}
	path, found := w.FindFile(name)
	if !found {
		c.Ref = c.Trace().Join(c.Ref, everything(c), absent(c, "file "+name))
		return nil, false, nil
	}
	content, err = w.ReadFile(path)
	c.Ref = c.Trace().With(present(c, path), c.Ref, everything(c))
	return content, true, err
}

// unknown is the content of a file that cannot be known.
func unknown(err error) *value.Opaque {
	if u := (*source.Unknown)(nil); errors.As(err, &u) {
		return &value.Opaque{Why: u.Error(), Settled: true}
	}
	return nil
}

// byteOrderMark may stand before a text, of which it is no part.
const byteOrderMark = "\uFEFF"

func file(c *eval.Call) (value.Value, error) {
	for _, a := range c.Args {
		name, is := a.(value.String)
		if !is {
			return nil, noMethod("split", a)
		}
		content, found, err := read(c, string(name))
		if o := unknown(err); o != nil {
			return o, nil
		}
		if found || err != nil {
			return value.String(strings.TrimPrefix(string(content), byteOrderMark)), err
		}
		c.Eval.PassesOver(string(name))
	}
	var about []source.Subject
	for _, a := range c.Args {
		if o := c.Eval.NoFile(value.ToString(a)); o != nil {
			return o, nil
		}
		about = append(about, source.Subject{Kind: source.MissingFile, Name: value.ToString(a)})
	}
	return nil, &source.Matter{Text: "Could not find any files from " + joinRuby(c.Args, ", "), About: about}
}

// firstFound makes a function that looks for the first of several names, given one by one or as an array.
func firstFound(name, doc, params, list string, find func(Files, string) (string, bool)) *eval.Function {
	run := func(c *eval.Call, names []value.Value) (value.Value, error) {
		w, _ := c.Eval.World().(Files)
		why := []provenance.Ref{everything(c)}
		for _, n := range names {
			s := string(n.(value.String))
			if w != nil {
				if path, found := find(w, s); found {
					c.Ref = c.Trace().With(present(c, path), why...)
					return value.String(path), nil
				}
			}
			why = append(why, absent(c, name+" "+s))
			c.Eval.PassesOver(s)
		}
		c.Ref = c.Trace().Join(why...)
		return value.Undef{}, nil
	}
	return &eval.Function{Name: name, Doc: doc, Flow: eval.Observer, Seeks: true, Dispatches: []eval.Dispatch{
		{Signature: "Callable[String, 0]", Names: []string{params},
			Run: func(c *eval.Call) (value.Value, error) { return run(c, c.Args) }},
		{Signature: "Callable[Array[String], 0]", Names: []string{list}, Run: func(c *eval.Call) (value.Value, error) {
			if n := len(c.Args); n != 1 {
				return nil, fmt.Errorf("wrong number of arguments (given %d, expected 2)", n+1)
			}
			return run(c, c.Args[0].(*value.Array).Elems)
		}},
	}}
}

// ---- templates

func epp(c *eval.Call) (value.Value, error) {
	name := string(c.Args[0].(value.String))
	if !strings.HasSuffix(name, ".epp") {
		name += ".epp"
	}
	f, ds := c.Eval.World().Template(name)
	if ds.HasErrors() {
		return nil, invalidEpp(c, ds)
	}
	if f == nil {
		if o := c.Eval.NoFile(name); o != nil {
			return o, nil
		}
		return nil, &source.Matter{Text: "Could not find template '" + name + "'",
			About: []source.Subject{{Kind: source.MissingFile, Name: name}}}
	}
	c.Heard(ds)
	return render(c, f, false)
}

func inlineEpp(c *eval.Call) (value.Value, error) {
	opt := syntax.Options{Strict: c.Eval.Settings().Strict, Language: c.Eval.Settings().Language}
	text := source.NewFile("inlined-epp-text", string(c.Args[0].(value.String)))
	text.Within = c.TextAt(text.Text)
	f, ds := syntax.ParseEPP(text, opt)
	if !ds.HasErrors() {
		ds = append(ds, syntax.Validate(f, opt)...)
	}
	if ds.HasErrors() {
		return nil, invalidEpp(c, ds)
	}
	c.Heard(ds)
	return render(c, f, true)
}

func render(c *eval.Call, f *syntax.File, inline bool) (value.Value, error) {
	args, given := c.Arg(1).(*value.Hash)
	if !given {
		args = value.EmptyHash
	}
	v, r, err := c.Epp(f, args, given, inline)
	c.Ref = c.Trace().With(r, c.ArgRef(0), c.ArgRef(1))
	return v, err
}

// invalidEpp is the error of a template that does not parse; it keeps its own place.
func invalidEpp(c *eval.Call, ds source.Diagnostics) error {
	for _, d := range ds {
		if d.Severity == source.Error {
			if d.Code == source.CodeUnread { // Puppet has not come to its text
				return errors.New(d.Summary)
			}
			at := ""
			if d.Summary == "Syntax error at end of input" {
				at = " (file: " + c.Eval.World().Path(d.Place.File) + ")"
			} else if d.Place.Known() {
				p := d.Place.File.Position(d.Place.Span.Start)
				at = fmt.Sprintf(" (file: %s, line: %d, column: %d)", c.Eval.World().Path(d.Place.File), p.Line, p.Column)
			}
			return fmt.Errorf("%s(): Invalid EPP: %s%s", c.Name, d.Summary, at)
		}
	}
	return nil
}

// template joins what ERB templates render. A World without ERB leaves the text open, and says so.
func template(c *eval.Call, inline bool) (value.Value, error) {
	w, is := c.Eval.World().(Templates)
	if !is {
		return &value.Opaque{Why: c.Name + "(): ERB templates cannot be rendered here"}, nil
	}
	var b strings.Builder
	var parts []provenance.Ref
	for i, a := range c.Args {
		s, is := a.(value.String)
		if !is && !inline {
			return nil, noMethod("split", a)
		}
		if !is {
			return nil, fmt.Errorf("Failed to parse inline template: %w", noMethod("encoding", a))
		}
		v, r, err := w.Template3(c, string(s), inline)
		if err != nil {
			return nil, err
		}
		if o, is := v.(*value.Opaque); is {
			return o, nil
		}
		b.WriteString(value.ToString(v))
		parts = append(parts, r, c.ArgRef(i))
	}
	c.Ref = computed(c, parts...)
	if len(c.Args) == 1 && c.Trace() != nil { // one template: what it rendered
		c.Ref = c.Trace().With(parts[0], parts[1])
	}
	if t := c.Trace(); t != nil {
		name := value.ToString(c.Arg(0))
		if inline {
			name = ""
		}
		c.Ref = t.Note(c.Ref, provenance.Rendered, name, 0, c.Place, nil)
	}
	return value.String(b.String()), nil
}

// ---- generate

var generatorName = regexp.MustCompile(`(?m)^[-\/\w.+]+$`)

// generate refuses to run anything, unless the World is a Generator.
func generate(c *eval.Call) (value.Value, error) {
	command := make([]string, len(c.Args))
	for i, a := range c.Args {
		command[i] = rubyString(a)
	}
	switch {
	case !strings.HasPrefix(command[0], "/"):
		return nil, errors.New("Generators must be fully qualified")
	case !generatorName.MatchString(command[0]):
		return nil, errors.New("Generators can only contain alphanumerics, file separators, and dashes")
	case strings.Contains(command[0], ".."):
		return nil, errors.New("Can not use generators with '..' in them.")
	}
	c.Ref = computed(c, everything(c), c.Trace().Leaf(provenance.Label{Kind: provenance.World, Path: "program " +
		command[0]}))
	w, is := c.Eval.World().(Generator)
	if !is {
		return &value.Opaque{Why: "generate(): running " + command[0] + " is switched off"}, nil
	}
	out, err := w.Generate(command)
	if err != nil {
		return nil, fmt.Errorf("Failed to execute generator %s: %w", command[0], err)
	}
	return value.String(out), nil
}
