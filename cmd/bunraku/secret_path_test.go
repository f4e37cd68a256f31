package main

import (
	"strings"
	"testing"
)

// A password may be a word of a file's name. Where that file is named, it is by its path; the password is hidden
// elsewhere, also in other paths.
func TestSecretInPath(t *testing.T) {
	repo := map[string]string{
		"environment.conf":  "",
		"manifests/site.pp": "include m\n",
		"modules/m/manifests/init.pp": "class m(Sensitive $pw = Sensitive('candlepin')) {\n" +
			"  warning(\"modules/m/templates/${pw.unwrap}.epp of ${pw.unwrap}\")\n" +
			"  file { '/x': content => epp('m/_candlepin_database.conf.epp') }\n}\n",
		"modules/m/templates/_candlepin_database.conf.epp": "<%= 1 + 'x' %>\n",
		"facts/a.json": `{"name": "a.example.com", "values": {"os": {"family": "Debian"}}}`,
	}
	const shown = "modules/m/templates/_candlepin_database.conf.epp"
	for _, format := range []string{"text", "json", "sarif", "junit", "github", "gitlab"} {
		t.Run(format, func(t *testing.T) {
			dir := writeRepo(t, repo)
			t.Chdir(dir)
			_, out, errs := call("check", "--format", format)
			holdsWords(t, out+errs, []string{shown}, []string{"templates/candlepin.epp", "of candlepin"})
			t.Chdir(t.TempDir())
			if _, out, errs := call("check", dir, "--format", format); !strings.Contains(out+errs, shown) {
				t.Error(out, errs)
			}
		})
	}
}
