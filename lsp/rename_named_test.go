package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenameNamedData: what a hiera.yaml can name is data, whatever it is called, and is renamed with the rest; what of
// it cannot be read keeps a rename away if it has the name.
func TestRenameNamedData(t *testing.T) {
	const x = "modules/web/manifests/x.pp"
	level := func(text string) string {
		return "version: 5\nhierarchy:\n" + text + "  - name: Common\n    path: common.yaml\n"
	}
	for _, c := range []struct{ settings, file, text, why, wanted string }{
		{settings: "  - name: n\n    path: \"n/%{facts.never}.conf\"\n    data_hash: hocon_data\n", file: "data/n/true.conf",
			text: "\"web::x::size\": 5\n", wanted: "\"web::x::width\": 5\n"},
		{settings: "  - name: n\n    path: \"n/%{facts.never}.conf\"\n    data_hash: hocon_data\n", file: "data/n/true.conf",
			text: "\"web::x::size\": [\n", why: "true.conf:1 has size, and the file cannot be read"},
		{settings: "  - name: n\n    path: \"n/%{facts.never}\"\n", file: "data/n/true", text: "web::x::size: 5\n",
			wanted: "web::x::width: 5\n"},
		{settings: "  - name: n\n    paths: [\"n/%{facts.never}.data\"]\n", file: "data/n/true.data",
			text: "web::x::size: 5\n", wanted: "web::x::width: 5\n"},
		{settings: "  - name: n\n    data_hash: web::toml\n    glob: n/*.toml\n", file: "data/n/a.toml",
			text: "\"web::x::size\" = 5\n", why: "a.toml:1 has size, and the file cannot be read"},
		{settings: "  - name: n\n    mapped_paths: [names, name, \"n/%{name}.toml\"]\n", file: "data/n/a.toml",
			text: "\"web::x::size\" = 5\n", why: "a.toml:1 has size"},
		{settings: "  - name: n\n    datadir: \"%{facts.fqdn}/stuff\"\n    path: \"%{facts.never}.yaml\"\n",
			file: "a/stuff/true.yaml", text: "web::x::size: 5\n", wanted: "web::x::width: 5\n"},
		{settings: "  - name: n\n    datadir: .data\n    path: \"%{facts.never}.yaml\"\n", file: ".data/true.yaml",
			text: "web::x::size: 5\n", wanted: "web::x::width: 5\n"},
		{settings: "  - name: n\n    datadir: \"spec/%{facts.never}\"\n    globs: [\"**/*.yaml\"]\n",
			file: "spec/true/a/b.yaml", text: "web::x::size: 5\n", wanted: "web::x::width: 5\n"},
		{file: "data/n/a.toml", text: "\"web::x::size\" = 5\n", wanted: "\"web::x::size\" = 5\n"},
		{settings: "  - name: n\n    glob: \"n/*\"\n", file: "data/n/a/b.toml", text: "\"web::x::size\" = 5\n",
			wanted: "\"web::x::size\" = 5\n"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		base["hiera.yaml"], base[c.file] = level(c.settings), c.text
		nav := navigate(t, base)
		edit, why := nav.renameIn(x, "size", 1, "width")
		if c.why == "" && why != "" || !strings.Contains(why, c.why) || c.why != "" && why == "" {
			t.Errorf("%s with %s: %q, want %q", c.file, c.settings, why, c.why)
		}
		if c.why == "" && why == "" {
			if is := nav.written(edit)[c.file]; is != c.wanted {
				t.Errorf("%s with %s is then\n%s", c.file, c.settings, is)
			}
		}
		nav.bye()
	}
}
