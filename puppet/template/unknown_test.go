package template_test

import (
	"strings"
	"testing"

	"bunraku/puppet/eval"
	"bunraku/puppet/template"
	"bunraku/puppet/value"
)

// A template that looks at a value that nobody could compute gives one, with the cause; one that only hands it on gives
// its text.
func TestUnknown(t *testing.T) {
	for text, known := range map[string]string{
		`<%= @x ? "y" : "n" %>`: "", `<%= @x == false %>`: "", `<%= false == @x %>`: "", `<%= :a == @x %>`: "",
		`<%= "a" unless @x %>`: "", `<%= @x %>`: "", `<%= @x.nil? %>`: "",
		`<%= [@x].compact.size %>`: "", `<%= @x || 1 %>`: "", `<% @x ||= 1 %>`: "", `<%= !@x %>`: "",
		`<% while @x do break end %>`: "", `<%= "a#{@x}" %>`: "", `<%= "a" + @x %>`: "", `<%= [1, @x].include?(2) %>`: "",
		`<%= {@x => 1}.size %>`: "", `<%= {1 => 2}[@x].inspect %>`: "", `<%= [@x, 1].sort.size %>`: "",
		`<%= case @x when /a/ then 1 else 2 end %>`: "", `<%= case 1 when @x then 1 else 2 end %>`: "",
		`<%= @x.is_a?(String) %>`: "", `<%= [*@x].size %>`: "",
		`<%= defined?(@x) %>`: "", `<%= scope['x'] ? 1 : 2 %>`: "", `<%= scope.include?('x') %>`: "",
		`<%= has_variable?('x') %>`: "", `<%= scope.to_hash.key?('x') %>`: "", `<%= scope.to_hash['x'] %>`: "",
		`<%= scope.to_hash.keys.size > 0 %>`: "", `<%= instance_variables.size > 0 %>`: "",
		`<%= [@x].to_json %>`: "", `<%= [@x].to_yaml %>`: "", `<%= [@x].inspect %>`: "", `<%= [@x].join %>`: "",
		`<%= '%s' % @x %>`: "", `<%= @x&.size %>`: "", `<%= [@x] == [1] %>`: "", `<%= [@x].uniq.size %>`: "",
		`<%= Array(@x).size %>`: "", `<%= Integer(@x) rescue 1 %>`: "",
		`<%= begin; @x.foo; rescue Exception; 'saved'; end %>`: "", `<%= @list.map { |v| v.to_s }.size %>`: "",
		`<%= @list.join %>`: "", `<% if @list.include?('zz') %>a<% end %>`: "",
		`<%= scope.call_function('unknown', []) ? 1 : 2 %>`: "", `<% y = @x %>a`: "a",
		`<% z = [@x]; z << @x %><%= z.size %>`: "2", `<% h = {1 => @x}; h[2] = @x %><%= h.size %>`: "2",
		`<% def f(a) 3 end %><%= f(@x) %>`: "3", `<%= @list.size %> <%= @list[0] %>`: "2 known",
		`<%= [1].each { |i| @x }.size %>`: "1", `<%= [@x].first; 4 %>`: "4",
	} {
		w := newWorld(template.NewCache())
		w.functions["unknown"] = &eval.Function{Name: "unknown",
			Raw: func(*eval.Call) (value.Value, error) { return &value.Opaque{Why: "the sea is deep"}, nil }}
		f, err := compileValue(t, w, `$x = unknown() $list = ['known', $x] notify { 'a': message => inline_template('`+
			strings.ReplaceAll(text, `'`, `\'`)+`') }`)
		o, is := f.(*value.Opaque)
		switch {
		case err != "":
			t.Errorf("%s: %s", text, err)
		case known == "" && (!is || o.Why != "the sea is deep"):
			t.Errorf("%s gives %v, want an unknown value", text, value.Inspect(f))
		case known != "" && value.ToString(f) != known:
			t.Errorf("%s gives %v, want %q", text, value.Inspect(f), known)
		}
	}
}

func compileValue(t *testing.T, w *world, code string) (value.Value, string) {
	t.Helper()
	r, got := compileOne(t, w, code, false)
	if got.Error != "" {
		return value.Undef{}, got.Error
	}
	for _, res := range r.Catalog.Resources {
		for _, p := range res.Params {
			if res.Type == "Notify" && p.Name == "message" {
				return p.Value, ""
			}
		}
	}
	return value.Undef{}, "no message"
}

// Templates of one compile share their global variables, and see their own variables by name, as they do in Puppet.
func TestShared(t *testing.T) {
	for manifest, want := range map[string]string{
		`$a = inline_template('<% $x = 5 %>') notify { 'a': message => "${a}${inline_template('<%= $x.inspect %>')}" }`:                                                                                                               "5",
		`notify { 'a': message => inline_template('<% $x = [1] %><% scope.call_function("inline_template", ["<%% $x << 2 %%>"]) %><%= $x.inspect %>') }`:                                                                              "[1, 2]",
		`notify { 'a': message => inline_template('<%= $nobody_set_this.inspect %>') }`:                                                                                                                                               "nil",
		`$b = 1 $u = undef notify { 'a': message => inline_template('<%= instance_variables.include?(:@b) %> <%= instance_variables.include?(:@u) %> <%= instance_variables.first %> <% @zz = 1 %><%= instance_variables.last %>') }`: "true false @__scope__ @zz",
		`$auth = 1 notify { 'a': message => inline_template('<%= instance_variables.any? { |iv| iv.to_s.include? "auth" } %> <%= instance_variable_get(:@auth) %>') }`:                                                                "true 1",
	} {
		for _, trace := range []bool{false, true} {
			w := newWorld(template.NewCache())
			manifest := strings.ReplaceAll(manifest, "%%", "%")
			if strings.Contains(manifest, "call_function") {
				manifest = strings.Replace(strings.ReplaceAll(manifest, `"<% $x << 2 %>"`, `"<" + "% $x << 2 %" + ">"`), "%%", "%",
					-1)
			}
			_, got := compileOne(t, w, manifest, trace)
			if len(got.Messages) != 1 || got.Messages[0] != want {
				t.Errorf("%s: %q %s, want %q", manifest, got.Messages, got.Error, want)
			}
		}
	}
}
