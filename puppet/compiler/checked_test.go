package compiler_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
)

var recordChecked = flag.Bool("record-checked", false, "write checked.txt from the modules that are installed")

const checkedFile = "../functions/stdlib/checked.txt"

// TestChecked holds that every function in Go whose module is installed knows the source that it was checked against.
// With -record-checked it writes the digests: of Debian's modules, and of stdlib 9 if BUNRAKU_STDLIB9 names a directory
// with it.
func TestChecked(t *testing.T) {
	live.Files(t, ".rb")
	var lines []string
	roots := []string{live.ModulesDir}
	if dir := os.Getenv("BUNRAKU_STDLIB9"); dir != "" {
		roots = append(roots, dir)
	}
	for _, root := range roots {
		dir := filepath.Join(t.TempDir(), "production")
		write(t, dir, map[string]string{"environment.conf": "modulepath = " + root + "\n", "manifests/site.pp": ""})
		c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 7, Roots: []string{root}}).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, c.CheckedLines()...)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if *recordChecked {
		text := "# written by go test ./puppet/compiler -run TestChecked -record-checked\n" + strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(checkedFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d functions", len(lines))
		return
	}
	text, err := os.ReadFile(checkedFile)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(string(text), "\n")
	for _, l := range lines {
		if !slices.Contains(known, l) {
			t.Errorf("not in checked.txt: %s", l)
		}
	}
	if len(lines) < 180 {
		t.Errorf("only %d functions have a source", len(lines))
	}
}

// A function whose file says something else than what ours was checked against is run from its file; comments and
// blanks do not count.
func TestChangedSource(t *testing.T) {
	live.Files(t, ".rb")
	text, err := os.ReadFile(live.ModulesDir + "/stdlib/lib/puppet/functions/to_json.rb")
	if err != nil {
		t.Fatal(err)
	}
	site := func(path, text, call string) string {
		r := siteOf(t, map[string]string{path: text, "manifests/site.pp": "notify { 'x': message => " + call + " }"},
			compiler.Options{})
		if r.Failure != nil {
			return "! " + r.Failure.Summary
		}
		return inspect(r.Catalog.Resource("Notify", "x").Get("message"))
	}
	json := func(text string) string {
		return site("modules/stdlib/lib/puppet/functions/to_json.rb", text, "to_json([1])")
	}
	if got := json(string(text)); got != `"[1]"` {
		t.Errorf("the file as it is: %s", got)
	}
	if got := json("# a comment\n\n" + string(text) + "\n\n# another\n"); got != `"[1]"` {
		t.Errorf("with comments: %s", got)
	}
	if got := json(strings.Replace(string(text), "data.to_json", "data.to_json + '!'", 1)); got != `"[1]!"` {
		t.Errorf("a changed file: %s", got)
	}
	scram := `
require 'openssl'
require 'base64'
Puppet::Functions.create_function(:'postgresql::postgresql_password') do
  dispatch :default_impl do
    required_param 'String[1]', :username
    required_param 'String[1]', :password
  end
  def default_impl(username, password)
    digest = OpenSSL::Digest.new('SHA256')
    salted = OpenSSL::PKCS5.pbkdf2_hmac(password, 'salt', 4096, 32, OpenSSL::Digest.new('SHA256'))
    key = OpenSSL::HMAC.digest(digest, salted, 'Client Key')
    "SCRAM-SHA-256$4096:#{Base64.strict_encode64('salt')}$#{Base64.strict_encode64(OpenSSL::Digest.digest('SHA256', key))}"
  end
end
`
	if got := site("modules/postgresql/lib/puppet/functions/postgresql/postgresql_password.rb", scram,
		"postgresql::postgresql_password('foo', 'bar')"); got != `"SCRAM-SHA-256$4096:c2FsdA==$hl63wu9L6vKIjd/UGPfpRl/hIQRBnlkoCiJ9KgxzbX0="` {
		t.Error(got)
	}
}
