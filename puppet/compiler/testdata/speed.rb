# Compiles environments again and again in one process, files parsed before: for each line "DIR" on standard input it compiles that
# environment once and prints the CPU seconds from parsed facts to JSON bytes. The first time a directory is named it is loaded and
# compiled three times unmeasured.
require 'puppet'
require 'json'
require 'tmpdir'
tmp = Dir.mktmpdir('puppet-speed')
at_exit { FileUtils.remove_entry(tmp) }
args = %w[conf code var run log publicdir].flat_map { |d| ["--#{d}#{'dir' unless d == 'publicdir'}", "#{tmp}/#{d}"] }
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false', '--basemodulepath', '', '--environment_timeout', 'unlimited'])
Puppet::Util::Log.level = :crit
$stdout.sync = true
cpu = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
loaded = {}
while (line = $stdin.gets)
  dir = line.strip
  Puppet[:environment] = File.basename(dir) # providers of some modules ask for it
  loaded[dir] ||= begin
    name = File.basename(dir).to_sym
    envs = Puppet::Environments::Directories.new(File.dirname(dir), [])
    env = Puppet.override(environments: envs) { envs.get(name) }
    envs.define_singleton_method(:get) { |n| n.to_s == env.name.to_s ? env : super(n) }
    facts = JSON.parse(File.read(File.join(dir, 'facts.json')))
    facts = facts['values'] if facts['values'].is_a?(Hash)
    compile = lambda do
      certname = facts['fqdn'] || facts.dig('networking', 'fqdn')
      node = Puppet::Node.new(certname, environment: env, facts: Puppet::Node::Facts.new(certname, facts))
      node.merge(facts)
      trusted = Puppet::Context::TrustedInformation.new('remote', certname, {})
      Puppet.override({ current_environment: env, environments: envs, trusted_information: trusted, rich_data: true }, 'speed') do
        JSON.generate(Puppet::Parser::Compiler.compile(node).filter { |r| r.virtual? }.to_data_hash)
      end
    end
    Puppet.push_context({ environments: envs }, 'speed')
    3.times { compile.call }
    compile
  end
  GC.start
  before = cpu.call
  loaded[dir].call
  puts cpu.call - before
end
