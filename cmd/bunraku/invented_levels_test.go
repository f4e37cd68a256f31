package main

import "testing"

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
