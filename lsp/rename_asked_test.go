package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenameAsked: Hiera reads %{x} in the scope that looks up, so that what a class calls so keeps its name, and no
// other takes it.
func TestRenameAsked(t *testing.T) {
	const (
		n    = "modules/web/manifests/n.pp"
		site = "manifests/site.pp"
		data = "data/common.yaml"
	)
	class := "class web::n ($opt = 1) {\n  $loc = 2\n  [1].each |$i| { notice($i) }\n  $x = lookup('k')\n}\n"
	for _, c := range []struct {
		ask            string
		settings       string
		file, word, to string
		why            string
		also, wanted   string
	}{
		{ask: "%{opt}", file: n, word: "opt", to: "zopt", why: "common.yaml:3 asks for %{opt}, which is that of who looks"},
		{ask: "%{loc}", file: n, word: "loc", to: "zloc", why: "common.yaml:3 asks for %{loc}"},
		{ask: "%{scope(''loc'')}", file: n, word: "loc", to: "zloc", why: "common.yaml:3 asks for %{loc}"},
		{ask: "%{i}", file: n, word: "i|", to: "j", why: "common.yaml:3 asks for %{i}"},
		{ask: "%{top}", file: n, word: "loc", to: "top", why: "common.yaml:3 asks for %{top}"},
		{ask: "%{loc}", file: site, word: "top", to: "loc", why: "asks for %{loc}"},
		{ask: "%{top}", file: site, word: "top", to: "loc", why: "asks for %{top}"}, // the class would hide it
		{ask: "%{title}", file: n, word: "web::n", to: "web::m",
			why: "common.yaml:3 asks for %{title}, which is the name of"},
		{ask: "%{name}", file: n, word: "web::n", to: "web::m", why: "common.yaml:3 asks for %{name}"},
		{settings: "  - name: s\n    path: \"loc/%{loc}.yaml\"\n", file: n, word: "loc", to: "zloc",
			why: "hiera.yaml:6 asks for %{loc}"},
		{ask: "%{::loc} %{web::n::loc}", file: n, word: "loc", to: "zloc", also: data, wanted: "%{::loc} %{web::n::zloc}"},
		{ask: "%{top}", file: site, word: "top", to: "ztop", also: data, wanted: "%{ztop}"},
		{ask: "%{facts.loc}", file: n, word: "loc", to: "zloc", also: n, wanted: "$zloc = 2"},
		{ask: "%{facts.title}", file: n, word: "web::n", to: "web::m", also: "modules/web/manifests/m.pp", wanted: "web::m"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		base[n] = class
		base[site] = "$top = 1\n" + base[site]
		base["hiera.yaml"] += c.settings
		base[data] += "k: 'a " + c.ask + "'\n"
		nav := navigate(t, base)
		edit, why := nav.renameIn(c.file, c.word, 1, c.to)
		if c.why == "" && why != "" || !strings.Contains(why, c.why) || c.why != "" && why == "" {
			t.Errorf("%s as %s with %s%s: %q, want %q", c.word, c.to, c.ask, c.settings, why, c.why)
		}
		if c.also != "" && why == "" {
			if is := nav.written(edit)[c.also]; !strings.Contains(is, c.wanted) {
				t.Errorf("%s is then\n%s", c.also, is)
			}
		}
		nav.bye()
	}
}
