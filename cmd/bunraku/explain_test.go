package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

const shop = "../../examples/shop"

func web2(args ...string) []string {
	return append([]string{"explain", shop, "--facts", "facts/web2.shop.example.json"}, args...)
}

func db1(args ...string) []string {
	return append([]string{"explain", shop, "--facts", "facts/db1.shop.example.json"}, args...)
}

func desk(args ...string) []string {
	return append([]string{"explain", "../../docs/examples/desk.pp", "--node", "n"}, args...)
}

// TestExplain asks every kind of question and looks for what the answer must say, in that order.
func TestExplain(t *testing.T) {
	branch := []string{"explain", "../../docs/examples/branch.pp", "--node", "n"}
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		// The question of the example control repo, by attribute, by file, and by value.
		{web2("Class[profile::nginx]", "port"), 0, []string{"8443\n", "data/nodes/web2.shop.example.yaml:3:23",
			"profile::nginx::port: 8443", `level "Node"`, "via", "role::web"}},
		{web2("File[/etc/nginx/conf.d/shop.example.conf]", "content"), 0, []string{"listen *:8443;", "[6]\n", "[6] ",
			"data/nodes/web2.shop.example.yaml:3:23", "Hiera key profile::nginx::port",
			"through $profile::nginx::port, $port, profile::listen(), $profile::web::shop::listen, $listen", "content => epp(",
			"template ", "templates/shop.conf.epp", "unless", "$backends.empty (false)", "selector", "$address = undef"}},
		{web2("8443"), 2, []string{"names nothing", "'Class[Profile::Nginx]' port",
			"'File[/etc/nginx/conf.d/shop.example.conf]' content"}},

		{web2("File[/etc/nginx/conf.d/shop.example.conf]", "mode"), 0, []string{"'0640'", "set ", "shop.pp:21:7", "from ",
			"$profile::nginx::conf_mode, a parameter of Class[Profile::Nginx]",
			"value ", "data/role/web.yaml:4:28", `level "Role"`, "hides", "data/common.yaml:13:28  '0644'", `level "Common"`,
			"via ", "role::web > profile::web::shop", "24 places and 9 absences"}},
		{web2("File[/etc/motd]", "owner"), 0, []string{"'root'", "manifests/site.pp:3:3", "by resource default File { … }"}},
		{web2("Class[profile::nginx]", "workers"), 0, []string{"8\n", "by the default of the parameter",
			"fact processors.count = 8"}},
		{web2("User[ada]", "uid"), 0, []string{"2001", "from", "* => $account", "$uid, a parameter of Profile::Admin[ada]",
			"data/common.yaml:8:10", "merged (deep)"}},
		{web2("Class[profile::base]", "packages"), 0, []string{"'goaccess'", "data/role/web.yaml:3:5",
			"data/os/Debian.yaml:3:5", "data/common.yaml:4:5"}},
		{web2("Class[profile::nginx]"), 0, []string{"declared", "role/manifests/web.pp:4:3", "include profile::nginx", "via",
			"manifests/site.pp:7:1", "node /^web", "manifests/site.pp:8:3", "role::web", "port ", "8443"}},
		{web2("/etc/motd", "mode"), 0, []string{"'0644'"}},
		{web2("File['/etc/motd']", "mode"), 0, []string{"'0644'"}},
		{web2("File[/etc/nginx/sites-enabled/default]"), 0,
			[]string{"declared", "if ", "$facts['os']['family'] == 'Debian' (true)", "'absent'", "decide that it is there"}},
		{web2("File[/etc/motd]", "backup"), 0, []string{"backup is not set on File[/etc/motd]"}},
		{web2("$profile::web::shop::listen"), 0, []string{"'*:8443'", "made of", "data/nodes/web2.shop.example.yaml:3:23"}},
		{web2("$profile::base::admins['ada']['uid']"), 0, []string{"2001", "data/common.yaml:8:10", "absences"}},
		{web2("Package[nginx] -> Service[nginx]"), 0, []string{"Service[nginx] require Package[nginx]", "nginx.pp:32:5",
			"decide this relation"}},
		{web2("Class[Profile::Nginx] -> Package[nginx]"), 0, []string{"Class[Profile::Nginx] contains Package[nginx]"}},
		{web2("Service[nginx] -> File[/etc/motd]"), 2, []string{"nothing orders"}},
		{web2("hiera:profile::nginx::conf_mode"), 0, []string{"'0640'", `level "Node": no such key`, "value",
			"data/role/web.yaml:4:28", "hidden", "data/common.yaml:13:28", "'0644'", "slots depend on it"}},
		{web2("fact:os.family"), 0, []string{"'Debian'", "slots depend on it"}},

		// One reading each.
		{web2("--where", "Class[profile::nginx]", "port"), 0, []string{"data/nodes/web2.shop.example.yaml:3:23\n"}},
		{web2("--where", "$profile::web::shop::listen"), 0, []string{"computed"}},
		{web2("--expression", "$profile::web::shop::listen"), 0, []string{"concat('*:' [1], text(8443 [2]))", "[1] ",
			"listen.pp:4:16", "[2] ", "web2.shop.example.yaml:3:23"}},
		{web2("--dependency", "Class[profile::nginx]", "port"), 0, []string{"16 places decide Class[Profile::Nginx] port",
			"data/nodes/web2.shop.example.yaml\n  3:1,23", "the node's name", "key lookup_options.profile::nginx::port in file",
			"key lookup_options in file"}},
		{append(branch, "$w", "--dependency"), 0, []string{"4 places decide $w", "1:6", "3:12",
			"6:9,19    class { 'a': x => 2 }"}},

		// The reverse.
		{web2("--reaches", "data/nodes/web2.shop.example.yaml:3"), 0, []string{"reaches 3 of", "its data are part of",
			"Class[Profile::Nginx] port", "$profile::web::shop::listen"}},
		{web2("--reaches", "hiera:profile::base::motd"), 0, []string{"reaches 2 of", "File[/etc/motd] content"}},
		{web2("--reaches", "fact:os.family"), 0, []string{"it decides whether there is",
			"File[/etc/nginx/sites-enabled/default]"}},
		{web2("--reaches", "data/common.yaml:13"), 2, []string{"alters nothing", "profile::nginx::conf_mode is answered by",
			`level "Role"`}},
		{web2("--reaches", "fact:os.famly"), 2, []string{"did you mean fact:os.family?"}},
		{web2("--reaches", "nonsense"), 1, []string{"FILE:LINE-LINE (of a hunk), FILE, DIRECTORY/, hiera:KEY or fact:NAME"}},
		{[]string{"explain", shop, "--reaches", "data/nodes/web2.shop.example.yaml:3"}, 0,
			[]string{"reaches nothing on web1", "reaches 3 of"}},

		// Why not?
		{web2("--why-not", "Service[postgresql]"), 0, []string{"is not in the catalog of web2", "database.pp:36:13",
			"which this node does not have"}},
		{web2("--why-not", "Class[role::db]"), 0, []string{"include role::db", "another node: node 'db1.shop.example'"}},
		{web2("--why-not", "File[/etc/motd]"), 2, []string{"is in the catalog"}},
		{web2("--why-not", "File[/etc/mtod]"), 0, []string{"did you mean File[/etc/motd]?"}},
		{web2("--why-not", "Mount[/x]"), 0, []string{"No code in this environment declares it."}},
		{desk("--why-not", "Service[lpd]"), 0, []string{"skipped", "would be declared by the branch", "$printer (true)",
			"desk"}},
		{desk("--why-not", "User[guest]"), 0, []string{"virtual", "realize()"}},

		// What cannot be answered.
		{web2("File[/etc/mtd]"), 2, []string{"is not in the catalog", "did you mean File[/etc/motd]?"}},
		{web2("nginx"), 2, []string{"ambiguous", "Package[nginx]", "Service[nginx]"}},
		{web2("File[/etc/motd]", "conten"), 2, []string{"'File[/etc/motd]' content?"}},
		{web2("$profile::nginx::prot"), 2, []string{"'$profile::nginx::port'?"}},
		{web2("hiera:profile::nginx::prot"), 2, []string{"hiera:profile::nginx::port?"}},
		{web2("File[/etc"), 1, []string{"is no reference"}},
		{[]string{"explain", shop, "File[/etc/motd]"}, 1, []string{"say which node"}},
		{[]string{"explain", shop, "--node", "nobody", "File[/etc/motd]"}, 1, []string{"No role for nobody"}},
		{web2(), 1, []string{"say what to explain"}},
		{web2("File[/etc/motd]", "--format", "xml"), 1, []string{"text or json"}},
		{web2("File[/etc/motd]", "--where", "--dependency"), 1, []string{"where"}},
	} {
		code, out, err := call(c.args...)
		text := out + err
		if code != c.code {
			t.Errorf("%s: exit %d, want %d\n%s", strings.Join(c.args, " "), code, c.code, text)
		}
		rest := text
		for _, w := range c.want {
			i := strings.Index(rest, w)
			if i < 0 {
				t.Errorf("%s: %q is missing, or not in its place, in\n%s", strings.Join(c.args[2:], " "), w, text)
				break
			}
			rest = rest[i+len(w):]
		}
	}
}

