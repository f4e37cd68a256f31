package main

import (
	"strings"
	"testing"
)

// A secret that is used as a name is written with other capitals, and still no message has it.
func TestSecretAsName(t *testing.T) {
	for _, secret := range []string{"hunter2secretzz", "Hunter2SecretZZ", "hunter2::Secretzz"} {
		for _, code := range []string{
			`Class[$pw.unwrap] -> Class["m"]`, `Resource[$pw.unwrap, "x"] -> Class["m"]`, `include $pw.unwrap`, `contain $pw.unwrap`,
			`create_resources($pw.unwrap, { "a" => { } })`, `fail("${Class[$pw.unwrap]}")`, `require $pw.unwrap`,
			`if defined(Class[$pw.unwrap]) { } else { fail('no') }`, `notify { 'x': require => Class[$pw.unwrap] }`,
			`$x = lookup($pw.unwrap)`, `$x = $facts[$pw.unwrap]['a']`, `getvar($pw.unwrap).x`, `Type[$pw.unwrap]`,
		} {
			t.Chdir(writeRepo(t, map[string]string{"hiera.yaml": "version: 5\nhierarchy: [{name: all, path: all.yaml}]\n",
				"data/all.yaml":     "m::pw: " + secret + "\nlookup_options: {'m::pw': {convert_to: Sensitive}}\n",
				"manifests/site.pp": "class m(Sensitive $pw) {\n  " + code + "\n}\ninclude m\n",
				"facts/a.json":      `{"name": "a.example.com", "values": {"os": {"family": "Debian"}}}`}))
			for _, format := range []string{"text", "json"} {
				_, out, errs := call("check", "--format", format)
				for _, part := range strings.Split(strings.ToLower(secret), "::") {
					if strings.Contains(strings.ToLower(out+errs), part) {
						t.Errorf("%s %s %s:\n%s%s", code, secret, format, out, errs)
					}
				}
			}
		}
	}
}
