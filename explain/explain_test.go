package explain

import (
	"strings"
	"testing"

	"bunraku/provenance"
	"bunraku/puppet/record"
)

// Anchors that can stand in one place only are found; where there is a choice the two ends disagree.
func TestPlace(t *testing.T) {
	known := func(s string) atom { return atom{text: s, known: true} }
	gap := atom{}
	for _, c := range []struct {
		whole string
		atoms []atom
		sure  bool
	}{
		{"listen 80;", []atom{known("listen "), gap, known(";")}, true},
		{"a;b;", []atom{gap, known(";"), gap}, false},
		{"a;b", []atom{gap, known(";"), gap}, true},
		{"a;b;c", []atom{gap, known(";"), gap}, false},
		{"x", []atom{gap}, true},
		{"ab", []atom{known("a"), known("b")}, true},
		{"ab", []atom{known("b"), gap}, false},
		{"", nil, true},
	} {
		left, ok := place(c.whole, c.atoms)
		right, ok2 := placeRight(c.whole, c.atoms)
		sure := ok && ok2
		for i := range c.atoms {
			sure = sure && (!c.atoms[i].known || left[i] == right[i])
		}
		if sure != c.sure {
			t.Errorf("%q: %v %v, %v %v", c.whole, left, ok, right, ok2)
		}
	}
}

func TestMatcher(t *testing.T) {
	none := Of(&record.Record{})
	for of, want := range map[string]string{"": "say FILE:LINE", "x": "say FILE:LINE", "x:y": "say FILE:LINE",
		"hiera:": "say FILE:LINE", "m.pp:0": "say FILE:LINE",
		"m.pp:3": "", "m.pp:3:7": "", "hiera:a": "", "fact:os": ""} {
		_, err := none.matcher(of)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", of, err)
		}
	}
	m, _ := none.matcher("fact:os.family")
	for path, want := range map[string]bool{"os.family": true, "os.family.x": true, "os": false, "os.familyname": false} {
		if m(provenance.Label{Kind: provenance.Fact, Path: path}) != want {
			t.Errorf("fact %s", path)
		}
	}
	m, _ = none.matcher("hiera:a::b")
	for path, want := range map[string]bool{"a::b": true, "a::b.c": true, "a::bc": false} {
		if m(provenance.Label{Kind: provenance.Datum, Path: path}) != want {
			t.Errorf("datum %s", path)
		}
	}
	for path, want := range map[string]bool{"key a::b in file x": true, "key a::bc in file x": false, "file x": false} {
		if m(provenance.Label{Kind: provenance.Absence, Path: path}) != want {
			t.Errorf("absence of %s", path)
		}
	}
}

func TestKeysAndRefs(t *testing.T) {
	for path, want := range map[string]string{"a::b": "a::b", "a.b.c": "a", `"a.b".c`: "a.b", "'x y'": "x y", "": ""} {
		if got := RootKey(path); got != want {
			t.Errorf("RootKey(%q) = %q", path, got)
		}
	}
	for ref, want := range map[string]string{"File[/a]": "File[/a]", "file['/a']": "File[/a]",
		`Class["::a::b"]`: "Class[A::B]", "class[A::b]": "Class[A::B]",
		"Class[main]": "Class[main]", "::apache::vhost[x]": "Apache::Vhost[x]"} {
		n, ok := parseRef(ref)
		if !ok || n.String() != want {
			t.Errorf("%s is %s", ref, n)
		}
	}
	for _, ref := range []string{"", "File", "File[", "File[]", "[x]"} {
		if n, ok := parseRef(ref); ok {
			t.Errorf("%q is %s", ref, n)
		}
	}
	for ref, want := range map[string]bool{"File[a] -> File[b]": true, "File[a]~>File[b]": true, "a -> b": false,
		"File[a]": false} {
		if _, _, _, ok := splitArrow(ref); ok != want {
			t.Errorf("%q: %v", ref, ok)
		}
	}
}
