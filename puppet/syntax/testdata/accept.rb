# Reads file names from standard input; prints PATH<TAB>ok or PATH<TAB>!error: what Puppet's parser and validator say of each.
require 'puppet'
require 'puppet/pops'
Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var'])
Puppet::Util::Log.level = :crit
manifests = Puppet::Pops::Parser::EvaluatingParser.new
templates = Puppet::Pops::Parser::EvaluatingParser::EvaluatingEppParser.new
$stdin.read.split("\n").each do |f|
  (f.end_with?('.epp') ? templates : manifests).parse_file(f)
  puts "#{f}\tok"
rescue StandardError, SystemStackError => e
  puts "#{f}\t!#{e.message.lines.first&.strip}"
end
