package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// maker makes random catalogs of the types that have automatic relations, with classes, defines, stages and
// relationships, some of them circular.
type maker struct {
	*rand.Rand
	c *catalog.Catalog
}

func (m *maker) one(of ...string) string { return of[m.IntN(len(of))] }

func (m *maker) path() string {
	p := ""
	for range 1 + m.IntN(3) {
		p += "/" + m.one("a", "b", "c", "mnt")
	}
	return p
}

func (m *maker) add(typ, title string, kind catalog.Kind, params ...any) *catalog.Resource {
	if m.c.Resource(typ, title) != nil {
		return nil
	}
	r := &catalog.Resource{Type: typ, Title: title, Kind: kind, Tags: []string{"x"}}
	for i := 0; i < len(params); i += 2 {
		v, ok := params[i+1].(value.Value)
		if s, is := params[i+1].(string); is {
			v, ok = value.String(s), true
		}
		if ok && m.IntN(4) > 0 {
			r.Params = append(r.Params, catalog.Param{Name: params[i].(string), Value: v})
		}
	}
	m.c.Resources = append(m.c.Resources, r)
	return r
}

// always sets what the type insists on.
func always(r *catalog.Resource, name string, v string) {
	if r != nil && r.Param(name) == nil {
		r.Params = append(r.Params, catalog.Param{Name: name, Value: value.String(v)})
	}
}

func (m *maker) resource() {
	some := func() string { return m.one("u1", "u2", "g1", "g2", "100", "root") }
	switch m.IntN(11) {
	case 0, 1, 2:
		title := m.one(m.path(), m.path()+"/", "named"+m.path())
		r := m.add("File", title, catalog.CompilableType, "owner", some(), "group", some(), "ensure",
			m.one("file", "directory", "present", "absent", m.path()))
		if title[0] != '/' {
			always(r, "path", m.one(m.path(), m.path()+"/../b", m.path()+"//x/"))
		}
	case 3:
		r := m.add("File", m.path(), catalog.CompilableType, "target", m.path(), "owner", value.Int(100))
		always(r, "ensure", "link")
	case 4, 5:
		m.add("Exec", m.one(m.path(), m.path()+" -x", `"`+m.path()+`" y`, "/bin/true\n"+m.path()), catalog.CompilableType,
			"cwd", m.path(), "user", some(), "onlyif", m.path()+" "+m.path(), "unless",
			value.Strings("/bin/x "+m.path(), m.path()),
			"command", value.Strings(m.path(), m.path()))
	case 6:
		m.add("User", m.one("u1", "u2", "root"), catalog.CompilableType, "gid", m.one("g1", "g2", "100"), "groups",
			value.Strings("g2", "g1"), "ensure", "present")
		m.add("Group", m.one("g1", "g2"), catalog.CompilableType, "gid", m.one("100", "200"), "ensure", "present")
	case 7:
		m.add("Mount", m.one(m.path(), m.path()+"/", "/mnt"), catalog.CompilableType, "ensure", "mounted", "device", "x",
			"fstype", "ext4")
	case 8:
		// Without a user the answer depends on the machine: is there a crontab program?
		always(m.add("Cron", m.one("c1", "c2"), catalog.CompilableType, "user", some(), "command", "x"), "user", "u1")
	case 9:
		m.add("Package", m.one("p1", "p2"), catalog.CompilableType, "source", m.path(), "responsefile", m.path(), "adminfile",
			m.path(), "alias", m.one("q1", "p1"))
	case 10:
		r := m.add("Ssh_authorized_key", m.one("k1", "k2"), catalog.CompilableType, "user", some(), "key", "AAAA")
		always(r, "type", "ssh-rsa")
		always(r, "user", "u1")
	}
}

func randomCatalog(seed uint64) *catalog.Catalog {
	m := &maker{rand.New(rand.NewPCG(seed, 1)), &catalog.Catalog{Name: "n", Environment: "e", Version: value.Int(0),
		Format: 2}}
	stages := []*catalog.Resource{m.add("Stage", "main", catalog.CompilableType)}
	if m.IntN(2) == 0 {
		stages = append(stages, m.add("Stage", "pre", catalog.CompilableType, "before", "Stage[main]"))
	}
	containers := []*catalog.Resource{}
	for i := range 1 + m.IntN(4) {
		var r *catalog.Resource
		if m.IntN(3) == 0 && i > 0 {
			r = m.add("D::T", fmt.Sprint(i), catalog.DefinedType)
			m.c.Edges = append(m.c.Edges, catalog.Edge{Source: containers[m.IntN(len(containers))], Target: r})
		} else {
			r = m.add("Class", "K"+fmt.Sprint(i), catalog.Unknown)
			m.c.Edges = append(m.c.Edges, catalog.Edge{Source: stages[m.IntN(len(stages))], Target: r})
			if i > 0 && m.IntN(3) == 0 {
				m.c.Edges = append(m.c.Edges, catalog.Edge{Source: containers[0], Target: r})
			}
		}
		containers = append(containers, r)
		for range m.IntN(6) {
			before := len(m.c.Resources)
			m.resource()
			for _, child := range m.c.Resources[before:] {
				m.c.Edges = append(m.c.Edges, catalog.Edge{Source: containers[m.IntN(len(containers))], Target: child})
			}
		}
	}
	for range m.IntN(5) {
		from := m.c.Resources[m.IntN(len(m.c.Resources))]
		to := m.c.Resources[m.IntN(len(m.c.Resources))]
		name := m.one("before", "require", "notify", "subscribe")
		if p := from.Param(name); p == nil && from != to {
			from.Params = append(from.Params, catalog.Param{Name: name, Value: value.String(to.Ref())})
		} else if p != nil {
			p.Value = value.NewArray(p.Value, value.String(to.Ref()))
		}
	}
	m.c.Seal()
	m.c.OrderEdges()
	return m.c
}

// Random catalogs: the same edges, the same order, the same words about the same cycles as a real agent.
func TestRandomGraphsAsPuppet(t *testing.T) {
	n := 120
	if thorough() {
		n = 3000
	}
	dir := t.TempDir()
	var files []string
	for seed := range uint64(n) {
		text, err := catalog.JSON{}.Append(nil, randomCatalog(seed))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, fmt.Sprint(seed))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	same, refused, cyclic, wrong := 0, 0, 0, 0
	for i, want := range livesGraphs(t, "*_core", files) {
		if want.Error != "" {
			if refused++; refused < 4 {
				t.Logf("refused: %s", want.Error)
			}
			continue
		}
		if want.Cycles != "" {
			cyclic++
		}
		if d := compareGraphs(want, ourGraph(read(t, files[i]))); d != "" {
			if wrong++; wrong < 4 {
				text, _ := os.ReadFile(files[i])
				t.Errorf("seed %d (-puppet +ours):\n%s\n%s", i, d, text)
			}
			continue
		}
		same++
	}
	t.Logf("score: random relationship graphs as an agent's %d/%d (%d with cycles; %d refused)", same, n-refused, cyclic,
		refused)
	if refused > n/2 || cyclic < n/20 {
		t.Error("the catalogs test too little")
	}
}
