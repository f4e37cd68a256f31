//go:build unix

package hostile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
)

// repositories bring a git repository along whose configuration names programs, or whose files are not what they seem.
func repositories() []Tree {
	ask := [][]string{{"explain", "ENV", "--node", "n", "--blame", "Notify[x]", "message"}, {"check", "ENV"}}
	programs := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch " +
		"MARKER\n\tpager = touch MARKER\n" +
		"\tsshCommand = touch MARKER\n\thooksPath = .\n[include]\n\tpath = OUTSIDE/text\n[diff \"x\"]\n\ttextconv = touch " +
		"MARKER;cat\n" +
		"[filter \"x\"]\n\tclean = touch MARKER;cat\n\tsmudge = touch MARKER;cat\n[alias]\n\tblame = !touch MARKER\n"
	bare := func(w *writer, dir string) {
		w.file(dir+"/HEAD", "ref: refs/heads/main\n")
		w.file(dir+"/config", programs)
		w.file(dir+"/objects/info/packs", "")
		w.file(dir+"/refs/heads/.keep", "")
	}
	id := strings.Repeat("ab", 20)
	var out []Tree
	add := func(name string, f func(w *writer)) {
		out = append(out, Tree{Name: "git/" + name, Commands: ask, write: f})
	}
	for _, dir := range []string{".git", "manifests", "data", "modules/m", "modules/m/manifests", "modules/m/.git",
		"manifests/.git"} {
		add("repository at "+dir, func(w *writer) { bare(w, dir); w.file(".gitattributes", "* diff=x filter=x\n") })
	}
	for name, change := range map[string]func(w *writer){
		"HEAD outside": func(w *writer) { w.link(".git/HEAD", w.Outside+"/text") },
		"HEAD pipe": func(w *writer) {
			w.make(".git/HEAD",
				func(at string) error { return syscall.Mkfifo(at, 0o644) })
		},
		"HEAD device":       func(w *writer) { w.link(".git/HEAD", "/dev/zero") },
		"HEAD upward":       func(w *writer) { w.file(".git/HEAD", "ref: refs/../../../outside/text\n") },
		"HEAD loop":         func(w *writer) { w.file(".git/refs/heads/main", "ref: refs/heads/main\n") },
		"HEAD sparse":       func(w *writer) { w.sparse(".git/HEAD", 20<<30) },
		"config device":     func(w *writer) { w.link(".git/config", "/dev/zero") },
		"config sparse":     func(w *writer) { w.sparse(".git/config", 20<<30) },
		"packed-refs":       func(w *writer) { w.sparse(".git/packed-refs", 20<<30) },
		"git file":          func(w *writer) { w.file(".git", "gitdir: OUTSIDE\n") },
		"git file sparse":   func(w *writer) { w.sparse(".git", 20<<30) },
		"git link":          func(w *writer) { w.link(".git", w.Outside) },
		"git pipe":          func(w *writer) { w.make(".git", func(at string) error { return syscall.Mkfifo(at, 0o644) }) },
		"alternates":        func(w *writer) { w.file(".git/objects/info/alternates", "OUTSIDE\n/dev\n/\n") },
		"alternates device": func(w *writer) { w.link(".git/objects/info/alternates", "/dev/zero") },
		"objects link":      func(w *writer) { w.link(".git/objects", w.Outside) },
		"index sparse": func(w *writer) {
			w.file(".git/refs/heads/main", id+"\n")
			w.sparse(".git/objects/pack/pack-x.idx", 20<<30)
			w.sparse(".git/objects/pack/pack-x.pack", 20<<30)
		},
		"index wide": func(w *writer) {
			w.file(".git/refs/heads/main", id+"\n")
			w.file(".git/objects/pack/pack-x.idx", "\xfftOc\x00\x00\x00\x02"+strings.Repeat("\xff\xff\xff\xff", 256))
			w.file(".git/objects/pack/pack-x.pack", "PACK\x00\x00\x00\x02\x00\x00\x00\x00")
		},
		"object noise": func(w *writer) {
			w.file(".git/refs/heads/main", id+"\n")
			w.file(".git/objects/"+id[:2]+"/"+id[2:], "\x78\x9cnonsense")
		},
		"object device": func(w *writer) {
			w.file(".git/refs/heads/main", id+"\n")
			w.link(".git/objects/"+id[:2]+"/"+id[2:], "/dev/zero")
		},
		"shallow device": func(w *writer) { w.link(".git/shallow", "/dev/zero") },
		"hooks": func(w *writer) {
			for _, hook := range []string{"post-index-change", "post-checkout", "reference-transaction"} {
				w.file(".git/hooks/"+hook, "#!/bin/sh\ntouch MARKER\n")
				os.Chmod(w.at(".git/hooks/"+hook), 0o755)
			}
		},
	} {
		add(name, func(w *writer) { bare(w, ".git"); change(w) })
	}
	return out
}

