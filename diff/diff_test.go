package diff

import (
	"bytes"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// str is a string value.
func str(s string) value.Value { return value.String(s) }

// res makes a resource of "Type[title]" with attributes given as name, value, name, value …
func res(ref string, attrs ...any) *catalog.Resource {
	n, _ := catalog.ParseRef(ref)
	r := &catalog.Resource{Type: n.Type, Title: n.Title}
	for i := 0; i < len(attrs); i += 2 {
		v, is := attrs[i+1].(value.Value)
		if s, isText := attrs[i+1].(string); isText {
			v, is = str(s), true
		}
		if !is {
			panic("no value")
		}
		r.Params = append(r.Params, catalog.Param{Name: attrs[i].(string), Value: v})
	}
	return r
}

func cat(rs ...*catalog.Resource) *catalog.Catalog {
	c := &catalog.Catalog{Name: "n", Resources: rs}
	c.Seal()
	return c
}

func TestCompare(t *testing.T) {
	opaque := &value.Opaque{Why: "foo() asks the world"}
	maybe := func(r *catalog.Resource) *catalog.Resource { r.Possible = "if foo() says so"; return r }
	hidden := func(r *catalog.Resource, names ...string) *catalog.Resource { r.Sensitive = names; return r }
	secret := func(s string) value.Value { return &value.Sensitive{Value: str(s)} }
	for _, c := range []struct {
		name     string
		old, new *catalog.Catalog
		want     string // headlines
	}{
		{"the same", cat(res("File[/a]", "mode", "0644")), cat(res("File[/a]", "mode", "0644")), ""},
		{"order of resources", cat(res("Exec[a]"), res("Exec[b]")), cat(res("Exec[b]"), res("Exec[a]")), ""},
		{"attribute", cat(res("File[/a]", "mode", "0644")), cat(res("File[/a]", "mode", "0600")),
			"File[/a] mode   '0644' → '0600'"},
		{"number and text differ", cat(res("Exec[a]", "tries", value.Int(1))), cat(res("Exec[a]", "tries", "1")),
			"Exec[a] tries   1 → '1'"},
		{"attribute comes and goes", cat(res("File[/a]", "mode", "0644")), cat(res("File[/a]", "owner", "root")),
			"File[/a] mode   '0644' → nothing\nFile[/a] owner   nothing → 'root'"},
		{"resource comes and goes", cat(res("File[/a]")), cat(res("File[/b]")), "- File[/a]\n+ File[/b]"},
		{"renamed", cat(res("Package[a]", "ensure", "latest")), cat(res("Package[b]", "ensure", "latest")),
			"Package[a] is now Package[b], with the same attributes"},
		{"renamed, the same to the agent", cat(res("File[a]", "path", "/x", "mode", "0600")),
			cat(res("File[b]", "path", "/x", "mode", "0600")),
			"File[a] is now File[b], with the same attributes and the same name on the machine"},
		{"two could be it", cat(res("Exec[a]", "command", "/bin/x")),
			cat(res("Exec[b]", "command", "/bin/x"), res("Exec[c]", "command", "/bin/x")),
			"- Exec[a]\n+ Exec[b]\n+ Exec[c]"},
		{"nothing to know them by", cat(res("Class[A]")), cat(res("Class[B]")), "- Class[A]\n+ Class[B]"},
		{"relationships are sets", cat(res("Exec[a]"), res("Exec[b]"),
			res("Exec[c]", "require", value.Strings("Exec[a]", "Exec[b]"))),
			cat(res("Exec[a]"), res("Exec[b]"), res("Exec[c]", "require", value.Strings("Exec[b]", "Exec[a]"))), ""},
		{"one or a list of one", cat(res("Exec[a]"), res("Exec[c]", "require", "Exec[a]")),
			cat(res("Exec[a]"), res("Exec[c]", "require", value.Strings("Exec[a]"))), ""},
		{"a relationship joins", cat(res("Exec[a]"), res("Exec[b]"), res("Exec[c]", "require", "Exec[a]")),
			cat(res("Exec[a]"), res("Exec[b]"), res("Exec[c]", "require", value.Strings("Exec[b]", "Exec[a]"))),
			"Exec[c] require   + Exec[b]"},
		{"other lists have an order", cat(res("Exec[c]", "path", value.Strings("a", "b"))),
			cat(res("Exec[c]", "path", value.Strings("b", "a"))), "Exec[c] path   ['a', 'b'] → ['b', 'a']"},
		{"unknown is not equal", cat(res("File[/a]", "content", opaque)), cat(res("File[/a]", "content", opaque)),
			"not known: File[/a] content"},
		{"unknown on one side", cat(res("File[/a]", "content", value.NewArray(opaque))), cat(res("File[/a]")),
			"not known: File[/a] content"},
		{"possible", cat(maybe(res("File[/a]"))), cat(maybe(res("File[/a]"))), "not known: File[/a]"},
		{"possible and gone", cat(maybe(res("File[/a]"))), cat(), "not known: File[/a]"},
		{"secrets that are the same", cat(res("File[/a]", "content", secret("x"))),
			cat(res("File[/a]", "content", secret("x"))), ""},
		{"secrets", cat(res("File[/a]", "content", secret("x"))), cat(res("File[/a]", "content", secret("y"))),
			"File[/a] content   changes, Sensitive"},
		{"no longer secret", cat(res("File[/a]", "content", secret("x"))), cat(res("File[/a]", "content", "y")),
			"File[/a] content   changes, Sensitive"},
		{"secret now", cat(res("File[/a]", "content", "x")), cat(hidden(res("File[/a]", "content", "x"), "content")),
			"File[/a] content   is Sensitive now"},
		{"secret until now", cat(hidden(res("File[/a]", "content", "x", "mode", "y"), "content", "mode")),
			cat(hidden(res("File[/a]", "content", "x", "mode", "y"), "mode")),
			"File[/a] content   is no longer Sensitive"},
		{"an automatic relation", cat(res("File[/a]"), res("File[/a/b]")), cat(res("File[/a]"),
			res("File[/a/b]", "owner", "u"), res("User[u]")),
			"File[/a/b] owner   nothing → 'u'\n+ User[u]"},
		{"an automatic relation between those that were there", cat(res("User[u]"), res("File[/b]", "owner", "v")),
			cat(res("User[u]"), res("File[/b]", "owner", "u")),
			"File[/b] owner   'v' → 'u'\n+ File[/b] requires User[u] (automatic, by its owner)"},
		{"a new cycle", cat(res("Exec[a]"), res("Exec[b]", "require", "Exec[a]")),
			cat(res("Exec[a]", "require", "Exec[b]"), res("Exec[b]", "require", "Exec[a]")),
			"NEW CYCLE, no agent applies this: Exec[a], Exec[b]\nExec[a] require   + Exec[b]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, x := range Compare(Side{Catalog: c.old}, Side{Catalog: c.new}, Options{}) {
				text := x.headline()
				if x.Kind == NotKnown {
					text = "not known: " + text
				}
				got = append(got, text)
			}
			if text := strings.Join(got, "\n"); text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

func TestTextsLineByLine(t *testing.T) {
	old := cat(res("File[/a]", "content", "one\ntwo\nthree\n"))
	new := cat(res("File[/a]", "content", "one\n2\nthree\nfour\n"))
	r := NewReport([]string{"n"})
	r.Add(0, Compare(Side{Catalog: old}, Side{Catalog: new}, Options{}))
	r.Gather()
	var b bytes.Buffer
	r.Text(&b, Show{})
	for _, want := range []string{"File[/a] content\n       -two\n       +2\n       …\n       +four\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("want\n%s\ngot\n%s", want, b.String())
		}
	}
}

// What cannot be seen in lines and entries is said.
func TestUnseen(t *testing.T) {
	one, two := value.Value(value.String("one")), value.Value(value.String("two"))
	r := NewReport([]string{"n"})
	r.Add(0, Compare(Side{Catalog: cat(res("File[/a]", "content", "one\ntwo"), res("Notify[h]", "message",
		value.NewHash(one, two, two, one)))}, Side{Catalog: cat(res("File[/a]", "content", "one\ntwo\n"),
		res("Notify[h]", "message", value.NewHash(two, one, one, two)))}, Options{}))
	r.Gather()
	var b bytes.Buffer
	r.Text(&b, Show{})
	for _, want := range []string{"File[/a] content\n       -two\n       \\ no end of line\n       +two\n",
		"Notify[h] message   the same in another order\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("want\n%s\ngot\n%s", want, b.String())
		}
	}
}

// Nodes that have the same change are one group, whatever else their texts and lists hold.
func TestGroups(t *testing.T) {
	r := NewReport([]string{"a", "b", "c", "d"})
	for i, n := range r.Nodes {
		own := "I am " + n.Name + "\n"
		old := cat(res("File[/a]", "content", own+"x\ny\n"), res("Exec[p]", "path", value.Strings("/"+n.Name, "/bin")))
		text := own + "x\nz\n"
		if i == 3 {
			text = own + "x\nother\n"
		}
		new := cat(res("File[/a]", "content", text), res("Exec[p]", "path", value.Strings("/bin", "/"+n.Name, "/sbin")))
		r.Add(i, Compare(Side{Catalog: old}, Side{Catalog: new}, Options{}))
	}
	r.Gather()
	var got []string
	for _, g := range r.Groups {
		got = append(got, g.Letter+" "+strings.Join(r.Names(g.Nodes), " ")+": "+g.Items[0].headline())
	}
	want := "A a b c d: Exec[p] path   + '/sbin'\nB a b c: File[/a] content\nC d: File[/a] content"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// However much there is, the first screen has at most sixty lines, and says that there is more.
func TestFirstScreen(t *testing.T) {
	names := make([]string, 500)
	for i := range names {
		names[i] = "node" + strings.Repeat("x", i)
	}
	r := NewReport(names)
	for i := range names {
		old, new := cat(res("File[/a]", "content", names[i]+"\nold\n")), cat(
			res("File[/a]", "content", "new\n"+names[i]+"\n1\n2\n"))
		r.Add(i, Compare(Side{Catalog: old}, Side{Catalog: new}, Options{}))
	}
	r.Gather()
	for _, by := range []By{ByChange, ByNode, ByCause} {
		var b bytes.Buffer
		r.Text(&b, Show{By: by})
		if n := strings.Count(b.String(), "\n"); n > 60 || !strings.Contains(b.String(), "more") {
			t.Errorf("by %d: %d lines\n%s", by, n, b.String())
		}
	}
	for i := range names {
		old, new := cat(res("File[/b]", "content", "a\nb\n")), cat(res("File[/b]", "content", "a\n"+names[i]+"\n"))
		r.Add(i, Compare(Side{Catalog: old}, Side{Catalog: new}, Options{}))
	}
	r.Gather()
	var b bytes.Buffer
	if err := r.Markdown(&b); err != nil || b.Len() > 60_000 || !strings.Contains(b.String(), "which do not fit here") {
		t.Errorf("a comment of %d bytes, %v", b.Len(), err)
	}
}

// Any subset of hunks can be applied, all of them give the new state, and none the old one.
func TestPatch(t *testing.T) {
	old := map[string]string{"/e/a": "1\n2\n3\n4\n5\n", "/e/gone": "x\n", "/e/dir/only": "y\n", "/e/same": "z",
		"/e/end": "a\nb", "/e/end2": "a\nb\n"}
	new := map[string]string{"/e/a": "1\nzwei\n3\n4\n4a\n5\n", "/e/came": "n\n", "/e/same": "z", "/e/end": "a\nB\nc\n",
		"/e/end2": "A\nb"}
	paths := []string{"/e/a", "/e/came", "/e/dir/only", "/e/end", "/e/end2", "/e/gone", "/e/same"}
	from, to := source.NewMemory([]string{"/e"}, old, nil), source.NewMemory([]string{"/e"}, new, nil)
	p, err := NewPatch(t.Context(), from, to, paths, true, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	text := func(f source.Files, name string) string {
		c, err := f.Read(name)
		if err != nil {
			return "none"
		}
		return c.Text
	}
	check := func(hunks []*Hunk, want source.Files) {
		t.Helper()
		got, err := p.Apply(hunks)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range paths {
			if a, b := text(got, name), text(want, name); a != b {
				t.Errorf("%s: %q, want %q", name, a, b)
			}
		}
		if _, err := got.Stat("/e/dir"); (err == nil) != source.Exists(want, "/e/dir") {
			t.Errorf("the directory: %v", err)
		}
	}
	check(nil, from)
	check(p.Hunks, to)
	var names []string
	for _, h := range p.Hunks {
		names = append(names, h.String())
	}
	want := "/e/a:2 /e/a:5 /e/came, new /e/dir/only, removed /e/end:2-3 /e/end2:1-2 /e/gone, removed"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("hunks %s, want %s", got, want)
	}
	one, err := p.Apply(p.Hunks[1:2])
	if err != nil || text(one, "/e/a") != "1\n2\n3\n4\n4a\n5\n" || text(one, "/e/gone") != "x\n" {
		t.Errorf("one hunk: %q, %v", text(one, "/e/a"), err)
	}
}

// A catalog may not say of which kind its resources are: what is no class and holds nothing does something.
func TestContainerWithoutKind(t *testing.T) {
	side := func(text string) Side {
		c, file, use := res("Class[c]", "p", text), res("File[/s]", "content", text), res("My::Use[u]", "p", text)
		in := res("Notify[n]")
		out := cat(c, file, use, in)
		out.Edges = []catalog.Edge{{Source: c, Target: file}, {Source: c, Target: use}, {Source: use, Target: in}}
		return Side{Catalog: out}
	}
	for _, c := range Compare(side("old"), side("new"), Options{}) {
		if want := c.Name.Type != "File"; c.Container != want {
			t.Errorf("%s: container %v", c.Name, c.Container)
		}
	}
}
