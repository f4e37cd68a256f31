package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bunraku/internal/ask"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Functions in Ruby that give data to Hiera, of all kinds, with everything that they can ask of their context.
var backends = map[string]string{
	"hiera.yaml": `version: 5
hierarchy:
  - {name: key, lookup_key: 'b::key', options: {greeting: 'hello %{facts.word}'}}
  - {name: hash, data_hash: 'b::hash', path: some.json}
  - {name: dig, data_dig: 'b::dig', options: {prefix: d}}
  - {name: patterns, lookup_key: 'b::patterns', path: patterns.yaml, options: {node: n1.example.com}}
  - {name: plain, path: plain.yaml}
`,
	"data/some.json":  `{"from_file": {"a": [1, 2]}, "interpolated": "%{facts.word} world", "lookup_options": {"merged": {"merge": "deep"}}, "merged": {"x": 1}}`,
	"data/plain.yaml": "plain: p\nmerged: {y: 2}\ncounted: never\n",
	"data/patterns.yaml": `web: &web
  matches: !ruby/regexp /^n[12]\.EXAMPLE/i
  port: 80
  shared: &list [a, b]
tls: {<<: *web, port: 443, again: *list}
none: {matches: !ruby/regexp '/^x/', elsewhere: 1}
`,
	// A backend that matches names against patterns in its file, with what it needs from a library of the module's.
	"modules/b/lib/puppet_x/b/match.rb": `
require 'resolv'
require 'open-uri'
module PuppetX
  module B
    module Match
      module Shortly
        def to_s = super.sub(/(^|:)0(:|$)/, '::')
      end
      def self.patch
        known = begin
                  Kernel.const_get('Resolv::IPv6')
                rescue NameError
                  nil
                end
        known.prepend(Shortly) if known
      end
    end
  end
end
`,
	"modules/b/lib/puppet/functions/b/patterns.rb": `
require 'yaml'
require_relative '../../../puppet_x/b/match'
# Ports, as sets see them.
class Port
  attr_reader :name
  def initialize(name, number)
    @name = name
    @number = number
  end
  def eql?(other) = hash == other.hash
  def hash = "#{@number}/tcp".hash
end
Puppet::Functions.create_function(:'b::patterns') do
  dispatch :lookup do
    param 'String[1]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
  def lookup(key, options, context)
    data = context.cached_file_data(options['path']) do |text|
      YAML.safe_load(text, permitted_classes: [Regexp], filename: options['path'], aliases: true)
    end
    case key
    when 'ports'
      PuppetX::B::Match.patch
      set = Set[Port.new('a', 80), Port.new('b', 443)]
      set.merge([Port.new('c', 80), Port.new('d', 22)]).map(&:name)
    when 'address'
      PuppetX::B::Match.patch
      [Resolv::IPv6.create('2001:db8:0:0:1::2').to_s, Resolv::IPv4::Regex.match?('1.2.3.400')]
    when 'bytes' then Digest::MD5.digest('x17')[0, 5].bytes + [1].pack('L').unpack('S*')
    else
      data.each_value do |entry|
        return context.interpolate(entry[key]) if entry['matches'].match(options['node']) && entry.include?(key)
      end
      context.not_found
    end
  end
end
`,
	// What is called like a library of Ruby's is not found in a module.
	"modules/b/lib/ipaddr.rb": "raise 'the library of a module'",
	// A template with a library of its module's, which it finds by its own place.
	"modules/b/templates/deep/lib.erb": `<%- require 'ipaddr' -%>
<%= IPAddr.new('10.0.0.1').succ %>
<%- $LOAD_PATH.unshift(File.join(File.dirname(__FILE__), '..', '..', 'lib'))
require 'puppet_x/b/match' -%>
<%= PuppetX::B::Match.respond_to?(:patch) %> <%= File.basename(__FILE__) %> <%= File.exist?(__FILE__) %>
<%= File.readlines(__FILE__).size %> <%= Dir.exist?(File.dirname(__FILE__)) %> <%= URI.parse('http://a:8/b').port %>
<%= YAML.load("a: :b\nc: [1]").inspect %> <%= Gem::Version.new('1.10') > Gem::Version.new('1.9') %>
`,
	// Puppet's String#% gives back a text whose keys it does not find; format does not.
	"modules/b/lib/puppet/functions/b/texts.rb": `
Puppet::Functions.create_function(:'b::texts') do
  dispatch :texts do
    param 'String', :text
    param 'Any', :values
  end
  def texts(text, values)
    values = values.to_h { |k, v| [k.to_sym, v] } if values.is_a?(Hash)
    other = begin
              format(text, values)
            rescue KeyError => e
              e.message
            end
    [text % values, other].inspect
  end
end
`,
	// A function that builds the catalog: the class that it includes asks the backends above for its parameters.
	"modules/b/manifests/init.pp": "class b($port, $nothing = 'default') { notify { \"b ${port} ${nothing}\": } }",
	"modules/b/lib/puppet/functions/b/build.rb": `
Puppet::Functions.create_function(:'b::build') do
  dispatch :build do
    param 'String', :name
  end
  def build(name)
    scope = closure_scope
    raise Puppet::ParseError, 'only once' if scope.include?('_built')
    scope['_built'] = name.gsub(/^::/, '')
    call_function('include', scope['_built'])
    [scope['_built'], scope.lookupvar('b::port'), scope.lookupvar('b::nothing'), scope.catalog.resource('Notify', 'b 80 default').to_s]
  end
end
`,
	"modules/b/lib/puppet/functions/b/key.rb": `
Puppet::Functions.create_function(:'b::key') do
  dispatch :key do
    param 'String', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
  def key(key, options, context)
    case key
    when 'b::port' then call_function('lookup', 'port')
    when 'greeting' then context.interpolate(options['greeting'])
    when 'where' then [context.environment_name.inspect, context.module_name.inspect]
    when 'cached'
      context.cache('n', (context.cached_value('n') || 0) + 1) unless context.cache_has_key('n')
      [context.cached_value('n'), context.cache_has_key('x'), context.cached_entries.to_a]
    when 'undef' then nil
    when 'bad' then raise Puppet::DataBinding::LookupError, 'bad key' if false
      raise ArgumentError, 'bad key'
    when 'explained' then context.explain { 'why' } || 'yes'
    when 'through' then call_function('lookup', 'plain')
    else context.not_found
    end
  end
end
`,
	"modules/b/lib/puppet/functions/b/hash.rb": `
require 'json'
Puppet::Functions.create_function(:'b::hash') do
  dispatch :hash do
    param 'Struct[{path=>String[1]}]', :options
    param 'Puppet::LookupContext', :context
  end
  def hash(options, context)
    context.cached_file_data(options['path']) { |text| JSON.parse(text).merge('base' => File.basename(options['path'])) }
  end
end
`,
	"modules/b/lib/puppet/functions/b/dig.rb": `
Puppet::Functions.create_function(:'b::dig') do
  dispatch :dig do
    param 'Array[Variant[String, Integer]]', :segments
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
  def dig(segments, options, context)
    data = { 'deep' => { 'er' => [10, { 'x' => 'y' }] } }
    context.not_found unless data.key?(segments[0])
    data.dig(*segments)
  end
end
`,
}

