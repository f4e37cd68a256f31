# Compiles nodes of one state of a real control repo and prints a line of JSON for each: digests of all attributes of all
# resources, or the error; and the calls of functions that ask the world, with what they were answered here, so that the same
# can be answered elsewhere. On standard input, JSON: {"dir": environment, "secrets": directory, "nodes": [[name, facts file]]}.
require 'puppet'
require 'json'
require 'digest'
require 'tmpdir'

# What the world answers: always the same to the same question.
module World
  def self.four(name)
    d = Digest::SHA256.digest(name.to_s).bytes
    "10.64.#{d[0]}.#{d[1] % 254 + 1}"
  end

  def self.six(name) = "2001:db8:64:1::#{Digest::SHA256.hexdigest(name.to_s)[0, 3].to_i(16).to_s(16)}"
  def self.host(name) = "h#{Digest::SHA256.hexdigest(name.to_s)[0, 6]}.example.org"

  # Files of a machine that is not this one.
  YAML_FILES = {
    'certs' => { 'wiki.example.org' => { 'url' => 'wiki.example.org', 'ca' => 'LetsEncrypt', 'disable_event' => false, 'hsts' => 'strict' },
                 'other.example.org' => { 'url' => 'other.example.org', 'ca' => 'LetsEncrypt', 'disable_event' => true, 'hsts' => 'max' } },
    'redirects' => { 'old.example.org' => { 'url' => 'old.example.org', 'redirect' => 'wiki.example.org', 'ca' => 'LetsEncrypt',
                                            'sslname' => 'wiki.example.org', 'hsts' => 'strict', 'path' => '/' } },
    'langs' => { 'metawiki' => { 'domain' => 'meta.example.org' } },
    'periodic_jobs' => { 'metawiki' => [{ 'name' => 'tidy', 'script' => 'touch', 'scriptparams' => '-start:!', 'ensure' => 'present',
                                          'interval' => '*-*-* 04:00:00', 'hour' => '4', 'minute' => '0' }] },
    'mediawiki-repos' => { 'OAuth' => { 'path' => 'extensions/OAuth', 'repo_url' => 'https://git.example.org/OAuth', 'branch' => '_branch_',
                                        'composer' => true },
                           'Vector' => { 'path' => 'skins/Vector', 'repo_url' => 'https://git.example.org/Vector', 'branch' => '_branch_' } },
  }.freeze

  def self.answer(name, args)
    case name
    when 'ipresolve'
      case (args[1] || '4').to_s
      when '6' then six(args[0])
      when 'ptr', 'PTR' then host(args[0])
      else four(args[0])
      end
    when 'dnsquery::lookup' then [four(args[0]), six(args[0])]
    when 'dnsquery::a', 'dns_a' then [four(args[0])]
    when 'dnsquery::aaaa' then [six(args[0])]
    when 'dnsquery::ptr' then [host(args[0])]
    when 'dnsquery::cname' then "c.#{args[0]}"
    when 'dnsquery::srv' then [{ 'priority' => 0, 'weight' => 1, 'port' => 2379, 'target' => 'etcd1.example.org' }]
    when 'puppetdb_query', 'query_nodes', 'query_resources', 'wmflib::puppetdb_query' then []
    when 'query_facts' then {}
    when 'wmflib::have_puppetdb' then false
    when 'secret', 'wmflib::secret'
      file = File.join($secrets.to_s, args[0].to_s)
      File.file?(file) ? File.read(file, encoding: 'utf-8').scrub('?') : "dummy secret #{args[0]}\n"
    when 'generate' then "generated #{args.join(' ')}\n"
    when 'file', 'loadyaml'
      return :ask unless args.all? { |a| a.is_a?(String) && a.start_with?('/') && !a.start_with?($dir) && !File.exist?(a) }
      name == 'file' ? "dummy content of #{args[0]}\n" : YAML_FILES.fetch(File.basename(args[0], '.yaml'), {})
    else :ask
    end
  end

  def self.plain(v)
    case v
    when String, Integer, Float, true, false, nil then v
    when Array then v.map { |x| plain(x) }
    when Hash then v.to_h { |k, x| [k.to_s, plain(x)] }
    else v.to_s
    end
  end

  def self.call(name, args)
    result = answer(name, args)
    $calls[[name, plain(args)]] = plain(result) unless result == :ask
    result
  end
end

module AskWorld
  def call_function(name, args, *rest, &block)
    r = World.call(name.to_s, args)
    r == :ask ? super : r
  end
end
Puppet::Pops::Evaluator::Runtime3Support.prepend(AskWorld)
Puppet::Pops::Evaluator::EvaluatorImpl.prepend(AskWorld)
Puppet::Parser::Scope.prepend(AskWorld)
Puppet::Pops::Functions::Function.prepend(Module.new do
  def internal_call_function(scope, name, args, &block)
    r = World.call(name.to_s, args)
    r == :ask ? super : r
  end
end)

RELATIONS = %w[before require notify subscribe].freeze
def digest(attribute, value)
  value = Array(value).map(&:to_s).sort.uniq if RELATIONS.include?(attribute) && !value.is_a?(Hash)
  Digest::SHA256.hexdigest(JSON.generate(value))[0, 16]
end

question = JSON.parse($stdin.read)
$dir, $secrets = question['dir'], question['secrets']
tmp = Dir.mktmpdir('puppet-history')
at_exit { FileUtils.remove_entry(tmp) }
args = %w[conf code var run log publicdir].flat_map { |d| ["--#{d}#{'dir' unless d == 'publicdir'}", "#{tmp}/#{d}"] }
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false', '--basemodulepath', '', '--environment_timeout', 'unlimited'])
Puppet::Util::Log.level = :crit
Puppet[:environment] = File.basename($dir)
SERVER = { 'serverversion' => Puppet.version, 'servername' => 'puppet.example.com', 'serverip' => '192.0.2.1' }.freeze
envs = Puppet::Environments::Directories.new(File.dirname($dir), [])
env = Puppet.override(environments: envs) { envs.get(File.basename($dir)) }
envs.define_singleton_method(:get) { |n| n.to_s == env.name.to_s ? env : super(n) }
question['nodes'].each do |certname, file|
  $calls = {}
  answer = { 'node' => certname }
  begin
    facts = JSON.parse(File.read(file))
    node = Puppet::Node.new(certname, environment: env, facts: Puppet::Node::Facts.new(certname, facts))
    node.merge(facts)
    node.add_server_facts(SERVER)
    trusted = Puppet::Context::TrustedInformation.new('remote', certname, {})
    Puppet.override({ current_environment: env, environments: envs, trusted_information: trusted, rich_data: true }, 'history') do
      data = Puppet::Parser::Compiler.compile(node).filter { |r| r.virtual? }.to_data_hash
      answer['resources'] = data['resources'].to_h do |r|
        ["#{r['type']}[#{r['title']}]", (r['parameters'] || {}).to_h { |k, v| [k, digest(k, v)] }]
      end
    end
  rescue StandardError, ScriptError, SystemStackError => e
    answer['error'] = e.message.dup.force_encoding('UTF-8').scrub
  end
  answer['calls'] = $calls.map { |(name, args), result| { 'function' => name, 'arguments' => args, 'result' => result } }
  puts JSON.generate(answer)
  $stdout.flush
end
