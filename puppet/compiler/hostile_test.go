package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
)

// siteOf writes an environment and compiles it.
func siteOf(t *testing.T, files map[string]string, opt compiler.Options) *eval.Result {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, files)
	return compileSite(t, dir, opt)
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func compileSite(t *testing.T, dir string, opt compiler.Options) *eval.Result {
	t.Helper()
	if opt.Language == 0 {
		opt.Language = 7
	}
	c, err := compiler.NewWorkspace(dir, opt).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	result, err := c.Compile(context.Background(), compiler.Node{Name: "n.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Names with ../ and links do not lead out of the environment and the module path, wherever they are used.
func TestOutside(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret, map[string]string{"s.yaml": "key: SECRET\n", "s.erb": "SECRET", "s.epp": "SECRET",
		"a.json": `{"key": "SECRET"}`})
	hierarchy := func(level string) string {
		return "version: 5\ndefaults: {data_hash: yaml_data, datadir: data}\nhierarchy:\n  - {name: a, " + level + "}\n"
	}
	const look = "$evil = 'X/s'\n$evils = ['X/s']\n$x = lookup('key', {'default_value' => 'none'})"
	for name, c := range map[string]struct{ hiera, manifest string }{
		"template":           {"", "$x = template('m/../../../../X/s.erb')"},
		"absolute template":  {"", "$x = template('/A/s.erb')"},
		"linked template":    {"", "$x = template('m/link.erb')"},
		"linked directory":   {"", "$x = template('m/dir/s.erb')"},
		"epp":                {"", "$x = epp('m/../../../../X/s.epp')"},
		"linked epp":         {"", "$x = epp('m/link.epp')"},
		"file":               {"", "$x = file('m/../../../../X/s.yaml')"},
		"absolute file":      {"", "$x = file('/A/s.yaml')"},
		"linked file":        {"", "$x = file('m/link.yaml')"},
		"binary_file":        {"", "$x = binary_file('m/link.yaml')"},
		"find_file":          {"", "$x = find_file('m/link.yaml')"},
		"hiera path":         {hierarchy(`path: "../X/s.yaml"`), look},
		"hiera absolute":     {hierarchy(`path: "/A/s.yaml"`), look},
		"hiera datadir":      {hierarchy(`datadir: "X", path: "s.yaml"`), look},
		"hiera interpolated": {hierarchy(`path: "../%{evil}.yaml"`), look},
		"hiera glob":         {hierarchy(`glob: "../X/*.yaml"`), look},
		"hiera globs":        {hierarchy(`globs: ["../%{evil}*.yaml"]`), look},
		"hiera mapped":       {hierarchy(`mapped_paths: [evils, it, "../%{it}.yaml"]`), look},
		"hiera link":         {hierarchy(`path: "link.yaml"`), look},
		"hiera json":         {hierarchy(`data_hash: json_data, path: "../X/a.json"`), look},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "production")
			out, err := filepath.Rel(dir, secret)
			if err != nil {
				t.Fatal(err)
			}
			fill := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "/A/", secret+"/"), "X", out) }
			files := map[string]string{"manifests/site.pp": fill(c.manifest) + "\nnotify { 'n': message => $x }\n",
				"modules/m/templates/ok.erb": "", "modules/m/files/ok": "", "data/ok.yaml": "{}"}
			if c.hiera != "" {
				files["hiera.yaml"] = fill(c.hiera)
			}
			write(t, dir, files)
			for link, to := range map[string]string{"modules/m/templates/link.erb": "s.erb",
				"modules/m/templates/link.epp": "s.epp", "modules/m/templates/dir": "", "modules/m/files/link.yaml": "s.yaml",
				"data/link.yaml": "s.yaml"} {
				if err := os.Symlink(filepath.Join(secret, to), filepath.Join(dir, link)); err != nil {
					t.Skip("no links here: ", err)
				}
			}
			r := compileSite(t, dir, compiler.Options{})
			if r.Failure == nil {
				if m := r.Catalog.Resource("Notify", "n").Get("message"); m != nil && strings.Contains(inspect(m), "SECRET") {
					t.Errorf("it was read: %v", m)
				}
			} else if strings.Contains(r.Failure.Summary, "SECRET") {
				t.Error(r.Failure)
			}
			if strings.Contains(name, "link") { // they are allowed when asked for
				if r := compileSite(t, dir, compiler.Options{Outside: true}); r.Failure != nil {
					t.Errorf("with leave: %v", r.Failure)
				}
			}
		})
	}
}

// Links that stay inside are followed.
func TestLinkInside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, map[string]string{"manifests/site.pp": "notify { file('m/link'): }", "shared/text": "inside",
		"modules/m/files/x": ""})
	if err := os.Symlink("../../../shared/text", filepath.Join(dir, "modules/m/files/link")); err != nil {
		t.Skip("no links here: ", err)
	}
	if r := compileSite(t, dir, compiler.Options{}); r.Failure != nil || r.Catalog.Resource("Notify", "inside") == nil {
		t.Error(r.Failure)
	}
}