func TestBackends(t *testing.T) {
	live.Puppet(t)
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, backends)
	facts := filepath.Join(t.TempDir(), "facts.json")
	write(t, filepath.Dir(facts), map[string]string{"facts.json": `{"word": "big"}`})
	var exprs []string
	for _, key := range []string{"greeting", "where", "cached", "from_file", "from_file.a.1", "interpolated", "base",
		"deep", "deep.er.1.x", "deep.er.0", "plain", "merged", "undef", "bad", "none", "explained", "through", "counted",
		"port", "shared", "again", "elsewhere", "ports", "address", "bytes"} {
		exprs = append(exprs, "String(lookup("+strconv.Quote(key)+"), '%p')")
	}
	exprs = append(exprs, "String(b::build('::b'), '%p')", "String(template('b/deep/lib.erb'), '%p')",
		"b::patterns('x')", "b::hash({'a' => 1}, Timespan(90))", "b::texts('%{a} b %<c>d', {})",
		"b::texts('%{a} b', {'a' => 1})",
		"b::texts('%s', ['x'])",
		"String([Enum['z', 'y', 'z']].map |$t| { inline_template('<% @t.each do |x| %><%= x %>,<% end %>') }, '%p')",
		"String(inline_template('<%= __FILE__ %>'), '%p')")
	qs := make([]ask.Question, len(exprs))
	for i, e := range exprs {
		qs[i] = ask.Question(e)
	}
	site := ask.Site{Environment: dir, Facts: facts, Mask: func(s string) string { return s }}
	want := site.Puppet(t, qs)
	for i, e := range exprs {
		for _, trace := range []bool{false, true} {
			write(t, dir, map[string]string{"manifests/site.pp": "$facts_word = 1\nnotify { 'x': message => " + e + " }\n"})
			got := backendAnswer(t, dir, facts, compiler.Options{Trace: trace})
			if got != want[i] {
				t.Errorf("%s\n\tPuppet: %s\n\tours:   %s", e, want[i], got)
			}
		}
	}
}

