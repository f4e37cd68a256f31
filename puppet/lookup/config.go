package lookup

import (
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A config is a validated hiera.yaml.
type config struct {
	version int
	root    string // directory that relative paths start from
	path    string // "" for the default configuration of a place without hiera.yaml
	file    *datafile.File
	noHash  bool // the file holds something else

	defaults         *value.Hash
	hierarchy        []*value.Hash
	defaultHierarchy []*value.Hash // nil for none
	v3               *value.Hash

	looked   source.Once // whether it is simple
	isSimple bool
}

// owner says which layer a configuration is for; some keys are only allowed in one.
type owner uint8

const (
	globalLayer owner = iota
	environmentLayer
	moduleLayer
)

var (
	functionKeys    = []string{"data_hash", "lookup_key", "data_dig", "hiera3_backend"}
	allFunctionKeys = append(functionKeys[:len(functionKeys):len(functionKeys)], "v4_data_hash")
	locationKeys    = []string{"path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"}
)

const hierarchyType = `Array[Struct[{
  name=>String[1], Optional[options]=>Hash[Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/],Data],
  Optional[data_hash]=>String[1], Optional[lookup_key]=>String[1], Optional[hiera3_backend]=>String[1], Optional[v4_data_hash]=>String[1], Optional[data_dig]=>String[1],
  Optional[path]=>String[1], Optional[paths]=>Array[String[1],1], Optional[glob]=>String[1], Optional[globs]=>Array[String[1],1],
  Optional[uri]=>String[1], Optional[uris]=>Array[String[1],1], Optional[mapped_paths]=>Array[String[1],3,3], Optional[datadir]=>String[1]}]]`

const configType = `Struct[{version=>Integer[5,5],
  Optional[defaults]=>Struct[{Optional[data_hash]=>String[1], Optional[lookup_key]=>String[1], Optional[data_dig]=>String[1], Optional[datadir]=>String[1],
    Optional[options]=>Hash[Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/],Data]}],
  Optional[hierarchy]=>` + hierarchyType + `, Optional[plan_hierarchy]=>` + hierarchyType +
	`, Optional[default_hierarchy]=>` + hierarchyType + `}]`

const config4Type = `Struct[{version=>Integer[4,4], Optional[datadir]=>String[1], Optional[hierarchy]=>Array[Struct[{backend=>String[1], name=>String[1],
  Optional[datadir]=>String[1], Optional[path]=>String[1], Optional[paths]=>Array[String[1]]}]]}]`

// defaultConfig is what a place without hiera.yaml has, where it has anything at all.
func defaultConfig(root string) *config {
	return &config{version: 5, root: root,
		defaults: value.NewHash(value.String("datadir"), value.String("data"), value.String("data_hash"),
			value.String("yaml_data")),
		hierarchy: []*value.Hash{value.NewHash(value.String("name"), value.String("Common"), value.String("path"),
			value.String("common.yaml"))}}
}

// readConfig reads and validates a hiera.yaml.
func (s *Session) readConfig(path string, who owner) (*config, error) {
	root := filepath.Dir(path)
	if !s.l.exists(path) {
		return defaultConfig(root), nil
	}
	file, err := s.l.load(path, yamlFormat)
	if err != nil {
		d := &source.Diagnostic{Code: "H0225", Summary: message(err)}
		if at, is := err.(*source.Diagnostic); is {
			d.Place = at.Place
		}
		return nil, d
	}
	c := &config{root: root, path: path, file: file}
	h := file.Hash()
	if h == nil {
		c.noHash, h = true, value.EmptyHash
	}
	switch v := h.At("version").(type) {
	case value.Undef:
		c.version = 3
	case value.Int:
		c.version = int(v)
	case value.Float:
		c.version = int(v)
	case value.String:
		c.version, _ = strconv.Atoi(leadingInt(string(v)))
	}
	switch c.version {
	case 5:
		return c, c.validate5(h, who)
	case 4:
		return c, c.validate4(h)
	case 3:
		return c, c.validate3(h)
	}
	return nil, c.fail("H0321", "This runtime does not support hiera.yaml version "+strconv.Itoa(c.version), 0)
}

// CheckConfig says what a lookup would find wrong with a hiera.yaml, the environment's or a module's.
func (l *Lookup) CheckConfig(path string, module bool) error {
	who := environmentLayer
	if module {
		who = moduleLayer
	}
	_, err := l.Session(nil, nil).readConfig(path, who)
	return err
}

// leadingInt is the part of a text that Ruby's to_i reads.
func leadingInt(s string) string {
	s = strings.TrimLeft(s, " ")
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end == 0 && (s[end] == '-' || s[end] == '+')) {
		end++
	}
	return s[:end]
}

