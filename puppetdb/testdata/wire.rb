# wire.rb: what Puppet's terminus of PuppetDB sends.
#
#   ruby wire.rb catalogs <environments    ruby wire.rb reports <reports
#
# Standard input of catalogs is a JSON array of {"dir": an environment, "nodes": {name: facts}}; the answer is one line for each:
# {name: {"payload": of replace catalog, "catalog": what the agent gets} or {"error"}}. That of reports is a JSON array of reports as agents send
# them; the answer is one payload of store report a line. With apply, standard input is a JSON array of manifests, each of which is applied in
# a directory of its own, and the answer is the report of each.
require 'json'
require 'tmpdir'
require 'puppet'

TMP = Dir.mktmpdir('puppet-wire')
at_exit { FileUtils.remove_entry(TMP) }
args = %w[conf code var run log].flat_map { |d| ["--#{d}dir", "#{TMP}/#{d}"] } + ['--publicdir', "#{TMP}/public"]
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false', '--environment_timeout', '0'])
Puppet::Util::Log.level = :crit
require 'puppet/util/puppetdb'
require 'puppet/indirector/catalog/puppetdb'

class Puppet::Parser::Scope
  def merge_settings(*) = nil
end

require 'puppet/indirector/resource/puppetdb'

# Nobody else exports anything.
class Puppet::Resource::Puppetdb
  def search(_request) = []
end

def catalogs(sites)
  Puppet[:storeconfigs] = true
  Puppet::Resource.indirection.terminus_class = :puppetdb
  munger = Puppet::Resource::Catalog::Puppetdb.new
  sites.each do |site|
    dir = site['dir']
    Puppet[:environmentpath] = File.dirname(dir)
    envs = Puppet::Environments::Directories.new(File.dirname(dir), [])
    out = site['nodes'].to_h do |name, facts|
      env = Puppet.override(environments: envs) { envs.get(File.basename(dir)) }
      trusted = Puppet::Context::TrustedInformation.new('remote', name, {})
      said = Puppet.override(environments: envs, current_environment: env, trusted_information: trusted, rich_data: true) do
        f = Puppet::Node::Facts.new(name, facts)
        f.sanitize
        node = Puppet::Node.new(name, environment: env, facts: f)
        node.merge(f.values)
        node.add_server_facts({ 'serverversion' => Puppet.version, 'servername' => 'bunraku', 'serverip' => '127.0.0.1' })
        catalog = Puppet::Parser::Compiler.compile(node)
        data, = munger.munge_catalog(catalog, Time.now, { transaction_uuid: 'u', job_id: nil, environment: 'production' })
        { payload: data }
      rescue SystemStackError, StandardError, ScriptError => e
        { error: e.message }
      end
      [name, said]
    end
    puts JSON.generate(out).gsub("#{dir}/", '')
  end
end

def reports(texts)
  Puppet::Reports.report(:puppetdb)
  Puppet[:node_name_value] = 'oracle.invalid'
  texts.each do |data|
    report = Puppet::Transaction::Report.from_data_hash(data)
    report.extend(Puppet::Reports.report(:puppetdb))
    def report.config = Struct.new(:include_unchanged_resources?).new(false)
    puts JSON.generate(report.report_to_hash(Time.at(0).utc))
  end
end

def apply(manifests)
  manifests.each_with_index do |text, i|
    dir = "#{TMP}/#{i}"
    Dir.mkdir(dir)
    File.write("#{dir}/site.pp", text.gsub('DIR', dir))
    flags = text.lines.first[/\A# (.*)/, 1].to_s.split
    system('puppet', 'apply', '--confdir', "#{dir}/c", '--vardir', "#{dir}/v", '--publicdir', "#{dir}/p", '--logdest', "#{dir}/log",
           '--report', '--reports', 'store', '--lastrunreport', "#{dir}/last.yaml", *flags, "#{dir}/site.pp", out: File::NULL, err: File::NULL)
    report = Puppet::Util::Yaml.safe_load_file("#{dir}/last.yaml", [Puppet::Transaction::Report, Puppet::Util::Log, Puppet::Util::Metric,
                                                                    Puppet::Resource::Status, Puppet::Transaction::Event, Symbol, Time])
    puts JSON.generate(report.to_data_hash)
  end
end

send(ARGV[0], JSON.parse($stdin.read))
