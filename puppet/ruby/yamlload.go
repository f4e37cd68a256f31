package ruby

import (
	"slices"
	"strings"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
	"bunraku/source"
)

// YAML as Psych 4 reads it. What a text says is datafile's business; what is made of it is decided here, as Psych's
// visitor decides: symbols, patterns and ranges only where their classes are permitted, one object for an anchor and
// all its aliases, `<<` as a merge. Dates, times and objects of other classes are not made.

func yamlSingles() []builtin {
	load := func(reading yamlReading) func(c *call) Object {
		return func(c *call) Object { return c.readYAML(reading, false) }
	}
	file := func(reading yamlReading) func(c *call) Object {
		return func(c *call) Object { return c.readYAML(reading, true) }
	}
	symbols := yamlReading{classes: []string{"Symbol"}}
	safe, unsafe := yamlReading{}, yamlReading{all: true, aliases: true, empty: Bool(false)}
	return []builtin{
		{"dump", 1, 3, func(c *call) Object { return c.ret(c.in.toYAML(c.arg(0), c.args[1:])) }},
		{"load", 1, -1, load(symbols)}, {"load_file", 1, -1, file(symbols)},
		{"safe_load", 1, -1, load(safe)}, {"safe_load_file", 1, -1, file(safe)},
		{"unsafe_load", 1, -1, load(unsafe)}, {"unsafe_load_file", 1, -1, file(unsafe)},
	}
}

// A yamlReading is how a text is to be read.
type yamlReading struct {
	classes, symbols []string // that are permitted; no symbols: all, if the class is
	all              bool     // whatever the class
	aliases          bool
	symbolKeys       bool
	frozen           bool
	empty            Object // what a text without a document gives
	file             string
}

// readYAML is one of Psych's functions that read a text, or a file.
func (c *call) readYAML(r yamlReading, file bool) Object {
	names := func(o Object) []string {
		list, is := o.(*Array)
		if !is {
			c.in.unsupported("reading YAML with such classes")
		}
		var out []string
		for _, e := range list.els() {
			out = append(out, c.in.toS(e))
		}
		return out
	}
	opts := c.options()
	r.file = "<unknown>"
	for _, k := range opts.keys() {
		v := opts.at(k)
		switch name := c.in.toS(k); name {
		case "aliases":
			r.aliases = r.all || truthy(v)
		case "permitted_classes":
			r.classes = names(v)
		case "permitted_symbols":
			r.symbols = names(v)
		case "filename":
			if !isNil(v) {
				r.file = c.in.toS(v)
			}
		case "fallback":
			r.empty = v
		case "symbolize_names":
			r.symbolKeys = truthy(v)
		case "freeze":
			r.frozen = truthy(v)
		default:
			c.in.unsupported("reading YAML with " + name)
		}
	}
	if len(c.args) > 1 {
		c.raise("ArgumentError", "wrong number of arguments (given %d, expected 1)", len(c.args))
	}
	var text string
	switch {
	case file:
		text, r.file = c.readFile("YAML."+c.name), c.path(0)
	case c.in.responds(c.arg(0), "read"):
		text = c.in.toStr(c.in.send(c.arg(0), "read", nil, nil))
	default:
		text = c.str(0)
	}
	c.in.charge(len(text) / 16)
	tree, err := datafile.ParseYAML(source.NewFile(r.file, text))
	if err != nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		if d, is := err.(*source.Diagnostic); is {
			message = d.Summary
		}
		if strings.HasPrefix(message, "Unknown alias: ") {
			c.raise("Psych::BadAlias", "%s", message)
		}
		c.raise("Psych::SyntaxError", "%s", message)
	}
	if tree == nil {
		return orNil(r.empty)
	}
	return (&yamlLoader{c.in, r, map[string]Object{}}).object(tree)
}

// A yamlLoader makes the objects of one text.
type yamlLoader struct {
	in *Interp
	yamlReading
	anchors map[string]Object // as far as the text was read
}

// permit refuses a class that was not permitted.
func (l *yamlLoader) permit(class string) {
	if !l.all && !slices.Contains(l.classes, class) {
		l.in.raise("Psych::DisallowedClass", "Tried to load unspecified class: %s", class)
	}
}

// foreign is an object of a class that is not made here.
func (l *yamlLoader) foreign(class string) Object {
	l.permit(class)
	l.in.unsupported("reading an object of the class " + class + " from YAML")
	return nil
}

func (l *yamlLoader) symbol(name string) Object {
	if !l.all && len(l.symbols) > 0 && !slices.Contains(l.symbols, name) {
		l.in.raise("Psych::DisallowedClass", "Tried to load unspecified class: Symbol")
	}
	l.permit("Symbol")
	return Symbol(name)
}

func (l *yamlLoader) object(t *datafile.Tree) Object {
	in := l.in
	in.charge(4)
	in.enter()
	defer in.leave()
	o := l.made(t)
	if l.frozen {
		in.send(o, "freeze", nil, nil)
	}
	return o
}

