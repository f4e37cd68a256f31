package template_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bunraku/internal/live"
	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/resource"
	"bunraku/puppet/ruby"
	"bunraku/puppet/syntax"
	"bunraku/puppet/template"
	"bunraku/puppet/value"
	"bunraku/source"
)

var record = flag.Bool("record", false, "ask real Puppet and write testdata/puppet.json")

// world is testdata/production, with templates.
type world struct {
	*template.Engine
	functions map[string]*eval.Function
}

func newWorld(cache *template.Cache) *world {
	files := map[string]*source.File{}
	find := func(name string) (*source.File, string, error) {
		module, rest, _ := strings.Cut(name, "/")
		path := "/production/modules/" + module + "/templates/" + rest
		if f := files[path]; f != nil {
			return f, path, nil
		}
		text, err := os.ReadFile(filepath.Join("testdata", path))
		if err != nil {
			return nil, "", nil
		}
		files[path] = source.NewFile(path, string(text))
		return files[path], path, nil
	}
	return &world{Engine: &template.Engine{Cache: cache, Find: find}, functions: functions.Table(source.Puppet7)}
}

func (w *world) Manifest(module, rest string) (*syntax.File, source.Diagnostics) {
	if rest == "" {
		rest = "init"
	}
	path := "/production/modules/" + module + "/manifests/" + strings.ReplaceAll(rest, "::", "/") + ".pp"
	text, err := os.ReadFile(filepath.Join("testdata", path))
	if err != nil {
		return nil, nil
	}
	return syntax.Parse(source.NewFile(path, string(text)), syntax.Options{})
}
func (w *world) FunctionFile(string) (*syntax.File, source.Diagnostics) { return nil, nil }
func (w *world) TypeFile(string) (*syntax.File, source.Diagnostics)     { return nil, nil }
func (w *world) Template(string) (*syntax.File, source.Diagnostics)     { return nil, nil }
func (w *world) Module(*syntax.File) string                             { return "" }
func (w *world) Path(f *source.File) string                             { return f.Name }
func (w *world) Function(name string) *eval.Function                    { return w.functions[name] }
func (w *world) ResourceType(name string) *resource.Type {
	return resource.Known(strings.ToLower(name))
}
func (w *world) Lookup(*eval.Scope, string, eval.LookupOptions) (eval.Answer, error) {
	return eval.Answer{}, nil
}

