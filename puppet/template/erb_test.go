package template

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"

	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
	"bunraku/source"
)

// texts are small templates whose blanks and line ends matter, and whose Ruby uses what templates use.
var texts = []string{
	"plain\n", "a<%= 1 %>b", "a\n<% if true -%>\nb\n<% end -%>\n  <%- 1 -%>\nc", "<%% x %%> y", "<%= '%%>' %>",
	"x <%# comment %> y", "x\n<%# comment -%>\ny",
	"<%- 1 %>\n", "  <%- 1 -%>  \nx", "a  <%- 1 -%>\n b", "<%= 1 %>  <%- 2 -%>\nx", "<%= 1 -%>\n<%= 2 -%>",
	"<% 3.times do |i| %>\n<%= i %>\n<% end %>", "<%=1%><%=2%>",
	"<%= [1,nil,'a',{'b'=>1.0}] %>", "<%= nil %>|<%= true %>|<%= :sym %>|<%= 1e20 %>",
	"a\r\n<% if 1 -%>\r\nb\r\n<% end -%>\r\nc", "<% x = 1 # comment\n%><%= x %>", "<% # only a comment %>gone\nkept",
	"<%= 1 # comment %>",
	"<%= 1", "1 %> 2", "<% if true %>a<% else %>b<% end %>",
	"<%\nx = [3,1,2]\nx.sort.each do |v|\n-%>\nv=<%= v %>\n<%\nend\n%>\n", "<%= @a %> <%= @nope.inspect %> <%= @h['k'] %>",
	"<%= scope['a'] %><%= scope.lookupvar('::a') %><%= scope.lookupvar('nope').inspect %>",
	"<%= has_variable?('a') %><%= has_variable?(:a) %><%= has_variable?('u') %><%= has_variable?('nope') %>",
	"<%= scope.to_hash.keys.sort.join(',') %>", "<%= scope.function_foo(['x', 1]) %>",
	"<%= scope.call_function('bar', [[1], {'a' => nil}]) %>", "<%= scope.function_foo('x') %>", "<%= scope[:a] %>",
	"<%= scope.function_fail(['no']) %>",
	"<%= classes.inspect %><%= all_tags.inspect %>", "<%= tags %>", "<%= file.inspect %>", "<%= scope %>", "<%= nope %>",
	"<%= nope() %>", "<%= self.nope %>", "<% raise 'boom' %>", "<% raise ArgumentError, 'x' %>", "<%= 1 / 0 %>",
	"<%= @h.map { |k, v| \"#{k}=#{v}\" }.join(\"\\n\") %>", "<%= @h.to_yaml %>", "<%= @h.to_json %>",
	"<%= JSON.pretty_generate(@h) %>", "<% @h.each do |k, v| next if v.nil? -%>\n<%= k %>\n<% end -%>",
	"<%= @l.each_slice(2).map { |a| a.join('-') }.join(',') %>",
	"<% def twice(x) x * 2 end %><%= twice('ab') %>", "<%= \"a\nb\" %>\n<%= nope2 %>", "\n\n<%= @a.foo %>",
	"<% begin; raise 'x'; rescue => e %><%= e.message %><% end %>",
	"<% [1,2].each do |x| break if x > 1 %><%= x %><% end %>", "<% while (i ||= 0) < 3 do i += 1 %><%= i %><% end %>",
	"<% case @a when /o+/ then %>o<% when String %>s<% else %>e<% end %>", "<%= _erbout.length %>",
	"<% _erbout << 'direct' %>x", "<% @a << 'z' %><%= @a %><%= scope['a'] %>", "<%= @l.first(2).inspect -%>\n  tail",
	"<% for x, y in [[1,2],[3,4]] %><%= x + y %>,<% end %>",
	"<%= format('%05.1f|%-5s|%+d', 3.14159, 'ab', 7) %>", "<%= 'x' 'y' %>", "<%= <<EOT\nheredoc <%% \nEOT\n%>",
	"é<%= 'ü'.length %>", "<%= \"#{@a}#{1 + 1}\" if @a %>", "<% unless @u %>none<% end %>",
	"<%= @l.inject { |a, b| a.to_s + b.to_s } %>",
	"<%= instance_variable_get('@a') %>", "<%= @a.frozen? %>", "<% @new = 5 %><%= @new %>",
	"<%= defined?(@a).inspect %><%= defined?(@zz).inspect %><%= defined?(zz).inspect %>", "<%= respond_to?(:scope) %>",
	"<%- if true then -%>\nx\n<%- end -%>\n", "<%= ENV_ rescue 'no' %>",
	"<%= %w[a b].each_with_index.map { |x, i| \"#{i}#{x}\" } %>", "-%>", "%>", "<%-%>", "<%= -%>", "<% -%>\n",
	"a<%=\n1\n%>b\n<%= x %>", "<%== 1 %>", "<%# a\nb -%>\nc<%= nope3 %>",
}

