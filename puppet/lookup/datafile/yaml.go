package datafile

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/value"
	"bunraku/source"

	"go.yaml.in/yaml/v3"
)

// ReadYAML reads the first document of a YAML text as Psych's safe_load does when symbols and aliases are allowed. The
// result is nil for a text without a document. Symbols used as keys become strings, as Puppet makes them. An error is
// worded as Psych words it.
func ReadYAML(f *source.File) (*Node, error) {
	n, _, err := readYAML(f, false)
	return n, err
}

// ReadYAMLObject is ReadYAML for a text whose top is an object of Puppet's, such as the facts that a server keeps: its
// tag is ignored.
func ReadYAMLObject(f *source.File) (*Node, error) {
	n, _, err := readYAML(f, true)
	return n, err
}

// YAMLFile reads YAML with the keys that stand twice.
func YAMLFile(f *source.File) (*File, error) {
	root, twice, err := readYAML(f, false)
	if err != nil {
		return nil, err
	}
	d := NewFile(f, root)
	d.Twice = twice
	return d, nil
}

func readYAML(f *source.File, object bool) (n *Node, twice []Repeated, err error) {
	defer cannotBeRead(f, func(d *source.Diagnostic) { n, err = nil, d })
	text := f.Text
	if rest, marked := strings.CutPrefix(text, "\ufeff"); marked {
		text = " " + rest // libyaml passes over the mark and counts its column: what stands behind it is indented
	}
	doc, err := parseYAML(f, text)
	if doc == nil || err != nil {
		return nil, nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil, nil
	}
	r := &yamlReader{file: f, shift: len(f.Text) - len(text), lines: yamlLines(text), done: map[*yaml.Node]*Node{},
		open: map[*yaml.Node]bool{}}
	root := doc.Content[0]
	if t := r.refused(root, false); t != nil {
		return nil, nil, t.diagnostic(f)
	}
	if object && root.Kind == yaml.MappingNode && strings.HasPrefix(root.Tag, "!ruby/object:Puppet::Node") {
		root.Tag, root.Style = "", root.Style&^yaml.TaggedStyle
	}
	n, err = r.read(root)
	return n, r.twice, err
}

// refused looks for what libyaml refuses and our library takes: in a flow collection, a plain scalar may not have a
// colon right before a bracket or a comma, as in {a:, b: 1}, and in double quotes nobody needs \', as in "it\'s".
func (r *yamlReader) refused(n *yaml.Node, flow bool) *yamlTrouble {
	if n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0 && strings.Contains(n.Value, "'") {
		at, _ := r.properties(r.start(n))
		text := r.file.Text[at:r.scalarEnd(n, at)]
		if slices.Contains(escaped.FindAllString(text, -1), `\'`) {
			column := n.Column - 1 + utf8.RuneCountInString(r.file.Text[r.start(n):at])
			return &yamlTrouble{problem: "found unknown escape character", context: "while parsing a quoted scalar",
				line: n.Line - 1, column: column}
		}
	}
	if flow && n.Kind == yaml.ScalarNode && n.Value != "" && n.Style&quotedStyles == 0 {
		at, _ := r.properties(r.start(n))
		text := r.file.Text[at:min(len(r.file.Text), r.scalarEnd(n, at)+2)]
		for i := 0; i+1 < len(text); i++ {
			if text[i] == ':' && strings.IndexByte(",?[]{}", text[i+1]) >= 0 {
				return &yamlTrouble{problem: "found unexpected ':'", context: "while scanning a plain scalar", line: n.Line - 1,
					column: n.Column - 1}
			}
		}
	}
	for _, c := range n.Content {
		if t := r.refused(c, flow || n.Style&yaml.FlowStyle != 0); t != nil {
			return t
		}
	}
	return nil
}

// cannotBeRead tells of a panic of the YAML library, which some inputs cause: that is trouble with the file, not with
// us.
func cannotBeRead(f *source.File, tell func(*source.Diagnostic)) {
	if r := recover(); r != nil {
		tell(&source.Diagnostic{Code: "H0101", Summary: "(" + f.Name + "): cannot be read as YAML",
			Place: source.Place{File: f}})
	}
}

const quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

type yamlReader struct {
	file  *source.File
	shift int // of the text behind a byte order mark
	lines []int
	marks map[int][]int        // of long lines: the offset of every so many characters
	done  map[*yaml.Node]*Node // nodes with an anchor
	open  map[*yaml.Node]bool  // nodes with an anchor that are being read
	twice []Repeated
}

// start is the offset of a node's first byte in the file.
func (r *yamlReader) start(n *yaml.Node) int {
	return r.offset(n.Line-1, n.Column-1) + r.shift
}