// fail is an error about the configuration, at a line when it is known.
func (c *config) fail(code, text string, line int) error {
	d := &source.Diagnostic{Code: code, Summary: text}
	if c.file != nil {
		d.Place.File = c.file.Source
		if line > 0 {
			at := c.file.Source.Offset(source.Position{Line: line, Column: 1})
			d.Place.Span = source.Span{Start: at, End: at + uint32(len(c.file.Source.Line(line)))}
		}
	}
	return d
}

// The types are read at the first use; a compile of many modules validates many files.
var (
	config5 = sync.OnceValue(func() types.T { return types.MustParse(configType) })
	config4 = sync.OnceValue(func() types.T { return types.MustParse(config4Type) })
)

func (c *config) assert(typ types.T, h *value.Hash) error {
	if err := types.AssertInstance("The Lookup Configuration at '"+c.path+"'", typ, h); err != nil {
		return c.fail("H0221", err.Error(), 0)
	}
	return nil
}

func (c *config) validate5(h *value.Hash, who owner) error {
	b := h.From(2)
	std := defaultConfig(c.root)
	if value.IsUndef(h.At("defaults")) {
		b.SetString("defaults", std.defaults)
	}
	if value.IsUndef(h.At("hierarchy")) {
		b.SetString("hierarchy", value.NewArray(std.hierarchy[0]))
	}
	h = b.Hash()
	if err := c.assert(config5(), h); err != nil {
		return err
	}
	c.defaults = h.At("defaults").(*value.Hash)
	if count(c.defaults, functionKeys) > 1 {
		return c.fail("H0322", "Only one of "+combine(functionKeys)+" can be defined in defaults", 0)
	}
	if o, is := c.defaults.At("options").(*value.Hash); is {
		for _, key := range []string{"path", "uri"} {
			if o.EntryString(key) != nil {
				return c.fail("H0323", "Option key '"+key+"' used in defaults is reserved by Puppet", 0)
			}
		}
	}
	var err error
	if c.hierarchy, err = c.levels(h.At("hierarchy"), who); err != nil {
		return err
	}
	if _, err = c.levels(h.At("plan_hierarchy"), who); err != nil {
		return err
	}
	if h.EntryString("default_hierarchy") != nil {
		if who != moduleLayer {
			return c.fail("H0324", "'default_hierarchy' is only allowed in the module layer", c.findLine("default_hierarchy:"))
		}
		c.defaultHierarchy, err = c.levels(h.At("default_hierarchy"), who)
	}
	return err
}

func (c *config) levels(v value.Value, who owner) ([]*value.Hash, error) {
	list, is := v.(*value.Array)
	if !is {
		return nil, nil
	}
	out := make([]*value.Hash, 0, list.Len())
	for _, e := range list.Elems {
		he := e.(*value.Hash)
		if err := c.validateLevel(he, who); err != nil {
			return nil, err
		}
		out = append(out, he)
	}
	return out, nil
}

func (c *config) validateLevel(he *value.Hash, who owner) error {
	name := value.ToString(he.At("name"))
	switch n := count(he, allFunctionKeys); {
	case n == 0 && count(c.defaults, functionKeys) == 0:
		return c.fail("H0325", "One of "+combine(functionKeys)+" must be defined in hierarchy '"+name+"'", 0)
	case n > 1:
		return c.fail("H0326", "Only one of "+combine(functionKeys)+" can be defined in hierarchy '"+name+"'", 0)
	}
	if backend, is := he.At("hiera3_backend").(value.String); is {
		if who != globalLayer {
			return c.fail("H0327", "'hiera3_backend' is only allowed in the global layer", c.findLine("hiera3_backend:"))
		}
		if backend == "json" || backend == "yaml" || backend == "hocon" {
			return c.fail("H0328", "Use \"data_hash: "+string(backend)+"_data\" instead of \"hiera3_backend: "+string(backend)+
				"\"", c.findLine("hiera3_backend:"))
		}
	}
	if count(he, locationKeys) > 1 {
		return c.fail("H0329", "Only one of "+combine(locationKeys)+" can be defined in hierarchy '"+name+"'", 0)
	}
	if o, is := he.At("options").(*value.Hash); is {
		for _, key := range []string{"path", "uri"} {
			if o.EntryString(key) != nil {
				return c.fail("H0330", "Option key '"+key+"' used in hierarchy '"+name+"' is reserved by Puppet", 0)
			}
		}
	}
	return nil
}

