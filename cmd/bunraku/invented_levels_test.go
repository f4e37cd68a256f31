package main

import (
	"strings"
	"testing"
)

// A node that the tree names has its name, by whichever fact a level of the hierarchy asks for it: what its own data
// say is so on every machine of that name.
func TestCheckNamedByLevels(t *testing.T) {
	for _, c := range []struct {
		name, path, file, language string
		want, not                  string
	}{
		{"fqdn", "%{facts.networking.fqdn}", "web1.example.com", "8", "error[E0401]", "may hang"},
		{"with blanks", "%{ facts.networking.fqdn }", "web1.example.com", "8", "error[E0401]", "may hang"},
		{"hostname", "%{facts.networking.hostname}", "web1", "8", "error[E0401]", "may hang"},
		{"domain", "%{facts.networking.domain}", "example.com", "8", "error[E0401]", "may hang"},
		{"clientcert", "%{facts.clientcert}", "web1.example.com", "8", "error[E0401]", "may hang"},
		{"clientcert as a variable", "%{clientcert}", "web1.example.com", "8", "error[E0401]", "may hang"},
		{"an old name", "%{::fqdn}", "web1.example.com", "7", "error[E0401]", "may hang"},
		{"an old name of the host", "%{hostname}", "web1", "7", "error[E0401]", "may hang"},
		{"a certificate", "%{trusted.certname}", "web1.example.com", "8", "error[E0401]", "may hang"},
		{"an address", "%{facts.networking.ip}", "192.0.2.10", "8", "(networking.ip)", "error["},
		{"an address that is not there", "%{facts.networking.interfaces.eth9.ip}", "192.0.2.10", "8",
			"(networking.interfaces)", "error["},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out, errs := call("check", writeRepo(t, map[string]string{
				"manifests/site.pp":              "node 'web1.example.com' { include web }\n",
				"environment.conf":               "",
				"hiera.yaml":                     "version: 5\nhierarchy:\n- name: n\n  paths: ['nodes/" + c.path + ".yaml', common.yaml]\n",
				"data/nodes/" + c.file + ".yaml": "web::vhost: nope\n",
				"data/common.yaml":               "web::vhost: nope\n",
				"modules/web/manifests/init.pp":  "class web(String $vhost) { include \"web::vhost::${vhost}\" }\n",
			}), "--language", c.language)
			holdsWords(t, out+errs, []string{c.want}, []string{c.not})
		})
	}
}

