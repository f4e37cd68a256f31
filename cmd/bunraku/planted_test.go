package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bunraku/explain"
)

// A plant is a secret, and the texts that must not be seen of it.
type plant struct {
	value string // a Puppet expression that is not Sensitive
	text  string // as YAML's and JSON's string, or number
	never []string
	int   bool
}

func drawPlant(t *rapid.T) plant {
	word := func() string { return "Zq" + rapid.StringMatching(`[a-zA-Z0-9]{6,12}`).Draw(t, "word") }
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	w := word()
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return plant{quote(w), quoteJSON(w), []string{w, base64.StdEncoding.EncodeToString([]byte(w))}, false}
	case 1: // lines
		v := word()
		return plant{`"` + w + `\n` + v + `"`, quoteJSON(w + "\n" + v), []string{w, v}, false}
	case 2:
		s := w + `'"$&<` + word() + `%\ x`
		return plant{quote(s), quoteJSON(s), []string{s, w}, false}
	case 3: // a command
		return plant{quote("/bin/mkdir /" + w + "/a"), quoteJSON("/bin/mkdir /" + w + "/a"), []string{w}, false}
	case 4:
		n := fmt.Sprint(rapid.IntRange(1234567, 98765432).Draw(t, "number"))
		return plant{n, n, []string{n}, true}
	}
	return plant{quote("/srv/" + w), quoteJSON("/srv/" + w), []string{w}, false}
}

// drawSite plants a secret in a site.
func drawSite(t *rapid.T, p plant) map[string]string {
	files := map[string]string{
		"hiera.yaml": "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy: [{name: All, path: " +
			"all.yaml}]\n",
		"data/all.yaml": "app::given: " + p.text + "\napp::looked: " + p.text +
			"\nlookup_options:\n  '^app::': {convert_to: Sensitive}\n",
		"facts/a.json":      strings.Replace(facts12, "NAME", "a.example", 1),
		"manifests/site.pp": "include app\n",
	}
	secret := rapid.SampledFrom([]string{"$given", "lookup('app::looked')", "Sensitive(" + p.value + ")", "$local",
		"Sensitive({" + p.value + " => 1}).unwrap.keys[0].then |$x| { Sensitive($x) }",
		"Sensitive([1, " + p.value + "]).unwrap[1].then |$x| { Sensitive($x) }"}).Draw(t, "secret")
	sinks := []string{
		"exec { 'x': command => %s }",
		"exec { 'x': command => \"/bin/mkdir /opt/${unwrap(%s)}\" }",
		"exec { \"t ${unwrap(%s)}\": command => '/bin/mkdir /opt/x' }",
		"file { '/etc/x': content => %s }\n  exec { 'y': command => '/bin/mkdir /opt/y' }",
		"file { \"/opt/${unwrap(%s)}\": content => 'x', mode => 'odd' }",
		"package { \"p${unwrap(%s)}\": ensure => installed }\n  file { '/etc/nginx/a': content => 'x' }",
		"package { \"${unwrap(%s)}\": ensure => odd }",
		"fail(\"no ${unwrap(%s)} here\")",
		"warning(\"no ${unwrap(%s)} here\")\n  exec { 'y': command => '/bin/mkdir /opt/y' }",
		"notify { 'n': message => unwrap(%s) }",
		"notify { 'n': message => inline_template('<%%= @inner.unwrap %%>') }\n  app::part { 'p': secret => %s }",
		"app::part { 'p': secret => %s }",
		"service { 'x': ensure => running, start => \"/bin/x ${unwrap(%s)}\" }\n  file { '/etc/x.conf': content => 'x' }",
		"user { 'u': password => %s, ensure => unwrap(Sensitive('odd')) }",
		"cron { 'c': command => %s, user => 'nobody', hour => 99 }",
		"notify { 'n': noop => unwrap(%s) }",
		"include \"app::${unwrap(%s)}\"",
		"file { '/etc/x': source => \"puppet:///modules/app/${unwrap(%s)}\" }",
		"file { '/etc/x': mode => unwrap(%s), require => File[\"/n${unwrap(Sensitive('o'))}\"] }",
		"notify { 'n': message => {unwrap(%s) => 1} }",
		"Integer[0,1].new(unwrap(%s)).notice",
	}
	code := "class app(Sensitive $given) {\n  $local = Sensitive(" + p.value + ")\n  $inner = $local\n"
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(sinks)-1), 1, 3, rapid.ID[int]).Draw(t, "sinks") {
		used := strings.ReplaceAll(sinks[i], "'x'", fmt.Sprintf("'x%d'", i))
		code += "  " + fmt.Sprintf(strings.ReplaceAll(used, "'n'", fmt.Sprintf("'n%d'", i)), secret) + "\n"
	}
	files["modules/app/manifests/init.pp"] = code + "}\n"
	files["modules/app/manifests/part.pp"] = "define app::part($secret) {\n  $in = $secret\n  file { '/etc/part': " +
		"content => template('app/part.erb') }\n  exec { \"/bin/mkdir /p/${title}\": }\n}\n"
	files["modules/app/templates/part.erb"] = "<%= @in.unwrap %> <%= @secret %>\n"
	return files
}

