package fleet

import "testing"

// Each text is one that the pattern matches and that a node can have; "" where none was found.
func TestSample(t *testing.T) {
	for pattern, want := range map[string]string{
		`^web\d+\.example\.com$`:                  "web1.example.com",
		`^(cp|dns)[1-5]00[12]\.(eqiad|codfw)\.x$`: "cp1001.eqiad.x",
		`re`:           "re",
		`^a?b*c{2,3}$`: "cc",
		`\Adb-\h+\Z`:   "db-1",
		`^(?<n>x)$`:    "x",
		`.*`:           "",
		`^(?!x)y$`:     "",
		`^$`:           "",
	} {
		if got := sample(pattern); got != want {
			t.Errorf("/%s/: %q, want %q", pattern, got, want)
		}
	}
}

// A pattern that leaves open how names go on means longer ones, too, and no name ends with a dot.
func TestNodeSample(t *testing.T) {
	for pattern, want := range map[string][2]string{
		`^web1\.example\.com$`:  {"web1.example.com", ""},
		`^web\d+\.(a|b)\.com\Z`: {"web1.a.com", ""},
		`^web1\.east\.`:         {"web1.east.invented", "web1.east.invented.another"},
		`^web`:                  {"web", "web.another"},
		`\.example\.com$`:       {"", ""}, // no name begins with a dot
		`web1\.example\.com$`:   {"web1.example.com", "another-web1.example.com"},
		`^(?!x)y$`:              {"", ""},
	} {
		if name, another := nodeSample(pattern); name != want[0] || another != want[1] {
			t.Errorf("/%s/: %q and %q, want %q", pattern, name, another, want)
		}
	}
}
