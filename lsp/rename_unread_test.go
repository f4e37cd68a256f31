package lsp_test

import (
	"maps"
	"strings"
	"testing"
)

// TestRenameUnread: of a file that is no program, or no data, nobody knows what it names. One that has the name keeps a
// rename away; one that has it in another word, or in places that are known, does not.
func TestRenameUnread(t *testing.T) {
	const (
		x = "modules/web/manifests/x.pp"
		y = "modules/web/manifests/y.pp"
		n = "modules/web/manifests/n.pp"
	)
	for _, c := range []struct {
		file, text     string // what cannot be read
		in, word, to   string
		why            string
		changed, wants string // a file, and what it has then
		with           map[string]string
	}{
		{file: n, text: "class web::n {\n  include web::x\n  web::q {\n", in: x, word: "web::x", to: "web::xx",
			why: "n.pp:2 has web::x, and the file cannot be read"},
		{file: n, text: "class web::n {\n  include ::web::x }\n  Web::X[\n", in: x, word: "web::x", to: "web::xx",
			why: "n.pp:3 has web::x"},
		{file: n, text: "class web::n {\n  web::xs { 'a'\n  $web::x_y\n  a::web::x\n", in: x, word: "web::x", to: "web::xx"},
		{file: n, text: "class web::n {\n  Web::Y['a' ->\n", in: y, word: "web::y", to: "web::yy", why: "n.pp:2 has web::y"},
		{file: n, text: "class web::n {\n  class { 'web::x': size =>\n", in: x, word: "size", to: "width",
			why: "n.pp:2 has size"},
		{file: n, text: "class web::n {\n  $size = $web::x::size +\n", in: x, word: "size", to: "width",
			why: "n.pp:2 has size"},
		{file: n, text: "class web::n {\n  file { '/x': size =>\n", in: x, word: "size", to: "width"},
		{file: "data/other.yaml", text: "web::x::size: 3\na: [1\n", in: x, word: "size", to: "width",
			why: "other.yaml:1 has size, and the file cannot be read"},
		{file: "data/other.yaml", text: "web::x::size: 3\na: [1\n", in: x, word: "web::x", to: "web::xx",
			why: "other.yaml:1 has web::x, and the file cannot be read"},
		{file: "data/other.yaml", text: "a: \"%{lookup('some_key')}\"\nb: \"\\'\"\n", in: "data/common.yaml", word: "some_key",
			to: "other_key", why: "other.yaml:1 has some_key, and the file cannot be read"},
		{file: "data/other.json", text: `{"web::x::size": 3,`, in: x, word: "size", to: "width",
			why: "other.json:1 has size, and the file cannot be read"},
		{file: "data/other.yaml", text: "", in: x, word: "size", to: "width", changed: x, wants: "$width"},
		{file: "modules/web/templates/f.epp", text: "<%= $web::x::size <%= 1 %>\n", in: x, word: "size", to: "width",
			why: "f.epp:1 has size, and the file cannot be read"},
		// What a define is given may come from the data, and a class that inherits one has its variables.
		{file: "data/other.yaml", text: "list:\n  t:\n    size: 3\n a: [\n", in: y, word: "size", to: "width",
			with: map[string]string{n: "class web::n ($h) {\n  create_resources('web::y', $h)\n}\n"},
			why:  "other.yaml:3 has size, and the file cannot be read"},
		{file: "data/other.yaml", text: "list:\n  t:\n    size: 3\n a: [\n", in: y, word: "size", to: "width"},
		{file: n, text: "class web::n inherits web::m {\n  notice($size)\n  file {\n", in: x, word: "size", to: "width",
			with: map[string]string{"modules/web/manifests/m.pp": "class web::m inherits web::x {\n}\n"},
			why:  "n.pp:2 has size, and the file cannot be read"},
		{file: n, text: "class web::n inherits web::m {\n  notice($size)\n  file {\n", in: x, word: "size", to: "width",
			with: map[string]string{"modules/web/manifests/m.pp": "class web::m {\n}\n"}},

		// The file that is being written: what of it is read is renamed, and nothing else may be left.
		{file: x, text: "class web::x (Web::W $size) {\n  notify { \"x ${size}\": }\n}\n}\n", in: x, word: "size", to: "width",
			changed: x, wants: "x ${width}"},
		{file: x, text: "class web::x (Web::W $size) {\n  notify { \"x ${size}\": }\n}\n$size = $web::x::size +\n", in: x,
			word: "size", to: "width", why: "x.pp:4 has size, and the file cannot be read"},
		// The one that defines it.
		{file: x, text: "class web::x (Web::W $size {\n", in: "manifests/site.pp", word: "web::x", to: "web::xx",
			why: "modules/web/manifests/x.pp cannot be read as it is, and may define web::x: mend that first"},
		{file: n, text: "class class web::r (\n", in: "manifests/site.pp", word: "web::r", to: "web::rr",
			with: map[string]string{"manifests/site.pp": "include web::r\n"},
			why:  "n.pp cannot be read as it is, and may define web::r"},
		{file: n, text: "class class web::s (\n", in: "manifests/site.pp", word: "web::r", to: "web::rr",
			with: map[string]string{"manifests/site.pp": "include web::r\n"}, why: "nothing in this folder defines web::r"},
		// What a task takes has types.
		{file: "modules/web/tasks/t.json", text: `{"parameters": {"a": {"type": "Optional[Web::W]"}, "size": {}}}`,
			in: "modules/web/types/w.pp", word: "Web::W", to: "Web::Ww", why: "t.json:1 has web::w as a text"},
		{file: "modules/web/tasks/t.json", text: `{"parameters": {"a": {"type": "Optional[Web::W]"}}, }`,
			in: "modules/web/types/w.pp", word: "Web::W", to: "Web::Ww",
			why: "t.json:1 has web::w, and the file cannot be read"},
		{file: "modules/web/plans/p.yaml", text: "steps:\n  - resources:\n    - class: web::x\n   targets: a\n", in: x,
			word: "web::x", to: "web::xx", why: "p.yaml:3 has web::x, and the file cannot be read"},
		{file: "modules/web/tasks/t.json", text: `{"parameters": {"size": {"type": "Web::Wide"}}}`,
			in: "modules/web/types/w.pp", word: "Web::W", to: "Web::Ww"},
		{file: "modules/web/tasks/t.json", text: `{"parameters": {"size": {"type": "Integer"}}}`, in: y, word: "size",
			to: "width", changed: y, wants: "$width"},
	} {
		base, _, _ := unreached()
		maps.DeleteFunc(base, func(p, _ string) bool { return strings.Contains(p, "unreached") })
		maps.Copy(base, c.with)
		base[c.file] = c.text
		nav := navigate(t, base)
		edit, why := nav.renameIn(c.in, c.word, 1, c.to)
		if c.why == "" && why != "" || !strings.Contains(why, c.why) || c.why != "" && why == "" {
			t.Errorf("%s as %s with %s\n%s\n%q, want %q", c.word, c.to, c.file, c.text, why, c.why)
		}
		if c.changed != "" && why == "" {
			if is := nav.written(edit)[c.changed]; !strings.Contains(is, c.wants) {
				t.Errorf("%s is then\n%s", c.changed, is)
			}
		}
		nav.bye()
	}
}
