# Asks real Puppet what it thinks of manifests and templates: parser, then static validator, with default settings.
#
#   ruby oracle.rb [--tasks] [--modulepath DIR[:DIR]] [--manifest PATH] [FILE…]     (file names on stdin when none are given)
#
# A name of the form DIR:FILE is asked for from within DIR; the switches are relative to it as well.
# Prints one JSON object per file: {"file": …, "issues": [{"severity", "code", "line", "pos", "message"}]}.
# severity is Puppet's error, warning or deprecation, or
#   parse   the parser refused; nothing was validated
#   raise   the validator itself stopped with an exception (Puppet does so for a heredoc with bad syntax); later issues are unknown
require 'json'
require 'puppet'
require 'puppet/pops'

def option(name)
  i = ARGV.index(name) or return nil
  ARGV.delete_at(i)
  ARGV.delete_at(i)
end

tasks = ARGV.delete('--tasks')
modulepath = (option('--modulepath') || '').split(':')
manifest = option('--manifest')

Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var'])
Puppet::Util::Log.level = :crit
Puppet[:tasks] = true if tasks

def environment(modulepath, manifest)
  Puppet::Node::Environment.create(:oracle, modulepath.map { |d| File.expand_path(d) },
                                   manifest ? File.expand_path(manifest) : Puppet::Node::Environment::NO_MANIFEST)
end

def issue(severity, code, line, pos, message)
  { severity: severity, code: code.to_s, line: line, pos: pos, message: message.to_s.lines.map(&:strip).join(' ') }
end

def thrown(severity, e)
  code = e.respond_to?(:issue_code) && e.issue_code
  line, pos = e.respond_to?(:line) ? [e.line, e.pos] : [nil, nil]
  issue(severity, code || e.class.name, line, pos, e.respond_to?(:basic_message) ? e.basic_message : e.message)
end

def ask(file)
  parser = file.end_with?('.epp') ? Puppet::Pops::Parser::EppParser.new : Puppet::Pops::Parser::Parser.new
  begin
    program = parser.parse_string(File.read(file, encoding: 'utf-8'), file).model
  rescue StandardError => e
    return [thrown('parse', e)]
  end
  acceptor = Puppet::Pops::Validation::Acceptor.new
  stop = nil
  begin
    Puppet::Pops::Validation::ValidatorFactory_4_0.new.validator(acceptor).validate(program)
  rescue StandardError => e
    stop = thrown('raise', e)
  end
  formatter = Puppet::Pops::Validation::DiagnosticFormatter.new
  found = acceptor.diagnostics.map do |d|
    issue(d.severity, d.issue.issue_code, d.source_pos&.line, d.source_pos&.pos, formatter.format_message(d))
  end
  (found + [stop]).compact
end

environments = {}
(ARGV.empty? ? $stdin.read.split("\n") : ARGV).each do |name|
  dir, file = name.include?(':') ? name.split(':', 2) : ['.', name]
  Dir.chdir(dir) do
    environments[dir] ||= environment(modulepath, manifest)
    Puppet.override(current_environment: environments[dir]) do
      puts JSON.generate(file: name, issues: ask(file))
    end
  end
end
