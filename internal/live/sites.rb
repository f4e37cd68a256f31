# Compiles environments in one process and prints a line of JSON for each: the catalog as an agent gets it, or {"error": message}. On
# standard input, one a line: an environment's directory, and the node's name and the file of its facts if these are not the fqdn and
# the facts.json of the environment. The environment's name is the directory's; it is kept for further nodes, as on a server.
require 'puppet'
require 'json'
require 'tmpdir'
tmp = Dir.mktmpdir('puppet-sites')
at_exit { FileUtils.remove_entry(tmp) }
args = %w[conf code var run log publicdir].flat_map { |d| ["--#{d}#{'dir' unless d == 'publicdir'}", "#{tmp}/#{d}"] }
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false', '--basemodulepath', '', '--environment_timeout', 'unlimited'])
Puppet::Util::Log.level = :crit
SERVER = { 'serverversion' => Puppet.version, 'servername' => 'puppet.example.com', 'serverip' => '192.0.2.1' }.freeze
kept = Hash.new do |all, dir|
  name = File.basename(dir)
  envs = Puppet::Environments::Directories.new(File.dirname(dir), [])
  env = Puppet.override(environments: envs) { envs.get(name) }
  envs.define_singleton_method(:get) { |n| n.to_s == env.name.to_s ? env : super(n) }
  all.clear # the one before is done with
  all[dir] = [envs, env]
end
$stdin.each_line(chomp: true) do |line|
  dir, certname, file = line.split
  Puppet[:environment] = File.basename(dir)
  envs, env = kept[dir]
  facts = JSON.parse(File.read(file || File.join(dir, 'facts.json')))
  certname ||= facts['fqdn']
  node = Puppet::Node.new(certname, environment: env, facts: Puppet::Node::Facts.new(certname, facts))
  node.merge(facts)
  node.add_server_facts(SERVER)
  trusted = Puppet::Context::TrustedInformation.new('remote', certname, {})
  Puppet.override({ current_environment: env, environments: envs, trusted_information: trusted, rich_data: true }, 'sites') do
    data = Puppet::Parser::Compiler.compile(node).filter { |r| r.virtual? }.to_data_hash
    data['version'] = 0
    data.delete('catalog_uuid')
    puts JSON.generate(data)
  end
rescue StandardError, ScriptError, SystemStackError => e
  puts JSON.generate('error' => e.message.dup.force_encoding('UTF-8').scrub)
end
