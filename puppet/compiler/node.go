package compiler

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/classifier"
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
	environment    string // where the classifier puts it; "" if it does not say
	said           func(steps ...string) source.Place
	imports        exported.Importer
	refused        *source.Diagnostic // why the classifier gives no answer: then there is no catalog
}

// dataOf puts together what is known of a node. A classifier is asked here, so that no compile goes without.
func (c *Snapshot) dataOf(ctx context.Context, n Node) (*nodeData, error) {
	s := &nodeData{name: n.Name, parameters: n.Parameters, classes: n.Classes, imports: n.Imports}
	if n.Facts != nil {
		if s.name == "" {
			s.name = n.Facts.Name
		}
		s.facts, s.trusted = n.Facts.Values, n.Facts.Trusted
	}
	if s.name == "" {
		return nil, fmt.Errorf("the node has no name: neither the facts nor the command line say it")
	}
	s.name = strings.ToLower(s.name)
	if s.trusted == nil {
		s.trusted = facts.Trusted(s.name, nil, nil)
	}
	if c.opt.Classifier == nil || n.Unclassified {
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
	if s.parameters == nil {
		s.parameters = a.Parameters
	}
}

// elsewhere says that the classifier puts the node into another environment; nil if it does not, or if the tree is a
// checkout, which may be any.
func (c *Snapshot) elsewhere(who *nodeData) *source.Diagnostic {
	if who.environment == "" || who.environment == c.env.Name ||
		filepath.Base(filepath.Dir(c.env.Dir)) != "environments" {
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
