package fleet

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Moving a node to another language: it is compiled under both. Where the later one refuses what the earlier one takes,
// an edit is looked for that says the same in words that both take, laid over the files, and the node is compiled once
// more; so all that stands in the way comes up, one after the other. The edits are worth something only if the node
// then compiles to the catalog that it had: Same says so.

// A Move is what becomes of a node.
type Move struct {
	Node    string
	Failure *source.Diagnostic // under the earlier language: there is nothing to compare
	Steps   []Step             // what stands in the way, in the order in which it came up
	Done    bool               // with the edits of all steps the node compiles
	Changes []string           // in what its catalog then differs from the one that it had; none if it is the same
}

// A Step is an error of the later language, with the edit that takes it away if one is known.
type Step struct {
	Trouble *source.Diagnostic
	Edit    *source.Edit
}

// Same reports whether the node compiles to the same catalog, with the edits of its steps if there are any.
func (m *Move) Same() bool { return m.Failure == nil && m.Done && len(m.Changes) == 0 }

// mostSteps bounds what is tried for one node.
const mostSteps = 100

// Migrate tries to move a node. Facts under old names, which agents of Puppet 8 do not send, are taken away under the
// later language.
func Migrate(ctx context.Context, before, after *compiler.Workspace, files source.Files, n compiler.Node) (*Move,
	error) {
	m := &Move{Node: n.Name}
	if m.Node == "" && n.Facts != nil {
		m.Node = n.Facts.Name
	}
	old, err := before.Snapshot(ctx, files)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	was, err := old.Compile(ctx, n)
	if err != nil {
		return nil, err
	}
	if m.Failure = was.Failure; m.Failure != nil {
		return m, nil
	}
	n.Facts = withoutLegacy(n.Facts)
	texts := map[string]string{}
	for {
		view, err := source.NewOverlay(files, maps.Clone(texts))
		if err != nil {
			return nil, err
		}
		next, err := after.Snapshot(ctx, view)
		if err != nil {
			return nil, err
		}
		is, err := next.Compile(ctx, n)
		next.Close()
		if err != nil {
			return nil, err
		}
		if is.Failure == nil {
			m.Done = true
			m.Changes, err = changes(was.Catalog, is.Catalog)
			return m, err
		}
		step := Step{Trouble: is.Failure, Edit: editFor(is.Failure, n.Facts)}
		m.Steps = append(m.Steps, step)
		if step.Edit == nil || len(m.Steps) == mostSteps {
			return m, nil
		}
		f, at := step.Edit.Place.File, step.Edit.Place.Span
		texts[source.Absolute(f.Name)] = f.Text[:at.Start] + step.Edit.Text + f.Text[at.End:]
	}
}

// changes compares catalogs as agents get them, without what a server says of itself.
func changes(a, b *catalog.Catalog) ([]string, error) {
	wire := func(c *catalog.Catalog) (*catalog.Catalog, error) {
		text, err := catalog.JSON{Types: types.ToData}.Append(nil, c)
		if err != nil {
			return nil, err
		}
		return catalog.Read(text)
	}
	x, err := wire(a)
	if err != nil {
		return nil, err
	}
	y, err := wire(b)
	if err != nil {
		return nil, err
	}
	return catalog.Diff(y, x), nil
}

// withoutLegacy leaves out the facts under old names for which there is a structured one.
func withoutLegacy(f *facts.Facts) *facts.Facts {
	if f == nil || f.Values == nil {
		return f
	}
	b := value.NewHashBuilder(f.Values.Len())
	for _, e := range f.Values.Entries() {
		if name, is := e.Key.(value.String); !is || structured(f.Values, string(name)) == "" {
			b.SetEntry(e)
		}
	}
	out := *f
	out.Values = b.Hash()
	return &out
}

// structured is the path of the fact that has the value of one with an old name, if the node has it.
func structured(h *value.Hash, name string) string {
	path := facts.Legacy[name]
	if path == "" || strings.HasSuffix(name, "_mb") || name == "interfaces" || name == "blockdevices" {
		return ""
	}
	var v value.Value = h
	for _, part := range strings.Split(path, ".") {
		inner, is := v.(*value.Hash)
		if !is {
			return ""
		}
		v = inner.At(part)
	}
	if value.IsUndef(v) {
		return ""
	}
	return path
}

var (
	unknownVariable = regexp.MustCompile(`^Evaluation Error: Unknown variable: '([\w:]+)'\.$`)
	undefinedInData = regexp.MustCompile(`Undefined variable '([\w:]+)'`)
	coerced         = regexp.MustCompile(`The string '.*' was automatically coerced to the numerical value`)
)

// editFor is an edit after which an error should be gone and the meaning the one of before, nil if none is known.
func editFor(d *source.Diagnostic, f *facts.Facts) *source.Edit {
	at := d.Place
	if m := unknownVariable.FindStringSubmatch(d.Summary); m != nil && at.Known() {
		return editVariable(at, m[1], f)
	}
	if coerced.MatchString(d.Summary) && at.Known() {
		return &source.Edit{Place: at, Text: "Numeric(" + at.File.Text[at.Span.Start:at.Span.End] + ")"}
	}
	if m := undefinedInData.FindStringSubmatch(d.Summary); m != nil {
		for _, r := range d.Related {
			if e := editData(r.Place, m[1], f); e != nil {
				return e
			}
		}
	}
	return nil
}

// editVariable reads a structured fact in place of one with an old name, and asks for a variable that may be missing
// with getvar().
func editVariable(at source.Place, name string, f *facts.Facts) *source.Edit {
	text, span := at.File.Text, at.Span
	read := "getvar('" + name + "')"
	if f != nil && f.Values != nil {
		if path := structured(f.Values, strings.TrimPrefix(name, "::")); path != "" {
			read = "facts['" + strings.ReplaceAll(path, ".", "']['") + "']"
			if span.Start < span.End && text[span.Start] == '$' {
				read = "$" + read
			}
		}
	}
	if span.Start < span.End && text[span.Start] == '$' {
		line := text[strings.LastIndexByte(text[:span.Start], '\n')+1 : span.Start]
		if strings.Count(strings.ReplaceAll(line, `\"`, ""), `"`)%2 == 1 &&
			!strings.Contains(line[strings.LastIndexByte(line, '"'):], "${") {
			read = "${" + strings.TrimPrefix(read, "$") + "}" // in a text, without braces
		}
	}
	return &source.Edit{Place: at, Text: read}
}

// editData takes a variable out of Hiera's data that is the empty text in Puppet 7, or has the structured fact read.
func editData(at source.Place, name string, f *facts.Facts) *source.Edit {
	if !at.Known() {
		return nil
	}
	instead := ""
	if f != nil && f.Values != nil {
		if path := structured(f.Values, strings.TrimPrefix(name, "::")); path != "" {
			instead = "%{facts." + path + "}"
		}
	}
	quoted := regexp.QuoteMeta(name)
	found := regexp.MustCompile(fmt.Sprintf(`%%\{\s*(?:%s|scope\(['"]%s['"]\))\s*\}`, quoted,
		quoted)).FindStringIndex(at.File.Text[at.Span.Start:])
	if found == nil {
		return nil
	}
	at.Span = source.Span{Start: at.Span.Start + uint32(found[0]), End: at.Span.Start + uint32(found[1])}
	return &source.Edit{Place: at, Text: instead}
}
