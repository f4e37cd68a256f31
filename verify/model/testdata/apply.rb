# Reads lines: the path of a catalog in JSON. Applies each catalog twice and prints one line of JSON per catalog:
# {first: {failed: bool, changed: [ref]}, second: {…}} or {error: text}. The directory that all catalogs work in is the first argument;
# a copy of what the first run leaves is made beside the catalog.
require 'puppet'
require 'json'
require 'fileutils'
state = ARGV[0]
Puppet.initialize_settings(['--confdir', "#{state}/conf", '--vardir', "#{state}/var", '--certname', 'oracle.invalid'])
Puppet::Util::Log.level = :crit
Dir['/usr/share/puppet/modules/{*_core,stdlib,mailalias}/lib'].sort.each { |l| $LOAD_PATH.unshift(l) }
env = Puppet::Node::Environment.create(:oracle, [])
Puppet.push_context(current_environment: env, loaders: Puppet::Pops::Loaders.new(env))
run = lambda do |data|
  catalog = Puppet::Resource::Catalog.from_data_hash(data).to_ral
  catalog.host_config = false
  catalog.finalize
  statuses = catalog.apply.report.resource_statuses.values
  # What is generated for a file below a directory is the directory's doing.
  { failed: statuses.any? { |s| s.failed || s.skipped && !s.events.empty? || s.failed_to_restart },
    changed: statuses.select(&:changed).map(&:resource) }
end
$stdin.each_line(chomp: true) do |path|
  begin
    data = JSON.parse(File.read(path))
    first = run[data]
    FileUtils.cp_r("#{File.dirname(path)}/tree", "#{File.dirname(path)}/after", preserve: false) rescue nil
    puts JSON.generate(first: first, second: run[data])
  rescue StandardError, ScriptError => e
    puts JSON.generate(error: e.message.lines.first.to_s)
  end
end
