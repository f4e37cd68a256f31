package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// described makes one of "Type[title]" and its parameters in JSON; more are fields of the resource itself.
func described(ref, params string, more ...string) any {
	typ, title, _ := strings.Cut(strings.TrimSuffix(ref, "]"), "[")
	out := map[string]any{"type": typ, "title": title, "exported": false}
	for _, text := range append([]string{`"parameters": {` + params + `}`}, more...) {
		if err := exactly([]byte("{"+text+"}"), &out); err != nil {
			panic(ref + ": " + err.Error())
		}
	}
	return out
}

// exactly reads JSON so that 1.0 stays 1.0.
func exactly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// octoCatalogs are what the cases are about, before and after.
func octoCatalogs() map[string][2][]any {
	quoted := func(s string) string { text, _ := json.Marshal(s); return string(text) }
	file := func(ref, key, content string) any { return described(ref, `"`+key+`": `+quoted(content)) }
	const (
		managed = "# This file is managed by Puppet. DO NOT EDIT.\n"
		oldLine = "This is the line in the old catalog that I do not care about\n"
		newLine = "This is the line in the new catalog that I do not care about\n"
		vital   = "This line is very important\n"
	)
	both := func(list ...[2]any) (out [2][]any) {
		for _, x := range list {
			for side, r := range x {
				if r != nil {
					out[side] = append(out[side], r)
				}
			}
		}
		return out
	}
	change := func(ref, old, new string) [2]any { return [2]any{described(ref, old), described(ref, new)} }
	content := func(name, old, new string) [2]any {
		return [2]any{file("File["+name+"]", "content", old), file("File["+name+"]", "content", new)}
	}
	mode := func(name string) [2]any { return change("File["+name+"]", `"mode": "0644"`, `"mode": "0600"`) }
	return map[string][2][]any{
		"ignores": both(
			change("Class[Foo]", `"a": 1`, `"a": 2`),
			change("Exec[run]", `"command": "/bin/a"`, `"command": "/bin/b"`),
			change("Your::Custom::Type[one]", `"a": "1", "i_dont_care_about_this": "x"`,
				`"a": "2", "i_dont_care_about_this": "y"`),
			mode("/etc/motd"), mode("/etc/foo"), mode("/etc/foo/bar"), mode("/etc/foo/bar/baz"), mode("/etc/x/foo"),
			mode("/etc/x/y/foo"), mode("/etc/x/foo/z"), mode("/home/joe/.bashrc"), mode("/srv/foo"),
			change("File[/tmp/foo]", `"owner": "root", "i_dont_care_about_this": "foo bar", "mode": "0600"`,
				`"owner": "joe", "i_dont_care_about_this": "foo baz", "mode": "0644"`),
			change("File[/tmp/joe]", `"owner": "joe"`, `"owner": "jill"`),
			change("File[/tmp/bob]", `"owner": "bob"`, `"owner": "root"`),
			change("File[/tmp/case]", `"owner": "bob"`, `"owner": "Root"`),
			change("File[/tmp/new]", `"mode": "0600"`, `"mode": "0600", "owner": "root"`),
			content("/tmp/ice", "a\nchocolate\nz\n", "a\nchocolate ice cream\nz\n"),
			content("/tmp/icy", "Ice Cream\nwater\n", "Ice Cream\ntea\n"),
			content("/opt/ice", "a\n", "ice cream\n"),
			[2]any{nil, described("File[/tmp/brand-new-file]", `"owner": "root"`)},
			[2]any{described("File[/tmp/gone]", `"owner": "root"`), nil},
			[2]any{nil, described("File[/opt/brand-new-file]", `"owner": "root"`,
				`"file": "/code/site.pp", "line": 3, "tags": ["file", "class"]`)},
			[2]any{described("File[/opt/gone]", ``, `"file": "/code/site.pp", "line": 4`), nil},
			change("Nested[n]", `"keep": 1, "h": {"i_dont_care_about_this": 1, "parameters": {"i_dont_care_about_this": 1},
				"b": {"c": [1, 2], "owner": "root"}}`, `"keep": 1, "h": {"i_dont_care_about_this": 2,
				"parameters": {"i_dont_care_about_this": 2}, "b": {"c": [1, 3], "owner": "joe", "d": null}}`),
			change("Sections[s]", `"i_dont_care_about_this": {"a": 1, "b": 2}`, `"i_dont_care_about_this": {"a": 2, "c": 3}`),
		),
		"added": both(
			change("My::Custom::Resource[came]", `"x": 1`, `"x": 1, "foo": "bar"`),
			change("My::Custom::Resource[other]", `"x": 1`, `"x": 1, "foo": "baz"`),
			change("My::Custom::Resource[went]", `"x": 1, "foo": "bar"`, `"x": 1`),
			change("My::Custom::Resource[changed]", `"x": 1, "foo": "bar"`, `"x": 1, "foo": "baz"`),
			change("My::Custom::Resource[null]", `"x": 1, "foo": null`, `"x": 1, "foo": "bar"`),
			change("My::Custom::Resource[deep]", `"x": {"a": 1}`, `"x": {"a": 1, "foo": "bar"}`),
			change("My::Custom::Resource[order]", `"foo": ["a", "b"]`, `"foo": ["b", "a"]`),
			change("My::Custom::Resource[often]", `"foo": ["a", "b"]`, `"foo": ["b", "a", "a"]`),
			change("My::Custom::Resource[set]", `"foo": ["a", "b"]`, `"foo": ["b", "c"]`),
			change("My::Custom::Resource[types]", `"foo": [1, 2]`, `"foo": ["2", "1"]`),
			change("My::Custom::Resource[text]", `"foo": "a"`, `"foo": ["a"]`),
			change("My::Custom::Resource[both]", `"foo": ["a", "b"], "bar": ["a", "b"]`, `"foo": ["b", "a"], "bar": ["b", "a"]`),
		),
		"first":  both(change("My::Custom::Resource[first]", ``, `"foo": "bar"`)),
		"lines":  both(content("/tmp/foo", managed+oldLine+vital, managed+newLine+vital)),
		"vital":  both(content("/tmp/foo", managed+oldLine+vital, managed+newLine)),
		"spaces": both(content("/tmp/foo", "a\n  old\t\nz\n", "a\n\t new \nz\n")),
		"ends": both(content("/tmp/neither", "old", "new"), content("/tmp/old", "old", "new\n"),
			content("/tmp/new", "old\n", "new"), content("/tmp/only", "new\n", "new"),
			content("/tmp/before", "old\nz", "new\nz"), change("File[/tmp/came]", `"x": 1`, `"x": 1, "content": "new\n"`),
			change("File[/tmp/went]", `"x": 1, "content": "old\n"`, `"x": 1`),
			change("X[list]", `"content": ["old", "a"]`, `"content": ["new", "a"]`),
			change("X[hash]", `"content": {"old": [1, 2.5, true, null]}`, `"content": "new"`),
			change("X[number]", `"content": 1`, `"content": 2`)),
		"tags": both(
			[2]any{described("File[/etc/foo]", `"mode": "1"`),
				described("File[/etc/foo]", `"mode": "2"`, `"tags": ["file", "ignored_octocatalog_diff"]`)},
			[2]any{described("File[/etc/was]", `"mode": "1"`, `"tags": ["ignored_octocatalog_diff"]`),
				described("File[/etc/was]", `"mode": "2"`)},
			[2]any{described("File[/etc/went]", `"mode": "1"`, `"tags": ["ignored_octocatalog_diff"]`), nil},
			[2]any{nil, described("File[/etc/came]", `"mode": "1"`, `"tags": ["ignored_octocatalog_diff__file"]`)},
			[2]any{described("Foo::Customfile[/etc/foo]", `"source": "1"`), described("Foo::Customfile[/etc/foo]",
				`"source": "2"`, `"tags": ["ignored_octocatalog_diff__foo__customfile"]`)},
			[2]any{described("File[/etc/inner]", `"mode": "1"`), described("File[/etc/inner]", `"mode": "2"`,
				`"tags": ["ignored_octocatalog_diff__foo__customfile"]`)},
			[2]any{described("Exec[x]", `"command": "1"`), described("Exec[x]", `"command": "2"`,
				`"tags": ["ignored_octocatalog_diff__file", "second_tag"]`)},
			[2]any{described("Exec[y]", `"command": "1"`), described("Exec[y]", `"command": "1"`, `"tags": ["more"]`)},
		),
		"absent": both(
			change("File[/etc/some-file]",
				`"ensure": "present", "owner": "root", "group": "nobody", "content": "my content here"`,
				`"ensure": "absent", "owner": "bob"`),
			change("File[/etc/keeps]", `"ensure": "file", "backup": false, "force": false, "provider": "posix", "h": {"force": 1}`,
				`"ensure": "absent", "backup": true, "force": true, "provider": "windows", "h": {"force": 2}`),
			change("File[/etc/false]", `"ensure": true, "owner": "root"`, `"ensure": false, "owner": "joe"`),
			change("File[/etc/text]", `"ensure": true, "owner": "root"`, `"ensure": "false", "owner": "joe"`),
			change("File[/etc/comes]", `"owner": "root"`, `"ensure": "absent", "owner": "joe"`),
			change("File[/etc/always]", `"ensure": "absent", "owner": "root"`, `"ensure": "absent", "owner": "joe"`),
			change("File[/etc/stays]", `"ensure": "absent", "owner": "root"`, `"ensure": "present", "owner": "joe"`),
			change("User[joe]", `"ensure": "present", "uid": 1`, `"ensure": "absent", "uid": 2`),
		),
		"arrays": both(
			change("X[integers]", `"a": [0, 1]`, `"a": ["0", "1"]`),
			change("X[floats]", `"a": [0.0, 1.0]`, `"a": ["0.0", "1.0"]`),
			change("X[points]", `"a": [".5", "1"]`, `"a": [0.5, "01"]`),
			change("X[symbols]", `"a": [":foo"]`, `"a": ["foo"]`),
			change("X[negative]", `"a": ["-1", "x"]`, `"a": [-1, "x"]`),
			change("X[order]", `"a": [1, 2]`, `"a": ["2", "1"]`),
			change("X[more]", `"a": [1, 2]`, `"a": ["1", "2", "3"]`),
			change("X[plus]", `"a": ["+1"]`, `"a": [1]`),
			change("X[deep]", `"h": {"a": [1], "b": 1}`, `"h": {"a": ["1"], "b": "1"}`),
			change("X[scalar]", `"a": 1`, `"a": "1"`),
			change("X[nested]", `"a": [[1]]`, `"a": [["1"]]`),
		),
		"numbers": both(change("X[equal]", `"a": [0, 1]`, `"a": [0.0, 1.0]`)),
		"single": both(
			change("X[notify]", `"a": "Service[foo]"`, `"a": ["Service[foo]"]`),
			change("X[back]", `"a": ["Service[foo]"]`, `"a": "Service[foo]"`),
			change("X[other]", `"a": "Service[foo]"`, `"a": ["Service[bar]"]`),
			change("X[two]", `"a": "Service[foo]"`, `"a": ["Service[foo]", "Service[foo]"]`),
			change("X[lists]", `"a": ["b"]`, `"a": [["b"]]`),
			change("X[hash]", `"a": {"b": 1}`, `"a": [{"b": 1}]`),
			change("X[number]", `"a": 1`, `"a": [1.0]`),
			change("X[deep]", `"h": {"a": "b"}`, `"h": {"a": ["b"]}`),
			change("X[came]", `"h": 1`, `"h": 1, "a": ["b"]`),
		),
		"notify": both(change("X[notify]", `"notify": "Service[foo]"`, `"notify": ["Service[foo]"]`)),
		"json": both(
			content("/a.json", `{"a": 1, "b": [2]}`, "{\n  \"b\": [2],\n  \"a\": 1\n}\n"),
			content("/b.JSON", `[1, 2]`, `[1,2]`),
			content("/c.json", `{"a": 1}`, `{"a": 2}`),
			content("/d.json", `{"a": 1}`, `{"a": `),
			content("/e.txt", `{"a": 1}`, `{"a":1}`),
			content("/f.json", `{"a": 1}`, `{"a": 1.0}`),
			content("/g.json", `{"a": 1} `, `{"a": 1} 2`),
			content("/h.json", `{"a": 9007199254740993}`, `{"a": 9007199254740992}`),
			content("/i.json", "// one\n{\"a\": 1}", "/* two */ {\"a\": 1}"),
			content("/j.json", `[1, 2]`, `[2, 1]`),
			content("/k.json", `"x"`, ` "x"`),
			content("/l.json", ``, ` `),
			content("/m.json", `{"a": 1, "a": 2}`, `{"a": 2}`),
			content("/n.json", `{"a": "\u00e9"}`, `{"a": "é"}`),
			content("/o.json", `{"a": "// x"}`, `{"a":  "// x"}`),
			content("/p.json", `{"a": "// x"}`, `{"a": "// y"}`),
			change("File[named]", `"path": "/q.json", "content": "[1, 2]"`, `"path": "/q.json", "content": "[1,2]"`),
			change("X[/r.json]", `"content": "[1, 2]"`, `"content": "[1,2]"`),
			change("File[/s.json]", `"source": "[1, 2]"`, `"source": "[1,2]"`),
		),
		"yaml": both(
			content("/a.yaml", "a: 1\nb: [2]\n", "# text\nb:\n  - 2\na: 1\n"),
			content("/b.yml", "a: 'x'", "a: x"),
			content("/c.yml", "a: 1", "a: 2"),
			content("/d.YAML", "a: 'x'", "a: x"),
			content("/e.yaml", "a: 1", "a: '1'"),
			content("/f.yaml", "a: 1", "a: 1.0"),
			content("/g.yaml", "a: [", "a:  ["),
			content("/h.yaml", "", "# nothing\n"),
			content("/i.yaml", "--- x\n", "x"),
			content("/j.yaml", "a: yes", "a: true"),
			content("/k.yaml", "a: ~", "a:"),
			content("/l.yaml", "a: 0x10", "a: 16"),
			content("/m.yaml", "a: 010", "a: 8"),
			content("/n.yaml", "a: 1_000", "a: 1000"),
			content("/o.yaml", "{a: b}", "a: b"),
			content("/p.yml.erb", "a: 'x'", "a: x"),
		),
		"documents": both(content("/a.yaml", "a: 1\n--- \nb: 1\n", "a: 1\n---\nb: 2\n")),
		"aliases":   both(content("/a.yaml", "a: &x 1\nb: *x\n", "a: 1\nb: 1\n")),
		"dates":     both(content("/a.yaml", "a: 2001-01-01\n", "a:   2001-01-01\n")),
		"ordering": both(
			change("Exec[a]", `"x": 1, "before": "Exec[b]", "require": ["Exec[c]"], "tag": ["x", "y"]`,
				`"x": 1, "before": "Exec[c]", "tag": ["y", "x"]`),
			change("Exec[b]", `"notify": ["Exec[c]", "Exec[d]"], "subscribe": "Exec[x]"`,
				`"notify": ["Exec[d]", "Exec[e]"], "subscribe": "Exec[y]"`),
			change("Exec[c]", `"notify": ["Exec[y]", "Exec[x]"], "tag": ["b", "a"]`,
				`"notify": ["Exec[x]", "Exec[y]"], "tag": ["a", "c"]`),
		),
		"lists": both(
			change("X[more]", `"a": [1, 2, 3]`, `"a": [1, 2, 3, 4]`),
			change("X[alike]", `"a": [{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}, "x"]`,
				`"a": ["y", {"a": 1, "b": 2, "c": 3, "d": 4, "e": 6}]`),
			change("X[unlike]", `"a": [{"a": 1, "b": 2}]`, `"a": [{"a": 1, "b": 3}]`),
			change("X[key]", `"a": [{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}]`,
				`"a": [{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}]`),
			change("X[false]", `"a": [{"a": 1, "b": false, "c": false}]`, `"a": [{"a": 1, "b": true, "c": false}]`),
			change("X[to]", `"a": [1], "b": {"c": 1}, "d": {}`, `"a": {"b": 1}, "b": [1], "d": {"e": 1}`),
			change("X[null]", `"a": [null, 1], "b": {"c": null}`, `"a": [1, null], "b": {}`),
			change("X[floats]", `"a": [1, 2.0, 3], "b": 1`, `"a": [1.0, 2.0, 4], "b": 1.0`),
		),
		"inner": both(change("X[x]", `"a": [{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": [1, 2, 3, 4, 5, 6, 7, 8, 9]}]`,
			`"a": [{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": [1, 2, 3, 4, 5, 6, 7, 8, 0]}]`)),
		"paths": both(
			change("File[motd]", `"path": "/etc/motd", "mode": "0644"`, `"path": "/etc/motd", "mode": "0600"`),
			[2]any{nil, described("File[new]", `"path": "/etc/new", "mode": "0644"`)},
		),
		"moved": both([2]any{described("File[a]", `"path": "/etc/motd", "mode": "0644"`), nil},
			[2]any{nil, described("File[b]", `"path": "/etc/motd", "mode": "0600"`)}),
		"exported": both([2]any{nil, described("Host[a]", `"ip": "1"`, `"exported": true`)}),
		"brackets": both(change("Exec[a[1]]", `"x": "1"`, `"x": "2"`), change("Exec[a]b]", `"x": "1"`, `"x": "2"`),
			change("Exec[a,b]", `"x": "a::b"`, `"x": "2"`), change("Exec[b]", `"x": "3"`, `"x": "4"`),
			content("/tmp/foo", "old\n", "new\n")),
	}
}

