package verify

import (
	"context"
	"fmt"
	"testing"

	"bunraku/verify/fs"
)

// large is shaped like a real catalog: packages with many files in shared directories, each followed by its
// configuration and service, and many files in one managed directory.
func large(packages, filesEach, vhosts int) *Graph {
	g := &Graph{Fresh: fs.NewState().Put("/etc", fs.Dir).Put("/usr", fs.Dir)}
	for _, d := range []fs.Path{"/etc", "/usr"} {
		g.Init.Assume = append(g.Init.Assume, fs.Is{Path: d, Kind: fs.Dir})
	}
	add := func(r Resource) int {
		g.Resources = append(g.Resources, r)
		return len(g.Resources) - 1
	}
	for i := range packages {
		name := fmt.Sprintf("p%d", i)
		dirs := []fs.Path{"/usr", "/usr/bin", "/usr/share", fs.Path("/usr/share/" + name), "/etc", fs.Path("/etc/" + name)}
		files := []fs.Path{fs.Path("/etc/" + name + "/conf")}
		for k := range filesEach {
			files = append(files, fs.Path(fmt.Sprintf("/usr/share/%s/%d", name, k)))
		}
		p := add(pkg(name, dirs, files))
		f := add(file(fs.Path("/etc/"+name+"/conf"), "x"))
		s := add(Resource{Name: "Service[" + name + "]", Program: fs.Seq{
			fs.If{Cond: fs.VarIs("package "+name, "installed"), Else: fs.Fail{}},
			fs.Assign{Var: "service " + name, Value: fs.Str("running")}}})
		g.Edges = append(g.Edges, Edge{From: p, To: f}, Edge{From: p, To: s}, Edge{From: f, To: s})
	}
	d := add(Resource{Name: "File[/etc/vhosts]", Program: fs.EnsureDir("/etc/vhosts")})
	for i := range vhosts {
		p := fs.Path(fmt.Sprintf("/etc/vhosts/%d", i))
		r := file(p, "x")
		r.Program = fs.Seq{r.Program, fs.SetAttr{Path: p, Attr: fs.Owner, Value: fs.Str("root")},
			fs.SetAttr{Path: p, Attr: fs.Mode, Value: fs.Str("0644")}}
		g.Edges = append(g.Edges, Edge{From: d, To: add(r)})
	}
	return g
}

// ask asks the three questions that every manifest gets.
func ask(g *Graph) (*Determinism, *Idempotence, *Success, error) {
	ctx := context.Background()
	a, err := Prepare(g, DefaultOptions())
	if err != nil {
		return nil, nil, nil, err
	}
	d, err := a.Determinism(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	i, err := a.Idempotence(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := a.Success(ctx)
	return d, i, s, err
}

func TestLarge(t *testing.T) {
	d, i, s, err := ask(large(5, 50, 50))
	if err != nil || d.Verdict != Yes || i.Verdict != Yes || s.Chance != Always {
		t.Fatal(d, i, s, err)
	}
	g := large(5, 50, 50)
	g.Edges = g.Edges[1:] // the first file does not wait for its package
	d, _, s, err = ask(g)
	if err != nil || d.Verdict != No || s.Chance != Sometimes {
		t.Fatal(d, s, err)
	}
}

func BenchmarkLarge(b *testing.B) {
	for _, n := range [][3]int{{1, 300, 5}, {10, 300, 100}, {50, 300, 1500}} {
		g := large(n[0], n[1], n[2])
		b.Run(fmt.Sprintf("packages=%d/files=%d/vhosts=%d", n[0], n[1], n[2]), func(b *testing.B) {
			for b.Loop() {
				if d, _, _, err := ask(g); err != nil || d.Verdict != Yes {
					b.Fatal(d, err)
				}
			}
		})
	}
}
