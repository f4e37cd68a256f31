package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Site is a random environment: a manifest whose classes take parameters from Hiera and which looks keys up itself, and
// the data, in three levels that merge in different ways. The result maps paths to texts.
func Site(seed int) map[string]string {
	g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 43))}
	g.data = &data{}
	for i := range 6 + g.IntN(4) {
		g.data.keys = append(g.data.keys, dataKey{fmt.Sprintf("k%d", i), genType(g.IntN(int(genTypes))), g.IntN(4)})
	}
	files := map[string]string{
		"environment.conf": "modulepath = modules\nmanifest = site.pp\n",
		"hiera.yaml": `---
version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: os, path: "os/%{facts.os.family}.yaml" }
  - { name: common, paths: [common.yaml, more.yaml] }
`,
		"facts.json": `{"fqdn":"n1.example.com","os":{"family":"Debian","name":"Debian"},"role":"web","count":3}`,
	}
	files["site.pp"] = g.program()
	for name, text := range g.data.levels(g) {
		files["data/"+name] = text
	}
	return files
}

// data is what Hiera knows.
type data struct{ keys []dataKey }

type dataKey struct {
	name  string
	typ   genType
	merge int // 0 first, 1 unique or hash, 2 deep, 3 by the call
}

// lookup is an expression that asks for a key of a type, or a literal when there is none.
func (d *data) lookup(g *generator, t genType) string {
	var same []dataKey
	for _, k := range d.keys {
		if k.typ == t {
			same = append(same, k)
		}
	}
	if len(same) == 0 {
		return g.literal(t)
	}
	k := pick(g, same)
	if k.merge == 3 {
		switch t {
		case genList:
			return fmt.Sprintf("lookup('%s', Array[String], %s, [])", k.name, pick(g, []string{"'unique'", "'first'", "'deep'"}))
		case genHash:
			return fmt.Sprintf("lookup('%s', { 'merge' => %s, 'default_value' => {} })", k.name,
				pick(g, []string{"'hash'", "'deep'", "{ 'strategy' => 'deep', 'knockout_prefix' => '--' }"}))
		}
	}
	return fmt.Sprintf("lookup('%s', { 'default_value' => %s })", k.name, g.literal(t))
}

// levels are the data files: some keys in several of them, some parameters of classes, and how they merge.
func (d *data) levels(g *generator) map[string]string {
	names := []string{"nodes/n1.example.com.yaml", "os/Debian.yaml", "common.yaml", "more.yaml"}
	texts := make([]strings.Builder, len(names))
	for i := range texts {
		texts[i].WriteString("---\n")
	}
	put := func(key string, t genType) {
		for i := range texts {
			if g.chance(35) {
				fmt.Fprintf(&texts[i], "%s: %s\n", key, d.datum(g, t))
			}
		}
	}
	options := "lookup_options:\n"
	for _, k := range d.keys {
		put(k.name, k.typ)
		if merge := mergeOf(k); merge != "" {
			options += fmt.Sprintf("  %s: { merge: %s }\n", k.name, merge)
		}
	}
	for _, c := range g.classes {
		for _, p := range c.params {
			put(c.name+"::"+p.name, p.typ)
		}
	}
	options += "  '^c0::p1$': { merge: deep }\n"
	texts[2].WriteString(options)
	out := map[string]string{}
	for i, n := range names {
		if g.chance(90) || i == 2 {
			out[n] = texts[i].String()
		}
	}
	return out
}

func mergeOf(k dataKey) string {
	switch {
	case k.merge == 1 && k.typ == genList:
		return "unique"
	case k.merge == 1 && k.typ == genHash:
		return "hash"
	case k.merge == 2 && (k.typ == genHash || k.typ == genList):
		return "deep"
	}
	return ""
}

// datum is a value as YAML writes it, now and then with an interpolation.
func (d *data) datum(g *generator, t genType) string {
	switch t {
	case genInt:
		return fmt.Sprint(g.IntN(50))
	case genStr:
		return pick(g, []string{"plain", "'quoted'", `"on %{facts.os.family}"`, `"%{trusted.certname}"`,
			`"%{facts.nothing}x"`, "'10'"})
	case genBool:
		return pick(g, []string{"true", "no", "yes", "false"})
	case genList:
		return pick(g, []string{"[a, b]", "[]", "[c, a, d]", `["%{facts.role}", z]`})
	}
	return pick(g, []string{"{ a: 1 }", "{ b: 2, a: 5 }", "{}", "{ z: 0, y: 010 }"})
}