// documents are files that the user names, written by a stranger: catalogs, side files, baselines, lists of packages.
func documents() []Tree {
	resource := func(kind, title, parameters string) string {
		return fmt.Sprintf(`{"type": %q, "title": %q, "tags": [], "file": "/x.pp", "line": 1, "exported": false, "parameters": %s}`, kind, title, parameters)
	}
	catalog := func(resources, edges string) string {
		return `{"name": "n", "version": 1, "environment": "production", "catalog_format": 1, "classes": [], "edges": [` +
			edges +
			`], "resources": [` + resources + `]}`
	}
	many := func(n int, f func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, f(i))
		}
		return strings.Join(parts, ",")
	}
	deep := strings.Repeat("[", 100000) + strings.Repeat("]", 100000)
	var out []Tree
	for name, text := range map[string]string{
		"empty": "", "null": "null", "number": "1", "list": "[]", "no resources": "{}", "deep": deep,
		"deep parameter": catalog(resource("File", "/x", `{"content": `+deep+`}`), ""),
		"null resources": `{"name": "n", "resources": null, "edges": null}`,
		"null resource":  catalog("null", "null"),
		"wrong types":    `{"name": 1, "resources": {"a": 1}, "edges": "x", "classes": 7}`,
		"wrong fields":   catalog(`{"type": 1, "title": null, "tags": 3, "parameters": []}`, `{"source": 1, "target": null}`),
		"numbers": catalog(resource("File", "/x",
			`{"mode": 1e999, "content": 99999999999999999999999999, "backup": -0}`), ""),
		"escapes":       catalog(resource("File", "/x\x1b[2J\n::error::x", `{"content": "\u001b[2J"}`), ""),
		"escapes twice": catalog(resource("Exec", "/bin/mkdir /a\u009b\n::error::x", `{"require": "File[/y\u001b]"}`), ""),
		"self edge": catalog(resource("File", "/x", `{"require": "File[/x]"}`),
			`{"source": "File[/x]", "target": "File[/x]"}`),
		"edges to none": catalog(resource("File", "/x", `{}`), `{"source": "File[/q]", "target": "File[/r]"}`),
		"doubles":       catalog(resource("File", "/x", `{}`)+","+resource("File", "/x", `{"ensure": "absent"}`), ""),
		"many files": catalog(many(3000, func(i int) string {
			return resource("File", fmt.Sprintf("/d/%d/x", i),
				`{"ensure": "file"}`)
		}), ""),
		"many execs": catalog(many(200, func(i int) string {
			return resource("Exec", fmt.Sprintf("/bin/rm -r /a && /bin/mkdir /a/%d", i), `{}`)
		}), ""),
		"long path": catalog(resource("File", strings.Repeat("/a", 200000), `{}`), ""),
		"secret": catalog(resource("Exec", "x", `{"command": {"__ptype": "Sensitive", "__pvalue": "/bin/mkdir /`+
			Secret+`"}}`), ""),
		"secret listed":  `{"name": "n", "edges": [], "resources": [{"type": "Exec", "title": "x", "sensitive_parameters": ["command"], "parameters": {"command": "/bin/mkdir /` + Secret + `"}}]}`,
		"references":     catalog(resource("File", "/x", `{"require": "`+strings.Repeat("File[", 50000)+`"}`), ""),
		"utf-16":         "\xff\xfe{\x00}\x00",
		"duplicate keys": `{"name": "n", "name": "m", "resources": [], "resources": [null], "edges": []}`,
		"source outside": catalog(resource("File", "/x", `{"source": "OUTSIDE/text"}`), ""),
		"shell expansion": catalog(resource("Exec", "x", `{"command": "mkdir /`+strings.Repeat("{a,b}", 40)+
			`", "provider": "shell"}`), ""),
	} {
		out = append(out, Tree{Name: "catalogs/" + name, Commands: [][]string{{"verify", "--catalog", "ENV/c.json"}},
			write: func(w *writer) { w.file("c.json", text) }})
	}
	for i := range 30 {
		out = append(out, Tree{Name: fmt.Sprintf("side files/%02d", i),
			Commands: [][]string{
				{"explain", "ENV", "--from", "ENV/side", "--node", "n", "Notify[x]", "message"},
				{"explain", "ENV", "--from", "ENV/side", "--node", "n", "--why-not", "Notify[y]"},
				{"explain", "ENV", "--from", "ENV/side", "--node", "n", "--dependency", "File[/x]", "content"},
			},
			write: func(w *writer) { w.file("side", string(spoil(w.Side, rand.New(rand.NewPCG(uint64(i), 5))))) }})
	}
	odd := map[string]func(w *writer, at string){
		"empty":   func(w *writer, at string) { w.file(at, "") },
		"noise":   func(w *writer, at string) { w.file(at, strings.Repeat("\x00\xff\x1b[2J\n::error::x\n", 1000)) },
		"deep":    func(w *writer, at string) { w.file(at, deep) },
		"device":  func(w *writer, at string) { w.link(at, "/dev/zero") },
		"pipe":    func(w *writer, at string) { w.make(at, func(at string) error { return syscall.Mkfifo(at, 0o644) }) },
		"sparse":  func(w *writer, at string) { w.sparse(at, 20<<30) },
		"outside": func(w *writer, at string) { w.link(at, w.Outside+"/text") },
		"long":    func(w *writer, at string) { w.file(at, strings.Repeat("x", 8<<20)) },
	}
	var names []string
	for name := range odd {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		put := odd[name]
		out = append(out,
			Tree{Name: "baselines/" + name, Commands: [][]string{{"check", "ENV", "--baseline", "ENV/baseline"}},
				write: func(w *writer) { put(w, "baseline") }},
			Tree{Name: "packages/" + name, Commands: [][]string{{"verify", "ENV", "--node", "n", "--packages", "ENV/packages"}},
				write: func(w *writer) {
					put(w, "packages/ntp.list")
					put(w, "packages/status")
					w.file("manifests/site.pp", "package { 'ntp': } file { '/etc/ntp.conf': content => 'x' }\n")
				}},
			Tree{Name: "asserts/" + name, write: func(w *writer) { put(w, "bunraku.assert") }},
			Tree{Name: "mocks/" + name, Commands: [][]string{{"compile", "ENV", "--node", "n", "--mock", "ENV/mock"}},
				write: func(w *writer) { put(w, "mock") }},
			Tree{Name: "side files/" + name, Commands: [][]string{{"explain", "ENV", "--from", "ENV/side", "--node", "n",
				"Notify[x]"}},
				write: func(w *writer) { put(w, "side") }},
			Tree{Name: "catalogs/file " + name, Commands: [][]string{{"verify", "--catalog", "ENV/c.json"}},
				write: func(w *writer) { put(w, "c.json") }},
			Tree{Name: "languages/smartfrog file " + name, Commands: [][]string{{"smartfrog", "ENV/x.sf"}},
				write: func(w *writer) { put(w, "x.sf") }},
			Tree{Name: "languages/mupuppet file " + name, Commands: [][]string{{"mupuppet", "ENV/x.pp", "--node", "n"}},
				write: func(w *writer) { put(w, "x.pp") }},
		)
	}
	return out
}

