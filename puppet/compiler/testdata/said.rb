# Compiles environments and prints, as a line of JSON for each, what Puppet says: the error or nil, the warnings, the messages of the
# notifies that came out, and every resource as a text. On standard input, one a line: an environment's directory, and settings as
# NAME=VALUE. The node's facts are those of facts.json, if the environment has it.
require 'puppet'
require 'json'
require 'tmpdir'
tmp = Dir.mktmpdir('puppet-said')
at_exit { FileUtils.remove_entry(tmp) }
args = %w[conf code var run log publicdir].flat_map { |d| ["--#{d}#{'dir' unless d == 'publicdir'}", "#{tmp}/#{d}"] }
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false', '--basemodulepath', ''])
Puppet::Util::Log.level = :warning
Heard = Class.new(Array)
Puppet::Util::Log.newdesttype :heard do
  match 'Heard'
  define_method(:initialize) { |list| @list = list }
  define_method(:handle) { |message| @list << message }
end
DEFAULTS = %i[strict strict_variables].to_h { |name| [name, Puppet[name]] }
# Of an object of Ruby only the class is the same twice.
CLEAN = ->(text) { text.gsub(/(#<[\w:]+):0x\h+( [^>]*)?>/, '\1>') }
$stdin.each_line(chomp: true) do |line|
  dir, *settings = line.split
  DEFAULTS.each { |name, value| Puppet[name] = value }
  settings.each { |s| Puppet[s[/\A\w+/].to_sym] = s[/=(.*)/, 1] }
  Puppet[:environment] = File.basename(dir)
  envs = Puppet::Environments::Directories.new(File.dirname(dir), [])
  env = Puppet.override(environments: envs) { envs.get(File.basename(dir)) }
  certname = 'n.example.com'
  facts = File.exist?("#{dir}/facts.json") ? JSON.parse(File.read("#{dir}/facts.json")) : {}
  facts = Puppet::Node::Facts.new(certname, facts)
  facts.sanitize
  node = Puppet::Node.new(certname, environment: env, facts: facts)
  node.merge(facts.values)
  trusted = Puppet::Context::TrustedInformation.new('remote', certname, {})
  heard = Heard.new
  Puppet.clear_deprecation_warnings # and the others that are said once
  said = { 'error' => nil, 'notified' => [] }
  Puppet::Util::Log.newdestination(heard)
  begin
    Puppet.override({ current_environment: env, environments: envs, trusted_information: trusted, rich_data: true }, 'said') do
      catalog = Puppet::Parser::Compiler.compile(node).filter { |r| r.virtual? }
      said['notified'] = catalog.resources.select { |r| r.type == 'Notify' }.map { |r| (r[:message] || r.title).to_s }
      usual = %w[Stage[main] Class[Settings] Class[main]]
      said['resources'] = catalog.to_data_hash['resources'].reject { |r| usual.include?("#{r['type']}[#{r['title']}]") }.map do |r|
        sensitive = " sensitive #{JSON.generate(r['sensitive_parameters'])}" if r['sensitive_parameters']
        "#{r['type']}[#{r['title']}] #{JSON.generate(r['tags'])} #{JSON.generate(r['parameters']) if r['parameters']}#{sensitive}".gsub("\n", '\n')
      end
    end
  rescue StandardError, ScriptError => e
    said['error'] = CLEAN.call(e.message)
  end
  Puppet::Util::Log.close(heard)
  said['warnings'] = heard.select { |m| m.level == :warning }.map { |m| CLEAN.call(m.message) }
  puts JSON.generate(said)
end
