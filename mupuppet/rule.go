package mupuppet

import "bunraku/source"

// A Rule is one inference rule: its name in the paper and the function that is it. The function gets a configuration,
// whose ambient scope α is set, and a term; it changes neither.
type Rule struct {
	Name  string
	apply func(*Config, term) verdict
}

// A verdict is what a rule says about a term. The zero verdict is "no match".
type verdict struct {
	kind   verdictKind
	next   term            // contract: what the term becomes; descend: the subterm that must step
	back   func(term) term // descend: the conclusion's right side, given what the subterm became
	scope  Scope           // descend: the ambient scope of the premise, if moved
	moved  bool
	once   bool     // descend: back applies after one step of the subterm, before another rule may look at it
	change Change   // contract
	fail   *Failure // refuse
}

type verdictKind uint8

const (
	mismatch verdictKind = iota // the term does not have the form of the conclusion
	refuse                      // it has, but a premise fails
	contract                    // the rule applies, without a premise about a smaller step
	descend                     // the rule applies if the subterm can step
)

var noMatch verdict

// axiom is the verdict of a rule that applies: the term becomes t.
func axiom(t term) verdict { return verdict{kind: contract, next: t} }

// changing adds the change of σ, κ or v_C that the conclusion makes.
func (v verdict) changing(c Change) verdict { v.change = c; return v }

// premise is the verdict of a congruence rule: sub must step, and the conclusion is back(sub').
func premise(sub term, back func(term) term) verdict {
	return verdict{kind: descend, next: sub, back: back}
}

// in sets the ambient scope of the premise.
func (v verdict) in(α Scope) verdict { v.scope, v.moved = α, true; return v }

// atOnce says that the conclusion's right side is not in the same form as its left: after the premise's step, rules are
// looked for from outside again.
func (v verdict) atOnce() verdict { v.once = true; return v }

// failed is the verdict of a rule whose form fits and whose premise does not hold.
func failed(f Failure) verdict { return verdict{kind: refuse, fail: &f} }

// A Failure says which premise does not hold, in the paper's notation and in words.
type Failure struct {
	Code    string // M0002 …
	Premise string // as in the rule, with this configuration's names: "x ∉ dom(σ_::main)"
	Summary string // in words, Puppet's where it has them
	Label   string // beside the caret
	Help    string
	span    source.Span // the culprit; the redex when zero
	related []relatedSpan
}

type relatedSpan struct {
	span  source.Span
	label string
}

// A ChangeKind says which of σ, κ, v_C a step changed, and how.
type ChangeKind uint8

const (
	NoChange   ChangeKind = iota
	Bound                 // σ[(α, x) : v]
	Cleared               // clear(σ, α)
	DefinedNew            // κ[a : ClassDef …] or κ[u : ResourceDef …]
	Declared              // κ[a : DeclaredClass(α)]
	Appended              // v_C ␣ v_R
)

// A Change is the difference that one step makes to the environments.
type Change struct {
	Kind     ChangeKind
	Scope    Scope  // Bound, Cleared, Declared
	Name     string // Bound: variable; DefinedNew, Declared: identifier
	Binding  Binding
	Def      *Definition
	Resource *Resource
}

// calculus lists the rules by the form of their conclusion. Each rule checks its own form and premises in full; the
// order within a form is only that of the paper, and the property test of determinism tries them all.
var calculus = [forms][]Rule{
	formVar:   {{"LVar", lVar}, {"PVar", pVar}, {"TVar", tVar}, {"QVar", qVar}},
	formArith: {{"ArithLeft", arithLeft}, {"ArithRight", arithRight}, {"ArithValue", arithValue}},
	formComp: {{"CompLeft", compLeft}, {"CompRight", compRight}, {"CompValueI", compValueI},
		{"CompValueII", compValueII}},
	formAnd: {{"AndLeft", andLeft}, {"AndRightI", andRightI}, {"AndRightII", andRightII}, {"AndValueI", andValueI},
		{"AndValueII", andValueII}},
	formOr: {{"OrLeft", orLeft}, {"OrRightI", orRightI}, {"OrRightII", orRightII}, {"OrValueI", orValueI},
		{"OrValueII", orValueII}},
	formNot:      {{"NotStep", notStep}, {"NotValueI", notValueI}, {"NotValueII", notValueII}},
	formArray:    {{"ArrExp", arrExp}},
	formElem:     {{"ArrEle", arrEle}, {"ArrEleI", arrEleI}},
	formHash:     {{"HExp", hExp}},
	formEntry:    {{"HEle", hEle}, {"HEleI", hEleI}},
	formSelector: {{"SCon", sCon}, {"SEle", sEle}, {"SChoose", sChoose}, {"SChooseI", sChooseI}, {"SDefault", sDefault}},
	formDeref: {{"DeRefExp", deRefExp}, {"DeRefIndex", deRefIndex}, {"DeRefArray", deRefArray},
		{"DeRefHash", deRefHash}, {"DeRefRes", deRefRes}},
	formRef:       {{"RefRes", refRes}},
	formOuterExpr: {{"Expre", expre}},

	formAttr: {{"RbodyExp", rbodyExp}, {"RbodyStep", rbodyStep}},
	formBody: {{"RName", rName}, {"Rbody", rbody}},

	formExprStmt: {{"ExprStep", exprStep}, {"Expr", exprDone}},
	formSeq:      {{"SeqStep", seqStep}, {"SeqSkip", seqSkip}},
	formAssign:   {{"AssignStep", assignStep}, {"Assign", assign}},
	formIf:       {{"IfStep", ifStep}, {"IfT", ifT}, {"IfF", ifF}},
	formUnless:   {{"UnlessStep", unlessStep}, {"UnlessT", unlessT}, {"UnlessF", unlessF}},
	formCase: {{"CaseStep1", caseStep1}, {"CaseStep2", caseStep2}, {"CaseMatch", caseMatched},
		{"CaseNoMatch", caseNoMatch}, {"CaseDone", caseDone}, {"CaseDefault", caseDefault}},
	formNative:    {{"ResStep", resStep}, {"ResDecl", resDecl}},
	formDefined:   {{"DefStep", defStep}, {"Def", def}},
	formInclude:   {{"IncU", incU}, {"IncD", incD}, {"IncPU", incPU}, {"IncPD", incPD}},
	formClassDecl: {{"CDecStep", cDecStep}, {"CDecU", cDecU}, {"CDecPU", cDecPU}, {"CDecPD", cDecPD}},
	formScope: {{"ScopeStep", scopeStep}, {"DefScopeStep", defScopeStep}, {"ScopeDone", scopeDone},
		{"DefScopeDone", defScopeDone}},
	formOuterStmt: {{"Statement", statement}, {"AssignStepPlus", assignStepPlus}, {"AssignPlus", assignPlus},
		{"ResDeclPlus", resDeclPlus}, {"DefStepPlus", defStepPlus}, {"DefPlus", defPlus}},

	formTop:    {{"TopScope", topScopeRule}},
	formMSeq:   {{"MSeqStep", mSeqStep}, {"MSeqSkip", mSeqSkip}},
	formNode:   {{"NodeMatch", nodeMatch}, {"NodeNoMatch", nodeNoMatch}},
	formDefine: {{"RDef", rDef}},
	formClass:  {{"CDef", cDef}, {"CDefI", cDefI}, {"CDefP", cDefP}, {"CDefPI", cDefPI}},
}

// Rules lists every evaluation rule, in the order of the paper.
func Rules() []Rule {
	var out []Rule
	for _, rs := range calculus {
		out = append(out, rs...)
	}
	return out
}
