# Compiles environment directories, named on standard input one a line, in one process, and prints a line of JSON for each: the catalog
# as an agent gets it, or {"error": message}. Facts are in DIR/facts.json; the environment's name is the directory's.
require 'puppet'
require 'json'
require 'tmpdir'
tmp = Dir.mktmpdir('puppet-sites')
at_exit { FileUtils.remove_entry(tmp) }
args = %w[conf code var run log publicdir].flat_map { |d| ["--#{d}#{'dir' unless d == 'publicdir'}", "#{tmp}/#{d}"] }
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false', '--basemodulepath', ''])
Puppet::Util::Log.level = :crit
SERVER = { 'serverversion' => '7.23.0', 'servername' => 'puppet.example.com', 'serverip' => '192.0.2.1' }.freeze
$stdin.read.split("\n").each do |dir|
  name = File.basename(dir)
  Puppet[:environment] = name
  envs = Puppet::Environments::Directories.new(File.dirname(dir), [])
  begin
    env = Puppet.override(environments: envs) { envs.get(name) }
    envs.define_singleton_method(:get) { |n| n.to_s == env.name.to_s ? env : super(n) }
    facts = JSON.parse(File.read(File.join(dir, 'facts.json')))
    certname = facts['fqdn']
    node = Puppet::Node.new(certname, environment: env, facts: Puppet::Node::Facts.new(certname, facts))
    node.merge(facts)
    node.add_server_facts(SERVER)
    trusted = Puppet::Context::TrustedInformation.new('remote', certname, {})
    Puppet.override({ current_environment: env, environments: envs, trusted_information: trusted, rich_data: true }, 'sites') do
      data = Puppet::Parser::Compiler.compile(node).filter { |r| r.virtual? }.to_data_hash
      data['version'] = 0
      puts JSON.generate(data)
    end
  rescue StandardError, SystemStackError => e
    puts JSON.generate('error' => e.message)
  end
end
