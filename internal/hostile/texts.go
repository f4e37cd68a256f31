//go:build unix

package hostile

import "fmt"

// Payloads that a terminal or a CI log would obey.
var payloads = []struct{ name, puppet, raw string }{
	{"clear screen", `\u001b[2J`, "\x1b[2J"},
	{"title", `\u001b]0;x\u0007`, "\x1b]0;x\x07"},
	{"C1", `\u{9b}2J`, "\u009b2J"},
	{"carriage return", `\rgone`, "\rgone"},
	{"workflow command", `\n::error file=a::b\n::add-mask::c`, "\n::error file=a::b\n::set-output name=x::y"},
	{"backspace", `\u0008\u007f\u0000`, "\b\x7f"},
}

// texts put such payloads wherever a text of the tree can come out again.
func texts() []Tree {
	var out []Tree
	for _, p := range payloads {
		for _, c := range []struct{ name, file, text string }{
			{"fail", "manifests/site.pp", `fail("a%sb")`},
			{"warning", "manifests/site.pp", `warning("a%sb") notice("a%sb") err("a%sb")`},
			{"title", "manifests/site.pp", `notify { "x": message => "%s" } notify { "a%sb": } notify { "a%sb": }`},
			{"file title", "manifests/site.pp", `file { "/a%sb": content => "x", require => File["/c%s"] }`},
			{"exec", "manifests/site.pp", `exec { "/bin/mkdir /a%s": } file { "/a%s": ensure => absent }`},
			{"unknown", "manifests/site.pp", `include("a%sb") lookup("z%s")`},
			{"type mismatch", "manifests/site.pp", `class x(Enum["a%s"] $p) {} class { x: p => "b%s" }`},
			{"hash key", "manifests/site.pp", `$h = {"a%s" => 1} notify { "x": message => $h } notify { $h["b%s"]: }`},
			{"pattern", "manifests/site.pp", `if "a" =~ "(%s" { }`},
			{"relation", "manifests/site.pp", `notify { "x": } File["a%s"] -> Notify["x"]`},
			{"cycle", "manifests/site.pp",
				`notify { "x": } notify { "a%s": } Notify["a%[1]s"] -> Notify["x"] -> Notify["a%[1]s"]`},
		} {
			text := c.text
			n := 0
			for i := 0; i+1 < len(text); i++ {
				if text[i] == '%' && (text[i+1] == 's' || text[i+1] == '[') {
					n++
				}
			}
			var args []any
			for range n {
				args = append(args, p.puppet)
			}
			if c.name == "cycle" {
				args = args[:1]
			}
			out = append(out, tree("texts/"+p.name+" in "+c.name, c.file, fmt.Sprintf(text, args...)))
		}
		raw := p.raw
		out = append(out,
			tree("texts/"+p.name+" raw in a manifest", "manifests/site.pp", "notify { 'x': message => '"+raw+"' }\nfail('"+raw+
				"')\n"),
			tree("texts/"+p.name+" raw in a syntax error", "manifests/site.pp", "class a"+raw+" {\n}}}\n"),
			tree("texts/"+p.name+" in data", "data/common.yaml", fmt.Sprintf("k: %q\n%q: 1\n", raw, raw)),
			tree("texts/"+p.name+" in bad data", "data/common.yaml", "k: ["+raw+"\n"),
			tree("texts/"+p.name+" in hiera.yaml", "hiera.yaml",
				fmt.Sprintf("version: 5\nhierarchy:\n  - {name: %q, path: %q, nonsense: %q}\n", raw, raw, raw)),
			tree("texts/"+p.name+" in erb raise", "modules/m/templates/t.erb", fmt.Sprintf("<%% raise %q %%>", raw)),
			tree("texts/"+p.name+" in metadata", "modules/m/metadata.json", fmt.Sprintf("{\"name\": %q, \"version\": %q, %s",
				raw, raw, raw)),
			tree("texts/"+p.name+" in bunraku.assert", "bunraku.assert", "exists /a"+raw+"\n"+raw+"\n"),
			tree("texts/"+p.name+" in environment.conf", "environment.conf", "modulepath = modules:a"+raw+"b\n"+raw+" = 1\n"),
			tree("texts/"+p.name+" in facts", "facts/n.yaml", fmt.Sprintf("os: {family: %q, name: %q}\nnetworking: {fqdn: %q}\n",
				raw, raw, raw)),
			Tree{Name: "texts/" + p.name + " in a file name", write: func(w *writer) {
				w.file("manifests/a"+raw+".pp", "class {{\n")
				w.file("modules/m/manifests/b"+raw+".pp", "fail(1\n")
				w.file("facts/c"+raw+".yaml", "a: [\n")
			}},
		)
	}
	return out
}

// secrets are values that the tree calls sensitive and tries to have printed.
func secrets() []Tree {
	s := Secret
	var out []Tree
	for name, code := range map[string]string{
		"exec": "exec { 'x': command => Sensitive('/bin/mkdir /" + s + "/a') }\nfile { '/" +
			"x/a': ensure => directory }",
		"exec undone": "exec { 'x': command => Sensitive('/bin/mkdir /" + s +
			"/a') } exec { 'y': command => Sensitive('/bin/rm -r /" + s + "') }",
		"fail":          "$v = Sensitive('" + s + "') fail(\"${v}\")",
		"mismatch":      "class a(Integer $p) {} class { a: p => Sensitive('" + s + "') }",
		"enum mismatch": "class a(Sensitive[Enum[x]] $p) {} class { a: p => Sensitive('" + s + "') }",
		"hash of": "class a(Sensitive[Hash[Integer, String]] $p) {} class { a: p => Sensitive({'" + s +
			"' => 'x'}) }",
		"array of":      "class a(Array[Integer] $p) {} class { a: p => [Sensitive('" + s + "')] }",
		"content":       "file { '/x': content => Sensitive('" + s + "') } file { '/x': content => 'y' }",
		"content twice": "file { '/x': content => Sensitive('" + s + "') } exec { 'rm /x': path => '/bin' }",
		"lines": "file { '/x': content => Sensitive(\"a\\n" + s +
			"\\nb\") } notify { 'x': message => Sensitive('" + s + "') }",
		"arithmetic":       "notify { 'x': message => Sensitive('" + s + "') + 1 }",
		"call":             "$v = Sensitive('" + s + "') $v.nonsense",
		"node name":        "notify { 'x': message => Sensitive('" + s + "') } notify { Sensitive('" + s + "'): }",
		"template":         "notify { 'x': message => Sensitive(inline_template('" + s + "')) }",
		"lookup unwrapped": "notify { lookup('s'): } file { \"/${lookup('s')}\": } fail(lookup('s'))",
		"conversion":       "notify { 'x': message => Integer(lookup('s')) }",
		"path":             "file { \"/a/${lookup('s')}\": ensure => file } exec { \"/bin/rm -r /a/${lookup('s')}\": }",
	} {
		// parse shows what the source says, to whoever has the source.
		out = append(out, Tree{Name: "secrets/" + name, Commands: commands[:4], write: func(w *writer) {
			w.file("manifests/site.pp", code+"\n")
			w.file("data/common.yaml", "lookup_options:\n  s: {convert_to: Sensitive}\ns: "+s+"\nk: v\n")
		}})
	}
	return out
}