// octoCases are what is asked: first what its documentation shows (advanced-ignores.md, advanced-filter.md,
// advanced-dynamic-ignores.md, optionsref.md), then the corners.
func octoCases() (out []*octoCase) {
	one := func(on string, args ...string) *octoCase {
		c := &octoCase{On: on, Args: append([]string{}, args...)}
		out = append(out, c)
		return c
	}
	ignore := func(on string, rules ...string) *octoCase {
		var args []string
		for _, r := range rules {
			args = append(args, "--ignore", r)
		}
		return one(on, args...)
	}
	for _, r := range []string{"Exec[*]", "exec[*]", "Your::Custom::Type[*]", "your::custom::TYPE[*]", "File[/etc/motd]",
		"File[/ETC/motd]", "File[*]", "File[/etc/foo/*]", "File[*/foo]", "File[/etc/*/foo]", "File[/etc/*/foo/*]",
		"File[/home/joe/*]", "File['/etc/motd']", "*[*]::parameters::i_dont_care_about_this", "*[*]i_dont_care_about_this",
		"File[/tmp/foo]::parameters::owner", "File[/tmp/*]::parameters::owner", "File[/tmp/*]+", "File[/tmp/*]-",
		"File[/tmp/*]+-", "File[/tmp/*]-+", "File[/tmp/*]~", "File[/tmp/*]!", "*[*]~", "*[*]!", "*[*]+~",
		"File[/tmp/*]::parameters::owner=>root", "File[/tmp/*]::parameters::content=~>ice cream",
		"File[/tmp/*]::parameters::owner=+>root", "File[/tmp/*]::parameters::owner=->joe",
		`File[/tmp/*]::parameters::owner=~>^\+root$`, "File[/tmp/*]::parameters::owner=~>^-joe$",
		"Exec[*],File[/etc/motd]", "Nothing[*]", "Your::*[*]", "*[*]", "*[foo]", "File[/tmp/foo]*", `File[/tmp/*]\fparameters\fowner`,
		"*[*]h", "*[*]::h", "*[*]h::b", "*[*]h::c", "*[*]b::c", "*[*]H::B::Owner", "*[*]::parameters", "*[*]parameters",
		"*[*]::parameters::h::b::c", "*[*]parameters::h::b::c::x", "*[*]::parameters::", "*[*]::::parameters::owner",
		"*[*]:parameters", "File[/tmp/new]+owner", "File[/tmp/new]-owner", "Sections[*]-b", "Sections[*]+c=>3",
		"Sections[*]::parameters::i_dont_care_about_this::a", "*[*]=>root", "*[*]::=>root", "*[*]owner=>",
		"*[*]owner=x>root"} {
		ignore("ignores", r)
	}
	ignore("ignores", "File[/tmp/*]+", "File[/tmp/*]-")
	one("ignores")
	for _, a := range []string{"i_dont_care_about_this", "parameters::i_dont_care_about_this",
		"::parameters::i_dont_care_about_this", "owner,mode", "::i_dont_care_about_this", "owner=>root", "owner=~>[r]oot",
		"+", "-", "+owner", "*", `parameters\fowner`, "content=&>^[-+](chocolate|water|tea)"} {
		one("ignores", "--ignore-attr", a)
	}
	one("ignores", "--ignore-attr", "owner", "--ignore", "File[/etc/*]", "--ignore-attr", "mode")
	for _, r := range []string{"+::parameters::foo", "-::parameters::foo", "+::parameters::foo=>bar", "-::parameters::foo=>bar",
		"::parameters::foo=s>=", "foo=s>=", "::parameters::bar=s>=", "::parameters::foo=>bar", "::parameters::foo=->bar",
		"::parameters::foo=+>bar", "+foo", "-foo", "::parameters::foo=~>bar", `::parameters::foo=~>"a", "b"`,
		"::parameters::foo=s>x"} {
		c := ignore("added", "My::Custom::Resource[*]"+r)
		if strings.Contains(r, ",") {
			c.Differs, c.Means = "a comma that no expression follows is text", []string{}
			c.Rules = []map[string]string{{"type": "My::Custom::Resource", "title": "*",
				"attr": strings.ReplaceAll(r, "::", "\f")}}
		}
	}
	one("added")
	c := ignore("first", "My::Custom::Resource[*]+::parameters::foo")
	c.Differs = "a resource's first attribute is one that came, and not all of its parameters"
	c.Means = []string{"--ignore", "My::Custom::Resource[*]::parameters"}
	for _, on := range []string{"lines", "vital"} {
		ignore(on, "File[/tmp/foo]::parameters::content=&>^(-This is the line in the old catalog that I do not care about)|"+
			`(\+This is the line in the new catalog that I do not care about)$`)
		c := ignore(on, `File[/tmp/foo]::parameters::content=&>^[\-\+]This is the line in the (old|new) catalog that I do `+
			"not care about$")
		if c.Rules = []map[string]string{{"type": "File", "title": "/tmp/foo", "attr": strings.ReplaceAll(
			strings.TrimPrefix(c.Args[1], "File[/tmp/foo]"), "::", "\f")}}; on == "lines" {
			c.Differs = "a title ends where an attribute begins: brackets in a pattern do not belong to it"
		}
		ignore(on, "File[/tmp/foo]::parameters::content=~>This is the line in the new catalog that I do not care about$")
		ignore(on, "File[/tmp/foo]::parameters::content")
		ignore(on, "File[/tmp/foo]::parameters::content=~>important")
	}
	for _, r := range []string{"=&>^.(old|new)$", `=&>^-\s*old$`, `=~>^\+new$`, `=~>^\+\s+new$`, `=&>\s`} {
		ignore("spaces", "File[*]::parameters::content"+r)
	}
	for _, r := range []string{"=&>(old|new)", "=~>newline", "=&>(old|new|newline)", "=~>^-old$", `=~>^\+new$`, "=~>z", "=&>x",
		`=~>"`, `=~>=>`, `=~>2.5, true, nil`, "=&>^.(1|2)$"} {
		c := ignore("ends", "*[*]::parameters::content"+r)
		if strings.Contains(r, ",") {
			c.Differs = "a comma that no expression follows is text"
			c.Rules = []map[string]string{{"attr": "\fparameters\fcontent" + r}}
		}
	}
	one("tags")
	one("tags", "--ignore-tags", "ignored_octocatalog_diff")
	one("tags", "--ignore-tags", "ignored_octocatalog_diff", "--ignore-tags", "second_tag")
	one("tags", "--ignore-tags", "ignored_octocatalog_diff,second_tag")
	one("tags", "--ignore-tags", "none")
	for _, on := range []string{"absent", "arrays", "numbers", "single", "json", "yaml", "documents", "aliases", "dates"} {
		one(on)
		for _, f := range []string{"AbsentFile", "EquivalentArrayNoDatatypes", "JSON", "SingleItemArray", "YAML",
			"AbsentFile,EquivalentArrayNoDatatypes,JSON,SingleItemArray,YAML"} {
			c := one(on, "--filters", f)
			switch {
			case on == "numbers" && strings.Contains(f, "Equivalent"):
				c.Differs, c.Want = "equal numbers are equal in lists, too, as its documentation has it", []string{}
			case on == "documents" && strings.Contains(f, "YAML"):
				c.Differs, c.Means = "it reads the first document of several only, and we all of them", []string{}
			case on == "aliases" && strings.Contains(f, "YAML"), on == "dates" && strings.Contains(f, "YAML"):
				c.Differs, c.Want = "Rubies since 3.1 read neither aliases nor dates for it", []string{}
			}
		}
	}
	one("absent", "--filters", "AbsentFile", "--ignore-attr", "::parameters::ensure")
	one("absent", "--filters", "AbsentFile", "--ignore", "File[/etc/some-file]::parameters::owner")
	one("json", "--filters", "Json")
	c = one("json", "--filters", "CompilationDir")
	c.Differs, c.Want = "there is no directory that catalogs are compiled in", []string{"error"}
	one("ordering")
	one("ordering", "--ignore-attr", "notify")
	one("ordering", "--ignore-attr", "notify=s>=")
	one("notify").Differs = "a relation to one resource and to a list of it are the same"
	out[len(out)-1].Means = []string{"--filters", "SingleItemArray"}
	one("lists")
	for _, r := range []string{"a", "a[0]", "a[0]::e", "::parameters::a[0]::e", "::parameters::a", "~", "!", "a=s>=", "e=>6",
		"a[0]=>1", "a=~>6", "+c", "-c", "-e", "+e"} {
		one("lists", "--ignore-attr", r)
	}
	one("lists", "--filters", "EquivalentArrayNoDatatypes")
	ignore("inner", "Nothing[*]") // the values of what is left differ: it has none
	c = ignore("inner", "X[*]::parameters::a[0]::f")
	c.Differs, c.Rules = "a title ends where an attribute begins", []map[string]string{{"attr": "\fparameters\fa[0]\ff"}}
	one("paths")
	ignore("paths", "File[/etc/*]")
	c = ignore("paths", "File[motd]")
	c.Differs, c.Means = "a file may be called by its title, too", []string{"--ignore", "File[/etc/motd]"}
	c = one("moved")
	c.Differs = "a resource is told by its title, and a file of the same path is another one"
	c.Want = []string{"+ File[/etc/motd]", "- File[/etc/motd]"}
	c = one("exported")
	c.Differs, c.Want = "what is exported is told", []string{"+ Host[a]"}
	ignore("brackets", "Exec[a]b]::x")
	ignore("brackets", "Exec[a]b]::parameters::x")
	ignore("brackets", "Exec[b], Exec[a]b]::parameters::x").Differs = "blanks behind a comma are none of a type's name"
	out[len(out)-1].Means = []string{"--ignore", "Exec[b],Exec[a]b]::parameters::x"}
	c = ignore("brackets", "Exec[a[1]]")
	c.Differs, c.Rules = "a title may have brackets", []map[string]string{{"type": "Exec", "title": "a[1]"}}
	c = ignore("brackets", "Exec[a,b]")
	c.Differs, c.Rules = "a title may have a comma", []map[string]string{{"type": "Exec", "title": "a,b"}}
	c = ignore("brackets", "Exec[*]::parameters::x=>a::b")
	c.Differs, c.Rules = "two colons in a value are two colons", []map[string]string{{"type": "Exec",
		"attr": "\fparameters\fx=>a::b"}}
	c = ignore("brackets", "*[*]content=&>^[-+](old|new)")
	c.Differs = "a title ends where an attribute begins"
	c.Rules = []map[string]string{{"attr": "content=&>^[-+](old|new)"}}
	for _, bad := range []string{"File", "[x]", "File[]", "File[x", "Filex]", "File[/tmp/foo]::parameters::content=~>("} {
		ignore("brackets", bad)
	}
	return out
}