// No output of any command holds a secret, wherever it is planted; but the catalog does, as Puppet's has it.
func TestPlantedSecretsAreNeverSeen(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		if n == 60 { // enough for one run; every run draws others
			return
		}
		p := drawPlant(t)
		files := drawSite(t, p)
		n++
		env := filepath.Join(dir, fmt.Sprint(n))
		for name, text := range files {
			at := filepath.Join(env, name)
			if os.MkdirAll(filepath.Dir(at), 0o755) != nil || os.WriteFile(at, []byte(text), 0o644) != nil {
				t.Fatal("cannot write " + at)
			}
		}
		look := func(what, text string) {
			t.Helper()
			for _, never := range p.never {
				for _, form := range []string{never, strings.Trim(quoteJSON(never), `"`),
					base64.StdEncoding.EncodeToString([]byte(never))} {
					if i := strings.Index(text, form); i >= 0 {
						t.Fatalf("%s shows %s: …%s…\n%s", what, form, text[max(0, i-200):min(len(text), i+100)],
							files["modules/app/manifests/init.pp"])
					}
				}
			}
		}
		for _, format := range formats {
			for _, command := range [][]string{{"check", env}, {"verify", env}} {
				_, out, errText := call(append(command, "--format", format)...)
				look(command[0]+" "+format, out+errText)
				if (format == "json" || format == "sarif") && out != "" && json.Unmarshal([]byte(out), new(any)) != nil {
					t.Fatalf("%s %s is no JSON:\n%s", command[0], format, out)
				}
			}
		}
		side, base := filepath.Join(env, "side"), filepath.Join(env, "base")
		code, out, errText := call("compile", env, "--provenance", side)
		look("compile", errText)
		call("check", env, "--write-baseline", base)
		_, patch, errText := call("check", env, "--fix")
		look("check --fix", patch+errText)
		for _, f := range []string{side, base} {
			text, err := os.ReadFile(f)
			if said, bad := explain.Texts(text); f == side && err == nil {
				if text = []byte(said); bad != nil {
					t.Fatal(bad)
				}
			}
			look(filepath.Base(f), string(text))
		}
		for _, ref := range [][]string{{"Class[app]"}, {"$app::local"}, {"Class[app]", "given"}, {"hiera:app::looked"},
			{"Notify[n9]", "message"}, {"--reaches", "hiera:app::given"}} {
			for _, view := range [][]string{{"--format", "json"}, {"--dependency"}, {"--expression"}, nil} {
				_, out, errText := call(append(append([]string{"explain", env}, ref...), view...)...)
				look("explain "+strings.Join(append(ref, view...), " "), out+errText)
			}
		}
		if code == exitFine {
			var cat struct {
				Resources []struct{ Type, Title string }
			}
			if err := json.Unmarshal([]byte(out), &cat); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out, "[value redacted]") && !strings.Contains(files["modules/app/manifests/init.pp"],
				"app::part") {
				t.Fatalf("the catalog is not whole:\n%s", out)
			}
		}
	})
}
