package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAdviceOnEnvironments: whoever names code, files or facts that are not there is told where they were looked for,
// and what is near.
func TestAdviceOnEnvironments(t *testing.T) {
	for _, x := range []struct{ code, want string }{
		{"include nosuch::thing", "there is no module nosuch; the module path is "},
		{"include profil::web", "there is no module profil (did you mean profile?); the module path is "},
		{"include nosuch::thing", "none (not there)"},
		{"include profile::ngnix", "has no manifests/ngnix.pp; did you mean profile::nginx?"},
		{"include profile::web::shp", "has no manifests/web/shp.pp; did you mean profile::web::shop?"},
		{"include profile::empty", "manifests/empty.pp of module profile in "},
		{"include profile::empty", " is there, but it declares no class of this name"},
		{"profile::vhost { 'x': }", "has no manifests/vhost.pp"},
		{"frobnicate { 'x': }", "no module on the module path has lib/puppet/type/frobnicate.rb"},
		{"$x = frobnicate(1)", "no module on the module path has it"},
		{"$x = profile::frob(1)", "module profile has neither functions/frob.pp nor lib/puppet/functions/profile/frob.rb"},
		{"$x = epp('profile/shop.con.epp')", "did you mean profile/shop.conf.epp?"},
		{"$x = template('nope/x.erb')", "there is no module nope"},
		{"$x = file('profile/none')", filepath.Join("profile", "files", "none")},
		{"lookup('none')", "no level of Hiera has none"},
		{"notify { 'x': require => File['/none'] }", "nothing declares File[/none] on this node"},
		{"class a {} class { 'a': } class { 'a': }", "write include for one of them"},
		{"package { 'x': } package { 'x': }", "declare it once"},
		{"notify { $::operatingsystemrelease: }",
			"use $facts['os']['release']['full'], or make them with `facter --show-legacy`"},
		{"notify { $clientversion: }", "every agent adds clientversion to the facts that it sends, facter does not"},
	} {
		repo := writeRepo(t, map[string]string{
			"environment.conf":                     "modulepath = site:none\n",
			"manifests/site.pp":                    x.code + "\n",
			"site/profile/manifests/nginx.pp":      "class profile::nginx { }\n",
			"site/profile/manifests/web/shop.pp":   "class profile::web::shop { }\n",
			"site/profile/manifests/empty.pp":      "# nothing yet\n",
			"site/profile/templates/shop.conf.epp": "x\n",
			"facts/a.json":                         strings.Replace(facts12, "NAME", "a", 1),
		})
		if code, _, errText := call("compile", repo); code != exitFailed || !strings.Contains(errText, "help: ") ||
			!strings.Contains(errText, x.want) {
			t.Errorf("%s: exit %d, no %q in\n%s", x.code, code, x.want, errText)
		}
	}
}

// What names the node is one problem, on all nodes that have it.
func TestOneProblemOnManyNodes(t *testing.T) {
	repo := writeRepo(t, map[string]string{"manifests/site.pp": "include nosuch\n",
		"facts/a.json": strings.Replace(facts12, "NAME", "a.example", 1),
		"facts/b.json": strings.Replace(facts12, "NAME", "b.example", 1)})
	if _, out, errText := call("check", repo); strings.Count(errText, "Could not find class") != 1 ||
		!strings.Contains(errText, "on 2 nodes") || !strings.Contains(out, "1 problem on 2 of 2 nodes") {
		t.Errorf("%s%s", out, errText)
	}
}
