package lookup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/lookup"
	"bunraku/puppet/value"
	"bunraku/source"
)

// secretSite makes an environment whose data was encrypted by openssl, as `eyaml encrypt` does.
func secretSite(t *testing.T) (dir, token string) {
	t.Helper()
	openssl := live.Tool(t, "openssl")
	dir = t.TempDir()
	run := func(stdin string, args ...string) string {
		cmd := live.Command(openssl, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("openssl %s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	run("", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/", "-keyout", "private.pem", "-out", "public.pem",
		"-days", "1")
	der := run("s3cret", "smime", "-encrypt", "-aes256", "-binary", "-outform", "PEM", "public.pem")
	var b strings.Builder
	for _, line := range strings.Split(der, "\n") {
		if line != "" && !strings.HasPrefix(line, "-----") {
			b.WriteString(line)
		}
	}
	token = "ENC[PKCS7," + b.String() + "]"
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("hiera.yaml",
		"version: 5\nhierarchy:\n  - name: Secret\n    lookup_key: eyaml_lookup_key\n    path: secret.eyaml\n    "+
			"options:\n      pkcs7_private_key: "+dir+"/private.pem\n      pkcs7_public_key: "+dir+
			"/public.pem\n  - name: Common\n    path: common.yaml\n")
	write("data/secret.eyaml", "pw: >\n  "+token+"\nplain: \"%{who}\"\nmixed: \"user:"+token+"@%{who}\"\nlist: [a, '"+
		token+"']\nh: {\"%{who}\": '"+token+"'}\nbad: ENC[PKCS7,AAAA]\ngpg: ENC[GPG,AAAA]\n")
	write("data/common.yaml", "other: 1\npw: lower\n")
	return dir, token
}

func TestEyaml(t *testing.T) {
	dir, _ := secretSite(t)
	l := lookup.New(lookup.Site{Environment: "production", Dir: dir},
		lookup.Options{Files: source.NewDir(source.DirOptions{Roots: []string{dir}})})
	scope := &testScope{vars: map[string]value.Value{"who": value.String("me")}, functions: value.EmptyHash}
	s := l.Session(nil, nil)
	for key, want := range map[string]string{"pw": `"s3cret"`, "plain": `"me"`, "mixed": `"user:s3cret@me"`,
		"list": `["a","s3cret"]`, "h": `{"me":"s3cret"}`, "other": "1"} {
		res, err := s.Lookup([]string{key}, scope, lookup.Query{})
		if err != nil {
			t.Fatal(key, err)
		}
		if got := encode(res.Value); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if _, err := s.Lookup([]string{"bad"}, scope, lookup.Query{}); err == nil ||
		!strings.Contains(err.Error(), "hiera-eyaml backend error decrypting") {
		t.Errorf("bad: %v", err)
	}
	res, err := s.Lookup([]string{"gpg"}, scope, lookup.Query{})
	if _, opaque := res.Value.(*value.Opaque); err != nil || !opaque {
		t.Errorf("gpg: %v %v", res.Value, err)
	}
}

// Without the keys a secret is opaque, says so once, and everything else goes on.
func TestEyamlWithoutKeys(t *testing.T) {
	dir, _ := secretSite(t)
	os.Remove(filepath.Join(dir, "private.pem"))
	l := lookup.New(lookup.Site{Environment: "production", Dir: dir},
		lookup.Options{Files: source.NewDir(source.DirOptions{Roots: []string{dir}})})
	scope := &testScope{vars: map[string]value.Value{"who": value.String("me")}, functions: value.EmptyHash}
	warnings := 0
	s := l.Session(nil, func(*source.Diagnostic) { warnings++ })
	res, err := s.Lookup([]string{"mixed"}, scope, lookup.Query{})
	if o, opaque := res.Value.(*value.Opaque); err != nil || !opaque || !strings.Contains(o.Why, "secret mixed") {
		t.Fatalf("%v %v", res.Value, err)
	}
	res, err = s.Lookup([]string{"list"}, scope, lookup.Query{})
	if err != nil {
		t.Fatal(err)
	}
	list := res.Value.(*value.Array)
	if _, opaque := list.Elems[1].(*value.Opaque); !opaque || list.Elems[0] != value.Value(value.String("a")) {
		t.Errorf("list: %v", list.Elems)
	}
	if res, err = s.Lookup([]string{"plain"}, scope, lookup.Query{}); err != nil ||
		res.Value != value.Value(value.String("me")) {
		t.Errorf("plain: %v %v", res.Value, err)
	}
	if warnings != 1 {
		t.Errorf("%d warnings", warnings)
	}
}

// A backend in Ruby answers with a value that says so; keys that its options exclude are not asked for.
func TestRubyBackend(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "data"), 0o755)
	os.WriteFile(filepath.Join(dir, "hiera.yaml"),
		[]byte("version: 5\nhierarchy:\n  - name: Vault\n    lookup_key: hiera_vault\n    options:\n      confine_to_keys: "+
			"['^secret_.*']\n  - name: Common\n    path: common.yaml\n"), 0o644)
	os.WriteFile(filepath.Join(dir, "data/common.yaml"), []byte("plain: 1\nuses: \"x %{lookup('secret_a')}\"\n"), 0o644)
	scope := rubyScope{&testScope{vars: map[string]value.Value{}, functions: value.EmptyHash}}
	s := lookup.New(lookup.Site{Environment: "production", Dir: dir},
		lookup.Options{Files: source.NewDir(source.DirOptions{Roots: []string{dir}})}).Session(nil, nil)
	res, err := s.Lookup([]string{"plain"}, scope, lookup.Query{})
	if err != nil || res.Value != value.Value(value.Int(1)) {
		t.Errorf("plain: %v %v", res.Value, err)
	}
	for _, key := range []string{"secret_a", "uses", "secret_a.b"} {
		res, err := s.Lookup([]string{key}, scope, lookup.Query{})
		if o, opaque := res.Value.(*value.Opaque); err != nil || !opaque || !strings.Contains(o.Why, "hiera_vault") {
			t.Errorf("%s: %v %v", key, res.Value, err)
		}
	}
}