func (c *config) validate4(h *value.Hash) error {
	b := h.From(2)
	if value.IsUndef(h.At("datadir")) {
		b.SetString("datadir", value.String("data"))
	}
	if value.IsUndef(h.At("hierarchy")) {
		b.SetString("hierarchy", value.NewArray(value.NewHash(value.String("name"), value.String("common"),
			value.String("backend"), value.String("yaml"))))
	}
	h = b.Hash()
	if err := c.assert(config4(), h); err != nil {
		return err
	}
	c.defaults = value.NewHash(value.String("datadir"), h.At("datadir"))
	for _, e := range h.At("hierarchy").(*value.Array).Elems {
		c.hierarchy = append(c.hierarchy, e.(*value.Hash))
	}
	return nil
}

func (c *config) validate3(h *value.Hash) error {
	set := func(b *value.HashBuilder, key string, v value.Value) {
		if old, has := b.Get(value.String(key)); !has || !value.Truthy(old) {
			b.SetString(key, v)
		}
	}
	b := h.From(5)
	set(b, "version", value.Int(3))
	set(b, "backends", value.Strings("yaml"))
	set(b, "hierarchy", value.Strings("nodes/%{::trusted.certname}", "common"))
	set(b, "merge_behavior", value.String("native"))
	set(b, "deep_merge_options", value.EmptyHash)
	h = b.Hash()
	typ := `Struct[{Optional[version]=>Integer[3,3],Optional[backends]=>Variant[String[1],Array[String[1]]],Optional[logger]=>String[1],
	  Optional[merge_behavior]=>Enum[deep,deeper,native],Optional[deep_merge_options]=>Hash[String[1],Variant[String,Boolean]],Optional[hierarchy]=>Variant[String[1],Array[String[1]]]`
	seen := map[string]bool{}
	for _, name := range stringList(h.At("backends")) {
		if !seen[name] {
			seen[name] = true
			typ += ",Optional[" + value.Quote(name) + "]=>Hash[String[1],Any]"
		}
	}
	t, err := types.Parse(typ+"}]", nil)
	if err != nil {
		return c.fail("H0221", message(err), 0)
	}
	if err := c.assert(t, h); err != nil {
		return err
	}
	c.v3 = h
	return nil
}

// stringList is a string, or an array of them, however deep.
func stringList(v value.Value) []string {
	var out []string
	switch v := v.(type) {
	case value.String:
		out = append(out, string(v))
	case *value.Array:
		for _, e := range v.Elems {
			out = append(out, stringList(e)...)
		}
	}
	return out
}

func count(h *value.Hash, keys []string) int {
	n := 0
	for _, k := range keys {
		if h.EntryString(k) != nil {
			n++
		}
	}
	return n
}

// combine writes a list as Puppet's messages do: a, b, or c.
func combine(list []string) string {
	var b strings.Builder
	for i, s := range list {
		switch {
		case i > 0 && i == len(list)-1:
			b.WriteString(", or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(s)
	}
	return b.String()
}

// findLine is the first line of the configuration, comments aside, that contains a word.
func (c *config) findLine(word string) int { return c.findLineAfter(word, 0) }

func (c *config) findLineAfter(word string, after int) int {
	if c.file == nil {
		return 0
	}
	for n := after + 1; n <= c.file.Source.LineCount(); n++ {
		if strings.Contains(withoutComment(c.file.Source.Line(n)), word) {
			return n
		}
	}
	return 0
}

// withoutComment cuts a line at a # outside of quotes.
func withoutComment(line string) string {
	quote := rune(0)
	for i, r := range line {
		switch {
		case r == '"' || r == '\'':
			if quote == r {
				quote = 0
			} else if quote == 0 {
				quote = r
			}
		case r == '#' && quote == 0:
			return line[:i]
		}
	}
	return line
}

// message is the text of an error without its place: that is shown beside it.
func message(err error) string {
	if d, is := err.(*source.Diagnostic); is {
		return d.Summary
	}
	text := err.Error()
	if !utf8.ValidString(text) {
		return strings.ToValidUTF8(text, "?")
	}
	return text
}