// TestExplainKeepsSecrets asks everything there is to ask about a node with a secret, in every form, and looks for it.
func TestExplainKeepsSecrets(t *testing.T) {
	side := filepath.Join(t.TempDir(), "side.json")
	if code, _, err := call("compile", shop, "--facts", shop+"/facts/db1.shop.example.json", "--provenance",
		side); code != 0 {
		t.Fatal(err)
	}
	text, err := os.ReadFile(side)
	if err != nil {
		t.Fatal(err)
	}
	const db, pin = "not-a-real-password", "4711"
	if strings.Contains(string(text), db) {
		t.Error("the side file has the password")
	}
	for _, form := range [][]string{nil, {"--where"}, {"--expression"}, {"--dependency"}, {"--format", "json"},
		{"--from", side}, {"--from", side, "--format", "json"}} {
		for _, q := range [][]string{{"File[/etc/postgresql.d/password]", "content"}, {"File[/etc/postgresql.d/password]"},
			{"Class[profile::database]"}, {"Class[profile::database]", "password"},
			{"$profile::database::password"}, {"hiera:profile::database::password"}, {db}} {
			if _, out, err := call(db1(append(form, q...)...)...); strings.Contains(strings.ReplaceAll(out+err, `"`+db+
				`" names nothing`, ""), db) && q[0] != db {
				t.Errorf("%v %v shows the password:\n%s", form, q, out)
			}
		}
		if len(form) > 0 && form[0] == "--from" {
			continue
		}
		for _, q := range [][]string{{"File[/etc/pin]", "content"}, {"File[/etc/hint]", "content"}, {"File[/etc/hint]"},
			{"Class[desk]"}, {"$desk::pin"}} {
			if _, out, _ := call(desk(append(form, q...)...)...); strings.Contains(out, pin) {
				t.Errorf("%v %v shows the pin:\n%s", form, q, out)
			}
		}
	}
	for _, q := range []string{"data/common.yaml:18", "hiera:profile::database::password"} {
		code, out, err := call(db1("--reaches", q)...)
		if code != 0 || strings.Contains(out+err, db) || !strings.Contains(out, "File[/etc/postgresql.d/password] content") {
			t.Errorf("--reaches %s: %s", q, out+err)
		}
	}
}

