# exchange.rb: what a Puppet makes of sites whose nodes export resources to each other, through a real PuppetDB.
#
#   ruby exchange.rb URL [keep] <sites
#
# Standard input is a JSON array of {"dir": an environment, "nodes": {name: facts}, "together": bool}. Every node is compiled in the order of
# names and its catalog is stored, at once or, with "together", when all nodes of the round are compiled, so that no node comes first; round
# after round, until no catalog changes, five rounds at most. The answer is one line of JSON per site:
# {"rounds", "nodes": {name: {"catalog": as on the wire} or {"error"}}}. Catalogs are made, and queries are asked, by Puppet's own terminus;
# only its connection is replaced, by one in the clear, and a command is waited for.
require 'json'
require 'net/http'
require 'tmpdir'
require 'puppet'

URL = ARGV[0]
TMP = Dir.mktmpdir('puppet-exchange')
at_exit { FileUtils.remove_entry(TMP) }
args = %w[conf code var run log].flat_map { |d| ["--#{d}dir", "#{TMP}/#{d}"] } + ['--publicdir', "#{TMP}/public"]
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false', '--environment_timeout', '0'])
Puppet::Util::Log.level = :crit
require 'puppet/util/puppetdb'
require 'puppet/indirector/catalog/puppetdb'
Puppet[:storeconfigs] = true
Puppet::Resource.indirection.terminus_class = :puppetdb
SERVER = { 'serverversion' => Puppet.version, 'servername' => 'bunraku', 'serverip' => '127.0.0.1' }.freeze

class Puppet::Parser::Scope
  def merge_settings(*) = nil
end

module Puppet::Util::Puppetdb
  class Http
    def self.action(path, _kind)
      yield Puppet.runtime[:http], URI(URL + path), nil
    end
  end
end

def command(name, version, certname, payload)
  time = Time.now.utc.iso8601(3)
  uri = URI("#{URL}/pdb/cmd/v1?#{URI.encode_www_form(command: name, version: version, certname: certname, 'producer-timestamp': time, secondsToWaitForCompletion: 60)}")
  answer = Net::HTTP.post(uri, payload, 'Content-Type' => 'application/json')
  raise "#{answer.code} #{answer.body}" unless answer.code == '200'
  said = JSON.parse(answer.body)
  raise "PuppetDB did not take it: #{answer.body}" if said['exception'] || said['timed_out']
end

MUNGER = Puppet::Resource::Catalog::Puppetdb.new

def compile(env, envs, name, facts)
  trusted = Puppet::Context::TrustedInformation.new('remote', name, {})
  Puppet.override(environments: envs, current_environment: env, trusted_information: trusted, rich_data: true) do
    f = Puppet::Node::Facts.new(name, JSON.parse(JSON.generate(facts)))
    f.sanitize
    node = Puppet::Node.new(name, environment: env, facts: f)
    node.merge(f.values)
    node.add_server_facts(SERVER)
    catalog = Puppet::Parser::Compiler.compile(node)
    data, = MUNGER.munge_catalog(catalog, Time.now, { transaction_uuid: nil, job_id: nil, environment: 'production' })
    store = JSON.generate(data)
    # what agents get
    [{ catalog: catalog.filter { |r| r.virtual? }.to_data_hash }, store]
  end
rescue SystemStackError, StandardError, ScriptError => e
  [{ error: e.message }, nil]
end

def forget(name)
  command('deactivate node', 3, name, JSON.generate({ certname: name, producer_timestamp: Time.now.utc.iso8601(3) }))
end

# what others have left there
JSON.parse(Net::HTTP.get(URI("#{URL}/pdb/query/v4/nodes"))).each { |n| forget(n['certname']) }

JSON.parse($stdin.read).each do |site|
  dir = site['dir']
  Puppet[:strict] = :warning
  envs = Puppet::Environments::Directories.new(File.dirname(dir), [])
  Puppet[:environmentpath] = File.dirname(dir)
  last = nil
  rounds = 0
  loop do
    rounds += 1
    now = {}
    waiting = {}
    store = ->(name, text) { command('replace catalog', 9, name, text) }
    site['nodes'].keys.sort.each do |name|
      env = Puppet.override(environments: envs) { envs.get(File.basename(dir)) }
      now[name], text = compile(env, envs, name, site['nodes'][name])
      next unless text
      site['together'] ? waiting[name] = text : store.(name, text)
    end
    waiting.each { |name, text| store.(name, text) }
    text = JSON.generate(now).gsub(/"version":\d+/, '"version":0').gsub(/"catalog_uuid":"[^"]*",/, '')
    break puts(%({"rounds":#{rounds},"nodes":#{text}}).gsub("#{dir}/", '')) if text == last || rounds == 5
    last = text
  end
  site['nodes'].each_key { |name| forget(name) } unless ARGV[1] == 'keep'
end