// manifests use templates in every way that a manifest can.
var manifests = []string{
	`$list=['a',['b',undef]] $who='n' notify{a: message=>template('m/list.erb')}`,
	`include m`, `m::def{'one':} m::def{'two': list=>[]}`,
	`notify{a: message=>template('m/outer.erb')}`,
	`notify{a: message=>template('m/bad.erb')}`,
	`notify{a: message=>template('m/nope.erb')}`,
	`$x='1' notify{a: message=>inline_template('<%= @x %>', '-<%= @x.to_i + 1 %>')}`,
	`notify{a: message=>inline_template("<%= 1 %>\n<%= nil.foo %>")}`,
	`$h={'a'=>1,'b'=>[1.0,'x',undef]} notify{a: message=>inline_template('<%= @h %>|<%= @h["b"].inspect %>|<%= @h.to_yaml %>|<%= @h.to_json %>')}`,
	`$s=Sensitive('x') notify{a: message=>inline_template('<%= @s %> <%= @s.unwrap %>')}`,
	`$u=undef notify{a: message=>inline_template('<%= @u.nil? %><%= has_variable?("u") %><%= has_variable?("nope") %><%= scope.include?("os") %>')}`,
	`notify{a: message=>inline_template('<%= @os["family"] %> <%= @facts["os"]["release"]["major"].to_i + 1 %> <%= @facts.dig("os", "family") %> <%= @processors["count"] %>')}`,
	`[1,2].each |$i| { notify{"n$i": message=>inline_template('i=<%= @i %>')} }`,
	`$t=Integer[1,2] notify{a: message=>inline_template('<%= @t %>')}`,
	`$r=/a.b/ notify{a: message=>inline_template('<%= "xaabx" =~ @r %> <%= @r.source %>')}`,
	`$d=default notify{a: message=>inline_template('<%= @d.inspect %>')}`,
	`notify{a: message=>inline_template('<%= scope.call_function("sprintf", ["%03d", 7]) %> <%= scope.function_sprintf(["%s", "x"]) %> <%= scope.call_function("upcase", "abc") %>')}`,
	`$h={'a'=>undef,'b'=>[1]} notify{a: message=>inline_template('<%= scope.call_function("flatten", @h).inspect %> <%= scope.call_function("flatten", [@h]).inspect %> <%= scope.call_function("abs", -3) %>')}`,
	`notify{a: message=>inline_template('<%= scope.call_function("upcase", nil) %>')}`,
	`notify{a: message=>inline_template('<%= scope.function_split(["a,b", ","]).inspect %>')}`,
	`notify{a: message=>inline_template('<%= scope.function_nosuch([1]) %>')}`,
	`notify{a: message=>inline_template('<%= scope.call_function("nosuch", []) %>')}`,
	`notify{a: message=>inline_template('<%= scope["nope"].inspect %><%= scope["nope::x"].inspect %>')}`,
	`notify{a: message=>inline_template('<%= raise Puppet::ParseError, "mine" %>')}`,
	`notify{a: message=>inline_template('<%= scope.function_fail(["stop"]) %>')}`,
	`notify{a: message=>inline_template('<% x = 0; scope.setvar("fresh", 3) %><%= scope["fresh"] %>')} notify{b: message=>"$fresh"}`,
	`$f=1.5 $b=true $i=3 $a=[] $e='' notify{a: message=>inline_template('<%= [@f, @b, @i, @a, @e].map(&:class).inspect %>')}`,
	`notify{a: message=>inline_template('<%= @title.inspect %><%= @name.inspect %><%= @module_name.inspect %>')}`,
	`notify{a: message=>inline_template('<%= scope.lookupvar("::os")["family"] %>')}`,
	`notify{a: message=>template('m/list.erb', 'm/inner.erb')}`,
	`notify{a: message=>inline_template('<%= [1, 2.5, nil, :a, "s"].to_s %>')}`,
	`notify{a: message=>inline_template('a<%%= 1 %%>b')}`,
	`notify{a: message=>inline_template("<% 3.times do |i| -%>\n<%= i %>,\n<% end -%>")}`,
	// scope.to_hash is as the variables were when it was called
	`$a = 1 $b = undef notify { 'x': message => inline_template("<% h = scope.to_hash %><%= h['a'] %><%= h.has_key?('b') %><%= h.has_key?('nope') %><%= h.key?('networking') || h.key?('os') %>") }`,
	`$a = 'x' notify { 'x': message => inline_template("<% h = scope.to_hash %><%= h['a'] %><% scope.setvar('later', 3) %><%= h['later'].inspect %><%= scope.to_hash['later'] %><%= h['a'] %>") }`,
	`$a = [1] notify { 'x': message => inline_template("<% scope.to_hash['a'] << 2 %><%= scope.to_hash['a'].inspect %><%= @a.inspect %>") }`,
	`define d($p, $q = 4) { $own = 'me' notify { $title: message => inline_template("<%= %w(p q own title name other).select { |k| scope.to_hash.has_key?(k) }.join(',') %> <%= scope.to_hash.select { |k, v| k.size == 1 }.keys.sort.join %>") } } d { 't': p => 1 }`,
	`$z = 'top' class c { $y = 1 notify { 'x': message => inline_template("<%= scope.to_hash['z'] %><%= scope.to_hash.fetch('y') %><%= scope.to_hash.fetch('no', 'd') %><%= scope.to_hash.dig('y') %><%= scope.to_hash['::z'].inspect %><%= scope.to_hash['0'].inspect %>") } } include c`,
}

type outcome struct {
	Messages []string `json:"messages,omitempty"`
	Error    string   `json:"error,omitempty"`
}

func compileOne(t *testing.T, w *world, code string, trace bool) (*eval.Result, outcome) {
	t.Helper()
	f, ds := syntax.Parse(source.NewFile("", code), syntax.Options{})
	if ds.HasErrors() {
		t.Fatalf("%s: %v", code, ds[0])
	}
	str := func(s string) value.Value { return value.String(s) }
	facts := value.NewHash(str("os"), value.NewHash(str("family"), str("Debian"), str("release"),
		value.NewHash(str("major"), str("12"))), str("processors"), value.NewHash(str("count"), value.Int(4)))
	set := eval.Language(7)
	set.Trace = trace
	r := eval.Compile(w, eval.Input{Node: "n1.example.com", Environment: "production", Facts: facts,
		Main: []*syntax.File{f}, Settings: set})
	if r.Failure != nil {
		return r, outcome{Error: r.Failure.Summary}
	}
	var out outcome
	for _, res := range r.Catalog.Resources {
		if res.Type == "Notify" {
			for _, p := range res.Params {
				if p.Name == "message" {
					out.Messages = append(out.Messages, value.ToString(p.Value))
				}
			}
		}
	}
	return r, out
}

