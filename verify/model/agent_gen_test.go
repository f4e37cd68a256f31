package model_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// What agents are asked about: random catalogs made of small scenes as people write them, each right or with one of the
// usual faults, sometimes over the same paths, in any order. A seed always gives the same catalog; generatorVersion
// changes when that does, so that figures name what they were measured on.
const generatorVersion = 1

// A scenario is a catalog and the machines it is tried on.
type scenario struct {
	seed      uint64
	resources []resourceJSON
	paths     []string // that scenes speak about
	lines     []string // files that are looked after line by line
	packages  bool
	scenes    []string
	machines  [][][]string // what is done to the fresh machine before; the first is none
}

type resourceJSON struct {
	Type       string         `json:"type"`
	Title      string         `json:"title"`
	Tags       []string       `json:"tags"`
	Exported   bool           `json:"exported"`
	Kind       string         `json:"kind"`
	Parameters map[string]any `json:"parameters"`
}

func (r resourceJSON) ref() string { return r.Type + "[" + r.Title + "]" }

// catalog spells the resources in some order.
func (s *scenario) catalog(order []string) []byte {
	list := slices.Clone(s.resources)
	if order != nil {
		slices.SortStableFunc(list, func(a, b resourceJSON) int {
			return slices.Index(order, a.ref()) - slices.Index(order,
				b.ref())
		})
	}
	text, err := json.Marshal(map[string]any{"name": "n", "version": 1, "environment": "oracle", "catalog_format": 2,
		"resources": list,
		"edges":     []any{}, "classes": []any{}, "tags": []any{}})
	if err != nil {
		panic(err)
	}
	return text
}

type generator struct {
	*rand.Rand
	s     *scenario
	dirs  []string
	fault float64 // how often a scene has its fault
}

func (g *generator) one(of ...string) string { return of[g.IntN(len(of))] }
func (g *generator) chance(p float64) bool   { return g.Float64() < p }

type params map[string]any

// add declares a resource; a title that is taken gets no second one. It returns the reference.
func (g *generator) add(typ, title string, p params) string {
	r := resourceJSON{Type: typ, Title: title, Tags: []string{}, Kind: "compilable_type", Parameters: p}
	if !slices.ContainsFunc(g.s.resources, func(x resourceJSON) bool { return x.ref() == r.ref() }) {
		g.s.resources = append(g.s.resources, r)
	}
	return r.ref()
}

// after relates a resource to another one, unless the scene has its fault.
func (g *generator) after(later, earlier string, attr string) {
	if g.chance(g.fault) {
		return
	}
	for i := range g.s.resources {
		if r := &g.s.resources[i]; r.ref() == later {
			if _, ok := r.Parameters[attr]; !ok {
				r.Parameters[attr] = earlier
			}
		}
	}
}

// dir is a directory that no fresh machine has.
func (g *generator) dir() string {
	if len(g.dirs) > 0 && g.chance(0.2) {
		return g.dirs[g.IntN(len(g.dirs))]
	}
	d := g.one("/srv/", "/opt/", "/etc/") + string(rune('a'+len(g.dirs))) + g.one("", "pp", "ux")
	g.dirs = append(g.dirs, d)
	g.s.paths = append(g.s.paths, d, d+"/x")
	return d
}

func (g *generator) file(p string) string { g.s.paths = append(g.s.paths, p); return p }

func newScenario(seed uint64) *scenario {
	r := rand.New(rand.NewPCG(generatorVersion, seed))
	s := &scenario{seed: seed}
	g := &generator{Rand: r, s: s, fault: 0.15}
	s.packages = seed%4 == 0 // such catalogs take the agent longer
	want := 4 + r.IntN(10)
	for len(s.resources) < want && len(s.scenes) < 40 {
		x := scenes[r.IntN(len(scenes))]
		if x.packages && !s.packages {
			continue
		}
		s.scenes = append(s.scenes, x.name)
		x.make(g)
	}
	if len(s.resources) > 15 {
		s.resources = s.resources[:15]
		kept := map[string]bool{}
		for _, x := range s.resources {
			kept[x.ref()] = true
		}
		for _, x := range s.resources {
			for _, attr := range []string{"require", "subscribe", "notify", "before"} {
				if ref, ok := x.Parameters[attr].(string); ok && !kept[ref] {
					delete(x.Parameters, attr)
				}
			}
		}
	}
	switch r.IntN(3) {
	case 0:
		r.Shuffle(len(s.resources), func(i, j int) { s.resources[i], s.resources[j] = s.resources[j], s.resources[i] })
	case 1:
		for i := range s.resources { // mostly in order
			if j := r.IntN(len(s.resources)); r.IntN(4) == 0 {
				s.resources[i], s.resources[j] = s.resources[j], s.resources[i]
			}
		}
	}
	if r.IntN(12) == 0 {
		x := s.resources[r.IntN(len(s.resources))]
		if r.IntN(2) == 0 {
			x.Parameters["noop"] = true
		} else {
			x.Parameters["schedule"] = "never"
		}
	}
	s.machines = [][][]string{nil, g.machine(), g.machine()}
	return s
}

