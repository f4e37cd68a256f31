package main

import (
	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/source"
)

// answerJSON is what check answers to tools.
type answerJSON struct {
	Files    int           `json:"files"`
	Problems []problemJSON `json:"problems"` // about files
	Findings []findingJSON `json:"findings"` // of verify, each once, with its nodes
	Nodes    []nodeJSON    `json:"nodes,omitempty"`
	// the version of stdlib that what was used in its place follows
	StandIn string        `json:"stdlib_built_in,omitempty"`
	NotDone []notDoneJSON `json:"not_looked_at,omitempty"`
	// modules that are named and not there; only where nodes are invented
	Missing []string `json:"missing_modules,omitempty"`
	// by kind: class, define, branch, template, key
	Coverage map[string]*coverageJSON `json:"coverage,omitempty"`
}

type nodeJSON struct {
	Name      string        `json:"name"`
	Kind      string        `json:"kind"`             // real or invented
	Origin    string        `json:"origin,omitempty"` // of an invented one
	Resources int           `json:"resources"`
	Compiles  bool          `json:"compiles"`
	Unknown   int           `json:"unknown_values"`
	Problems  []problemJSON `json:"problems"`
	Findings  []string      `json:"findings"` // fingerprints
	StandIns  []standInJSON `json:"stand_ins,omitempty"`
	answersJSON
}

// standInJSON is something that a module would bring which is not there, and that the node was compiled without.
type standInJSON struct {
	Module string `json:"module"` // "" if which one is not known
	Kind   string `json:"kind"`
	Name   string `json:"name"`
}

var standInKinds = map[source.SubjectKind]string{source.MissingClass: "class", source.MissingFunction: "function",
	source.MissingResourceType: "resource_type", source.MissingType: "data_type",
	source.MissingKey: "data", source.MissingFile: "file", source.MissingFact: "fact"}

// notDoneJSON is an invented node that tells nothing of the tree, with the reason.
type notDoneJSON struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

var excuseNames = map[fleet.ExcuseKind]string{
	fleet.NeedsModule: "needs_module", fleet.NeedsParameters: "needs_parameters", fleet.NeedsData: "needs_data",
	fleet.NeedsFiles:     "needs_files",
	fleet.NeedsValues:    "needs_values",
	fleet.NeedsVariables: "needs_variables", fleet.NeedsFacts: "needs_facts", fleet.NeedsOthers: "needs_others",
	fleet.Refuses: "refuses", fleet.NeedsUse: "needs_use",
	fleet.NoEnvironment: "no_environment",
	fleet.NotTried:      "not_tried",
}

func (c *checking) answer() answerJSON {
	answer := answerJSON{Files: len(c.files), Problems: []problemJSON{}, Findings: []findingJSON{}}
	for _, p := range c.run.Problems {
		switch {
		case p.Finding != nil:
			answer.Findings = append(answer.Findings, toFindingJSON(p))
		case len(p.Nodes) == 0:
			answer.Problems = append(answer.Problems, problemOf(p.Diagnostic))
		}
	}
	for _, r := range c.nodes {
		n := nodeJSON{Name: r.Name, Kind: "real", Compiles: r.Catalog != nil, Unknown: r.Opaque, Problems: []problemJSON{},
			Findings: []string{}, answersJSON: answersOf(r.Verdict)}
		if r.Invented != nil {
			n.Kind, n.Origin = "invented", r.Invented.Origin
		}
		if r.Catalog != nil {
			n.Resources = len(r.Catalog.Resources)
		}
		for _, s := range r.StandIns {
			if s.IsUnnamed() {
				s.Module = ""
			}
			n.StandIns = append(n.StandIns, standInJSON{s.Module, standInKinds[s.Kind], s.Name})
		}
		for _, p := range r.Verdict.Node.Problems {
			if p.Finding != nil {
				n.Findings = append(n.Findings, p.Fingerprint)
			} else {
				n.Problems = append(n.Problems, problemOf(p.Diagnostic))
			}
		}
		answer.Nodes = append(answer.Nodes, n)
	}
	answer.Coverage = coverageOf(c.coverage)
	if c.plan != nil {
		answer.Missing = c.plan.Wanted
	}
	if c.standsIn {
		answer.StandIn = compiler.StandInVersion
	}
	for _, r := range c.excused {
		answer.NotDone = append(answer.NotDone, notDoneJSON{r.Name, excuseNames[r.Excuse.Kind], r.Excuse.Detail})
	}
	return answer
}
