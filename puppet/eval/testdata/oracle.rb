# oracle.rb: what a Puppet makes of the cases beside this file, all in one process. Standard input is a JSON array of
# {"name", "files": {path: text}, "node", "facts", "enc": {"classes", "parameters"}, "settings": {...}}; the answer is one line of JSON per case:
# {"ok": true, "classes", "tags", "resources": [as on the wire], "edges": [[source, target]], "logs": [[level, message]]}, or
# {"ok": false, "error", "errors": [what was logged]}.
require 'json'
require 'tmpdir'
require 'puppet'

module Puppet::Test
  # Puppet's log destination "array" is chosen by this class name.
  class LogCollector
    def initialize(to) = @to = to
    def <<(msg) = @to << msg
  end
end

TMP = Dir.mktmpdir('puppet-cases')
at_exit { FileUtils.remove_entry(TMP) }
args = %w[conf code var run log publicdir].flat_map { |d| ["--#{d}#{'dir' unless d == 'publicdir'}", "#{TMP}/#{d}"] }
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false']) # a fixed certname keeps Facter out
LOGS = []
Puppet::Util::Log.newdestination(Puppet::Test::LogCollector.new(LOGS))
SERVER = { 'serverversion' => Puppet.version, 'servername' => 'puppet.example.com', 'serverip' => '192.0.2.1' }.freeze

# $settings::… is no part of the comparison, and filling it takes a quarter of the time.
class Puppet::Parser::Scope
  def merge_settings(*) = nil
end

# Paths and object addresses mean nothing outside this process.
def clean(text, dir) = text.gsub("#{dir}/", '').gsub(/(#<[\w:]+):0x\h+( [^>]*)?>/, '\1>')

def strip(data, dir)
  case data
  when Hash then data.transform_values { |v| strip(v, dir) }
  when Array then data.map { |v| strip(v, dir) }
  when String then data.start_with?(dir) ? data.delete_prefix("#{dir}/") : data
  else data
  end
end

def compile(c, dir)
  c['files'].each do |path, text|
    FileUtils.mkdir_p(File.dirname("#{dir}/#{path}"))
    File.write("#{dir}/#{path}", text)
  end
  manifest = c['files'].key?('site.pp') ? "#{dir}/site.pp" : "#{dir}/manifests"
  modules = c['files'].keys.any? { |f| f.start_with?('modules/') } ? ["#{dir}/modules"] : []
  env = Puppet::Node::Environment.create(:production, modules, manifest)
  facts = Puppet::Node::Facts.new(c['node'], c['facts'])
  facts.sanitize
  node = Puppet::Node.new(c['node'], environment: env, facts: facts)
  node.merge(c['enc']['parameters']) if c['enc']['parameters'] # first: what is there already stays
  node.merge(facts.values)
  node.classes = c['enc']['classes'] if c['enc']['classes']
  node.add_server_facts(SERVER)
  trusted = Puppet::Context::TrustedInformation.new('remote', c['node'], {})
  overrides = { environments: Puppet::Environments::Static.new(env), current_environment: env, trusted_information: trusted, rich_data: true }
  Puppet.override(overrides, 'oracle') do
    data = Puppet::Parser::Compiler.compile(node).to_data_hash
    { ok: true, classes: data['classes'], tags: data['tags'], resources: data['resources'].map { |r| strip(r, dir) },
      edges: data['edges'].map { |e| [e['source'], e['target']] } }
  end
rescue SystemStackError, StandardError, ScriptError => e
  { ok: false, error: clean(e.message, dir), errors: LOGS.select { |l| l.level == :err }.map { |l| clean(l.message.to_s, dir) } }
end

JSON.parse($stdin.read).each_with_index do |c, i|
  LOGS.clear
  Puppet::Util::Log.level = :notice
  dir = "#{TMP}/cases/#{i}"
  eight = Puppet.version.to_i >= 8
  Puppet[:strict] = (c['settings']['strict'] || (eight ? 'error' : 'warning')).to_sym
  Puppet[:strict_variables] = (c['settings']['strict_variables'] || eight.to_s) == 'true'
  answer = compile(c, dir)
  answer[:logs] = LOGS.reject { |l| l.level == :err && !answer[:ok] }.map { |l| [l.level, clean(l.message.to_s, dir)] }
  puts JSON.generate(answer)
end
