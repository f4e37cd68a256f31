package diff

import (
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// left compares with rules, and says what is left.
func left(t *testing.T, old, new *catalog.Catalog, ignore ...string) string {
	t.Helper()
	rules, err := ParseRules(ignore)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range Compare(Side{Catalog: old}, Side{Catalog: new}, Options{Ignore: rules}) {
		out = append(out, c.headline())
	}
	return strings.Join(out, "; ")
}

func hash(pairs ...any) value.Value {
	b := value.NewHashBuilder(len(pairs) / 2)
	for i := 0; i < len(pairs); i += 2 {
		v, is := pairs[i+1].(value.Value)
		if s, text := pairs[i+1].(string); text {
			v, is = value.String(s), true
		}
		if !is {
			panic("no value")
		}
		b.SetString(pairs[i].(string), v)
	}
	return b.Hash()
}

// What is no rule or no filter is refused, and it is said what was meant.
func TestIgnoreRefused(t *testing.T) {
	for _, bad := range []string{"File", "[x]", "File[/a]::x=s>y", "File[/a]::x=~>(", "File[/tmp/a],bad"} {
		if _, err := ParseRules([]string{bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := ParseFilters([]string{"Yaml"}); err == nil || !strings.Contains(err.Error(), "YAML") {
		t.Error(err)
	}
}

// One of a pair that is renamed may be left out, and one key of a hash.
func TestIgnoreHalf(t *testing.T) {
	old := cat(res("File[/tmp/a]", "mode", "0600"), res("T[t]", "h", hash("owner", "a", "mode", "1")))
	new := cat(res("File[/tmp/b]", "mode", "0600"), res("T[t]", "h", hash("owner", "b", "mode", "2")))
	if got := left(t, old, new, "File[/tmp/*]+", "T[*]"); got != "- File[/tmp/a]" {
		t.Error(got)
	}
	rules, err := AttributeRules([]string{"owner"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Compare(Side{Catalog: old}, Side{Catalog: new}, Options{Ignore: rules}) {
		if parts := c.entries(); c.Name.Type == "T" && (len(parts) != 1 || parts[0].path[2] != "mode") {
			t.Error(parts)
		}
	}
	both, err := AttributeRules([]string{"owner", "mode"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Compare(Side{Catalog: old}, Side{Catalog: new}, Options{Ignore: both}) {
		if c.Name.Type == "T" {
			t.Error(c.headline())
		}
	}
}
