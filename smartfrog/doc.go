// Package smartfrog compiles the SmartFrog configuration language: it reads a specification, evaluates it to an ordered
// tree of attributes, prints the tree as JSON, YAML or SmartFrog, and says of every attribute where its value comes
// from.
//
// The semantics is that of P. Anderson and H. Herry, "A Formal Semantics for the SmartFrog Configuration Language":
// every function that implements one of its Definitions 1 to 27 says so by number. Section 10 of the paper (warnings
// about an inherited order, and order constraints) is implemented in order.go; the extended references of its section
// 9.2, which its authors defined elsewhere, in extended.go.
//
// The paper's store is a list, and its operations take time proportional to its length; ours is an indexed, ordered
// table that is shared between copies until one of them is written to (store.go), looked up through a table of open
// scopes (scope.go), so that compiling takes time linear in the specification and in what its prototypes copy. The
// literal lists live on in the tests (literal_test.go), as the reference that random specifications are compared with.
//
// It may import source. Start reading at Compile, then eval.go, where the definitions are; grammar.txt has the syntax.
package smartfrog
