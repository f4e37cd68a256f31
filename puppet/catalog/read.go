package catalog

import (
	"errors"
	"fmt"

	"bunraku/puppet/value"
)

// Read reads a catalog from JSON: as Puppet's server sends it, as `puppet catalog` prints it (either may be wrapped in
// a document), or as PuppetDB answers (resources and edges under "data", or as its wire format has them). Rich data
// become values again; what has no value here (objects, types) is kept so that it is written back the same.
func Read(text []byte) (*Catalog, error) {
	doc, err := ReadJSON(text)
	if err != nil {
		return nil, fmt.Errorf("no catalog: %w", err)
	}
	if a, ok := doc.(*value.Array); ok && a.Len() == 1 {
		doc = a.Elems[0]
	}
	h, ok := doc.(*value.Hash)
	if ok && h.EntryString("resources") == nil {
		if data, is := h.At("data").(*value.Hash); is {
			h = data
		}
	}
	if !ok || h.EntryString("resources") == nil {
		return nil, errors.New("no catalog: there is no list of resources")
	}
	c := &Catalog{
		Name:        text1(h, "name", "certname"),
		Environment: text1(h, "environment"),
		Version:     value.OrUndef(h.At("version")),
		CodeID:      text1(h, "code_id"),
		UUID:        text1(h, "catalog_uuid"),
		Tags:        textList(h.At("tags")),
		Classes:     textList(h.At("classes")),
	}
	if n, ok := h.At("catalog_format").(value.Int); ok {
		c.Format = int(n)
	}
	c.Metadata, _ = h.At("metadata").(*value.Hash)
	c.RecursiveMetadata, _ = h.At("recursive_metadata").(*value.Hash)
	resources, err := items(h.At("resources"), "resources")
	if err != nil {
		return nil, err
	}
	for i, v := range resources {
		r, err := readResource(v)
		if err != nil {
			return nil, fmt.Errorf("resource %d: %w", i+1, err)
		}
		c.Resources = append(c.Resources, r)
	}
	c.Seal()
	if len(c.index.once()) != len(c.Resources) {
		seen := map[Name]bool{}
		for _, r := range c.Resources {
			if seen[r.Name()] {
				//lint:ignore ST1005 Puppet's wording
				return nil, fmt.Errorf("Duplicate declaration: %s is already declared; cannot redeclare", r.Ref())
			}
			seen[r.Name()] = true
		}
	}
	edges, err := items(h.At("edges"), "edges")
	if err != nil {
		return nil, err
	}
	for i, v := range edges {
		e, keep, err := c.readEdge(v)
		if err != nil {
			return nil, fmt.Errorf("edge %d: %w", i+1, err)
		}
		if keep {
			c.Edges = append(c.Edges, e)
		}
	}
	return c, nil
}

// items is a list, or PuppetDB's {"href":…, "data":[…]}; absent means empty.
func items(v value.Value, what string) ([]value.Value, error) {
	if h, ok := v.(*value.Hash); ok {
		v = h.At("data")
	}
	switch v := v.(type) {
	case *value.Array:
		return v.Elems, nil
	case nil, value.Undef:
		return nil, nil
	}
	return nil, fmt.Errorf("no catalog: %s is no list", what)
}

func text1(h *value.Hash, keys ...string) string {
	for _, k := range keys {
		if s, ok := h.At(k).(value.String); ok {
			return string(s)
		}
	}
	return ""
}

func textList(v value.Value) []string {
	a, ok := v.(*value.Array)
	if !ok {
		return nil
	}
	out := make([]string, 0, a.Len())
	for _, e := range a.Elems {
		if s, ok := e.(value.String); ok {
			out = append(out, string(s))
		}
	}
	return out
}

func readResource(v value.Value) (*Resource, error) {
	h, ok := v.(*value.Hash)
	if !ok {
		return nil, errors.New("it is no hash")
	}
	r := &Resource{Type: text1(h, "type"), Title: text1(h, "title"), Kind: Kind(text1(h, "kind")), File: text1(h, "file"),
		Tags: textList(h.At("tags"))}
	if r.Type == "" {
		return nil, errors.New("No resource type provided in serialized data") //lint:ignore ST1005 Puppet's wording
	}
	if _, ok := h.At("title").(value.String); !ok {
		return nil, errors.New("No resource title provided in serialized data") //lint:ignore ST1005 Puppet's wording
	}
	if n, ok := h.At("line").(value.Int); ok && n > 0 {
		r.Line = int(n)
	}
	if b, ok := h.At("exported").(value.Bool); ok {
		r.Exported = bool(b)
	}
	for _, e := range h.Entries() {
		if k := e.Key.(value.String); k == "exported" {
			break
		} else if k == "kind" {
			r.ExportedLast = true
			break
		}
	}
	switch params := h.At("parameters").(type) {
	case *value.Hash:
		r.Params = make([]Param, 0, params.Len())
		for _, e := range params.Entries() {
			r.Params = append(r.Params, Param{Name: string(e.Key.(value.String)), Value: FromData(e.Value)})
		}
	case nil, value.Undef:
	default:
		return nil, fmt.Errorf("the parameters of %s are no hash", r.Ref())
	}
	r.Sensitive = textList(h.At("sensitive_parameters"))
	return r, nil
}

// readEdge reads an edge. PuppetDB has edges for relationships too; those are in the parameters already.
func (c *Catalog) readEdge(v value.Value) (e Edge, keep bool, err error) {
	h, ok := v.(*value.Hash)
	if !ok {
		return e, false, errors.New("it is no hash")
	}
	if rel := text1(h, "relationship"); rel != "" && rel != "contains" {
		return e, false, nil
	}
	end := func(which string) (*Resource, string) {
		switch v := h.At(which).(type) {
		case value.String:
			return c.Find(string(v)), string(v)
		case *value.Hash:
			n := Name{text1(v, "type"), text1(v, "title")}
			return c.Resource(n.Type, n.Title), n.String()
		}
		n := Name{text1(h, which+"_type"), text1(h, which+"_title")}
		return c.Resource(n.Type, n.Title), n.String()
	}
	var source, target string
	e.Source, source = end("source")
	e.Target, target = end("target")
	if e.Source == nil {
		//lint:ignore ST1005 Puppet's wording
		return e, false, fmt.Errorf("Could not intern from data: Could not find relationship source %q for %s", source,
			target)
	}
	if e.Target == nil {
		//lint:ignore ST1005 Puppet's wording
		return e, false, fmt.Errorf("Could not intern from data: Could not find relationship target %q for %s", target,
			source)
	}
	label := &value.HashBuilder{}
	for _, k := range []string{"event", "callback"} {
		if s := text1(h, k); s != "" {
			label.SetString(k, value.String(s))
		}
	}
	if label.Len() > 0 {
		e.Label = label.Hash()
	}
	return e, true, nil
}
