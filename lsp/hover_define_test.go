package lsp_test

import (
	"strings"
	"testing"
)

// TestHoverDefine: a parameter of a define shows what it comes to for the define's resources, and a fact that data ask
// for what it is, on each node.
func TestHoverDefine(t *testing.T) {
	const (
		define = "modules/web/manifests/vhost.pp"
		hiera  = "hiera.yaml"
		data   = "data/common.yaml"
	)
	n := navigate(t, map[string]string{
		"environment.conf": "modulepath = modules\n",
		hiera: "version: 5\nhierarchy:\n  - name: OS\n    path: \"%{facts.os.family}.yaml\"\n" +
			"  - name: C\n    path: common.yaml\n",
		data:           "web::x: \"a %{facts.os.release.major} %{trusted.certname} %{::facts.fqdn}\"\n",
		"facts/a.json": `{"fqdn": "a.example", "os": {"family": "Debian", "release": {"major": "12"}}}`,
		"facts/b.json": `{"fqdn": "b.example", "os": {"family": "RedHat", "release": {"major": "9"}}}`,
		"manifests/site.pp": "web::vhost { ['one', 'two', 'three', 'four', 'five']: port => 8443 }\n" +
			"web::vhost { 'six': port => 80, password => Sensitive('hunter2-and-more') }\n",
		define: "define web::vhost (Integer $port, $password = undef) {\n  $own = 1\n" +
			"  notify { \"${title} ${port}\": }\n}\n",
	})
	n.ready(define, "port,", "8443")
	for _, x := range []struct {
		file, text string
		nth        int
		want, not  string
	}{
		{define, "port,", 1, "Integer $port|Web::Vhost[one]|8443|site.pp:1|6 resources|and 3 more", "Web::Vhost[four]"},
		{define, "port}", 1, "8443|Web::Vhost[two]", ""},
		{define, "password", 1, "$password", "hunter2"},
		{define, "own", 1, "$own = 1", ""},
		{hiera, "family", 1, "on a.example|Debian|on b.example|RedHat", ""},
		{hiera, "os.", 1, "on a.example|Debian|12", ""},
		{data, "major", 1, "on a.example|12|on b.example|9", ""},
		{data, "certname", 1, "on a.example|a.example", ""},
		{data, "fqdn", 1, "on a.example|b.example", ""},
	} {
		got := n.hover(x.file, x.text, x.nth)
		for _, w := range strings.Split(x.want, "|") {
			if !strings.Contains(got, w) {
				t.Errorf("%s %s: no %s in\n%s", x.file, x.text, w, got)
			}
		}
		if x.not != "" && strings.Contains(got, x.not) {
			t.Errorf("%s %s: %s in\n%s", x.file, x.text, x.not, got)
		}
	}
	n.bye()
}