func TestTexts(t *testing.T) {
	vars := value.NewHash(value.String("a"), value.String("foo"), value.String("u"), value.Undef{}, value.String("l"),
		value.NewArray(value.Int(1), value.String("b"), value.Int(3)),
		value.String("h"), value.NewHash(value.String("k"), value.String("v"), value.String("n"), value.Undef{},
			value.String("z"), value.NewArray(value.Int(1), value.NewHash())))
	compareTexts(t, texts, vars)
}

func compareTexts(t *testing.T, texts []string, vars *value.Hash) {
	t.Helper()
	var jobs []job
	for _, s := range texts {
		jobs = append(jobs, job{Text: s, Vars: json.RawMessage(asJSON(vars))})
	}
	want := ask(t, jobs)
	rt := ruby.NewRuntime()
	for i, s := range texts {
		got, err := render(rt, Parse(source.NewFile("inline template", s)), vars, "x")
		if err != nil {
			if !strings.HasPrefix(want[i].Error, "SyntaxError") {
				t.Errorf("%q: %v (Ruby: %s)", s, err, difference(got, want[i]))
			}
			continue
		}
		_, msg, _ := strings.Cut(want[i].Error, ": ")
		switch {
		case got.Text != nil && want[i].Text != nil && *got.Text == *want[i].Text:
		case got.Text == nil && want[i].Text == nil && sameMessage(got.Error, msg) && got.Line == want[i].Line:
		default:
			t.Errorf("%q\n%s", s, difference(got, want[i]))
		}
	}
}

// sameMessage: what a template's self looks like in messages is the oracle's matter.
func sameMessage(a, b string) bool {
	cut := func(s string) string {
		s, _, _ = strings.Cut(s, " for #<")
		s, _, _ = strings.Cut(s, " for template[")
		return s
	}
	return cut(a) == cut(b)
}

// Random pieces of tags, blanks and line ends: the trimming rules are ERB's.
func TestTrimRandom(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	pieces := []string{"<%", "<%=", "<%-", "<%#", "<%%", "%>", "-%>", "%%>", "\n", "\r\n", " ", "\t", "x", "1", " 2 ",
		"\n\n", "#", "'s'", ";"}
	var list []string
	for range 1500 {
		var b strings.Builder
		for range 2 + r.Intn(12) {
			b.WriteString(pieces[r.Intn(len(pieces))])
		}
		list = append(list, b.String())
	}
	// and ones whose tags are closed
	tags := []string{"<%= 1 %>", "<%= 2 -%>", "<% 3 -%>", "<%- 4 %>", "<%- 5 -%>", "<%# c %>", "<%# c -%>", "<%-# d -%>",
		"<%%", "<% if true %>", "<% end %>"}
	for range 1500 {
		var b strings.Builder
		open := 0
		for range 2 + r.Intn(12) {
			s := pieces[8+r.Intn(6)]
			if r.Intn(2) == 0 {
				s = tags[r.Intn(len(tags))]
			}
			switch s {
			case "<% if true %>":
				open++
			case "<% end %>":
				if open == 0 {
					continue
				}
				open--
			}
			b.WriteString(s)
		}
		b.WriteString(strings.Repeat("<% end -%>\n", open))
		list = append(list, b.String())
	}
	compareTexts(t, list, value.EmptyHash)
}
