package resource_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bunraku/internal/live"
	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// moduleFiles are the libraries of modules, as a Library sees them.
type moduleFiles struct {
	libs []string
	read int
}

func (m *moduleFiles) find(elem ...string) (string, bool) {
	for _, lib := range m.libs {
		path := filepath.Join(append([]string{lib}, elem...)...)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, true
		}
	}
	return "", false
}

func (m *moduleFiles) Type(name string) (string, bool)    { return m.find("puppet", "type", name+".rb") }
func (m *moduleFiles) Feature(name string) (string, bool) { return m.find(name + ".rb") }
func (m *moduleFiles) Generated(string) (string, bool)    { return "", false }
func (m *moduleFiles) Display(path string) string         { return path }
func (m *moduleFiles) Providers(typ string) []string {
	var names []string
	for _, lib := range m.libs {
		found, _ := filepath.Glob(filepath.Join(lib, "puppet", "provider", typ, "*.rb"))
		for _, f := range found {
			names = append(names, strings.TrimSuffix(filepath.Base(f), ".rb"))
		}
	}
	return names
}
func (m *moduleFiles) Read(path string) (string, error) {
	m.read++
	text, err := os.ReadFile(path)
	return string(text), err
}

func debian(t testing.TB) *moduleFiles {
	live.Files(t, ".rb")
	libs, _ := filepath.Glob(filepath.Join(live.ModulesDir, "*", "lib"))
	sort.Strings(libs)
	return &moduleFiles{libs: libs}
}

var sampleTitles = []string{"a", "a::b", "a@b", "a::b@c::d", "a@::d", "a::b@c", "a@::::all", "r/n::t", "r/n", "/etc/x",
	"n:/usr/bin/x", "n:C:/x", "a@b@c", "x y", "ä", "", "a\nb", "q@e@/v", "q@/v", "127.0.0.1:80", "1 rule"}

// described is a type as testdata/moduletypes.rb prints it.
type described struct {
	Name        string
	Module      string
	Properties  [][2]any
	Parameters  [][2]any
	Namevars    []string
	Titles      any
	Autos       [][2]string
	Isomorphic  bool
	Refreshable bool
	SelfRefresh bool `json:"self_refresh"`
	Error       string
}

// describe is a type of ours in the same form.
func describe(t *resource.Type, module string) described {
	list := func(attrs []resource.Attribute) [][2]any {
		out := [][2]any{}
		for _, a := range attrs {
			values := []any{}
			for _, v := range a.Values {
				values = append(values, v)
			}
			out = append(out, [2]any{a.Name, values})
		}
		return out
	}
	d := described{Name: t.Name, Module: module, Properties: list(t.Properties), Parameters: list(t.Params),
		Namevars: t.Namevars, Isomorphic: t.Isomorphic, Refreshable: t.Refreshable, SelfRefresh: t.SelfRefresh,
		Autos: [][2]string{}}
	for _, a := range t.Autos {
		d.Autos = append(d.Autos, [2]string{a.Relation.String(), a.Target})
	}
	if d.Namevars == nil {
		d.Namevars = []string{}
	}
	titles := []any{}
	for _, s := range sampleTitles {
		attrs, err := resource.ParseTitle(t, s)
		var parsed any
		if err == nil {
			l := []any{}
			for _, a := range attrs {
				var v any
				if !value.IsUndef(a.Value) {
					v = value.ToString(a.Value)
				}
				l = append(l, []any{a.Name, v})
			}
			parsed = l
		}
		titles = append(titles, []any{s, parsed})
	}
	d.Titles = titles
	return d
}

// Every type of every Debian module is read as Puppet loads it.
func TestModuleTypesAsPuppet(t *testing.T) {
	live.Puppet(t)
	files := debian(t)
	in, _ := json.Marshal(sampleTitles)
	answers := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/moduletypes.rb", string(in), live.ModulesDir)), "\n")
	lib := resource.NewLibrary(files, "7.23.0")
	total, equal, open, relations := 0, 0, 0, 0
	for _, line := range answers {
		var want described
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		total++
		got := lib.Type(want.Name)
		if got == nil {
			t.Errorf("%s: not found", want.Name)
			continue
		}
		if got.Open {
			open++
			t.Logf("%s is open: %s", want.Name, noteTexts(got))
		}
		relations += len(got.Autos)
		d := cmp.Diff(want, describe(got, want.Module))
		if table := resource.Known(want.Name); d != "" && table != nil && len(got.Notes) > 0 &&
			cmp.Diff(want, describe(table, want.Module)) == "" {
			d = "" // the compiler has it from the table, and what could not be read was said
		}
		if d != "" {
			t.Errorf("%s (-puppet +ours):\n%s%s", want.Name, d, noteTexts(got))
			continue
		}
		equal++
	}
	t.Logf("score: module types %d/%d", equal, total)
	t.Logf("%d are open, %d automatic relations", open, relations)
}

func noteTexts(t *resource.Type) string {
	var out []string
	for _, n := range t.Notes {
		name := ""
		if n.Place.File != nil {
			name = fmt.Sprintf("%s:%d: ", n.Place.File.Name, n.Place.Line())
		}
		out = append(out, name+n.Why)
	}
	return strings.Join(slices.Compact(out), "\n")
}

func BenchmarkLibrary(b *testing.B) {
	files := debian(b)
	for b.Loop() {
		resource.NewLibrary(files, "7.23.0").Type("keystone_user_role")
	}
}
