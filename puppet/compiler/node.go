package compiler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/classifier"
	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/exported"
	"bunraku/puppet/facts"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A nodeData is what a compile knows of its node.
type nodeData struct {
	name           string
	facts, trusted *value.Hash
	parameters     *value.Hash
	classes        []eval.Assigned
	bytes          []string // the strings of them that Ruby takes for bytes
	environment    string   // where the classifier puts it; "" if it does not say
	called         string   // what the environment is called for it
	renamed        bool     // that is not what its directory is called
	said           func(steps ...string) source.Place
	imports        exported.Importer
	refused        *source.Diagnostic // why there are no facts, or no answer of the classifier: then there is no catalog
}

// trusted is what $trusted is for a node of a name: what somebody said, or what every certificate says.
func (n Node) trusted(name string) *value.Hash {
	if f := n.Facts.Loaded(); f != nil && f.Trusted != nil {
		return f.Trusted
	}
	return facts.Trusted(name, nil, nil)
}

// Trusted is $trusted of the node.
func (n Node) Trusted() *value.Hash {
	name := n.Name
	if name == "" && n.Facts != nil {
		name = n.Facts.Name
	}
	return n.trusted(strings.ToLower(name))
}

// dataOf puts together what is known of a node. A classifier is asked here, so that no compile goes without.
func (c *Snapshot) dataOf(ctx context.Context, n Node) (*nodeData, error) {
	n.Facts = n.Facts.Loaded()
	s := &nodeData{name: n.Name, parameters: n.Parameters, classes: n.Classes, imports: n.Imports, called: c.env.Name}
	if n.Facts != nil {
		if s.name == "" {
			s.name = n.Facts.Name
		}
		s.facts, s.refused = n.Facts.Values, n.Facts.Trouble
	}
	if s.name == "" {
		return nil, fmt.Errorf("the node has no name: neither the facts nor the command line say it")
	}
	s.name = strings.ToLower(s.name)
	s.trusted = n.trusted(s.name)
	if c.opt.Classifier == nil || n.Unclassified || s.refused != nil {
		return s, nil
	}
	a, err := c.opt.Classifier.Ask(ctx, s.name)
	if err != nil {
		if !errors.As(err, &s.refused) {
			return nil, err
		}
		return s, nil
	}
	s.add(a)
	s.called = c.called(a.Environment)
	s.renamed = s.called != c.env.Name
	return s, nil
}

// add takes in what a classifier says. What the command line gives comes on top.
func (s *nodeData) add(a *classifier.Answer) {
	s.environment, s.said = a.Environment, a.Place
	given := s.classes
	s.classes = nil
	for _, c := range a.Classes {
		s.classes = append(s.classes, eval.Assigned{Name: c.Name, Params: c.Params})
	}
	for _, c := range given {
		if !slices.ContainsFunc(s.classes, func(x eval.Assigned) bool { return x.Name == c.Name }) {
			s.classes = append(s.classes, c)
		}
	}
	s.bytes = a.Bytes()
	if s.parameters == nil {
		s.parameters = a.Parameters
	}
}

// A classifier names the environment of each node. On a server environments lie beside each other, and the name leads
// to one of them. What somebody works on is mostly a checkout that lies anywhere, under any name: it may become each of
// the environments, and so is called what the classifier calls the node's.

// Home is the directory of the environment that a classifier puts the node into, and its name: this one's, or that of
// one beside it. there tells whether that one is there.
func (c *Snapshot) Home(ctx context.Context, n Node) (dir, name string, there bool, err error) {
	who, err := c.dataOf(ctx, n)
	if err != nil || who.environment == "" {
		return c.env.Dir, c.env.Name, true, err
	}
	dir, there = environment.Home(c.env.Dir, who.environment)
	return dir, who.environment, there, nil
}

// Classifies reports whether somebody is asked for the environments of nodes.
func (c *Snapshot) Classifies() bool { return c.opt.Classifier != nil }

// Beside is a snapshot of another environment, as it is on disk, with the same options.
func (c *Snapshot) Beside(ctx context.Context, dir string) (*Snapshot, error) {
	opt := c.opt
	opt.Environment, opt.Cover = "", nil
	return NewWorkspace(dir, opt).Open(ctx)
}

// called is the name of this environment for a node that a classifier puts into one.
func (c *Snapshot) called(name string) string {
	if name == "" || c.opt.Environment != "" || environment.AmongOthers(c.env.Dir) {
		return c.env.Name
	}
	return name
}

// fixedFor is what $settings::NAME answers, and what a server says of itself, in an environment that is called so.
func (c *Snapshot) fixedFor(name string) (settings, server *value.Hash) {
	if name == c.env.Name {
		return c.settings, c.server
	}
	type both struct{ settings, server *value.Hash }
	if known, is := c.named.Load(name); is {
		return known.(both).settings, known.(both).server
	}
	made := both{c.config(name), c.serverFacts(name)}
	c.named.Store(name, made)
	return made.settings, made.server
}

// elsewhere says that the classifier puts the node into another environment; nil if it does not, or if the tree is a
// checkout, which may be any.
func (c *Snapshot) elsewhere(who *nodeData) *source.Diagnostic {
	if who.environment == "" || who.environment == c.env.Name || !environment.AmongOthers(c.env.Dir) {
		return nil
	}
	return &source.Diagnostic{Code: "N0110", Severity: source.Warning, Place: who.said("environment"),
		Summary: fmt.Sprintf("the classifier puts %s into the environment '%s'; it is compiled as one of '%s'", who.name,
			who.environment, c.env.Name)}
}

// Classified is what a classifier says of a node besides the code's environment, as a digest may take it in: the text
// is the same as long as the answer is. It is "" where nobody is asked.
func (c *Snapshot) Classified(ctx context.Context, n Node) (string, error) {
	if c.opt.Classifier == nil || n.Unclassified {
		return "", nil
	}
	who, err := c.dataOf(ctx, n)
	if err != nil {
		return "", err
	}
	return string(who.classification()), nil
}

// answerExports writes what other nodes export, as a collector is told it.
func (s *nodeData) answerExports(q trace.Question, t *trace.Text) {
	if s.imports == nil {
		t.String("nobody")
		return
	}
	query, err := exported.Parse(q.Of, q.Part)
	if err == nil {
		var list []*exported.Resource
		if list, err = s.imports.Exported(s.name, query); err == nil {
			t.String(exported.Digest(list))
			return
		}
	}
	t.String(err.Error())
}
