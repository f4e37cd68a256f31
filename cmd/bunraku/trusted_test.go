package main

import (
	"path/filepath"
	"testing"
)

// What --trusted says of certificates reaches invented nodes as it does real ones, and is then no guess; a file that
// cannot be meant is refused.
func TestTrustedOfInvented(t *testing.T) {
	const ams = "extensions: {pp_role: web, pp_dc: ams}\n"
	for _, c := range []struct {
		name, site, given string
		want, not         []string
		exit              int
	}{
		{"all nodes", "node default { include \"role::${trusted['extensions']['pp_role']}\" }", ams,
			[]string{"error[E0412]", "data/dc/ams.yaml:1:15"}, []string{"may hang"}, 1},
		{"a named node", "node 'a.example.com', 'b.example.com' { include \"role::${trusted['extensions']['pp_role']}\" }",
			"a.example.com:\n  extensions: {pp_role: nope}\nb.example.com:\n  extensions: {pp_role: web}\n",
			[]string{"error[E0401]", "role::nope", "b.example.com on debian-12 (invented)      6 resources"},
			[]string{"may hang"}, 1},
		{"an extension that it does not have",
			"node 'a.example.com' { unless $trusted['extensions']['pp_zone'] { include role::nope } }",
			"extensions: {pp_role: web}\n", []string{"error[E0401]"}, []string{"may hang"}, 1},
		{"without it", "node 'a.example.com' { if $trusted['extensions']['pp_zone'] { notify { 'x': } } " +
			"else { include role::nope } }", "", []string{"(trusted.extensions)"}, []string{"error["}, 0},
		{"a role of its own", "node default { include \"role::${trusted['extensions']['pp_role']}\" }",
			"extensions: {pp_dc: ams}\n", []string{"role::web on debian-12", "data/dc/ams.yaml:1:15"}, nil, 1},
		{"no hash", "node default { include role::web }", "- a\n", []string{"trusted.yaml holds no hash"}, nil, 1},
		{"extensions that are no hash", "node default { include role::web }", "extensions: [pp_role]\n",
			[]string{"the extensions are no hash"}, nil, 1},
		{"a slip", "node default { include role::web }", "extension: {pp_role: web}\n",
			[]string{"pp_role of extension is no key of $trusted, which are authenticated, certname,"}, nil, 1},
		{"no such node", "node 'a.example.com' { include role::web }", "b.example.com:\n  extensions: {pp_role: nope}\n",
			[]string{"says nothing of any node: it names b.example.com, and the nodes are a.example.com"}, nil, 1},
		{"no YAML", "node default { include role::web }", "extensions: {\n",
			[]string{"error[H0", "trusted.yaml:2:1"}, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeRepo(t, map[string]string{
				"manifests/site.pp":             c.site + "\n",
				"environment.conf":              "",
				"hiera.yaml":                    "version: 5\nhierarchy:\n- {name: dc, path: 'dc/%{trusted.extensions.pp_dc}.yaml'}\n",
				"data/dc/ams.yaml":              "role::web::x: nein\n",
				"modules/role/manifests/web.pp": "class role::web(Integer $x = 1) { notify { \"x${x}\": } }\n",
				"trusted.yaml":                  c.given,
			})
			args := []string{"check", dir}
			if c.given != "" {
				args = append(args, "--trusted", filepath.Join(dir, "trusted.yaml"))
			}
			exit, out, errs := call(args...)
			if exit != c.exit {
				t.Errorf("exit %d", exit)
			}
			holdsWords(t, out+errs, c.want, c.not)
			if t.Failed() {
				t.Log(out, errs)
			}
		})
	}
	exit, _, errs := call("check", writeRepo(t, map[string]string{"manifests/site.pp": "node default { notify { 'x': } }\n"}),
		"--trusted", "nowhere.yaml")
	if exit != 1 {
		t.Error(exit, errs)
	}
	holdsWords(t, errs, []string{"nowhere.yaml"}, nil)
}