// Data that would fill the memory, or the stack, is refused.
func TestDataBombs(t *testing.T) {
	var aliases strings.Builder
	aliases.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		n := string(rune('a' + i))
		p := string(rune('a' + i - 1))
		if i == 1 {
			p = "a0"
		}
		aliases.WriteString(n + ": &" + n + " [" + strings.TrimSuffix(strings.Repeat("*"+p+", ", 9), ", ") + "]\n")
	}
	hiera := "version: 5\ndefaults: {datadir: data}\nhierarchy:\n  - {name: a, data_hash: FORMAT_data, path: bomb}\n"
	for name, c := range map[string]struct{ format, text string }{
		"aliases":       {"yaml", aliases.String()},
		"nested yaml":   {"yaml", "key: " + strings.Repeat("[", 200_000)},
		"nested blocks": {"yaml", nestedBlocks(3000)},
		"nested json":   {"json", `{"key": ` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "}"},
		"nested hocon":  {"hocon", "key: " + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)},
		"hocon objects": {"hocon", strings.Repeat("a {", 200_000)},
		"hocon doubles": {"hocon", hoconDoubles()},
	} {
		t.Run(name, func(t *testing.T) {
			began := live.Begin()
			r := siteOf(t, map[string]string{"hiera.yaml": strings.ReplaceAll(hiera, "FORMAT", c.format), "data/bomb": c.text,
				"manifests/site.pp": "$x = lookup('key', {'default_value' => 1})\n$y = lookup('l', {'default_value' => 1})\n$z = " +
					"lookup('a', {'default_value' => 1})"}, compiler.Options{})
			if r.Failure == nil {
				t.Error("it was read")
			} else {
				t.Log(strings.TrimSpace(r.Failure.Summary[:min(len(r.Failure.Summary), 200)]))
			}
			if spent := began.Took(); spent > 20*time.Second {
				t.Errorf("took %v", spent)
			}
		})
	}
}

func nestedBlocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func hoconDoubles() string {
	var b strings.Builder
	b.WriteString("a0: [1]\n")
	for i := 1; i < 40; i++ {
		n, p := string(rune('0'+i/10))+string(rune('0'+i%10)), string(rune('0'+(i-1)/10))+string(rune('0'+(i-1)%10))
		if i == 1 {
			p = "0"
		}
		b.WriteString("a" + n + ": [${a" + p + "}, ${a" + p + "}]\n")
	}
	return b.String() + "key: ${a39}\n"
}

// ERB templates stop at their bounds too.
// What a compile that was given up leaves behind is sealed all the same, although nothing is left of its budget with
// which to look for what Ruby code has changed in place.
func TestBoundAfterChanges(t *testing.T) {
	for name, fields := range map[string]string{"in Ruby": "<% loop { } %>", "in the manifest": ""} {
		t.Run(name, func(t *testing.T) {
			r := siteOf(t, map[string]string{"modules/m/templates/push.erb": "<% @list << 'more' %>",
				"modules/m/templates/loop.erb": fields,
				"manifests/site.pp": "$list = ['a', ['b']]\n$table = { 'k' => $list }\n$pushed = template('m/push.erb')\n" +
					"$looped = template('m/loop.erb')\nInteger[1, 100000000].each |$i| { $i + 1 }\n"}, compiler.Options{})
			if r.Failure == nil || !strings.Contains(r.Failure.Summary, "steps") || r.Failure.Code == "E0999" {
				t.Errorf("the failure is %v", r.Failure)
			}
		})
	}
}

func TestTemplateBombs(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"loop":      {"<% loop { } %>", "steps"},
		"text":      {"<% loop { %>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx<% } %>", ""},
		"array":     {"<%= Array.new(10**9) %>", "larger"},
		"times":     {`<%= "a" * 10**10 %>`, "larger"},
		"gsub":      {`<% s = 'a'; 60.times { s = s.gsub('a', 'aa') } %>`, ""},
		"recursion": {`<% f = ->(x) { f.call(x) }; f.call(1) %>`, "deeper"},
		"regexp":    {`<%= ('a' * 5000 + 'b') =~ /\A(a|aa|aaa)*\z(?=x)/ %>`, ""},
		"format":    {`<%= '%999999999d' % 1 %>`, ""},
		"file":      {`<%= File.read('/etc/hostname') %>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			began := live.Begin()
			r := siteOf(t, map[string]string{"modules/m/templates/t.erb": c.text,
				"manifests/site.pp": "notify { 'n': message => template('m/t.erb') }"}, compiler.Options{StrictOpaque: true})
			if r.Failure == nil {
				t.Errorf("no error: %.60s", inspect(r.Catalog.Resource("Notify", "n").Get("message")))
			} else if !strings.Contains(r.Failure.Summary+r.Failure.Detail, c.want) {
				t.Errorf("%s\n%s", r.Failure.Summary, r.Failure.Detail)
			}
			if spent := began.Took(); spent > 20*time.Second {
				t.Errorf("took %v", spent)
			}
		})
	}
}
