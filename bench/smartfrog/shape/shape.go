// Package shape writes SmartFrog specifications of any size, each of a shape that is hard on some compiler. They are
// the scenarios of the SmartFrog benchmark.
//
// It imports nothing of this module. Start reading at All.
package shape

import (
	"fmt"
	"strings"
)

// A Shape is a family of specifications.
type Shape struct {
	Name string
	What string
	Text func(lines int) string
}

// All lists the shapes.
func All() []Shape {
	return []Shape{
		{"nested", "components inside each other, as deep as half the lines", Nested},
		{"linked", "nested, with a link to the top level at every level", Linked},
		{"siblings", "attributes of one component", Siblings},
		{"placed", "attributes placed into one component from the top level", Placed},
		{"inherited", "components that extend one prototype and change it", Inherited},
		{"shared", "links to one component, and a change of every copy", Shared},
	}
}

// Nested has one component inside the other: half of the lines open one, the other half close them.
func Nested(lines int) string {
	var b strings.Builder
	depth := max(lines/2, 1)
	b.WriteString("sfConfig extends {\n")
	for i := 1; i < depth; i++ {
		fmt.Fprintf(&b, "c%d extends {\n", i)
	}
	b.WriteString(strings.Repeat("}\n", depth))
	return b.String()
}

// Linked is nested three lines to a level, with a link to an attribute of the top level in each.
func Linked(lines int) string {
	var b strings.Builder
	depth := max(lines/3, 1)
	b.WriteString("port 80;\nsfConfig extends {\n")
	for i := 1; i < depth; i++ {
		fmt.Fprintf(&b, "p%d port;\nc%d extends {\n", i, i)
	}
	b.WriteString(strings.Repeat("}\n", depth))
	return b.String()
}

// Siblings has one attribute a line, all in one component.
func Siblings(lines int) string {
	var b strings.Builder
	b.WriteString("sfConfig extends {\n")
	for i := range lines {
		fmt.Fprintf(&b, "a%d %d;\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// Placed has one placement a line, from the top level into one component.
func Placed(lines int) string {
	var b strings.Builder
	b.WriteString("sfConfig extends {}\n")
	for i := range lines {
		fmt.Fprintf(&b, "sfConfig:a%d extends { port %d; }\n", i, i)
	}
	return b.String()
}

// Inherited has four lines a component, each of which extends the same prototype.
func Inherited(lines int) string {
	var b strings.Builder
	b.WriteString("Service extends {\nrunning true;\nport 80;\nlog extends { level 1; file \"log\"; }\n}\nsfConfig " +
		"extends {\n")
	for i := range lines / 4 {
		fmt.Fprintf(&b, "s%d extends Service, {\nport %d;\nlog:level 2;\n}\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// Shared has two lines a component: a link that copies a component, and a placement that changes the copy.
func Shared(lines int) string {
	var b strings.Builder
	b.WriteString("sfConfig extends {\nbase extends { x 1; y extends { z 2; } }\n")
	for i := range lines / 2 {
		fmt.Fprintf(&b, "c%d base;\nc%d:y:z %d;\n", i, i, i)
	}
	b.WriteString("}\n")
	return b.String()
}
