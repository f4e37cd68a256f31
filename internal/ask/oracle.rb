#!/usr/bin/env ruby
# frozen_string_literal: true
#
# Asks the installed Puppet what calls of its functions answer: many in ONE Ruby process.
#
#   ruby oracle.rb ENVIRONMENT_DIR FACTS_FILE <questions
#
# A question is a JSON line. {"expr": CODE} evaluates an expression in a compile that is kept for all of them; {"manifest": CODE}
# compiles CODE by itself. An answer is a JSON line: {"value"} in the notation of render below, or {"resources"} for a manifest,
# or {"error"} without file and line; and what was logged: {"logs": [[level, text]]}.

require 'json'
require 'timeout'
require 'tmpdir'
require 'puppet'

module Puppet::Test
  class LogCollector
    def initialize(to) = @to = to
    def <<(msg) = @to << msg
  end
end

TMP = Dir.mktmpdir('puppet-oracle')
at_exit { FileUtils.remove_entry(TMP) }
ENV['TZ'] = 'UTC'
Puppet.initialize_settings(%w[conf code var run log].flat_map { |d| ["--#{d}dir", "#{TMP}/#{d}"] } +
  ['--publicdir', "#{TMP}/public", '--certname', 'oracle.invalid', '--color', 'false', '--environment_timeout', 'unlimited'])
Puppet[:log_level] = 'debug'
LOGS = []
Puppet::Util::Log.newdestination(Puppet::Test::LogCollector.new(LOGS))

DIR = File.expand_path(ARGV[0])
NODE = 'n1.example.com'
FACTS = JSON.parse(File.read(ARGV[1])).freeze

def overrides
  Puppet[:environmentpath] = File.dirname(DIR)
  envs = Puppet::Environments::Directories.new(File.dirname(DIR), [])
  env = Puppet.override(environments: envs) { envs.get(File.basename(DIR)) }
  envs.define_singleton_method(:get) { |n| n.to_s == env.name.to_s ? env : super(n) }
  [env, { environments: envs, current_environment: env, rich_data: true,
          trusted_information: Puppet::Context::TrustedInformation.new('remote', NODE, {}) }]
end

def node(env)
  n = Puppet::Node.new(NODE, environment: env, facts: Puppet::Node::Facts.new(NODE, FACTS.dup))
  n.merge(FACTS)
  n
end

# render writes a value so that every difference shows: 1, 1.0, "a", undef, default, [..], {k => v}, Sensitive(..), Regexp(..), Type(..)
def render(v)
  case v
  when nil then 'undef'
  when :undef then ':undef'
  when :default then 'default'
  when Integer
    # Puppet notices only when the number gets into a catalog; we have no such numbers at all.
    if v > Puppet::Pops::MAX_INTEGER || v < Puppet::Pops::MIN_INTEGER
      raise "Evaluation Error: Error while evaluating a Function Call, Use of a Ruby Integer outside of Puppet Integer #{v.positive? ? 'max' : 'min'} range, got '0x#{v.to_s(16)}'"
    end
    v.to_s
  when true, false, Float then v.to_s
  when String
    return "Bytes(#{v.unpack1('H*')})" unless v.dup.force_encoding('UTF-8').valid_encoding?
    JSON.generate(v.dup.force_encoding('UTF-8').gsub(File.dirname(DIR), ''))
  when Array then "[#{v.map { |x| render(x) }.join(', ')}]"
  when Hash then "{#{v.map { |k, x| "#{render(k)} => #{render(x)}" }.join(', ')}}"
  when Regexp then "Regexp(#{v.source})"
  when Puppet::Pops::Types::PSensitiveType::Sensitive then "Sensitive(#{render(v.unwrap)})"
  when Puppet::Pops::Types::PAnyType then "Type(#{v})"
  when Puppet::Pops::Types::Iterable then "#{v} of #{render(v.to_a)}"
  when Puppet::Resource then "Type(#{v.type == "Class" ? Puppet::Pops::Types::TypeFactory.host_class(v.title.downcase) : Puppet::Pops::Types::TypeFactory.resource(v.type, v.title)})"
  when Puppet::Pops::Types::PBinaryType::Binary then "Binary(#{v})"
  when URI::Generic then "URI(#{v})"
  when Puppet::Pops::Types::PuppetObject then "#{v._pcore_type.name}(#{v})"
  else "#{v.class.name.split('::').last}(#{v})"
  end
end

LOCATION = / \((?:file|line): [^()]*\)(?: on node \S+)?\z/.freeze

def fault(e)
  m = e.message.dup
  m = m.force_encoding('UTF-8').scrub
  { error: m.sub(LOCATION, '').gsub(/#{Regexp.escape(File.dirname(DIR))}/, '').gsub(/(#<[\w:]+):0x\h+/, '\1') }
end

def logs = { logs: LOGS.reject { |l| %i[debug info].include?(l.level) && l.source.to_s !~ /Scope/ }.map { |l| [l.level.to_s, l.message.to_s.sub(LOCATION, '')] } }

def manifest(code)
  LOGS.clear
  env, ov = overrides
  Puppet.override(ov, 'oracle') do
    Puppet[:code] = code
    cat = Puppet::Parser::Compiler.compile(node(env))
    cat = cat.to_data_hash['resources'].reject { |r| %w[Stage[main] Class[Settings]].include?("#{r['type']}[#{r['title']}]") }
    { resources: cat.map { |r| { ref: "#{r['type']}[#{r['title']}]", tags: r['tags'].sort, parameters: r['parameters'] || {}, exported: r['exported'] } } }.merge(logs)
  end
rescue SystemStackError, StandardError, ScriptError => e
  fault(e).merge(logs)
ensure
  Puppet[:code] = ''
end

def questions
  $stdin.each_line { |l| yield JSON.parse(l) }
end

ENVIRONMENT, OVERRIDES = overrides
$count = 0
Puppet.override(OVERRIDES, 'oracle') do
  compiler = Puppet::Parser::Compiler.new(node(ENVIRONMENT))
  compiler.compile
  scope = compiler.topscope
  parser = Puppet::Pops::Parser::EvaluatingParser.new
  # The compile is over and has put its loaders away.
  Puppet.override({ loaders: compiler.loaders }.merge(compiler.context_overrides), 'oracle') do
    questions do |q|
      if q['manifest']
        a = manifest(q['manifest'])
      else
        LOGS.clear
        a = begin
          $count += 1
          v = Timeout.timeout(5) do
            scope.with_guarded_scope do
              scope.new_ephemeral(true)
              # function_NAME(…) is the 3.x function as templates call it, with arguments as they are
              if (m = /\Afunction_(\w+)\((.*)\)\z/m.match(q['expr']))
                scope.send("function_#{m[1]}", parser.evaluate_string(scope, "$oracle_#{$count} = [#{m[2]}]", ''))
              else
                parser.evaluate_string(scope, "$oracle_#{$count} = #{q['expr']}", '')
              end
            end
          end
          { value: render(v) }.merge(logs)
        rescue SystemStackError, StandardError, ScriptError, UncaughtThrowError, SecurityError => e
          fault(e).merge(logs)
        end
      end
      puts JSON.generate(a)
    end
  end
end
