# What functions use of Puppet beside the function API itself: errors, logs, settings, files, a few helpers.

module Bunraku
  # An object that says what of Puppet's it lacks, rather than that there is no such method.
  module Partial
    def method_missing(name, *)
      raise Missing.new("the method #{name} of #{is_a?(::Module) ? self : self.class} is not here", name)
    end

    def respond_to_missing?(*) = false
  end

  # A module that says what of Puppet it lacks.
  module Incomplete
    include Partial

    def const_missing(name)
      raise Missing.new("uninitialized constant #{self}::#{name}", name)
    end
  end
end

module Puppet
  # What Puppet itself raises. Some errors know a place.
  class Error < RuntimeError
    attr_accessor :original, :file, :line, :pos

    def initialize(message = nil, file_or_original = nil, line = nil, *)
      super(message)
      @original = file_or_original if file_or_original.is_a?(Exception)
      @file = file_or_original unless file_or_original.is_a?(Exception)
      @line = line
    end
  end

  class ParseError < Error; end
  class ParseErrorWithIssue < ParseError; end
  class PreformattedError < ParseErrorWithIssue; end
  class EvaluationError < ParseErrorWithIssue; end
  class ResourceError < Error; end
  class DevError < Error; end

  # What is wrong with a lookup.
  class DataBinding
    class LookupError < PreformattedError; end
    class RecursiveLookupError < LookupError; end
  end

  class MissingCommand < Error; end
  class ExecutionFailure < Error; end

  LEVELS = %i[debug info notice warning err alert emerg crit].freeze

  # Methods that log, as scopes and templates have them too.
  module Logging
    LEVELS.each do |level|
      define_method(level) do |*texts|
        Bunraku.ask('log', level.to_s, texts.map(&:to_s).join(' '))
        nil
      end
    end

    def deprecation_warning(text, key = nil) = warn_once('deprecations', key || text, text)
    def puppet_deprecation_warning(text, options = {}) = warn_once('deprecations', options[:key] || text, text)

    def warn_once(_kind, key, text, *_place)
      @@once ||= {}
      warning(text) unless @@once[key]
      @@once[key] = true
      nil
    end

    def log_exception(error, message = nil, *) = err(message.is_a?(String) ? message : error.message)
  end

  module Util
    include Logging
    extend Logging

    POSIX_PATH = %r{\A/}.freeze
    WINDOWS_PATH = %r{\A(?:[A-Za-z]:[\\/]|[\\/][\\/][^\\/]+[\\/][^\\/]+|[\\/][\\/]\?[\\/][^\\/]+)}.freeze

    module_function

    def absolute_path?(path, platform = nil)
      unless path.is_a?(String)
        Puppet.warning("Cannot check if #{path} is an absolute path because it is a '#{path.class}' and not a String'")
        return false
      end
      case platform || :posix
      when :posix then POSIX_PATH.match?(path)
      when :windows then WINDOWS_PATH.match?(path)
      else raise DevError, "unknown platform #{platform} in absolute_path"
      end
    end

    def which(program)
      return (program if File.executable?(program) && File.file?(program)) if program.include?('/')

      ENV.fetch('PATH', '').split(File::PATH_SEPARATOR).map { |dir| File.join(dir, program) }.find { |f| File.file?(f) && File.executable?(f) }
    end

    def deterministic_rand(seed, max) = deterministic_rand_int(seed, max).to_s
    def deterministic_rand_int(seed, max) = Random.new(seed).rand(max)
    def create_erb(text) = ERB.new(text, trim_mode: '-')
    def symbolizehash(hash) = hash.transform_keys { |k| k.to_s.intern }
    def benchmark(*) = yield
    def path_to_uri(path) = URI::Generic.build(scheme: 'file', path: URI::DEFAULT_PARSER.escape(path))
    def uri_encode(text, *) = URI::DEFAULT_PARSER.escape(text)

    def execute(*args) = Execution.execute(*args)

    module Package
      module_function

      def versioncmp(a, b) = Bunraku.ask('call', 'versioncmp', [a, b])
    end

    module Json
      class ParseError < StandardError; end

      module_function

      def load(text, options = {})
        JSON.parse(text, options)
      rescue JSON::ParserError => e
        raise ParseError, e.message
      end

      def dump(value, options = {}) = options[:pretty] ? JSON.pretty_generate(value) : JSON.generate(value)
      def load_file(path) = load(File.read(path))
      def load_file_if_valid(path, *) = File.exist?(path) ? load(File.read(path)) : nil
    end

    module Yaml
      class YamlLoadError < Puppet::Error; end

      module_function

      def safe_load(text, classes = [], *)
        YAML.safe_load(text, permitted_classes: classes, aliases: true)
      rescue Psych::Exception, ArgumentError => e
        raise YamlLoadError, e.message
      end

      def safe_load_file(path, classes = []) = safe_load(File.read(path), classes)
      def load_file(path, default = false, *) = safe_load(File.read(path), [Symbol]) || default
      def dump(value, path) = File.write(path, YAML.dump(value))
    end

    module Platform
      module_function

      def windows? = false
      def jruby? = RUBY_PLATFORM == 'java'
      def actually_windows? = false
    end

    module Errors
      def fail(*args)
        kind = args.first.is_a?(Class) ? args.shift : Puppet::Error
        raise kind, args.join(' ')
      end

      def devfail(message) = raise(DevError, message)
      def self.error_location(*) = ''
      def self.error_location_with_space(*) = ''
    end

    # Only its name is used.
    module Profiler
      def self.profile(*) = yield
    end
  end

  # Asks nothing of the file system that plain Ruby would not.
  module FileSystem
    module_function

    def exist?(path) = File.exist?(path)
    def file?(path) = File.file?(path)
    def directory?(path) = File.directory?(path)
    def symlink?(path) = File.symlink?(path)
    def readlink(path) = File.readlink(path)
    def size(path) = File.size(path)
    def stat(path) = File.stat(path)
    def dir(path) = File.dirname(path)
    def basename(path) = File.basename(path)
    def pathname(path) = path
    def path_string(path) = path.to_s
    def read(path, options = {}) = File.read(path, **options)
    def read_preserve_line_endings(path) = File.binread(path).force_encoding(Encoding::UTF_8)
    def binread(path) = File.binread(path)
    def children(path) = Dir.children(path).map { |f| File.join(path, f) }
    def expand_path(path, dir = nil) = File.expand_path(path, dir)
  end

  class Settings
    def [](name) = Bunraku.setting(name)
    def value(name, *) = Bunraku.setting(name)
  end

  extend Logging

  class << self
    def [](name) = Bunraku.setting(name)

    # Of all settings functions change one, to read a variable that nobody may have set.
    def []=(name, value)
      raise Bunraku::Missing.new("the setting #{name} cannot be set here", name) unless name.to_s == 'strict'

      Bunraku.strict = value.to_s
    end

    def settings = @settings ||= Settings.new
    def version = Bunraku.version
    def features = @features ||= Features.new
    def lookup(name, &block) = Bunraku.context(name, &block)
    def run_mode = @run_mode ||= Struct.new(:name) { def server? = true; def master? = true; def agent? = false }.new(:server)
  end

  def self.method_missing(name, *)
    raise Bunraku::Missing.new("Puppet.#{name} is not here", name)
  end

  def self.respond_to_missing?(*) = false

  # A resource, or a reference to one.
  class Resource
    include Enumerable

    attr_reader :type, :title

    def self.type_and_title(type, title)
      if title.nil? && type.is_a?(String) && (m = /^([^\[\]]+)\[(.+)\]$/m.match(type))
        type, title = m[1], m[2]
      elsif title.nil?
        raise ArgumentError, "No title provided and #{type.inspect} is not a valid resource reference"
      end
      type = capitalize(type)
      [type, type == 'Class' ? capitalize(title) : title]
    end

    def self.capitalize(name) = name.to_s.sub(/\A::/, '').split('::').map(&:capitalize).join('::')

    def initialize(type, title = nil, parameters: nil, **)
      @type, @title = self.class.type_and_title(type, title)
      @parameters = parameters || {}
    end

    def [](name) = %w[title].include?(name.to_s) ? title : @parameters[name.to_s]
    def to_hash = { name_attribute => title }.merge(@parameters.transform_keys(&:to_sym))
    def each(&block) = @parameters.each(&block)
    alias to_h to_hash
    def key?(name) = @parameters.key?(name.to_s)
    def ref = "#{type}[#{title}]"
    alias to_ref ref
    alias to_s ref
    def inspect = "#{ref}#{to_hash.inspect}"
    def name = title
    def class? = type == 'Class'
    def ==(other) = other.respond_to?(:ref) && other.ref == ref
    alias eql? ==
    def hash = ref.hash

    private

    def name_attribute = type == 'Class' ? :name : Bunraku.ask('name_attribute', type).intern
  end

  # A module on the module path.
  class Module
    attr_reader :name, :path

    def self.find(name, _environment = nil)
      path = Bunraku.ask('module', name.to_s)
      path && new(name.to_s, path)
    end

    def initialize(name, path)
      @name = name
      @path = path
    end

    %w[files templates manifests locales tasks plans].each do |kind|
      directory = kind
      define_method(kind.chomp('s')) { |file = nil| inside(directory, file) }
      define_method("#{kind}?") { File.directory?(File.join(path, directory)) }
    end

    def metadata_file = File.join(path, 'metadata.json')
    def version = JSON.parse(File.read(metadata_file))['version']

    private

    def inside(directory, file)
      found = File.join(*[path, directory, file].compact)
      found if File.exist?(found)
    end
  end

  class Node
    attr_reader :name

    def initialize(name) = @name = name
    def facts = Facts.new(name, Bunraku.global_scope['facts'])
    def environment = Puppet.lookup(:current_environment)
    def parameters = Bunraku.global_scope.to_hash

    # A node's facts.
    Facts = Struct.new(:name, :values)

    class Environment
      attr_reader :name, :modulepath

      def initialize(name, modulepath)
        @name = name
        @modulepath = modulepath
      end

      def module(name) = Puppet::Module.find(name)
      def modules = Bunraku.ask('modules').map { |name, path| Puppet::Module.new(name, path) }
      def modules_by_path = modules.group_by { |m| File.dirname(m.path) }
      def full_modulepath = modulepath
      def to_s = name.to_s
    end
  end

  class Type
    def self.type(name) = Bunraku.ask('known_type', name.to_s) ? Known.new(name.to_s) : nil
    Known = Struct.new(:name)
  end

  module Parser
    module Files
      module_function

      def find_template(path, _environment = nil) = path.split(File::SEPARATOR, 2) && Bunraku.ask('find_template', path)
      def find_file(path, _environment = nil) = path.split(File::SEPARATOR, 2) && Bunraku.ask('find_file', path)
    end
  end

  module Pops
    module PuppetStack
      def self.stacktrace = Bunraku.ask('stack')
      def self.top_of_stack = stacktrace.first || []
      def self.stacktrace_from_backtrace(*) = stacktrace
    end

    module Serialization
      module ToDataConverter
        def self.convert(value, *, **) = Bunraku.ask('to_data', value)
      end
    end

    module Evaluator
      # break() on its way to the loop that it ends.
      class PuppetStopIteration < StopIteration; end
      class Next < StopIteration; end
      class Return < StopIteration; end

      module_function

      def map_args(args) = args.map { |a| Old.argument(a, '') }

      # What 3.x functions get for values that Puppet 3 did not have.
      module Old
        module_function

        def argument(v, undef_value)
          case v
          when nil, :undef then undef_value
          when Array then v.map { |e| argument(e, nil) }
          when Hash then v.to_h { |k, e| [argument(k, nil), argument(e, nil)] }
          when Regexp, SemanticPuppet::Version, SemanticPuppet::VersionRange, Types::PBinaryType::Binary, Time::TimeData then v.is_a?(Regexp) ? v.inspect : v.to_s
          when Types::Iterable then raise Puppet::Error, 'Use of an Iterator is not supported here'
          when Types::PClassType then Puppet::Resource.new('Class', v.class_name.to_s.sub(/\A::/, ''))
          when Types::PResourceType then Puppet::Resource.new(v.type_name.to_s, v.title.to_s)
          else v
          end
        end

        def result(v)
          case v
          when :undef then nil
          when Array then v.map { |e| result(e) }
          when Hash then v.to_h { |k, e| [result(k), result(e)] }
          else v
          end
        end
      end
    end
  end

  [Puppet, Util, Parser, Pops, Pops::Types, Pops::Time, Pops::Serialization, Pops::Evaluator, Node, FileSystem].each { |m| m.extend(Bunraku::Incomplete) }
  [Resource, Module, Node, Node::Facts, Node::Environment, Type::Known].each { |c| c.include(Bunraku::Partial) }
end

# Puppet's own JSON.
module PSON
  class ParserError < StandardError; end
  class JSONError < StandardError; end

  module_function

  def parse(text, *)
    JSON.parse(text)
  rescue JSON::ParserError
    raise ParserError, "source '#{text}' not in PSON!"
  end
  alias load parse
  module_function :load

  def generate(value, *) = JSON.generate(value)
  def pretty_generate(value, *) = JSON.pretty_generate(value)
end

module Bunraku
  class << self
    def global_scope = @global_scope ||= Puppet::Parser::Scope.new(-1)

    attr_writer :strict

    def lenient = @strict == 'off'

    def setting(name)
      return @strict.intern if @strict && name.to_s == 'strict'

      value = settings.fetch(name.to_s) { raise Missing.new("the setting #{name} is not known here", name) }
      name.to_s == 'strict' ? value.intern : value
    end

    def context(name)
      case name
      when :current_environment, :root_environment then Puppet::Node::Environment.new(settings['environment'].intern, settings['modulepath'].split(':'))
      when :global_scope then global_scope
      else
        raise Missing.new("Puppet.lookup(:#{name}) is not here", name) unless block_given?

        yield
      end
    end
  end
end
