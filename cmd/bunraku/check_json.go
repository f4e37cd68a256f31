package main

// answerJSON is what check answers to tools.
type answerJSON struct {
	Files    int           `json:"files"`
	Problems []problemJSON `json:"problems"` // about files
	Findings []findingJSON `json:"findings"` // of verify, each once, with its nodes
	Nodes    []nodeJSON    `json:"nodes,omitempty"`
}

type nodeJSON struct {
	Name      string        `json:"name"`
	Resources int           `json:"resources"`
	Compiles  bool          `json:"compiles"`
	Unknown   int           `json:"unknown_values"`
	Problems  []problemJSON `json:"problems"`
	Findings  []string      `json:"findings"` // fingerprints
	answersJSON
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
		n := nodeJSON{Name: r.Name, Compiles: r.Catalog != nil, Unknown: r.Opaque, Problems: []problemJSON{}, Findings: []string{}, answersJSON: answersOf(r.verdict)}
		if r.Catalog != nil {
			n.Resources = len(r.Catalog.Resources)
		}
		for _, p := range r.verdict.Node.Problems {
			if p.Finding != nil {
				n.Findings = append(n.Findings, p.Fingerprint)
			} else {
				n.Problems = append(n.Problems, problemOf(p.Diagnostic))
			}
		}
		answer.Nodes = append(answer.Nodes, n)
	}
	return answer
}