func (l *yamlLoader) made(t *datafile.Tree) Object {
	switch t.Kind {
	case datafile.AliasTree:
		o, known := l.anchors[t.Text]
		if !l.aliases || !known {
			l.in.raise("Psych::BadAlias", "Unknown alias: %s", t.Text)
		}
		return o
	case datafile.SequenceTree:
		return l.sequence(t)
	case datafile.MappingTree:
		return l.mapping(t)
	}
	return l.register(t, l.scalar(t))
}

func (l *yamlLoader) register(t *datafile.Tree, o Object) Object {
	if t.Anchor != "" {
		l.anchors[t.Anchor] = o
	}
	return o
}

func (l *yamlLoader) sequence(t *datafile.Tree) Object {
	switch {
	case t.Tag == "!!omap", t.Tag == "!omap":
		l.in.unsupported("reading an ordered map from YAML")
	case strings.HasPrefix(t.Tag, "!seq:"), strings.HasPrefix(t.Tag, "!ruby/array:"):
		return l.foreign(t.Tag[strings.IndexByte(t.Tag, ':')+1:])
	}
	a := l.in.array(make([]Object, 0, len(t.Items)))
	l.register(t, a)
	for _, i := range t.Items {
		a.e = append(a.e, l.object(i))
	}
	return a
}

func (l *yamlLoader) mapping(t *datafile.Tree) Object {
	if class := datafile.MappingClass(t.Tag); class != "" {
		return l.foreign(class)
	}
	in := l.in
	in.room(64 * (len(t.Items)/2 + 1))
	h := in.newHash()
	l.register(t, h)
	for i := 0; i+1 < len(t.Items); i += 2 {
		k, v := t.Items[i], t.Items[i+1]
		key, val := l.object(k), l.object(v)
		text, isText := key.(*String)
		switch {
		case isText && text.String() == "<<" && k.Tag != "!!str":
			if !l.merge(h, v, val) {
				h.put(key, val)
			}
			continue
		case isText && l.symbolKeys:
			key = Symbol(text.String())
		}
		h.put(key, val)
	}
	return h
}

// merge is the key <<. False: there is nothing to merge.
func (l *yamlLoader) merge(h *Hash, t *datafile.Tree, val Object) bool {
	from := []Object{val}
	switch t.Kind {
	case datafile.ScalarTree:
		return false
	case datafile.SequenceTree:
		from = slices.Clone(val.(*Array).els())
		slices.Reverse(from)
	}
	for _, o := range from {
		if _, is := o.(*Hash); !is {
			return false
		}
	}
	for _, o := range from {
		for _, e := range slices.Clone(o.(*Hash).pairs()) {
			h.put(e.key, e.val)
		}
	}
	return true
}

func (l *yamlLoader) scalar(t *datafile.Tree) Object {
	in := l.in
	if t.Quoted {
		return in.str(t.Text)
	}
	switch tag := t.Tag; {
	case tag == "!!str", tag == "!str", tag == "!ruby/string":
		return in.str(t.Text)
	case tag == "!!binary", tag == "!binary":
		in.unsupported("reading binary data from YAML")
	case tag == "!ruby/regexp":
		l.permit("Regexp")
		return l.regexp(t.Text)
	case tag == "!ruby/range":
		return l.foreign("Range")
	case strings.HasPrefix(tag, "!ruby/sym"):
		return l.symbol(t.Text)
	case strings.HasPrefix(tag, "!str:"), strings.HasPrefix(tag, "!ruby/string:"):
		return l.foreign(tag[strings.IndexByte(tag, ':')+1:])
	case tag == "!ruby/class", tag == "!ruby/module":
		return l.foreign(t.Text)
	case tag == "!!float", tag == "!float", tag == "!ruby/encoding":
		in.unsupported("reading YAML with the tag " + tag)
	}
	if class := datafile.ScalarClass(t.Tag); class != "" {
		return l.foreign(class)
	}
	token := datafile.Scalar(t.Text)
	switch {
	case token.Class != "":
		return l.foreign(token.Class)
	case token.Problem != "":
		in.raise("ArgumentError", "%s", token.Problem)
	case token.Symbol != "":
		return l.symbol(token.Symbol)
	}
	switch v := token.Value.(type) {
	case value.String:
		return in.str(string(v))
	case *value.Opaque:
		in.unsupported("reading " + v.Why)
	}
	return in.fromValue(token.Value, 0)
}

// regexp is a pattern between slashes, with options.
func (l *yamlLoader) regexp(s string) Object {
	end := strings.LastIndexByte(s, '/')
	if !strings.HasPrefix(s, "/") || end == 0 {
		l.in.unsupported("reading the pattern " + s + " from YAML")
	}
	var flags onigmo.Flags
	for _, option := range s[end+1:] {
		switch option {
		case 'x':
			flags |= onigmo.Extended
		case 'i':
			flags |= onigmo.IgnoreCase
		case 'm':
			flags |= onigmo.Multiline
		default:
			l.in.unsupported("reading the pattern " + s + " from YAML")
		}
	}
	return l.in.newRegexp(s[1:end], flags)
}
