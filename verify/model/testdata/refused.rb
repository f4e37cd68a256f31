# Lets Puppet make resources, given as [type, title, attributes], and prints for each what it says against it.
require 'json'
require 'puppet'
$LOAD_PATH.unshift(*Dir['/usr/share/puppet/modules/mount_core/lib'])
Puppet.initialize_settings(['--confdir', '/nonexistent', '--vardir', '/nonexistent'])
JSON.parse(STDIN.read).each do |type, title, params|
  said = begin
    Puppet::Type.type(type.downcase.to_sym).new(Puppet::Resource.new(type, title, parameters: params.transform_keys(&:to_sym)))
    ''
  rescue StandardError => e
    e.message
  end
  puts JSON.generate(said)
end
