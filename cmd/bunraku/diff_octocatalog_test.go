package main

import (
	"strings"
	"testing"
)

// The flags of octocatalog-diff's options reference, without dashes.
const octocatalogReference = `
	basedir bootstrap-current bootstrap-environment bootstrap-script bootstrap-then-exit bootstrapped-from-dir
	bootstrapped-to-dir cached-master-dir catalog-only color command-line compare-file-text
	compare-file-text-ignore-tags create-symlinks debug debug-bootstrap default-header display-datatype-changes
	display-detail-add display-source enc enc-override environment fact-file fact-override facts-terminus filters
	from from-catalog from-command-line from-create-symlinks from-enc from-enc-override from-environment
	from-fact-file from-fact-override from-hiera-config from-hiera-path from-hiera-path-strip from-puppet-binary
	from-puppet-master from-puppet-master-api-version from-puppet-master-ssl-ca
	from-puppet-master-ssl-client-cert from-puppet-master-ssl-client-key from-puppet-master-timeout
	from-puppet-master-token from-puppet-master-token-file from-puppetdb from-save-catalog header hiera-config
	hiera-path hiera-path-strip hostname ignore ignore-attr ignore-tags include-tags master-cache-branch
	no-catalog-only no-color no-compare-file-text no-debug no-display-datatype-changes no-display-detail-add
	no-display-source no-enc no-from-puppetdb no-header no-hiera-config no-hiera-path no-hiera-path-strip
	no-ignore-tags no-include-tags no-parallel no-preserve-environments no-puppetdb-package-inventory no-quiet
	no-storeconfigs no-suppress-absent-file-details no-truncate-details no-use-lcs no-validate-references
	output-file output-format override-script-path parallel parser parser-from parser-to pass-env-vars
	pe-enc-ssl-ca pe-enc-ssl-client-cert pe-enc-ssl-client-key pe-enc-token pe-enc-token-file pe-enc-url
	preserve-environments puppet-binary puppet-master puppet-master-api-version puppet-master-ssl-ca
	puppet-master-ssl-client-cert puppet-master-ssl-client-key puppet-master-timeout puppet-master-token
	puppet-master-token-file puppetdb-api-version puppetdb-package-inventory puppetdb-ssl-ca
	puppetdb-ssl-client-cert puppetdb-ssl-client-key puppetdb-ssl-client-password
	puppetdb-ssl-client-password-file puppetdb-ssl-crl puppetdb-token puppetdb-token-file puppetdb-url quiet
	retry-failed-catalog safe-to-delete-cached-master-dir save-catalog storeconfigs storeconfigs-backend
	suppress-absent-file-details to to-catalog to-command-line to-create-symlinks to-enc to-enc-override
	to-environment to-fact-file to-fact-override to-hiera-config to-hiera-path to-hiera-path-strip
	to-puppet-binary to-puppet-master to-puppet-master-api-version to-puppet-master-ssl-ca
	to-puppet-master-ssl-client-cert to-puppet-master-ssl-client-key to-puppet-master-timeout
	to-puppet-master-token to-puppet-master-token-file to-save-catalog truncate-details use-lcs
	validate-references`

// TestOctocatalogFlags: a flag of octocatalog-diff that there is not here is refused in one line, and no other is
// suggested that says the opposite.
func TestOctocatalogFlags(t *testing.T) {
	repo := writeRepo(t, map[string]string{"manifests/site.pp": "notify { 'x': }\n"})
	here := strings.Fields("enc filters from from-catalog ignore ignore-attr ignore-tags to to-catalog")
	refused := 0
	for _, name := range strings.Fields(octocatalogReference) {
		if len(here) > 0 && name == here[0] {
			here = here[1:]
			continue
		}
		code, out, errText := call("diff", "--"+name, repo)
		want := "bunraku: there is no flag --" + name + "; "
		if code != exitFailed || out != "" || !strings.HasPrefix(errText, want) || strings.Count(errText, "\n") != 1 ||
			strings.HasPrefix(name, "no-") && strings.Contains(errText, "did you mean") {
			t.Errorf("--%s: exit %d\n%s%s", name, code, out, errText)
		}
		refused++
	}
	if len(here) > 0 || refused < 130 {
		t.Error(here, refused)
	}
	for _, x := range []struct{ flag, want string }{
		{"no-ignore-tags", "there is no flag --no-ignore-tags; tags only leave resources out with --ignore-tags"},
		{"output-file", "there is no flag --output-file; octocatalog-diff's is here --out"},
		{"to-fact-file", "there is no flag --to-fact-file; both sides have the same: --facts"},
		{"basedir", "there is no flag --basedir; "},
	} {
		if _, _, errText := call("diff", "--"+x.flag, repo); !strings.Contains(errText, x.want) {
			t.Errorf("%s: %s", x.flag, errText)
		}
	}
	for _, flag := range []string{"-n", "-o", "-d", "-q", "-f", "-t"} {
		if code, _, errText := call("diff", flag, "x", repo); code != exitFailed || !strings.Contains(errText, flag) {
			t.Errorf("%s: exit %d\n%s", flag, code, errText)
		}
	}
}
