# Reads lines, each a manifest as a JSON string, and prints for each the catalog that Puppet compiles (version 0, no UUID, files without
# their folder), or {"error": text}. With --pretty as first argument the catalogs are printed by JSON.pretty_generate, in a JSON string.
require 'puppet'
require 'json'
require 'tmpdir'
TMP = Dir.mktmpdir('bunraku-catalog')
at_exit { FileUtils.remove_entry(TMP) }
Puppet.initialize_settings(%w[conf code var run log].flat_map { |d| ["--#{d}dir", "#{TMP}/#{d}"] } + ['--certname', 'oracle.invalid'])
Puppet::Util::Log.level = :crit
cores = Dir['/usr/share/puppet/modules/*_core'].sort
cores.each { |m| $LOAD_PATH.unshift("#{m}/lib") }
Dir.mkdir("#{TMP}/site")
$stdin.each_line do |line|
  manifest = "#{TMP}/site/site.pp"
  File.write(manifest, JSON.parse(line, quirks_mode: true))
  begin
    env = Puppet::Node::Environment.create(:production, [], manifest)
    node = Puppet::Node.new('n.example.com', environment: env, facts: Puppet::Node::Facts.new('n.example.com', {}))
    trusted = Puppet::Context::TrustedInformation.new('remote', 'n.example.com', {})
    data = Puppet.override({ environments: Puppet::Environments::Static.new(env), current_environment: env, trusted_information: trusted, rich_data: true }, 'oracle') do
      Puppet::Parser::Compiler.compile(node).filter(&:virtual?).to_data_hash
    end
    data.delete('catalog_uuid')
    data['version'] = 0
    data['resources'].each { |r| r['file'] = r['file'].sub("#{TMP}/site/", '') if r['file'] }
    puts ARGV[0] == '--pretty' ? JSON.generate(JSON.pretty_generate(data)) : JSON.generate(data)
  rescue StandardError, ScriptError => e
    puts JSON.generate(error: e.message.gsub("#{TMP}/site/", ''))
  end
end
