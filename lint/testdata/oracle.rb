# Asks puppet-lint about manifests, for the tests of package lint: ruby --disable-gems -I LIB oracle.rb PLUGIN...
# The standard input has one request a line, as JSON: {"path": …, "code": …, "args": [options]}; without "code" the file
# is read. The answer to each is one line: {"found": [[check, kind, line, column, message, reason]…], "crash": …,
# "fixed": …}. Nothing is kept from one to the next, which puppet-lint itself does not take care of.
require 'rbconfig'
require 'json'
require 'stringio'
require 'set'
require 'puppet-lint'
ARGV.each { |dir| Dir["#{dir}/lib/puppet-lint/plugins/**/*.rb"].sort.each { |file| load(file) } }

OFF = PuppetLint.configuration.checks.reject { |c| PuppetLint.configuration.send(:"#{c}_enabled?") }

def ask(request)
  PuppetLint.configuration.defaults
  OFF.each { |c| PuppetLint.configuration.send(:"disable_#{c}") }
  args = ['--no-config'] + (request['args'] || [])
  PuppetLint::OptParser.build(args)
  PuppetLint::Lexer.heredoc_queue.clear
  PuppetLint::Data.ignore_overrides.each_value(&:clear)
  lint = PuppetLint.new
  if request['code']
    lint.code = request['code']
    lint.instance_variable_set(:@path, request['path'])
  else
    lint.file = request['path']
  end
  was = [$stdout, $stderr]
  $stdout = StringIO.new
  $stderr = StringIO.new
  begin
    lint.run
    found = lint.problems.map { |p| [p[:check], p[:kind], p[:line], p[:column], p[:message], p[:reason]] }
    answer = { found: found.uniq }
    answer[:fixed] = lint.manifest if PuppetLint.configuration.fix
    answer
  rescue SystemExit
    lines = $stdout.string.lines
    at = lines.index("error:\n")
    { found: [], crash: at ? lines[at + 2].strip : 'exit' }
  rescue StandardError => e
    { found: [], crash: "#{e.class}: #{e.message}" }
  ensure
    $stdout, $stderr = was
  end
end

$stdout.sync = true
$stdin.each_line { |line| puts JSON.generate(ask(JSON.parse(line))) }
