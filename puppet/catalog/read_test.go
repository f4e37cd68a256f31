package catalog_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

func recorded(t testing.TB) []string {
	t.Helper()
	return live.Catalogs(t)
}

func read(t testing.TB, file string) *catalog.Catalog {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Read(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// What real Puppet wrote is written back byte by byte, but for blanks, which differ between versions of Ruby's JSON
// library.
func TestRecordedCatalogsRoundTrip(t *testing.T) {
	files := recorded(t)
	same := 0
	for _, file := range files {
		want, _ := os.ReadFile(file)
		c := read(t, file)
		got, err := catalog.JSON{}.Append(nil, c)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		var dense bytes.Buffer
		if err := json.Compact(&dense, want); err != nil {
			t.Fatal(err)
		}
		if want = dense.Bytes(); bytes.Equal(got, want) {
			same++
		} else {
			i := 0
			for i < len(got) && i < len(want) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s: differs at byte %d: %q, want %q", filepath.Base(filepath.Dir(file)), i, around(got, i),
				around(want, i))
		}
		compact, _ := catalog.JSON{}.Append(nil, c)
		again, err := catalog.Read(compact)
		if err != nil {
			t.Fatal(err)
		}
		if d := catalog.Diff(c, again); len(d) > 0 {
			t.Errorf("%s: %s", file, strings.Join(d, "\n"))
		}
	}
	t.Logf("score: catalogs written back %d/%d", same, len(files))
}

func around(b []byte, i int) []byte { return b[max(0, i-40):min(len(b), i+40)] }

// The order of edges follows from the order of resources: sorting a recorded catalog's edges changes nothing.
func TestEdgesAreInPuppetsOrder(t *testing.T) {
	for _, file := range recorded(t) {
		c := read(t, file)
		before := append([]catalog.Edge(nil), c.Edges...)
		c.OrderEdges()
		for i := range before {
			if before[i].Source != c.Edges[i].Source || before[i].Target != c.Edges[i].Target {
				t.Errorf("%s: edge %d moved", file, i)
				break
			}
		}
	}
}

func TestPuppetDB(t *testing.T) {
	const shapes = `{"certname":"n","version":"v1","environment":"e","resources":{"href":"/x","data":[
	{"resource":"aa","type":"Stage","title":"main","tags":["stage"],"file":null,"line":null,"exported":false,"parameters":{}},
	{"resource":"bb","type":"Notify","title":"a","tags":["notify"],"file":"/s.pp","line":3,"exported":true,"parameters":{"message":{"__ptype":"Sensitive","__pvalue":"x"}}}]},
	"edges":{"href":"/y","data":[{"source_type":"Stage","source_title":"main","target_type":"Notify","target_title":"a","relationship":"contains"},
	{"source_type":"Notify","source_title":"a","target_type":"Stage","target_title":"main","relationship":"before"}]}}`
	c, err := catalog.Read([]byte("[" + shapes + "]"))
	if err != nil {
		t.Fatal(err)
	}
	r := c.Find("Notify[a]")
	if c.Name != "n" || len(c.Edges) != 1 || r == nil || r.Line != 3 || !r.Exported {
		t.Errorf("read %+v", c)
	}
	if _, ok := r.Get("message").(*value.Sensitive); !ok {
		t.Errorf("message is %T", r.Get("message"))
	}
	wire := `{"certname":"n","resources":[{"type":"Class","title":"A"},{"type":"Class","title":"B"}],"edges":[{"source":{"type":"Class","title":"A"},"target":{"type":"Class","title":"B"},"relationship":"contains"}]}`
	if c, err = catalog.Read([]byte(wire)); err != nil || len(c.Edges) != 1 {
		t.Error(err, c)
	}
}

func TestReadErrors(t *testing.T) {
	for in, want := range map[string]string{
		``:                                "no catalog: the text ends too early, at byte 0 (line 1)",
		`{}`:                              "there is no list of resources",
		`{"resources":[{}]}`:              "resource 1: No resource type",
		`{"resources":[{"type":"File"}]}`: "No resource title",
		`{"resources":[],"edges":[{"source":"A[b]"}]}`: `edge 1: Could not intern from data: Could not find relationship source "A[b]"`,
		`{"resources":[]} x`:                           "text after the end",
		`{"resources":1}`:                              "resources is no list",
		`{"resources":[{"type":"A","title":"b"},{"type":"A","title":"b"}]}`: "Duplicate declaration: A[b]",
	} {
		if _, err := catalog.Read([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

// Our reader of JSON accepts what Go's accepts, with the same meaning.
func FuzzReadJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00\n",true,null]}`, `[01]`, `"\x"`, `1e999`,
		`{"a":1,"a":2}`, `[1,]`, `"\ud800"`, `-`, `nul`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := catalog.ReadJSON([]byte(text))
		var want any
		if !utf8.ValidString(text) || strings.Count(text, "[")+strings.Count(text, "{") > 900 {
			return
		}
		wantErr := json.Unmarshal([]byte(text), &want)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, but Go says %v", text, err, wantErr)
		}
		if err != nil {
			return
		}
		out, err := catalog.JSON{}.AppendValue(nil, catalog.FromData(got))
		if err != nil || strings.Contains(text, "__p") {
			return
		}
		var again any
		if err := json.Unmarshal(out, &again); err != nil || !reflect.DeepEqual(want, again) {
			t.Fatalf("%q became %s: %v", text, out, err)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"name":"n","version":0,"resources":[{"type":"File","title":"/a","parameters":{"mode":1.5,"x":[null,{"__ptype":"Regexp","__pvalue":"a"}]}}],"edges":[],"classes":["a"]}`))
	f.Add([]byte(`{"resources":[{"type":"A","title":"","parameters":{"x":{"__ptype":"Hash","__pvalue":[1,2]},"y":{"__ptype":"Timestamp","__pvalue":"2016-01-02T03:04:05.000000000 UTC"}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := catalog.Read(text)
		if err != nil {
			return
		}
		once, err := catalog.JSON{Indent: true}.Append(nil, c)
		if err != nil {
			t.Fatalf("cannot be written: %v", err)
		}
		again, err := catalog.Read(once)
		if err != nil {
			t.Fatalf("cannot be read back: %v\n%s", err, once)
		}
		if d := catalog.Diff(c, again); len(d) > 0 {
			t.Fatalf("reads back differently: %q", d)
		}
		twice, _ := catalog.JSON{Indent: true}.Append(nil, again)
		if !bytes.Equal(once, twice) {
			t.Fatalf("not stable:\n%s\n%s", once, twice)
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	c := read(b, live.Catalog(b, "apache_many_vhosts"))
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = catalog.JSON{}.Append(buf[:0], c)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkRead(b *testing.B) {
	text, _ := os.ReadFile(live.Catalog(b, "apache_many_vhosts"))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := catalog.Read(text); err != nil {
			b.Fatal(err)
		}
	}
}
