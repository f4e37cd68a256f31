package fleet

import (
	"context"
	"path/filepath"
	"strings"

	"bunraku/diff"
	"bunraku/puppet/trace"
	"bunraku/source"
)

// A Reached is a node, and why it can change; "" if it cannot, or if that is not known.
type Reached struct {
	Node     string `json:"node"`
	Why      string `json:"why,omitempty"`
	NotKnown string `json:"not_known,omitempty"` // why: it does not compile, and is invented or may not read something
}

// Impact tells which nodes can change: those whose compile on the old side asked something that has another answer on
// the new one, or whose catalog names a file of a module that is different. Nothing is compiled on the new side. What
// is not known is taken for a change, so all nodes that change are among those that can.
func (c *Comparing) Impact(ctx context.Context, nodes []Node) ([]Reached, error) {
	out, errs := make([]Reached, len(nodes)), make([]error, len(nodes))
	source.Each(ctx, len(nodes), func(i int) {
		defer c.Step()
		out[i].Node = nodes[i].Title()
		out[i].Why, out[i].NotKnown, errs[i] = c.reaches(ctx, nodes[i])
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

func (c *Comparing) reaches(ctx context.Context, n Node) (why, unknown string, err error) {
	was, err := c.compile(ctx, c.From, c.old(n))
	if err != nil {
		return "", "", err
	}
	c.Watch(was)
	if was.Failure != nil {
		if why := c.moved(was); why != "" { // with another version it may not fail
			return why, "", nil
		}
	}
	switch {
	case was.Questions == nil && was.Open != "":
		return was.Open, "", nil
	case was.Questions == nil:
		return "its compile cannot be repeated", "", nil
	}
	holds, question, err := c.To.Holds(ctx, was.Questions(), c.new(n))
	switch {
	case err != nil:
		return "", "", err
	case !holds:
		return inWords(question), "", nil
	}
	if was.Catalog != nil && c.Options.Contents != nil {
		if changes := c.Options.Contents.Compare(c.side(c.From, was), c.Options); len(changes) > 0 {
			if x := changes[0]; x.Kind == diff.NotKnown {
				return x.Name.String() + " " + x.Attribute + ": " + x.Text, "", nil
			}
			return changes[0].Attribute + " of " + changes[0].Name.String(), "", nil
		}
	}
	if why := unread(c.From, was); why != "" {
		return "", why, nil
	}
	if was.Open != "" {
		return "", was.Open, nil
	}
	if was.Failure != nil && n.Invented != nil { // what stands behind it was not asked for
		return "", n.reason(was.Failure).Summary, nil
	}
	return "", "", nil
}

// inWords is what a node asked, in the words of who wrote it.
func inWords(q trace.Question) string {
	switch q.Kind {
	case trace.LayerFirst, trace.LayerAll:
		key, merge, merged := strings.Cut(q.Part, "\x00")
		if merged {
			key += ", merge " + merge
		}
		return "Hiera's value of " + key
	case trace.KeyOptions:
		return "Hiera's lookup_options of " + q.Of
	case trace.Datum:
		_, key, _ := strings.Cut(q.Part, "\x00")
		if key == "" {
			return "what Hiera has in " + filepath.Base(q.Of)
		}
		return "Hiera's value of " + key + " in " + filepath.Base(q.Of)
	case trace.Code, trace.Content, trace.Data, trace.Config, trace.Exists:
		return q.Of
	case trace.Manifest:
		return "the file that may define " + strings.TrimSuffix(q.Of+"::"+q.Part, "::")
	case trace.ERB, trace.Template, trace.FindTemplate:
		return "template " + q.Of
	case trace.Exports:
		return "what other nodes export: " + q.Of
	case trace.Options:
		return "the environment's settings, or which modules are missing"
	case trace.Main:
		return "what the main manifests define"
	}
	return q.String()
}
