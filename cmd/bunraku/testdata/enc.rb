# enc.rb: what a Puppet makes of nodes that an external classifier knows, all in one process. Standard input is a JSON array of
# {"dir": a directory with environments/ and enc, a program, "facts", "extensions"}; the answer is one line of JSON per case:
# {"catalog": as on the wire, "warnings": […]}, or {"error": …}. The node is found as a server finds it: by the terminus exec.
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

TMP = Dir.mktmpdir('puppet-enc')
at_exit { FileUtils.remove_entry(TMP) }
args = %w[conf code var run log].flat_map { |d| ["--#{d}dir", "#{TMP}/#{d}"] } + ['--publicdir', "#{TMP}/public"]
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false', '--environment_timeout', '0'])
LOGS = []
Puppet::Util::Log.newdestination(Puppet::Test::LogCollector.new(LOGS))
SERVER = { 'serverversion' => Puppet.version, 'servername' => 'bunraku', 'serverip' => '127.0.0.1' }.freeze
NODE = 'web1.example.com'

# $settings::… is no part of the comparison.
class Puppet::Parser::Scope
  def merge_settings(*) = nil
end

def compile(c)
  Puppet[:node_terminus] = 'exec'
  Puppet[:environmentpath] = "#{c['dir']}/environments"
  Puppet[:external_nodes] = "#{c['dir']}/enc"
  envs = Puppet::Environments::Directories.new("#{c['dir']}/environments", [])
  env = Puppet.override(environments: envs) { envs.get('production') }
  trusted = Puppet::Context::TrustedInformation.new('remote', NODE, c['extensions'])
  Puppet.override(environments: envs, current_environment: env, trusted_information: trusted, rich_data: true) do
    facts = Puppet::Node::Facts.new(NODE, c['facts'])
    node = Puppet::Node.indirection.find(NODE, environment: env, facts: facts)
    raise ArgumentError, "Could not find node '#{NODE}'; cannot compile" unless node
    node.add_server_facts(SERVER)
    { catalog: Puppet::Parser::Compiler.compile(node).to_data_hash }
  end
rescue SystemStackError, StandardError, ScriptError => e
  { error: e.message }
end

Puppet::Node.indirection.terminus_class = :exec
JSON.parse($stdin.read).each do |c|
  LOGS.clear
  Puppet::Util::Warnings.clear_warnings
  Puppet::Util::Log.level = :notice
  Puppet[:strict] = :warning
  answer = compile(c)
  answer[:warnings] = LOGS.select { |l| l.level == :warning }.map { |l| l.message.to_s }
  text = begin
    JSON.generate(answer)
  rescue JSON::GeneratorError, EncodingError => e # no catalog on the wire
    JSON.generate(error: e.message.scrub('?'))
  end
  puts text.gsub("#{c['dir']}/", '').gsub(c['dir'], '')
end
