# Reads a JSON array of [source, dest, options] from standard input and merges each as Puppet's deep strategy does.
require 'json'
require 'puppet'
Puppet.initialize_settings(['--confdir', '/nonexistent', '--vardir', '/nonexistent'])
require 'puppet/pops'
out = JSON.parse($stdin.read).map do |source, dest, options|
  begin
    { 'value' => Puppet::Pops::MergeStrategy.strategy({ 'strategy' => 'deep' }.merge(options)).merge(source, dest) }
  rescue StandardError => e
    { 'error' => e.message }
  end
end
puts JSON.generate(out)
