# Asks octocatalog-diff. Reads {"cases": [{"from": [resource…], "to": [resource…], "args": [argument…],
# "rules": [{"type": …, "title": …, "attr": …}…]}…]} on standard input and prints a list with an answer for each case:
# {"diff": […], "header": …} as its legacy_json has it, or {"error": "Class: message"}.
#
# $OCTOCATALOG is a clone of github/octocatalog-diff. What is asked is its command line, with everything that it does to
# its options; "rules" are more --ignore, already taken apart, for what its command line cannot say.

$LOAD_PATH.unshift(File.join(ENV.fetch('OCTOCATALOG'), 'lib'))
$VERBOSE = nil
require 'octocatalog-diff'
require 'json'
require 'logger'
require 'stringio'
require 'tmpdir'

def ask(dir, one)
  files = %w[from to].map do |side|
    path = File.join(dir, "#{side}.json")
    catalog = { name: 'node', environment: 'production', version: 1, resources: one.fetch(side), edges: [], classes: [] }
    File.write(path, JSON.generate(catalog))
    path
  end
  out = File.join(dir, 'out.json')
  File.write(out, '')
  argv = ['-n', 'node', '--from-catalog', files[0], '--to-catalog', files[1], '--no-parallel',
          '-o', out, '--output-format', 'legacy_json'] + one.fetch('args')
  rules = (one['rules'] || []).map { |r| r.transform_keys(&:to_sym) }
  OctocatalogDiff::Cli.cli(argv, Logger.new(StringIO.new), additional_ignores: rules)
  JSON.parse(File.read(out))
rescue StandardError => e
  { error: "#{e.class}: #{e.message.lines.first&.chomp}" }
end

cases = JSON.parse($stdin.read).fetch('cases')
puts(JSON.generate(Dir.mktmpdir { |dir| cases.map { |one| ask(dir, one) } }))