// Manifests with templates give what real Puppet recorded.
func TestPuppet(t *testing.T) {
	const golden = "testdata/puppet.json"
	if *record {
		in, _ := json.Marshal(manifests)
		if err := os.WriteFile(golden, []byte(live.Ruby(t, "testdata/puppet.rb", string(in))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var want []outcome
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(manifests) {
		t.Fatalf("%s has %d answers for %d manifests: record again", golden, len(want), len(manifests))
	}
	cache := template.NewCache()
	for i, code := range manifests {
		_, got := compileOne(t, newWorld(cache), code, false)
		if want[i].Error != "" {
			if !sameReason(got.Error, want[i].Error) {
				t.Errorf("%s\n  ours: %s%v\n  Puppet: %s", code, got.Error, got.Messages, want[i].Error)
			}
			continue
		}
		if d := cmp.Diff(want[i], got); d != "" {
			t.Errorf("%s\n%s", code, d)
		}
	}
}

// sameReason: Puppet's message ends with the place and node, which Failure keeps apart.
func sameReason(ours, puppets string) bool {
	ours = strings.TrimSpace(ours)
	return ours != "" && strings.HasPrefix(strings.TrimSpace(puppets), ours)
}

// A traced rendering depends on the template's text, on the variables it read, and on what decided its branches; not on
// others.
func TestProvenance(t *testing.T) {
	str := func(s string) value.Value { return value.String(s) }
	cases := []struct {
		text string
		want string // per part: the names of the variables that it depends on
	}{
		{"a<%= @x %>b", "|x|"},
		{"<% if @x %>yes<% else %>no<% end %>tail", "x|"},
		{"<% @l.each do |v| %><%= v %>,<% end %>z", "l|l|l|l|"},
		{"<% y = @x %><%= y %><%= @u.inspect %>", "x|u"},
		{"<% y = 1; if @x then y = 2 end %><%= y %>", "x"},
		{"<% y = 1; if @u then y = 2 end %><%= y %>", "u"},
		{"<%= @h['k'] %><%= @h['n'] %>", "h.k|h.n"},
		{"<%= @h.to_s %>", "h.k h.n"},
		{"<% a = []; a << @x %><%= a.join %>", "x"},
		{"<% a = []; if @u then a << 1 end %><%= a.length %>", "u"},
		{"<% @l.each do |v| next if v == @x %><%= v %><% end %>", "l x|l x"},
		{"<%= scope['x'] %><%= scope.lookupvar('u').inspect %>", "x|u"},
		{"<%= begin; raise 'a' if @x; 1; rescue; 2; end %>", "x"},
		{"<% def f(v) v + 'q' end %><%= f(@x) %><%= 1 %>", "x|"},
		{"<% x = @x == 'X' ? @u : 3 %><%= x.inspect %>", "u x"},
		{"<%= @x unless @u %>", "u x"},
		{"<%= \"#{@x}-#{@l}\" %>", "l x"},
		{"<% case @x when 'X' %>1<% else %>2<% end %>3", "x|"},
		{"<% @l.map { |v| v + @x }.each do |w| %><%= w %><% end %>", "l x|l x"},
	}
	cache := template.NewCache()
	for _, c := range cases {
		tr := provenance.NewTrace()
		leaf := func(name string) provenance.Ref { return tr.Leaf(provenance.Label{Kind: provenance.Fact, Path: name}) }
		h := value.NewHashBuilder(2)
		h.SetEntry(value.Entry{Key: str("k"), Value: str("v"), Ref: leaf("h.k")})
		h.SetEntry(value.Entry{Key: str("n"), Value: value.Int(1), Ref: leaf("h.n")})
		host := template.NewMapHost(value.NewHash(str("x"), str("X"), str("u"), value.Undef{}, str("l"),
			value.Strings("p", "q"), str("h"), h.Hash()),
			map[string]provenance.Ref{"x": leaf("x"), "u": leaf("u"), "l": leaf("l")})
		tm := template.Parse(source.NewFile("t.erb", c.text))
		leaves := tr.Literals(tm.File, len(tm.Literals()), func(i int) source.Span { return tm.Literals()[i] })
		r, err := tm.Render(host, template.Options{Runtime: cache.Runtime(), Trace: tr,
			Leaves: func(*template.Template) provenance.Ref { return leaves }})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var parts []string
		text := ""
		for _, p := range r.Parts() {
			names := map[string]bool{}
			var list []string
			for _, l := range tr.Depends(p.Ref) {
				if l.Kind == provenance.Fact && !names[l.Path] {
					names[l.Path] = true
					list = append(list, l.Path)
				}
			}
			sortStrings(list)
			parts = append(parts, strings.Join(list, " "))
			text += r.Text[p.Start:p.End]
			if !p.Place.Known() || p.Place.Span.Len() == 0 {
				t.Errorf("%s: a part without a place: %+v", c.text, p)
			}
		}
		if got := strings.Join(parts, "|"); got != c.want {
			t.Errorf("%s: parts depend on %q, want %q", c.text, got, c.want)
		}
		if text != r.Text {
			t.Errorf("%s: parts give %q, the text is %q", c.text, text, r.Text)
		}
	}
}

func sortStrings(s []string) {
	for i := range s {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

// With tracing on a compile gives the same, and what a template wrote depends on the facts and literals it used.
func TestTraced(t *testing.T) {
	cache := template.NewCache()
	for _, code := range manifests {
		_, plain := compileOne(t, newWorld(cache), code, false)
		_, traced := compileOne(t, newWorld(cache), code, true)
		if d := cmp.Diff(plain, traced); d != "" {
			t.Errorf("%s: tracing changes the result\n%s", code, d)
		}
	}
	r, _ := compileOne(t, newWorld(cache), `$x='a' notify{a: message=>template('m/list.erb')} $who='n' $list=[$x]`, true)
	if r.Failure == nil {
		t.Fatal("the template reads $list before it is set")
	}
	r, _ = compileOne(t, newWorld(cache),
		`$unused='u' $x='a' $who='n' $list=[$x] notify{a: message=>template('m/list.erb')}`, true)
	if r.Failure != nil {
		t.Fatal(r.Failure)
	}
	for _, res := range r.Catalog.Resources {
		for _, p := range res.Params {
			if p.Name != "message" {
				continue
			}
			var where []string
			for _, l := range r.Trace.Depends(p.Ref) {
				if l.Place.Known() {
					where = append(where, l.Place.File.Name+":"+l.Place.Text())
				} else {
					where = append(where, l.Kind.String()+" "+l.Path)
				}
			}
			got := strings.Join(where, " ")
			for _, want := range []string{":'a'", ":'n'", "list.erb:name ", "list.erb:- "} {
				if !strings.Contains(got, want) {
					t.Errorf("the message does not depend on %s: %s", want, got)
				}
			}
			if strings.Contains(got, "'u'") {
				t.Errorf("the message depends on a variable that the template does not read: %s", got)
			}
		}
	}
}

// Hostile templates stop at their bound with an error that names it; what needs Ruby leaves the text open.
func TestHostile(t *testing.T) {
	cache := template.NewCache()
	limits := ruby.DefaultLimits()
	limits.Steps = 300_000
	for text, want := range map[string]string{
		"<% loop do %>x<% end %>":                                  "steps",
		"<% def f() f end; f %>":                                   "deeper",
		"<% s = 'x' * 1000; 99.times { s << s } %>":                "steps",
		"<% while true %><%= 'x' * 100000 %><% end %>":             "larger",
		"<%= ('a' * 60).match?(/\\A(a|aa|aaa)*\\z(?=x)(?<=y)/) %>": "steps",
		"<%= File.read('/etc/passwd') %>":                          "refused",
		"<%= `id` %>":                                              "refused",
		"<%= Time.now %>":                                          "refused",
		"<%= binding %>":                                           "not supported",
	} {
		_, err := template.Parse(source.NewFile("t.erb", text)).Render(template.NewMapHost(value.EmptyHash, nil),
			template.Options{Runtime: cache.Runtime(), Limits: limits, Name: "m/t.erb"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	// All templates of a compile draw on its budget, so that many small ones are no way around it.
	for _, manifest := range []string{
		`notify { 'a': message => inline_template('<% while true; end %>') }`,
		`notify { 'a': message => inline_template('<% a = b = nil; 60.times { a = [a, a]; b = [b, b] } %><%= a == b %>') }`,
		`Integer[1, 2000].each |$i| { notify { "a${i}": message => inline_template('<% 9_000.times { |i| i + 1 } %>') } }`,
	} {
		_, got := compileOne(t, newWorld(cache), manifest, false)
		if !strings.Contains(got.Error, "steps") {
			t.Errorf("%s: %q", manifest, got.Error)
		}
	}
	if _, got := compileOne(t, newWorld(cache), `$x='a' notify{a: message=>inline_template("<% @x << 'b' %>")}`,
		false); !strings.Contains(strings.Join(got.Messages, ""), "may be frozen") && got.Error == "" {
		t.Errorf("a change of a manifest's string: %+v", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range manifests {
		f.Add(s)
	}
	f.Add("<% if 1 -%>\n<%= 2 %><%# c %><%%\n<%- end -%>")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 3000 {
			return
		}
		tm := template.Parse(source.NewFile("t", s))
		for _, sp := range tm.Literals() {
			if sp.End > uint32(len(s)) || sp.Start > sp.End {
				t.Fatalf("%q: span %v", s, sp)
			}
		}
	})
}
