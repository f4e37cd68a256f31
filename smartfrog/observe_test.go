package smartfrog

import (
	"fmt"
	"strings"
	"testing"

	"bunraku/source"
)

// TestObserve: every equation is told in order, with what it did and where; and watching changes nothing.
func TestObserve(t *testing.T) {
	file := source.NewFile("x.sf", "S extends { port 80; }\nsfConfig extends {\n  a extends S, { port 81; }\n  b "+
		"a:port;\n}\n")
	var got []string
	watched, diags := Compile(file, nil, Options{Observe: func(e Equation) {
		got = append(got, fmt.Sprintf("%d %s: %s|%s line %d: %s", e.Number, e.Definition, e.Within, e.Target, e.Place.Line(),
			e.Says))
	}})
	if diags != nil {
		t.Fatal(diags)
	}
	want := []string{
		"1 24 V: |S line 1: an empty component, into which prototypes are composed",
		"2 23 P: S| line 1: the component's own statements come",
		"3 24 V: S|port line 1: 80",
		"4 24 V: |sfConfig line 2: an empty component, into which prototypes are composed",
		"5 23 P: sfConfig| line 2: the component's own statements come",
		"6 24 V: sfConfig|a line 3: an empty component, into which prototypes are composed",
		"7 23 P, 18 inherit: sfConfig:a| line 3: S is copied: a component with 1 attribute",
		"8 23 P: sfConfig:a| line 3: the component's own statements come",
		"9 24 V: sfConfig:a|port line 3: 81",
		"10 24 V, 16 resolve: sfConfig|b line 4: a copy of a:port: 81",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	alone, _ := Compile(file, nil, Options{})
	var a, b strings.Builder
	if watched.WriteJSON(&a) != nil || alone.WriteJSON(&b) != nil || a.String() != b.String() {
		t.Errorf("watched it is\n%s\nalone\n%s", &a, &b)
	}
}