// A merge of levels of which one hangs on a fact that nobody knows has what the others give, whatever that fact is.
func TestCheckMergedLevels(t *testing.T) {
	for _, c := range []struct {
		name, code, data string
		want, not        string
	}{
		{"classes", "include lookup('all', Array[String], 'unique')", "all: [base, base::nope]", "error[E0401]", "may hang"},
		{"classes of a deep merge", "include lookup('all', {merge => 'deep'})", "all: [base, base::nope]", "error[E0401]", "may hang"},
		{"classes by a method", "lookup('all', {merge => 'unique'}).include", "all: [base, base::nope]", "error[E0401]", "may hang"},
		{"among others", "include ['base', lookup('all', {merge => 'unique'})]", "all: [base::nope]", "error[E0401]", "may hang"},
		{"classes in turn", "lookup('all', {merge => 'unique'}).each |$c| { include $c }", "all: [base, base::nope]", "error[E0401]",
			"may hang"},
		{"the first of them", "lookup('all', {merge => 'unique'}).each |$i, $c| { if $i == 1 { include $c } }",
			"all: [base, base::nope]", "may hang", "error["},
		{"until one ends it", "lookup('all', {merge => 'unique'}).each |$c| { if $c == 'x' { break() }\n include $c }",
			"all: [base, base::nope]", "may hang", "error["},
		{"a number of classes", "$all = lookup('all', {merge => 'unique'})\nif length($all) < 3 { include base::nope }",
			"all: [base]", "may hang", "error["},
		{"the functions of old", "hiera_include('all')", "all: [base, base::nope]", "error[E0401]", "may hang"},
		{"a class's parameter", "include taker", "taker::all: [base, base::nope]\nlookup_options: {'taker::all': {merge: unique}}",
			"error[E0401]", "may hang"},
		{"titles", "file { lookup('all', {merge => 'unique'}): nosuch => 1 }", "all: [/a]", "no parameter named 'nosuch'", "may hang"},
		{"resources", "create_resources('file', lookup('all', {merge => 'hash'}))", "all: {/a: {nosuch: 1}}",
			"no parameter named 'nosuch'", "may hang"},
		{"pairs", "lookup('all', {merge => 'hash'}).each |$t, $h| { file { $t: * => $h } }", "all: {/a: {nosuch: 1}}",
			"no parameter named 'nosuch'", "may hang"},
		{"resources of a deep merge", "create_resources('file', lookup('all', {merge => 'deep'}))", "all: {/a: {nosuch: 1}}",
			"may hang", "error["},
		{"an entry", "include lookup('all', {merge => 'deep'})['class']", "all: {class: 'base::nope'}", "error[E0401]", "may hang"},
		{"an entry that others take away", "include lookup('all', {merge => {strategy => deep, knockout_prefix => '--'}})['class']",
			"all: {class: ['base::nope']}", "may hang", "error["},
		{"only the first", "include lookup('all')", "none: 1", "may hang", "error["},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := "[base]"
			if strings.Contains(c.data, "all: {") {
				list = "{/b: {ensure: absent}}"
			}
			roles := "all: " + list + "\ntaker::all: [base]\n"
			if c.name == "only the first" {
				roles = "all: [base::nope]\n"
			}
			_, out, errs := call("check", writeRepo(t, map[string]string{
				"manifests/site.pp": "node 'a.example.com' {\n" + c.code + "\n}\n", "environment.conf": "",
				"hiera.yaml": "version: 5\nhierarchy:\n- name: n\n" +
					"  paths: ['nodes/%{trusted.certname}.yaml', 'roles/%{facts.role}.yaml', common.yaml]\n",
				"data/nodes/a.example.com.yaml":   c.data + "\n",
				"data/roles/web.yaml":             roles,
				"data/common.yaml":                "all: " + strings.Replace(list, "base", "base::nope", strings.Count(c.name, "only")) + "\n",
				"modules/base/manifests/init.pp":  "class base { }\n",
				"modules/taker/manifests/init.pp": "class taker(Array[String] $all) { include $all }\n",
			}))
			holdsWords(t, out+errs, []string{c.want}, []string{c.not})
			if t.Failed() {
				t.Log(out, errs)
			}
		})
	}
}

// Where a hierarchy asks for facts by facter's old names, nodes have these, as they do for code, and that is told.
func TestCheckOldNamesInLevels(t *testing.T) {
	for _, c := range []struct {
		name, path, file, before string
		want, not                string
	}{
		{"a variable", "os/%{::osfamily}.yaml", "os/Debian", "", "error[E0412]", "fine"},
		{"among the facts", "os/%{facts.osfamily}.yaml", "os/Debian", "", "error[E0412]", "fine"},
		{"a name of the node", "nodes/%{fqdn}.yaml", "nodes/a.example.com", "", "error[E0412]", "fine"},
		{"a comment", "os/%{facts.os.family}.yaml' # %{::osfamily}\n  # '%{::fqdn}", "os/Debian", "", "error[E0412]", "old names (fqdn"},
		{"a variable of the site", "os/%{domain}.yaml", "os/Debian", "$domain = 'Debian'\n", "error[E0412]", "old names"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out, errs := call("check", writeRepo(t, map[string]string{
				"manifests/site.pp": c.before + "node 'a.example.com' { include base }\n", "environment.conf": "",
				"hiera.yaml":                     "version: 5\nhierarchy:\n- name: n\n  path: '" + c.path + "'\n",
				"data/" + c.file + ".yaml":       "base::p: x\n",
				"modules/base/manifests/init.pp": "class base(Integer $p = 1) { notify { \"p ${p}\": } }\n",
			}))
			holdsWords(t, out+errs, []string{c.want}, []string{c.not})
			if told := strings.Contains(out, "The hierarchy asks for facts by facter's old names ("); told !=
				strings.Contains("a variable|among the facts|a name of the node", c.name) {
				t.Errorf("told: %v", told)
			}
			if t.Failed() {
				t.Log(out, errs)
			}
		})
	}
}
