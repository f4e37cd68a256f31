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