// TestExplainFrom compares the answers from a side file with those of a compile, for every slot.
func TestExplainFrom(t *testing.T) {
	side := filepath.Join(t.TempDir(), "side.json")
	code, catalog, err := call("compile", shop, "--facts", shop+"/facts/web2.shop.example.json", "--provenance", side)
	if code != 0 {
		t.Fatal(err)
	}
	var c struct {
		Resources []struct {
			Type, Title string
			Parameters  map[string]any
		}
	}
	if err := json.Unmarshal([]byte(catalog), &c); err != nil {
		t.Fatal(err)
	}
	questions := [][]string{{"$profile::web::shop::listen"}, {"hiera:profile::nginx::port"},
		{"Package[nginx] -> Service[nginx]"}, {"--reaches", "fact:os.family"}, {"--reaches", "data/role/web.yaml:4"},
		{"--reaches", "hiera:profile::nginx::port"},
		{"--reaches", "hiera:profile::base::admins.ada"}, {"--reaches", "hiera:lookup_options"},
		{"--why-not", "Service[postgresql]"}, {"--why-not", "Class[role::db]"}, {"--why-not", "File[/etc/mtod]"},
		{"--why-not", "Mount[/x]"},
		{"--why-not", "Class[profile::database]", "--format", "json"}, {"fact:os.family"},
		{"hiera:profile::nginx::conf_mode"}}
	for _, r := range c.Resources {
		ref := r.Type + "[" + r.Title + "]"
		questions = append(questions, []string{ref}, []string{ref, "--format", "json"})
		for p := range r.Parameters {
			questions = append(questions, []string{ref, p}, []string{ref, p, "--dependency"}, []string{ref, p, "--expression"})
		}
	}
	for _, q := range questions {
		q = append(q, "--confirm=none") // trials compile
		_, want, _ := call(web2(q...)...)
		code, got, err := call(append([]string{"explain", shop, "--from", side}, q...)...)
		if code != 0 || got != want {
			t.Errorf("%v: from the side file (exit %d)\n%s%s\nfrom a compile\n%s", q, code, got, err, want)
		}
	}
	t.Logf("%d questions", len(questions))
}

