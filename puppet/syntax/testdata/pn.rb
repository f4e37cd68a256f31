# Prints a line for each file: PATH<TAB>PN of Puppet's own parser, or PATH<TAB>!ERROR. Templates (.epp) go through the EPP parser; --validate adds
# Puppet's validator. File names come on standard input when none are given.
require 'puppet'
require 'puppet/pops'
require 'puppet/pops/pn'
require 'puppet/pops/model/pn_transformer'
Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var'])
Puppet::Util::Log.level = :crit
validate = ARGV.delete('--validate')
P = Puppet::Pops::Parser
pp, epp = validate ? [P::EvaluatingParser.new, P::EvaluatingParser::EvaluatingEppParser.new] : [P::Parser.new, P::EppParser.new]
(ARGV.empty? ? $stdin.read.split("\n") : ARGV).each do |f|
  begin
    raise "no such file" unless File.file?(f)
    m = (f.end_with?('.epp') ? epp : pp).parse_file(f)
    puts "#{f}\t#{Puppet::Pops::Model::PNTransformer.transform(m)}"
  rescue StandardError => e
    puts "#{f}\t!#{e.message.lines.first&.strip}"
  end
end
