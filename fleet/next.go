package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A run can change what the next one is about: it writes a file of facts, and facter reads it before the next compile.
// A catalog that was proved idempotent says nothing about that, since it is another catalog that is applied then. So
// where a catalog holds such files, the node is compiled once more with what they state, and twice more if that is
// another catalog: then it is known whether the third is like the second.

// next compares a node's catalog with that of its next runs. It says nothing where the facts are those that the node
// has already, and nothing about facts that programs compute.
func next(ctx context.Context, c *compiler.Snapshot, node Node, res *eval.Result) (*source.Diagnostic, error) {
	given, by := stated(res.Catalog)
	if node.Facts == nil || given.Len() == 0 || has(node.Facts.Values, given) {
		return nil, nil
	}
	node.Facts = node.Facts.With(given)
	second, err := c.Compile(ctx, node.Node)
	if err != nil {
		return nil, err
	}
	d := &source.Diagnostic{Code: "V207", Severity: source.Warning, Place: by.Place,
		Help: "the facts that a run writes are there in the next one: give them to the node before its first run, or let " +
			"nothing hang on them"}
	if second.Failure != nil {
		d.Severity = source.Error
		d.Summary = fmt.Sprintf("the next catalog does not compile, with the facts that %s states: %s", by.Ref(),
			second.Failure.Summary)
		if second.Failure.Place.Known() {
			d.Related = append(d.Related, source.Related{Place: second.Failure.Place, Label: "it fails here"})
		}
		return d, nil
	}
	changes := changed(res.Catalog, second.Catalog)
	if len(changes) == 0 {
		return nil, nil
	}
	d.Summary = fmt.Sprintf("the next catalog differs, by the facts that %s states: %s", by.Ref(), some(changes))
	again, _ := stated(second.Catalog)
	if has(node.Facts.Values, again) {
		d.Detail = "It takes a second run; from then on it stays so."
		return d, nil
	}
	node.Facts = node.Facts.With(again)
	third, err := c.Compile(ctx, node.Node)
	if err != nil {
		return nil, err
	}
	if third.Failure != nil || len(changed(second.Catalog, third.Catalog)) > 0 {
		d.Detail = "And the one after that differs again: what it states hangs on what was stated before."
	}
	return d, nil
}

// stated are the facts that the files of a catalog state, and the first such file.
func stated(c *catalog.Catalog) (*value.Hash, *catalog.Resource) {
	b := value.NewHashBuilder(4)
	var by *catalog.Resource
	for _, r := range c.Resources {
		if r.Type != "File" || r.Virtual {
			continue
		}
		p := r.Title
		if s, is := r.Get("path").(value.String); is {
			p = string(s)
		}
		content, is := r.Get("content").(value.String)
		if ensure := r.Get("ensure"); !is || !facts.IsExternal(p) || ensure != nil &&
			value.ToString(ensure) != "file" && value.ToString(ensure) != "present" {
			continue
		}
		given, ok := facts.External(p, string(content))
		if !ok {
			continue
		}
		for _, e := range given.Entries() {
			b.SetEntry(e)
		}
		if by == nil && given.Len() > 0 {
			by = r
		}
	}
	return b.Hash(), by
}

// has reports whether a node's facts are as they are stated.
func has(all, given *value.Hash) bool {
	for _, e := range given.Entries() {
		v, there := all.Get(e.Key)
		if !there || !value.Same(v, e.Value) {
			return false
		}
	}
	return true
}

// changed says which resources are in one of two catalogs alone, and what else of them is another: what an agent would
// apply. Places and tags do not count.
func changed(a, b *catalog.Catalog) (out []string) {
	in := map[string]*catalog.Resource{}
	for _, r := range a.Resources {
		in[r.Ref()] = r
	}
	for _, r := range b.Resources {
		old := in[r.Ref()]
		delete(in, r.Ref())
		switch {
		case old == nil:
			out = append(out, r.Ref()+" comes")
		case !slices.Equal(applied(old), applied(r)):
			out = append(out, r.Ref()+" changes")
		}
	}
	for _, r := range a.Resources {
		if in[r.Ref()] != nil {
			out = append(out, r.Ref()+" goes")
		}
	}
	return out
}

// applied are the attributes of a resource, sorted.
func applied(r *catalog.Resource) (out []string) {
	for _, p := range r.Params {
		text, _ := catalog.JSON{}.AppendValue(nil, p.Value)
		out = append(out, p.Name+" "+string(text))
	}
	slices.Sort(out)
	return out
}

// some are the first of several, and how many more there are.
func some(list []string) string {
	const most = 2
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