// randomLines makes up two texts, and an expression about the lines that differ.
func randomLines(r *rand.Rand) question {
	text := func() []string {
		var out []string
		for range r.IntN(14) {
			out = append(out, []string{"a", "b", "c", "d", "e", ""}[r.IntN(6)])
		}
		return out
	}
	old := text()
	new := slices.Clone(old)
	for range r.IntN(5) {
		at := r.IntN(len(new) + 1)
		new = slices.Replace(new, at, min(len(new), at+r.IntN(3)), []string{"a", "b", "x"}[:r.IntN(3)]...)
	}
	if r.IntN(4) == 0 {
		new = text()
	}
	file := func(lines []string) []any {
		content := strings.Join(lines, "\n") + []string{"", "\n", "\n", "\n"}[r.IntN(4)]
		return []any{map[string]any{"type": "File", "title": "/a", "exported": false,
			"parameters": map[string]any{"keep": "x", "content": content}}}
	}
	line := []string{"a", "b", "c", "d", "e", "x", "(a|b)", "(a|b|x)", "(b|c|x)?", "(a|b|c|d|x)?", "$", "(a|newline|.)"}
	rule := []string{"=~>", "=&>", "=&>"}[r.IntN(3)] +
		[]string{`^\+`, "^-", "^.", ""}[r.IntN(4)] + line[r.IntN(len(line))] +
		[]string{"", "$"}[r.IntN(2)]
	return question{From: file(old), To: file(new), Args: []string{"--ignore", "File[*]::parameters::content" + rule}}
}