// backendAnswer is what the message of the notify is, or the error.
func backendAnswer(t *testing.T, dir, factsFile string, opt compiler.Options) string {
	t.Helper()
	opt.Language = 7
	c, err := compiler.NewWorkspace(dir, opt).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(factsFile)
	if err != nil {
		t.Fatal(err)
	}
	known, err := facts.Parse(source.NewFile("facts.json", string(text)), "n1.example.com")
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Compile(context.Background(), compiler.Node{Name: "n1.example.com", Facts: known})
	if err != nil {
		t.Fatal(err)
	}
	if r.Failure != nil {
		return "! " + r.Failure.Summary
	}
	return inspect(r.Catalog.Resource("Notify", "x").Get("message"))
}

// A function that builds the catalog and gives no answer is named, with what hangs on it; one that only answers is not.
func TestFunctionLeftOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, map[string]string{
		"manifests/site.pp":                         "b::build('::b')\nb::answer('x')\nb::asks('x')\n",
		"modules/b/lib/puppet/functions/b/build.rb": backends["modules/b/lib/puppet/functions/b/build.rb"],
		"modules/b/lib/puppet/functions/b/answer.rb": "Puppet::Functions.create_function(:'b::answer') do\n  def answer(x) " +
			"= x.upcase\nend\n",
		"modules/b/lib/puppet/functions/b/asks.rb": "Puppet::Functions.create_function(:'b::asks') do\n  def asks(x) = " +
			"call_function('lookup', x)\nend\n",
	})
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 7, Ruby: compiler.RubyOff}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(context.Background(), compiler.Node{Name: "n1.example.com"})
	if err != nil || res.Failure != nil {
		t.Fatal(err, res.Failure)
	}
	var told []string
	for _, d := range res.Warnings {
		if d.Code == "E0702" {
			told = append(told, d.Summary)
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0],
		"b::build was left out, with whatever it declares, includes or sets: ") {
		t.Errorf("%q", told)
	}
}

// What a hash sets that is not known may be any parameter of a define: nothing fails because of a default.
func TestUnknownAttributes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, map[string]string{
		"manifests/site.pp": `define one($content = undef, $source = undef, $needed) {
  if ($source == undef) == ($content == undef) { fail('one of them') }
  notify { $title: message => $content }
}
one { 'a': source => 'x', * => m::attributes() }
one { 'b': * => m::attributes() }
notify { 'c': * => m::attributes() }
`,
		"modules/m/lib/puppet/functions/m/attributes.rb": "Puppet::Functions.create_function(:'m::attributes') do\n  def " +
			"attributes = { 'needed' => Process.pid }\nend\n",
	})
	c, err := compiler.NewWorkspace(dir, compiler.Options{Language: 7}).Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Compile(context.Background(), compiler.Node{Name: "n1.example.com"})
	if err != nil || res.Failure != nil {
		t.Fatal(err, res.Failure)
	}
	for _, title := range []string{"a", "b"} {
		if _, open := res.Catalog.Resource("One", title).Get("needed").(*value.Opaque); !open {
			t.Errorf("One[%s] says what it needs", title)
		}
	}
	if got := res.Catalog.Resource("One", "a").Get("source"); got != value.Value(value.String("x")) {
		t.Errorf("what is given is %v", got)
	}
}