// machine makes a start that is not the fresh machine.
func (g *generator) machine() (ops [][]string) {
	seen := map[string]bool{}
	for _, p := range g.s.paths {
		if seen[p] || !g.chance(0.3) {
			continue
		}
		seen[p] = true
		if above := p[:strings.LastIndex(p, "/")]; strings.Count(above, "/") > 1 && !seen[above] {
			continue // its directory is not there
		}
		if slices.Contains(g.dirs, p) {
			ops = append(ops, []string{"dir", p})
		} else if strings.Count(p, "/") > 2 || g.chance(0.5) {
			ops = append(ops, []string{"file", p, "old " + p + "\n"})
		}
	}
	if g.s.packages && g.chance(0.4) {
		ops = append(ops, []string{"sh", "apt-get -qq -y install " + g.one("acme", "frob", "tools-common", "solod")})
	}
	return ops
}

// scenes are what catalogs are made of. A scene without its fault works on every machine.
var scenes = []struct {
	name     string
	packages bool
	make     func(g *generator)
}{
	{"files", false, func(g *generator) {
		d := g.dir()
		g.add("File", d, params{"ensure": "directory"})
		p := params{"content": g.one("one\n", "two\n")}
		if g.chance(0.3) {
			p["mode"] = g.one("0644", "0600")
		}
		g.add("File", g.file(d+"/"+g.one("f", "g")), p)
	}},
	{"command in a directory", false, func(g *generator) {
		d := g.dir()
		dir := g.add("File", d, params{"ensure": "directory"})
		f := g.file(d + "/" + g.one("m", "n"))
		e := g.add("Exec", "/bin/touch "+f, params{"creates": f})
		g.after(e, dir, "require")
	}},
	{"file in what a command makes", false, func(g *generator) {
		d := g.dir()
		e := g.add("Exec", "/bin/mkdir -p "+d, params{"creates": d})
		f := g.add("File", g.file(d+"/c"), params{"content": "c\n"})
		g.after(f, e, "require")
	}},
	{"append", false, func(g *generator) {
		f := g.file("/srv/log" + g.one("1", "2"))
		p := params{"path": "/bin:/usr/bin", "command": "/bin/sh -c 'echo entry >> " + f + "'", "unless": "grep -q entry " +
			f}
		if g.chance(g.fault) {
			delete(p, "unless")
		}
		g.add("Exec", "append "+f, p)
	}},
	{"plain mkdir", false, func(g *generator) {
		f := g.file("/srv/" + g.one("made", "work"))
		p := params{"creates": f}
		if g.chance(g.fault) {
			delete(p, "creates")
		}
		g.add("Exec", "/bin/mkdir "+f, p)
	}},
	{"unit", false, func(g *generator) {
		n := g.one("foo", "bar")
		unit := g.add("File", "/etc/systemd/system/"+n+".service", params{"content": "[Service]\nExecStart=/bin/sleep 9\n"})
		s := g.add("Service", n, params{"ensure": "running", "enable": g.chance(0.5)})
		g.after(s, unit, g.one("require", "subscribe"))
	}},
	{"account", false, func(g *generator) {
		n := g.one("kim", "lee")
		id := map[string]string{"kim": "1501", "lee": "1502"}[n]
		group := g.add("Group", n, params{"ensure": "present", "gid": id})
		u := params{"ensure": "present", "uid": id, "gid": n}
		if g.chance(0.5) {
			u["managehome"] = true
		}
		g.add("User", n, u)
		d := g.dir()
		p := params{"ensure": "directory", "owner": n}
		if g.chance(0.5) {
			p["group"] = n
		}
		g.add("File", d, p)
		_ = group
	}},
	{"nobody's file", false, func(g *generator) {
		d := g.dir()
		p := params{"ensure": "directory"}
		if g.chance(2 * g.fault) {
			p["owner"] = "nobodyhere"
		}
		g.add("File", d, p)
	}},
	{"group that is not there", false, func(g *generator) {
		p := params{"ensure": "present", "uid": "1503"}
		if g.chance(2 * g.fault) {
			p["gid"] = "nosuchgroup"
		}
		g.add("User", "max", p)
	}},
	{"overwritten", false, func(g *generator) {
		f := g.file("/srv/o" + g.one("1", "2"))
		file := g.add("File", f, params{"content": "declared\n"})
		p := params{"path": "/bin:/usr/bin", "command": "/bin/sh -c 'echo changed > " + f + ".d'", "creates": f + ".d"}
		if g.chance(g.fault) {
			p = params{"path": "/bin:/usr/bin", "command": "/bin/sh -c 'echo changed > " + f + "'",
				"unless": "grep -q changed " + f}
		}
		e := g.add("Exec", "write "+f, p)
		g.after(e, file, "require")
	}},
	{"refresh", false, func(g *generator) {
		f := g.file("/srv/r" + g.one("1", "2"))
		file := g.add("File", f, params{"content": "r\n"})
		g.file(f + ".seen")
		g.add("Exec", "/bin/cp "+f+" "+f+".seen", params{"refreshonly": true, "subscribe": file})
	}},
	{"purge", false, func(g *generator) {
		d := g.dir()
		dir := g.add("File", d, params{"ensure": "directory", "recurse": true, "purge": true})
		g.add("File", g.file(d+"/kept"), params{"content": "kept\n"})
		if g.chance(g.fault) {
			f := g.file(d + "/t")
			e := g.add("Exec", "/bin/touch "+f, params{"creates": f})
			g.after(e, dir, "require")
		}
	}},
	{"no directory", false, func(g *generator) {
		d := g.dir()
		g.add("File", g.file(d+"/deep"), params{"content": "deep\n"})
		if !g.chance(g.fault) {
			g.add("File", d, params{"ensure": "directory"})
		}
	}},
	{"lines", false, func(g *generator) {
		f := "/srv/lines"
		g.s.lines = append(g.s.lines, f)
		file := g.add("File", f, params{"ensure": "file"})
		l := g.add("File_line", g.one("l1", "l2"), params{"path": f, "line": g.one("A=1", "A=2", "B=1")})
		_, _ = file, l
	}},
	{"lines that match", false, func(g *generator) {
		f := "/srv/options"
		g.s.lines = append(g.s.lines, f)
		g.add("File", f, params{"ensure": "file"})
		g.add("File_line", "m1", params{"path": f, "line": "A=1", "match": "^A="})
		if g.chance(g.fault) {
			g.add("File_line", "m2", params{"path": f, "line": "A=2", "match": "^A="})
		}
	}},
	{"host", false, func(g *generator) {
		g.add("Host", g.one("h1", "h2"), params{"ip": g.one("10.0.0.1", "10.0.0.2")})
	}},
	{"cron", false, func(g *generator) {
		p := params{"command": "/bin/true", "user": "root", "minute": "5"}
		if g.chance(2 * g.fault) {
			p["user"] = "nobodyhere"
		}
		g.add("Cron", g.one("j1", "j2"), p)
	}},
	{"link", false, func(g *generator) {
		f := g.file("/srv/t" + g.one("1", "2"))
		g.add("File", f, params{"content": "t\n"})
		g.add("File", g.file(f+".link"), params{"ensure": "link", "target": f})
	}},
	{"copy", false, func(g *generator) {
		f := g.file("/srv/s" + g.one("1", "2"))
		file := g.add("File", f, params{"content": "s\n"})
		e := g.add("Exec", "/bin/cp "+f+" "+g.file(f+".copy"), params{"creates": f + ".copy"})
		g.after(e, file, "require")
	}},
	{"archive that goes", false, func(g *generator) {
		f := g.file("/srv/k" + g.one("1", "2"))
		e := g.add("Exec", "/bin/touch "+f, params{"creates": f})
		if g.chance(g.fault) {
			gone := g.add("File", f, params{"ensure": "absent"})
			g.after(gone, e, "require")
		}
	}},
	{"command over a file", false, func(g *generator) {
		f := g.file("/srv/w" + g.one("1", "2"))
		e := g.add("Exec", "/bin/sh -c 'echo w > "+f+"'", params{"creates": f})
		if g.chance(g.fault) {
			e2 := g.add("Exec", "/bin/sh -c 'echo v > "+f+"'", params{"path": "/bin:/usr/bin"})
			g.after(e2, e, "require")
		}
	}},
	{"configured package", true, func(g *generator) {
		pkg, conf := "acme", "/etc/acme/acme.conf"
		if g.chance(0.5) {
			pkg, conf = "tools", g.one("/etc/tools/tools.conf", "/etc/tools/enabled/x")
		}
		p := g.add("Package", pkg, params{"ensure": "present"})
		f := g.add("File", conf, params{"content": "ours\n"})
		g.after(f, p, "require")
	}},
	{"service of a package", true, func(g *generator) {
		n := g.one("acme", "solod")
		p := g.add("Package", n, params{"ensure": g.one("present", "installed")})
		s := g.add("Service", n, params{"ensure": "running", "enable": true})
		g.after(s, p, "require")
	}},
	{"program of a package", true, func(g *generator) {
		p := g.add("Package", "frob", params{"ensure": "present"})
		f := g.file("/srv/frobbed")
		e := g.add("Exec", "frob "+f, params{"path": "/usr/bin:/bin", "creates": f})
		g.after(e, p, "require")
	}},
	{"account of a package", true, func(g *generator) {
		p := g.add("Package", "acme", params{"ensure": "present"})
		f := g.add("File", g.file("/srv/acme"), params{"ensure": "directory", "owner": "acme"})
		g.after(f, p, "require")
	}},
	{"packages", true, func(g *generator) {
		g.add("Package", "acme-plugins", params{"ensure": "present"})
		if g.chance(0.5) {
			g.add("Package", "tools-common", params{"ensure": "present"})
		}
		if g.chance(g.fault) {
			g.add("Package", "acme", params{"ensure": "absent"})
		}
	}},
}

func (s *scenario) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d (%s)\n", s.seed, strings.Join(s.scenes, ", "))
	for _, r := range s.resources {
		text, _ := json.Marshal(r.Parameters)
		fmt.Fprintf(&b, "  %s %s\n", r.ref(), text)
	}
	return b.String()
}
