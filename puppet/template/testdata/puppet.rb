# Compiles each manifest of a JSON list with the installed Puppet, in the environment beside this file, and prints a JSON list of the
# messages of its notifies, or the error.
require 'json'; require 'tmpdir'; require 'puppet'
TMP = Dir.mktmpdir('puppet-oracle')
at_exit { FileUtils.remove_entry(TMP) }
Puppet.initialize_settings(%w[conf code var run log].flat_map { |d| ["--#{d}dir", "#{TMP}/#{d}"] } + ['--publicdir', "#{TMP}/public", '--certname', 'oracle.invalid', '--color', 'false', '--environment_timeout', 'unlimited'])
DIR = File.expand_path('production', __dir__)
NODE = 'n1.example.com'
FACTS = { 'os' => { 'family' => 'Debian', 'release' => { 'major' => '12' } }, 'processors' => { 'count' => 4 } }.freeze
out = JSON.parse($stdin.read).map do |code|
  Puppet[:environmentpath] = File.dirname(DIR)
  envs = Puppet::Environments::Directories.new(File.dirname(DIR), [])
  env = Puppet.override(environments: envs) { envs.get('production') }.override_with(manifest: 'no-manifest')
  Puppet[:code] = code
  begin
    Puppet.override(environments: envs, current_environment: env, trusted_information: Puppet::Context::TrustedInformation.new('remote', NODE, {})) do
      n = Puppet::Node.new(NODE, environment: env, facts: Puppet::Node::Facts.new(NODE, FACTS.dup))
      n.merge(FACTS)
      cat = Puppet::Parser::Compiler.compile(n, 'x')
      { messages: cat.resources.select { |r| r.type == 'Notify' }.map { |r| r[:message].to_s } }
    end
  rescue => e
    msg = e.message
    msg = e.original.original_message if e.respond_to?(:original) && e.original.respond_to?(:original_message) && false
    { error: msg.gsub(DIR, '/production').gsub(/0x[0-9a-f]{8,}/, '0x0').sub(/\nDid you mean\?.*?\n/m, "\n") }
  end
end
puts JSON.pretty_generate(out)