// languages are specifications of SmartFrog and manifests of µPuppet.
func languages() []Tree {
	var out []Tree
	deep := func(n int, open, inner, shut string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	var chain, doubling strings.Builder
	doubling.WriteString("a0 extends { x 1; }\n")
	for i := range 40 {
		fmt.Fprintf(&doubling, "a%d extends { l extends a%d; r extends a%d; }\n", i+1, i, i)
		fmt.Fprintf(&chain, "b%d b%d;\n", i, i+1)
	}
	for name, text := range map[string]string{
		"deep":          "sfConfig extends { " + deep(100000, "a extends { ", "", "}") + " }\n",
		"deep vectors":  "sfConfig extends { a " + deep(100000, "[", "", "]") + "; }\n",
		"doubling":      doubling.String() + "sfConfig extends a40;\n",
		"cycle":         "a extends b; b extends a; sfConfig extends a;\n",
		"link cycle":    "sfConfig extends { a b; b c; c a; }\n",
		"link chain":    "sfConfig extends { " + chain.String() + " b40 1; }\n",
		"include":       "#include \"OUTSIDE/text\"\nsfConfig extends {}\n",
		"include up":    "#include \"../outside/text\"\nsfConfig extends {}\n",
		"include self":  "#include \"x.sf\"\nsfConfig extends {}\n",
		"include zero":  "#include \"/dev/zero\"\nsfConfig extends {}\n",
		"escapes":       "sfConfig extends { a \"\x1b[2J\n::error::x\"; b\u009b 1; c d\x1b; }\n",
		"long name":     "sfConfig extends { " + strings.Repeat("a", 4<<20) + " " + strings.Repeat("a", 4<<20) + "b; }\n",
		"string":        "sfConfig extends { a \"" + strings.Repeat("x", 1<<20),
		"attributes":    "sfConfig extends { " + strings.Repeat("a 1; ", 300000) + "}\n",
		"self reaching": "sfConfig extends { a extends { b ATTRIB a; } c LAZY a:b:a:b; }\n",
		"paths":         "sfConfig extends { a " + strings.Repeat("PARENT:", 100000) + "x; }\n",
	} {
		out = append(out, Tree{Name: "languages/smartfrog " + name, write: func(w *writer) { w.file("x.sf", text) },
			Commands: [][]string{{"smartfrog", "ENV/x.sf"}, {"smartfrog", "ENV/x.sf", "--extended"},
				{"smartfrog", "ENV/x.sf", "--explain", "sfConfig:a"}}})
	}
	for name, text := range map[string]string{
		"deep":         "$x = " + deep(50000, "(", "1", ")") + "\n",
		"deep blocks":  deep(50000, "if true { ", "", " }") + "\n",
		"recursion":    "define d() { d { 'x': } }\nd { 'a': }\n",
		"inheritance":  "class a inherits b { }\nclass b inherits a { }\ninclude a\n",
		"includes":     "class a { include b }\nclass b { include a }\ninclude a\n",
		"escapes":      "notify { \"\x1b[2J\n::error::x\": }\ninclude nothing\n",
		"unknown":      "fail(\"\x1b]0;x\x07\")\n$x = $\u009b\n",
		"overflow":     "$x = 9223372036854775807 + 9223372036854775807 * 9223372036854775807\n",
		"many":         strings.Repeat("$x = 1\n", 50000),
		"many classes": strings.Repeat("class a { }\n", 20000),
		"selectors":    "$x = " + deep(2000, "1 ? { 1 => ", "1", " }") + "\n",
	} {
		out = append(out, Tree{Name: "languages/mupuppet " + name, write: func(w *writer) { w.file("x.pp", text) },
			Commands: [][]string{{"mupuppet", "ENV/x.pp", "--node", "n"},
				{"mupuppet", "ENV/x.pp", "--node", "n", "--provenance"}, {"parse", "ENV/x.pp"}}})
	}
	return out
}

// noise spoils files of the plain tree at random.
func noise(seed int) []Tree {
	plain := Plain()
	var names []string
	for name := range plain {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []Tree
	for i := range 80 {
		out = append(out, Tree{Name: fmt.Sprintf("noise/%02d", i), write: func(w *writer) {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
			for range 1 + r.IntN(3) {
				name := names[r.IntN(len(names))]
				w.file(name, string(spoil([]byte(plain[name]), r)))
			}
		}})
	}
	return out
}

// spoil cuts, doubles, moves and overwrites parts of a text.
func spoil(text []byte, r *rand.Rand) []byte {
	text = slices.Clone(text)
	for range 1 + r.IntN(6) {
		if len(text) == 0 {
			text = []byte("{")
		}
		at := r.IntN(len(text))
		to := at + r.IntN(min(40, len(text)-at)+1)
		switch r.IntN(5) {
		case 0:
			text = slices.Delete(text, at, to)
		case 1:
			text = slices.Insert(text, at, slices.Clone(text[at:to])...)
		case 2:
			text[at] = byte(r.IntN(256))
		case 3:
			text = text[:at]
		default:
			bits := []string{"\x1b[2J", "\n::error::x\n", "{", "}", "[", "\"", "'", "\x00", "\xff\xfe", "${", "<%", "%{", "*",
				"99999999999999999999", "null", "&a *a"}
			text = slices.Insert(text, at, []byte(bits[r.IntN(len(bits))])...)
		}
	}
	return text
}