// randomQuestion makes up two small catalogs, and arguments of every shape that there is.
func randomQuestion(seed uint64) question {
	r := rand.New(rand.NewPCG(seed, 1))
	if seed%4 == 0 {
		return randomLines(r)
	}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	maybe := func(percent int) bool { return r.IntN(100) < percent }
	var val func(depth int) any
	val = func(depth int) any {
		switch n := r.IntN(12); {
		case n < 4 || depth > 2:
			return pick("root", "joe", "Root", "1", "1.0", "", "a b")
		case n == 4:
			return r.IntN(3)
		case n == 5:
			return []any{true, false, nil, 1.5, json.Number("1.0")}[r.IntN(5)]
		case n < 9:
			out := []any{}
			for range r.IntN(4) {
				out = append(out, []any{"root", "joe", "1", 1, 2, 0.5, nil, json.Number("1.0")}[r.IntN(8)])
			}
			return out
		}
		out := map[string]any{}
		for range r.IntN(4) {
			out[pick("owner", "mode", "opts", "k", "list")] = val(depth + 1)
		}
		return out
	}
	text := func() string {
		var b strings.Builder
		for i := range r.IntN(5) {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(pick("a", "b", "  c ", "# d", "a b", "e"))
		}
		return b.String() + pick("", "\n", "\n")
	}
	items := func() any { // hashes that are alike
		out := []any{}
		for range 1 + r.IntN(2) {
			h := map[string]any{}
			for i := range 6 {
				h[fmt.Sprint("k", i)] = i
			}
			if maybe(50) {
				h[pick("k0", "k3")] = pick("root", "joe")
			}
			if maybe(20) {
				h["owner"] = "root"
			}
			out = append(out, h)
		}
		return out
	}
	params := func(typ string) map[string]any {
		out := map[string]any{"keep": "x"}
		for range r.IntN(6) {
			switch k := pick("owner", "owner", "mode", "content", "list", "opts", "items", "ensure", "notify", "tag"); k {
			case "content":
				out[k] = text()
			case "items":
				out[k] = items()
			case "ensure":
				out[k] = pick("present", "absent", "file")
			case "notify", "tag":
				out[k] = []any{pick("X[a]", "X[b]"), "X[c]", pick("X[d]", "X[e]")}[r.IntN(2):]
			default:
				out[k] = val(0)
			}
		}
		return out
	}
	titles := []string{"/etc/a", "/etc/a/b", "/etc/A/c.json", "/tmp/foo", "/tmp/foo.yaml", "one two", "ab"}
	var q question
	for _, typ := range []string{"File", "Exec", "My::Type", "X"} {
		for _, title := range titles {
			if maybe(60) {
				continue
			}
			both := params(typ)
			for side, list := range []*[]any{&q.From, &q.To} {
				if maybe(12) {
					continue
				}
				p := map[string]any{}
				for k, v := range both {
					p[k] = v
				}
				if side == 1 {
					for k, v := range params(typ) {
						p[k] = v
					}
					if k := pick("owner", "content", "opts", "none"); maybe(30) {
						delete(p, k)
					}
				}
				if maybe(10) && strings.HasPrefix(title, "/") {
					p["content"] = pick("{}", "{ }", "[1, 2]", "[1,2]", "a: 1", "a:  1", "a: 2")
				}
				x := map[string]any{"type": typ, "title": title, "exported": false, "parameters": p}
				if typ == "File" && title == "/etc/a/b" { // no expression below has a q
					x["title"], p["path"] = "qq", title
				} else if maybe(15) {
					x["tags"] = []string{pick("skip", "skip__file", "skip__my__type", "other"), "z"}
				}
				*list = append(*list, x)
			}
		}
	}
	if q.From == nil {
		q.From = []any{}
	}
	if q.To == nil {
		q.To = []any{}
	}
	attr := func(plain bool) string {
		path := pick("", "::", "::parameters::", "parameters::", `parameters\f`, "PARAMETERS::") +
			pick("owner", "owner", "Owner", "mode", "content", "list", "opts", "opts::owner", "opts::opts", "items", "k", "keep",
				"items[0]", "items[0]::k0", "list[0]", "notify", "ensure")
		if maybe(10) {
			path = pick("parameters", "::parameters", "::", "x::")
		}
		path = pick("", "", "", "+", "-") + path
		if before, _, index := strings.Cut(path, "[0]"); index && plain { // it takes a bracket behind that for the title's
			return before + "[0]"
		}
		if maybe(50) {
			return path
		}
		op := pick("=>", "=+>", "=->", "=~>", "=&>", "=s>")
		switch op {
		case "=s>":
			return path + "=s>="
		case "=~>", "=&>":
			if !plain && maybe(20) {
				return path + op + pick("^[-+][ab]$", "[0-9]", "^[^#]*$")
			}
			return path + op + pick(`^\+`, "^-", "a", "^.(a|b)$", "root", "#", `^\+root$`, "newline", ".", "^.$", "1", "nil", `"`)
		}
		return path + op + pick("root", "joe", "1", "a", "ROOT")
	}
	expression := func() string {
		out := pick("*", "*", "File", "file", "EXEC", "My::Type", "x", "My::*") + "[" +
			pick("*", "*", "/etc/*", "/etc/a", "/ETC/A", "*/foo*", "*a*", "one two", "a*", "*b", "/tmp/*.yaml") + "]"
		switch r.IntN(4) {
		case 0:
			return out
		case 1:
			return out + pick("+", "-", "~", "!", "+-", "~!", "*")
		}
		return out + attr(true)
	}
	for range 1 + r.IntN(4) {
		switch {
		case maybe(20):
			q.Args = append(q.Args, "--ignore", expression()+","+expression())
		case maybe(30):
			q.Args = append(q.Args, "--ignore-attr", attr(false))
		default:
			q.Args = append(q.Args, "--ignore", expression())
		}
	}
	if maybe(10) {
		q.Args = append(q.Args, "--ignore-tags", "skip")
	}
	if maybe(30) {
		list := []string{"AbsentFile", "EquivalentArrayNoDatatypes", "JSON", "SingleItemArray", "YAML"}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		q.Args = append(q.Args, "--filters", strings.Join(list[:1+r.IntN(4)], ","))
	}
	if q.Args == nil {
		q.Args = []string{}
	}
	return q
}
