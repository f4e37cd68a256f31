package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"bunraku/internal/ask"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// Functions in Ruby that give data to Hiera, of all kinds, with everything that they can ask of their context.
var backends = map[string]string{
	"hiera.yaml": `version: 5
hierarchy:
  - {name: key, lookup_key: 'b::key', options: {greeting: 'hello %{facts.word}'}}
  - {name: hash, data_hash: 'b::hash', path: some.json}
  - {name: dig, data_dig: 'b::dig', options: {prefix: d}}
  - {name: plain, path: plain.yaml}
`,
	"data/some.json":  `{"from_file": {"a": [1, 2]}, "interpolated": "%{facts.word} world", "lookup_options": {"merged": {"merge": "deep"}}, "merged": {"x": 1}}`,
	"data/plain.yaml": "plain: p\nmerged: {y: 2}\ncounted: never\n",
	"modules/b/lib/puppet/functions/b/key.rb": `
Puppet::Functions.create_function(:'b::key') do
  dispatch :key do
    param 'String', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
  def key(key, options, context)
    case key
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
		"deep", "deep.er.1.x", "deep.er.0", "plain", "merged", "undef", "bad", "none", "explained", "through", "counted"} {
		exprs = append(exprs, "String(lookup("+strconv.Quote(key)+"), '%p')")
	}
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
