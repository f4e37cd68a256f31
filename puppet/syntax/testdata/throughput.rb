# Reads file names up to an empty line, then parses and validates all of them once for every further line, printing the CPU seconds.
require 'puppet'
require 'puppet/pops'
Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var'])
Puppet::Util::Log.level = :crit
$stdout.sync = true
names = []
while (line = $stdin.gets) && !line.strip.empty?
  names << line.strip
end
texts = names.map { |n| [n, File.read(n, encoding: 'utf-8')] }
parser = Puppet::Pops::Parser::EvaluatingParser.new
while $stdin.gets
  before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
  texts.each { |n, t| parser.parse_string(t, n) }
  puts Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before
end
