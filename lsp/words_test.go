package lsp_test

import (
	"strings"
	"testing"
)

// TestHoverWords: what every manifest is made of says what it is: facts as a whole and in part, what a certificate
// says, data types.
func TestHoverWords(t *testing.T) {
	files := map[string]string{
		"environment.conf":  "modulepath = modules\n",
		"manifests/site.pp": "include web\n",
		"facts/a.json":      `{"fqdn": "a.test", "os": {"family": "Debian", "release": {"major": "12"}}, "kernel": "Linux"}`,
		"modules/web/manifests/init.pp": `class web (
  Integer[1, 10] $n = 3,
  Web::Port $port = 80,
  Optional[Variant[String[1], Stdlib::Port]] $x = undef,
) {
  $a = $facts['os']['family']
  $b = $trusted['certname']
  $c = $facts
  $d = $trusted['extensions']['pp_role']
  $e = "${facts['os']['release']['major']} ${trusted['certname']}"
  $f = $server_facts
  $g = $facts['os']['nothing']
}
`,
		"modules/web/types/port.pp": "# A port that nobody else has.\ntype Web::Port = Integer[1, 1023]\n",
	}
	n := navigate(t, files)
	file := "modules/web/manifests/init.pp"
	n.ready(file, "port = 80", "on a.test")
	for _, x := range []struct {
		at   string
		want []string
	}{
		{"facts['os']['family']", []string{"on a.test", " facts\n", "kernel, os"}},
		{"os']['family']", []string{"on a.test", "'family' => 'Debian'"}},
		{"family", []string{"on a.test", "'Debian'"}},
		{"trusted['cert", []string{"on a.test", "'certname' => 'a.test'"}},
		{"certname']\n", []string{"on a.test", "'a.test'"}},
		{"facts\n", []string{"on a.test", "kernel"}},
		{"extensions']['pp", []string{"on a.test", "{\n"}},
		{"major", []string{"on a.test", "'12'"}},
		{"certname']}", []string{"on a.test", "'a.test'"}},
		{"Integer[1, 10]", []string{"Integer[1, 10]", "a whole number"}},
		{"Web::Port $port", []string{"type Web::Port = Integer[1, 1023]", "A port that nobody else has."}},
		{"Stdlib::Port", []string{"type Stdlib::Port = Integer[0, 65535]"}},
		{"Variant[", []string{"one of"}},
		{"Optional[", []string{"undef"}},
	} {
		got := n.hover(file, x.at, 1)
		for _, want := range x.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q: %s", x.at, want, got)
			}
		}
	}
	n.bye()
}