// properties skips the tag and the anchor before a value. plain reports the tag "!", which asks for a scalar's plain
// reading.
func (r *yamlReader) properties(at int) (start int, plain bool) {
	text := r.file.Text
	for at < len(text) && (text[at] == '&' || text[at] == '!') {
		end := at
		for end < len(text) && !strings.ContainsRune(" \t\r\n,[]{}", rune(text[end])) {
			end++
		}
		plain = plain || text[at:end] == "!"
		for end < len(text) && strings.ContainsRune(" \t\r\n", rune(text[end])) {
			end++
		}
		at = end
	}
	return at, plain
}

func (r *yamlReader) fail(code string, at int, text string) error {
	return &source.Diagnostic{Code: code, Summary: text,
		Place: source.Place{File: r.file, Span: source.Span{Start: uint32(at), End: uint32(at)}}}
}

func (r *yamlReader) read(n *yaml.Node) (*Node, error) {
	if n.Kind == yaml.AliasNode {
		if r.open[n.Alias] {
			return nil, r.fail("H0103", r.start(n), "("+r.file.Name+"): the alias *"+n.Value+" contains itself")
		}
		if done := r.done[n.Alias]; done != nil {
			done.shared = true
			return done, nil
		}
		return nil, r.fail("H0102", r.start(n), "Unknown alias: "+n.Value)
	}
	if n.Anchor != "" {
		r.open[n] = true
		defer delete(r.open, n)
	}
	var out *Node
	var err error
	switch n.Kind {
	case yaml.ScalarNode:
		out, err = r.scalar(n)
	case yaml.SequenceNode:
		out, err = r.sequence(n)
	case yaml.MappingNode:
		out, err = r.mapping(n)
	default:
		return scalar(value.Undef{}, source.Span{}), nil
	}
	if err != nil {
		return nil, err
	}
	if out.size > maxSize {
		return nil, r.fail("H0104", r.start(n), "("+r.file.Name+"): aliases make this value larger than "+
			strconv.Itoa(maxSize)+" elements")
	}
	if n.Anchor != "" {
		r.done[n] = out
	}
	return out, nil
}

func tagOf(n *yaml.Node) string {
	if n.Style&yaml.TaggedStyle == 0 {
		return ""
	}
	return n.Tag
}

func (r *yamlReader) scalar(n *yaml.Node) (*Node, error) {
	node := r.start(n)
	at, plain := r.properties(node)
	span := source.Span{Start: uint32(at), End: uint32(r.scalarEnd(n, at))}
	quoted := n.Style&quotedStyles != 0
	tag := tagOf(n)
	switch {
	case tag == "" && quoted && !plain, tag == "!!str", tag == "!str", tag == "!ruby/string":
		return scalar(value.String(n.Value), span), nil
	case tag == "!!binary", tag == "!binary":
		return bytesOf(unpackBase64(n.Value), span), nil
	case strings.HasPrefix(tag, "!ruby/sym"):
		return symbol(n.Value, span), nil
	case strings.HasPrefix(tag, "!str:"), strings.HasPrefix(tag, "!ruby/string:"):
		return nil, r.disallowed(at, tag[strings.IndexByte(tag, ':')+1:])
	case tag == "!ruby/class", tag == "!ruby/module":
		return nil, r.disallowed(at, n.Value)
	}
	if class := scalarClasses[tag]; class != "" {
		return nil, r.disallowed(at, class)
	}
	t := Scalar(n.Value)
	switch {
	case t.Class != "":
		return nil, r.disallowed(at, t.Class)
	case t.Problem != "":
		return nil, r.fail("H0105", at, t.Problem)
	case t.Symbol != "" && (tag == "!!float" || tag == "!float"):
		return nil, r.fail("H0105", at, "can't convert Symbol into Float")
	case t.Symbol != "":
		return symbol(t.Symbol, span), nil
	case tag == "!!float", tag == "!float":
		f, problem := rubyFloat(t.Value)
		if problem != "" {
			return nil, r.fail("H0105", at, problem)
		}
		return scalar(f, span), nil
	}
	return scalar(t.Value, span), nil
}

// scalarClasses are the Ruby classes that tags ask for.
var scalarClasses = map[string]string{
	"!ruby/object:BigDecimal": "BigDecimal", "!ruby/object:DateTime": "DateTime", "!ruby/object:Complex": "Complex",
	"!ruby/object:Rational": "Rational", "!ruby/regexp": "Regexp", "!ruby/range": "Range",
}

// ScalarClass is the Ruby class that a scalar's tag asks for.
func ScalarClass(tag string) string { return scalarClasses[tag] }

func (r *yamlReader) disallowed(at int, class string) error {
	return r.fail("H0106", at, "("+r.file.Name+"): Tried to load unspecified class: "+class)
}