// TestWhyNotFrom: branches that were passed over and virtual resources are known from a side file as well; a file that
// has changed is named.
func TestWhyNotFrom(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../docs/examples/desk.pp")
	if err != nil {
		t.Fatal(err)
	}
	manifest, side := filepath.Join(dir, "desk.pp"), filepath.Join(dir, "side.json")
	if err := os.WriteFile(manifest, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, err := call("compile", manifest, "--node", "n", "--provenance", side); code != 0 {
		t.Fatal(err)
	}
	for _, ref := range []string{"Service[lpd]", "User[guest]", "File[/nowhere]"} {
		for _, format := range []string{"text", "json"} {
			_, want, _ := call("explain", manifest, "--node", "n", "--why-not", ref, "--format", format)
			code, got, err := call("explain", manifest, "--from", side, "--why-not", ref, "--format", format)
			if code != 0 || got != want || got == "" {
				t.Errorf("%s: from the side file (exit %d)\n%s%s\nfrom a compile\n%s", ref, code, got, err, want)
			}
		}
	}
	if err := os.WriteFile(manifest, append(text, "# changed\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, got, _ := call("explain", manifest, "--from", side, "--why-not", "Service[lpd]"); !strings.Contains(got,
		"1 file changed since the side file was written") {
		t.Errorf("after a change:\n%s", got)
	}
}

// TestExplainFromChangedFiles: places stay right when files have changed since, and their lines are not shown.
func TestExplainFromChangedFiles(t *testing.T) {
	dir := t.TempDir()
	manifest, side := filepath.Join(dir, "m.pp"), filepath.Join(dir, "side.json")
	write := func(text string) {
		if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("# one\nfile { '/x':\n  mode => '0600',\n}\n")
	if code, _, err := call("compile", manifest, "--node", "n", "--provenance", side); code != 0 {
		t.Fatal(err)
	}
	write("# entirely different\n")
	code, out, err := call("explain", manifest, "--from", side, "File[/x]", "mode")
	if code != 0 || !strings.Contains(out, "m.pp:3:3") || strings.Contains(out, "mode =>") {
		t.Errorf("exit %d\n%s%s", code, out, err)
	}
	good, e := os.ReadFile(side)
	if e != nil {
		t.Fatal(e)
	}
	// Another version is refused with the command that writes the file anew.
	for _, old := range []string{`{"bunraku_provenance":3,"root":"x"}`, "bunraku provenance 5\n" + string(good)} {
		if err := os.WriteFile(side, []byte(old), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, _, err := call("explain", manifest, "--from", side, "File[/x]"); code != 1 ||
			!strings.Contains(err, "another version") ||
			!strings.Contains(err, "`bunraku compile "+manifest+" --node NAME --provenance "+side+"`") {
			t.Errorf("exit %d, %s", code, err)
		}
	}
	r := rand.New(rand.NewPCG(4, 4)) // what was changed anywhere is told, or does no harm
	for range 300 {
		bad := slices.Clone(good)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		if r.IntN(4) == 0 {
			bad = bad[:r.IntN(len(bad))]
		}
		if err := os.WriteFile(side, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, q := range [][]string{{"File[/x]", "mode"}, {"--reaches", "m.pp:3"}} {
			if code, out, err := call(append([]string{"explain", manifest, "--from", side}, q...)...); code > 2 ||
				strings.Contains(out+err, "bug") {
				t.Errorf("exit %d, %s%s", code, out, err)
			}
		}
	}
	for _, bad := range []string{"", "{}", "[]", `{"bunraku_provenance":1}`, `{"bunraku_provenance":9,"trace":{}}`} {
		if err := os.WriteFile(side, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, _, err := call("explain", manifest, "--from", side, "File[/x]"); code != 1 || strings.Contains(err, "bug") {
			t.Errorf("%q: exit %d, %s", bad, code, err)
		}
	}
}

func TestExplainJSON(t *testing.T) {
	for _, q := range [][]string{{"Class[profile::nginx]", "port"}, {"File[/etc/motd]"}, {"hiera:profile::base::admins"},
		{"fact:os"}, {"--reaches", "fact:role"}, {"--why-not", "Service[postgresql]"}, {"nonsense"}} {
		_, out, err := call(web2(append(q, "--format", "json")...)...)
		var v map[string]any
		if e := json.Unmarshal([]byte(out), &v); e != nil || v["version"] != 1.0 {
			t.Errorf("%v: %v in\n%s%s", q, e, out, err)
		}
	}
	_, out, _ := call(web2("Class[profile::nginx]", "port", "--format", "json")...)
	var a struct {
		Value json.Number
		Where struct {
			Kind, Path, Level string
			At                struct{ Line, Column int }
		}
		Depends []any
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	if a.Value != "8443" || a.Where.Kind != "datum" || a.Where.Level != "Node" || a.Where.At.Line != 3 ||
		len(a.Depends) != 22 {
		t.Errorf("%+v", a)
	}
}

// TestExplainBlame: in a git repository each line says who changed it; elsewhere nothing is said, and nothing fails.
func TestExplainBlame(t *testing.T) {
	git := live.Tool(t, "git")
	dir := t.TempDir()
	manifest := filepath.Join(dir, "m.pp")
	if err := os.WriteFile(manifest, []byte("$m = '0600'\nfile { '/x':\n  mode => $m,\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		code, out, err := call("explain", manifest, "--node", "n", "--blame", "File[/x]", "mode")
		if code != 0 {
			t.Fatal(err)
		}
		return out
	}
	if out := ask(); strings.Contains(out, "last changed") {
		t.Errorf("without a repository:\n%s", out)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=Ada", "-c", "user.email=a@b", "commit",
		"-qm", "Close the file"}} {
		if out, err := exec.Command(git, append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git %v: %s", args, out)
		}
	}
	if out := ask(); strings.Count(out, "by Ada in ") != 2 || !strings.Contains(out, ": Close the file") {
		t.Errorf("in a repository:\n%s", out)
	}
}

// TestExplainUnknownSecret: a key that becomes Sensitive is hidden on every level, also where its value is not known.
func TestExplainUnknownSecret(t *testing.T) {
	repo := writeRepo(t, map[string]string{"facts/a.json": `{"fqdn": "a"}`, "manifests/site.pp": "include m\n",
		"hiera.yaml": "version: 5\nhierarchy:\n  - {name: r, data_hash: m::back, path: x.yaml}\n" +
			"  - {name: c, data_hash: yaml_data, path: c.yaml}\n",
		"data/x.yaml": "{}\n", "data/c.yaml": "m::s: hunter2\nlookup_options:\n  m::s: {convert_to: Sensitive}\n",
		"modules/m/manifests/init.pp": "class m (Sensitive[String] $s) {\n  notify { \"x ${s.unwrap}\": }\n}\n",
		"modules/m/lib/puppet/functions/m/back.rb": "`date`\nPuppet::Functions.create_function(:'m::back') do\n" +
			"  def back(*a)\n    {}\n  end\nend\n"})
	for _, ref := range []string{"hiera:m::s", "Class[M]", "Notify"} {
		for _, format := range []string{"text", "json"} {
			_, out, errText := call("explain", "--node", "a", "--format", format, repo, ref)
			if strings.Contains(out+errText, "hunter2") {
				t.Errorf("%s:\n%s%s", ref, out, errText)
			}
		}
	}
	if _, out, _ := call("explain", "--node", "a", repo, "hiera:m::s"); !strings.Contains(out, "c.yaml") {
		t.Errorf("the level is not told:\n%s", out)
	}
}

// TestExplainDeclaredSecret: what Hiera has for a parameter that is declared Sensitive is shown under no key and in no
// variable, also if no node has the class; what a resource has of it in the clear is.
func TestExplainDeclaredSecret(t *testing.T) {
	repo := writeRepo(t, map[string]string{"facts/a.json": `{"fqdn": "a"}`,
		"hiera.yaml":  "version: 5\nhierarchy:\n  - {name: n, path: n.yaml}\n  - {name: c, path: c.yaml}\n",
		"data/n.yaml": "web::pw: Quiet-01\n",
		"data/c.yaml": "web::pw: Quiet-02\nweb::h: {pw: Quiet-03, user: bob}\nweb::a: Quiet-04\nweb::s: {n: [Quiet-05]}\n" +
			"q1: \"%{lookup('web::pw')} tail\"\nq2: \"%{alias('web::h')}\"\nq3: [\"%{lookup('web::h.pw')}\"]\n" +
			"q4: \"%{hiera('q3.0')}\"\nal: &x Quiet-06\nweb::t: *x\nmore: {in: *x}\nweb::plain: shown-01\n" +
			"q5: \"%{lookup('web::plain')} too\"\nbase::open: shown-02\n",
		"manifests/site.pp": "$v = lookup('web::pw')\n$w = lookup('web::h')\n$x = lookup('q1')\n$y = \"<${w['pw']}>\"\n" +
			"include base\n",
		"modules/web/manifests/init.pp": "class web (Sensitive[String] $pw, Hash[String, Sensitive[String]] $h,\n" +
			"  Optional[Web::Pw] $a, Web::Pw $t, Struct[{n => Array[Sensitive]}] $s, String $plain) {\n}\n",
		"modules/web/types/pw.pp":   "type Web::Pw = Variant[Web::Deep, Web::Pw]\n",
		"modules/web/types/deep.pp": "type Web::Deep = Optional[Sensitive[String]]\n",
		"modules/base/manifests/init.pp": "class base (Variant[String, Sensitive] $open) {\n" +
			"  notify { 'x': message => $open }\n}\n"})
	side := filepath.Join(t.TempDir(), "side.json")
	if code, _, err := call("compile", repo, "--facts", repo+"/facts/a.json", "--provenance", side); code != 0 {
		t.Fatal(err)
	}
	all := ""
	for _, form := range [][]string{nil, {"--format", "json"}, {"--dependency"}, {"--expression"}, {"--from", side}} {
		for _, ref := range []string{"hiera:web::pw", "hiera:web::h", "hiera:web::h.pw", "hiera:web::a", "hiera:web::s",
			"hiera:web::t", "hiera:q1", "hiera:q2", "hiera:q3", "hiera:q4", "hiera:q5", "hiera:al", "hiera:more",
			"hiera:web::plain", "$v", "$w", "$x", "$y", "Notify[x]"} {
			_, out, errText := call(append(append([]string{"explain", "--node", "a"}, form...), repo, ref)...)
			if all += out; strings.Contains(out+errText, "Quiet-") {
				t.Errorf("%v %s:\n%s%s", form, ref, out, errText)
			}
		}
	}
	for _, file := range []string{"data/n.yaml:1", "data/c.yaml:2", "hiera:web::pw"} {
		if _, out, _ := call("explain", "--node", "a", "--reaches", file, repo); strings.Contains(out, "Quiet-") {
			t.Errorf("--reaches %s:\n%s", file, out)
		}
	}
	for _, want := range []string{"shown-01 too", "shown-02", "data/c.yaml:9"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not shown", want)
		}
	}
}

// TestExplainScopes: a variable is asked for as in code, from a compile and from a side file: $::x is that of the top
// scope and no other, $x the node's if that sets one.
func TestExplainScopes(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "site.pp")
	if err := os.WriteFile(site, []byte("$x = 'top'\nclass m { $only = 'class' }\nnode default {\n  $x = 'node'\n"+
		"  include m\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	side := filepath.Join(dir, "side.json")
	if code, _, err := call("compile", site, "--node", "n", "--provenance", side); code != 0 {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{"$x": "'node'\n", "$::x": "'top'\n", "$only": "'class'\n",
		"$m::only": "'class'\n", "$::m::only": "'class'\n", "$::only": ""} {
		for _, from := range [][]string{{"--node", "n"}, {"--from", side}} {
			code, got, err := call(append(append([]string{"explain", site}, from...), ref)...)
			if (code == 0) != (want != "") || !strings.HasPrefix(got, want) {
				t.Errorf("%s %v (exit %d): %s%s", ref, from, code, got, err)
			}
		}
	}
}
