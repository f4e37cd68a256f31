// Package mupuppet is µPuppet as a program: the small-step operational semantics of
//
//	Fu, Perera, Anderson, Cheney: µPuppet: A Declarative Subset of the Puppet Configuration Language
//	(ECOOP 2017; "the paper", rules in §3 and Appendix C),
//
// with the corrections of Fu's thesis ("the thesis", chapter 3 and Appendix A.3), and the thesis's annotated rules for
// where-, expression- and dependency-provenance (chapters 4 and 5). It computes the catalog of one node from one
// manifest, and can show the derivation, step by step, that leads there. It is the executable specification that judges
// the production evaluator; it shares nothing with it but the parser.
//
// A configuration is (σ, κ, v_C, m): variables, definitions, the catalog so far, and what is left of the manifest.
// Every inference rule is one Go function of its name. A rule is pure: it looks at a configuration and a term and
// answers with a verdict, which is one of
//
//   - no match: the term is not of the form in the rule's conclusion;
//   - a failed premise: the form fits and a side condition does not hold; a stuck configuration reports these;
//   - an axiom's conclusion: the new term and the change of σ, κ or v_C;
//   - a premise: a subterm that must make the step, and how its result is put back (the congruence rules).
//
// The machine keeps the premises that are still open as a stack of evaluation contexts, so a step costs the same in the
// first line of a manifest as in the two thousandth; Machine.Term rebuilds the whole m when somebody wants to see it.
//
// Where the printed rules are wrong, a comment says "Erratum"; where we leave them on purpose, "Differs from the
// paper". docs/papers/mupuppet.md maps each rule to its function and test; docs/mupuppet.md walks through an example.
//
// The package may import source and syntax. Start reading at term.go (the paper's Figures 6 and 7), then machine.go,
// then the rules: expression.go, body.go, statement.go, declaration.go, manifest.go.
package mupuppet