func (r *yamlReader) sequence(n *yaml.Node) (*Node, error) {
	at := r.start(n)
	tag := tagOf(n)
	if class, is := cutAny(tag, "!seq:", "!ruby/array:"); is {
		return nil, r.disallowed(at, class)
	}
	kids := make([]Kid, 0, len(n.Content))
	var omap *hashMaker
	if tag == "!!omap" || tag == "!omap" {
		omap = &hashMaker{}
	}
	end := at + 1
	for _, c := range n.Content {
		if omap != nil && c.Kind == yaml.MappingNode && len(c.Content) >= 2 {
			key, keySpan, err := r.key(c.Content[0])
			if err != nil {
				return nil, err
			}
			v, err := r.read(c.Content[len(c.Content)-1])
			if err != nil {
				return nil, err
			}
			omap.set(key, r.kid(keySpan, c.Content[len(c.Content)-1], v))
			continue
		}
		kid, err := r.read(c)
		if err != nil {
			return nil, err
		}
		kids = append(kids, r.kid(source.Span{}, c, kid))
		end = r.end(c, kid, end)
	}
	span := source.Span{Start: uint32(at), End: uint32(r.close(n, end, ']'))}
	if omap != nil {
		return omap.node(span), nil
	}
	return array(kids, span), nil
}

func cutAny(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if rest, is := strings.CutPrefix(s, p); is {
			return rest, true
		}
	}
	return "", false
}

func (r *yamlReader) mapping(n *yaml.Node) (*Node, error) {
	at := r.start(n)
	if class := MappingClass(tagOf(n)); class != "" {
		return nil, r.disallowed(at, class)
	}
	m := &hashMaker{}
	end := at + 1
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key, keySpan, err := r.key(k)
		if err != nil {
			return nil, err
		}
		if key == value.Value(value.String("<<")) && v.Kind == yaml.AliasNode && v.Alias == n {
			continue // merging a hash into itself changes nothing
		}
		val, err := r.read(v)
		if err != nil {
			return nil, err
		}
		if end = r.end(v, val, end); int(keySpan.End) > end {
			end = int(keySpan.End)
		}
		if key == value.Value(value.String("<<")) && tagOf(k) != "!!str" &&
			r.mergeKey(m, v, val, source.Span{Start: keySpan.Start, End: uint32(r.end(v, val, int(keySpan.End)))}) {
			continue
		}
		if first, again := m.set(key, r.kid(keySpan, v, val)); again && len(first.merge) == 0 {
			r.twice = append(r.twice, Repeated{value.ToString(key), first.Key, keySpan})
		}
	}
	return m.node(source.Span{Start: uint32(at), End: uint32(r.close(n, end, '}'))}), nil
}

// mergeKey is `<<: value`. It overrides the entries before it, as Psych's does, and reports false when the value is
// nothing to merge.
func (r *yamlReader) mergeKey(m *hashMaker, v *yaml.Node, val *Node, at source.Span) bool {
	isHash := func(n *Node) bool { _, is := n.Value.(*value.Hash); return is }
	switch {
	case v.Kind == yaml.AliasNode || v.Kind == yaml.MappingNode:
		if !isHash(val) {
			return false
		}
		m.merge(val, at)
		return true
	case v.Kind == yaml.SequenceNode:
		for _, k := range val.Kids {
			if !isHash(k.Node) {
				return false
			}
		}
		all := &hashMaker{}
		for i := len(val.Kids) - 1; i >= 0; i-- {
			all.merge(val.Kids[i].Node, at)
		}
		m.merged, m.merges = append(m.merged, all.merged...), append(m.merges, at)
		n := all.node(val.Span)
		for i, e := range n.Value.(*value.Hash).Entries() {
			m.set(e.Key, n.Kids[i])
		}
		return true
	}
	return false
}

// kid is an element or entry whose value is the given one, which an alias may stand for.
func (r *yamlReader) kid(key source.Span, n *yaml.Node, v *Node) Kid {
	k := Kid{Key: key, Node: v}
	if n.Kind == yaml.AliasNode {
		at := r.start(n)
		k.Alias = source.Span{Start: uint32(at), End: uint32(at + 1 + len(n.Value))}
	}
	return k
}

func (r *yamlReader) key(n *yaml.Node) (value.Value, source.Span, error) {
	k, err := r.read(n)
	if err != nil {
		return nil, source.Span{}, err
	}
	if n.Kind == yaml.ScalarNode && k.Symbol == "" && tagOf(n) == "" && n.Style&^yaml.TaggedStyle == 0 {
		if t := Scalar(n.Value); t.Symbol != "" { // :default and :undef too
			return value.String(t.Symbol), k.Span, nil
		}
	}
	if k.Symbol != "" {
		return value.String(k.Symbol), k.Span, nil
	}
	return k.Value, k.Span, nil
}

