# frozen_string_literal: true
#
# Answers questions about Puppet's values and types from the installed Puppet, in one process.
# Reads JSON lines on stdin, writes one JSON line per question on stdout.
#
#   {"code": "expr"}                 the value of an expression: its texts and type, or the error
#   {"assign": ["T1", "T2"]}         is T2 assignable to T1?
#   {"instance": ["T", "expr"]}      is the value of expr an instance of T?
#   {"common": ["T1", "T2"]}         the common type
#   {"describe": ["T", "expr"]}      the mismatch text of a value against a type
#   {"parse": "T"}                   the type as the type parser prints it
#   {"data": "expr"}                 the value as rich data
#   {"params": ["subject", "Struct[…]", "hash"]}   validate_parameters
#   {"call": [["Callable…", ["name", …]], …], "args": "array"}  describe_signatures
require 'json'
require 'tmpdir'
require 'puppet'

TMP = Dir.mktmpdir('puppet-oracle')
at_exit { FileUtils.remove_entry(TMP) }
args = %w[conf code var run log publicdir].flat_map { |d| ["--#{d}#{'dir' unless d == 'publicdir'}", "#{TMP}/#{d}"] }
Puppet.initialize_settings(args + ['--certname', 'oracle.invalid', '--color', 'false'])
Puppet[:strict] = :warning
Puppet::Util::Log.level = :crit

ENV_ = Puppet::Node::Environment.create(:oracle, [])
NODE = Puppet::Node.new('oracle.invalid', environment: ENV_)
include Puppet::Pops
S = Types::TypeFormatter
C = Types::StringConverter

def new_scope
  compiler = Puppet::Parser::Compiler.new(NODE)
  scope = Puppet::Parser::Scope.new(compiler)
  scope.source = Puppet::Resource::Type.new(:node, 'oracle')
  scope.parent = compiler.topscope
  scope
end

PARSER = Puppet::Pops::Parser::EvaluatingParser.new
SCOPE_COMPILER = Puppet::Parser::Compiler.new(NODE)

def evaluate(code)
  return PARSER.evaluate_string(@scope, code, '/q.pp') unless code.start_with?('type ')
  ast = PARSER.parse_string(code, '/q.pp')
  loaders = Puppet.lookup(:loaders)
  loaders.instantiate_definitions(ast, loaders.public_environment_loader)
  PARSER.evaluate(@scope, ast)
end

def text(v)
  PARSER.evaluator.string(v, @scope)
end

# Where an error happened is no part of the question.
def strip(msg)
  msg.sub(/ \((?:file: [^)]*|line: [^)]*)\)\z/m, '')
end

def answer(q)
  tp = Types::TypeParser.singleton
  tc = Types::TypeCalculator.singleton
  if q['code']
    v = evaluate(q['code'])
    { text: text(v), literal: S.string(v), inspect: (v.is_a?(Types::PAnyType) ? '' : v.inspect), type: tc.infer_set(v).to_s, infer: tc.infer(v).to_s, general: tc.infer(v).generalize.to_s,
      string: (C.convert(v) rescue "!#{$!.message}") }
  elsif q['assign']
    a, b = q['assign'].map { |s| evaluate(s) }
    { ok: a.assignable?(b) ? true : false }
  elsif q['instance']
    t, v = q['instance'].map { |s| evaluate(s) }
    { ok: t.instance?(v) ? true : false }
  elsif q['common']
    a, b = q['common'].map { |s| evaluate(s) }
    { text: tc.common_type(a, b).to_s }
  elsif q['describe']
    t, v = q['describe'].map { |s| evaluate(s) }
    { text: Types::TypeMismatchDescriber.singleton.describe_mismatch('X', t, tc.infer_set(v)) }
  elsif q['parse']
    t = tp.parse(q['parse'], Puppet.lookup(:loaders).private_environment_loader)
    { text: t.to_s, normal: t.normalize.to_s, general: t.generalize.to_s }
  elsif q['data']
    v = evaluate(q['data'])
    { data: Serialization::ToDataConverter.convert(v, rich_data: true, symbol_as_string: true, local_reference: false, type_by_reference: true) }
  elsif q['params']
    subject, t, h = q['params']
    Types::TypeMismatchDescriber.validate_parameters(subject, evaluate(t), evaluate(h))
    { text: '' }
  elsif q['call']
    sigs = q['call'].map { |t, names| Functions::Dispatch.new(evaluate(t), 'm', names, false, 'block') }
    a = tc.infer_set(evaluate(q['args']))
    { text: Types::TypeMismatchDescriber.describe_signatures('f', sigs, a).to_s }
  else
    { error: 'unknown question' }
  end
end

Puppet.override(current_environment: ENV_, loaders: Puppet::Pops::Loaders.new(ENV_), environments: Puppet::Environments::Static.new(ENV_), rich_data: true) do
  Puppet.push_context({ loaders: Puppet::Pops::Loaders.new(ENV_) }, 'oracle')
  $stdin.each_line do |line|
    q = JSON.parse(line)
    begin
      compiler = Puppet::Parser::Compiler.new(NODE)
      @scope = compiler.topscope
      r = answer(q)
    rescue StandardError, SystemStackError => e
      r = { error: strip(e.message) }
    end
    puts r.to_json
    $stdout.flush
  end
end
