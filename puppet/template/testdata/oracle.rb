# Renders ERB templates as Puppet does, with a small scope of its own. Input: a JSON list of {"file" or "text", "vars"}; output: a JSON
# list of {"text"} or {"error", "line"}.
require 'erb'; require 'json'; require 'yaml'; require 'set'; require 'shellwords'; require 'base64'; require 'digest'; require 'ipaddr'; require 'cgi'; require 'uri'; require 'time'; require 'securerandom'

module Puppet
  class Error < RuntimeError; end
  class ParseError < Error; end
  module Parser
    class Scope
      def initialize(vars); @vars = vars; end
      def lookupvar(name, _ = {})
        raise Puppet::ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string" unless name.is_a?(String)
        @vars[name.sub(/\A::/, '')]
      end
      def [](name, _ = {}) lookupvar(name) end
      def include?(name) !self[name].nil? end
      def exist?(name) @vars.key?(name.sub(/\A::/, '')) end
      def to_hash(_ = true, undef_too = false) undef_too ? @vars.dup : @vars.reject { |_, v| v.nil? } end
      def setvar(name, value, _ = {})
        raise Puppet::ParseError, "Cannot reassign variable '$#{name}'" if @vars.key?(name)
        @vars[name] = value
      end
      def to_s; 'Scope(Class[main])'; end
      def inspect; to_s; end
      def call_function(name, args) call(name, *args) end
      def catalog; Struct.new(:classes, :tags).new(%w[settings main], %w[settings main]); end
      def call(name, *args)
        case name
        when 'versioncmp' then Gem::Version.correct?(args[0].to_s) && Gem::Version.correct?(args[1].to_s) ? Gem::Version.new(args[0].to_s) <=> Gem::Version.new(args[1].to_s) : (args[0].to_s <=> args[1].to_s)
        when 'fail' then raise Puppet::ParseError, args.join(' ')
        when 'warning', 'notice', 'debug', 'info', 'err' then nil
        when 'stdlib::has_interface_with' then false
        else "#{name}#{args.inspect}"
        end
      end
      def method_missing(m, *args)
        return super unless m.to_s =~ /\Afunction_(.*)/
        name = $1
        raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. For example, function_example([1]) instead of function_example(1)' unless args.length == 1 && args[0].is_a?(Array)
        call(name, *args[0])
      end
      def respond_to_missing?(m, p = false) m.to_s.start_with?('function_') || super end
    end
    class TemplateWrapper
      def initialize(scope, file) @__scope__ = scope; @__file__ = file; end
      def scope; @__scope__; end
      def file; @__file__; end
      def has_variable?(name) scope.include?(name.to_s) end
      def classes; scope.catalog.classes; end
      def all_tags; scope.catalog.tags; end
      def tags; raise NotImplementedError, "Call 'all_tags' instead."; end
      %w[debug info notice warning err alert emerg crit].each { |l| define_method(l) { |_| nil } }
      def result(string)
        scope.to_hash.each { |name, value| instance_variable_set("@#{name.gsub(/[^\w]/, '_')}", value) }
        t = ERB.new(string, trim_mode: '-')
        t.filename = @__file__
        t.result(binding)
      end
      def to_s; "template[#{@__file__ || 'inline'}]"; end
      def inspect; to_s; end
    end
  end
end
# What JSON has no form for stands as {"\u0000": [kind, value]}.
def odd(v)
  case v
  when Array then v.map { |e| odd(e) }
  when Hash
    if v.key?("\u0000")
      kind, x = v["\u0000"]
      return { 'regexp' => ->(s) { Regexp.new(s) }, 'default' => ->(_) { :default }, 'hash' => ->(l) { l.to_h { |a, b| [odd(a), odd(b)] } }, 'float' => ->(s) { Float(s) } }[kind].call(x)
    end
    v.transform_values { |e| odd(e) }
  else v
  end
end
$stdout = File.open(File::NULL, 'w')
$stderr = $stdout
out = JSON.parse($stdin.read).map do |job|
  string = job['file'] ? File.read(job['file'], encoding: 'bom|utf-8') : job['text']
  begin
    vars = odd(job['vars'])
    { text: Puppet::Parser::TemplateWrapper.new(Puppet::Parser::Scope.new(vars), job['file']).result(string).to_s }
  rescue SystemExit, Exception => e
    first = (e.backtrace || []).find { |l| l.start_with?("#{job['file'] || '(erb)'}:") } || ''
    msg = e.respond_to?(:original_message) ? e.original_message : e.message
    { error: "#{e.class}: #{msg}".scrub.gsub(/0x[0-9a-f]{8,}/, '0x0'), line: first[/:(\d+):/, 1].to_i }
  end
end
STDOUT.puts JSON.generate(out)