// MappingClass is the Ruby class that a mapping's tag asks for.
func MappingClass(tag string) string {
	switch {
	case tag == "", tag == "!ruby/object:Hash":
		return ""
	case tag == "!!set", tag == "!set":
		return "Psych::Set"
	case tag == "!!omap", tag == "!omap":
		return "Psych::Omap"
	case tag == "!ruby/range":
		return "Range"
	}
	if class, is := cutAny(tag, "!ruby/object:", "!ruby/struct:", "!ruby/exception:", "!ruby/hash:", "!map:",
		"!ruby/array:", "!ruby/hash-with-ivars:", "!ruby/marshalable:"); is {
		return class
	}
	switch tag {
	case "!ruby/object":
		return "Object"
	case "!ruby/struct":
		return "Struct"
	case "!ruby/exception":
		return "Exception"
	}
	return ""
}

// end is where the text read so far ends: behind a child, unless the child stands elsewhere (an alias).
func (r *yamlReader) end(n *yaml.Node, kid *Node, end int) int {
	if n.Kind == yaml.AliasNode {
		return max(end, r.start(n)+1+len(n.Value))
	}
	return max(end, int(kid.Span.End))
}

// close moves behind the closing bracket of a flow collection.
func (r *yamlReader) close(n *yaml.Node, end int, bracket byte) int {
	if n.Style&yaml.FlowStyle == 0 {
		return min(end, len(r.file.Text))
	}
	for i := end; i < len(r.file.Text); i++ {
		switch c := r.file.Text[i]; {
		case c == bracket:
			return i + 1
		case !strings.ContainsRune(" \t\r\n,", rune(c)):
			return min(end, len(r.file.Text))
		}
	}
	return min(end, len(r.file.Text))
}

// scalarEnd finds the end of a scalar, which the library does not tell.
func (r *yamlReader) scalarEnd(n *yaml.Node, at int) int {
	text := r.file.Text
	switch {
	case at >= len(text):
		return len(text)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for i := at + 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(text)
	case n.Style&yaml.SingleQuotedStyle != 0:
		for i := at + 1; i < len(text); i++ {
			if text[i] == '\'' {
				if i+1 < len(text) && text[i+1] == '\'' {
					i++
					continue
				}
				return i + 1
			}
		}
		return len(text)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return r.blockEnd(at)
	case strings.HasPrefix(text[at:], n.Value):
		return at + len(n.Value)
	}
	// A plain scalar over several lines: its words stand in the text in order.
	end := at
	for _, word := range strings.Fields(n.Value) {
		i := strings.Index(text[end:], word)
		if i < 0 {
			break
		}
		end += i + len(word)
	}
	return end
}

// blockEnd is the end of a block scalar: the last line that is indented deeper than the line the scalar starts on, or
// blank.
func (r *yamlReader) blockEnd(at int) int {
	text := r.file.Text
	line := strings.LastIndexByte(text[:at], '\n') + 1
	indent := len(text[line:]) - len(strings.TrimLeft(text[line:], " "))
	for strings.HasPrefix(text[line+indent:], "- ") && line+indent < at { // the scalar of an item of a list
		indent += 2 + len(text[line+indent+2:]) - len(strings.TrimLeft(text[line+indent+2:], " "))
		if line+indent >= at {
			indent = at - line - 2
			break
		}
	}
	end := at
	for next := at; ; {
		i := strings.IndexByte(text[next:], '\n')
		if i < 0 {
			if end == at || len(strings.TrimSpace(text[next:])) > 0 && next > at {
				return len(text)
			}
			return end
		}
		if next == at {
			end = next + i
		}
		next += i + 1
		rest := text[next:]
		body := strings.TrimLeft(rest, " ")
		stop := strings.IndexByte(rest, '\n')
		if stop < 0 {
			stop = len(rest)
		}
		blank := strings.TrimSpace(rest[:stop]) == ""
		if !blank && len(rest)-len(body) <= indent {
			return end
		}
		if !blank {
			end = next + stop
		}
		if stop == len(rest) {
			return end
		}
	}
}

// unpackBase64 is Ruby's String#unpack('m'): what is no base64 is skipped.
func unpackBase64(s string) string {
	var clean bytes.Buffer
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '=' {
			break
		}
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' {
			clean.WriteByte(c)
		}
	}
	b := clean.Bytes()
	if len(b)%4 == 1 {
		b = b[:len(b)-1]
	}
	out, _ := base64.RawStdEncoding.DecodeString(string(b))
	return string(out)
}
