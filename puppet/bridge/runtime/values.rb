# Puppet's values that Ruby does not have, as far as functions use them.

module SemanticPuppet
  # A version by the rules of semver.org.
  class Version
    include Comparable

    class ValidationFailure < ArgumentError; end

    attr_reader :major, :minor, :patch, :prerelease, :build

    FORM = /\A(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?\z/.freeze

    def self.parse(text)
      m = FORM.match(text) or raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier"
      new(m[1].to_i, m[2].to_i, m[3].to_i, m[4], m[5])
    end

    def self.valid?(text) = FORM.match?(text)

    def initialize(major, minor, patch, prerelease = nil, build = nil)
      @major, @minor, @patch, @prerelease, @build = major, minor, patch, prerelease, build
    end

    def stable? = prerelease.nil?

    def <=>(other)
      return nil unless other.is_a?(Version)

      numbers = [major, minor, patch] <=> [other.major, other.minor, other.patch]
      numbers.zero? ? compare_prerelease(other) : numbers
    end

    def to_s = "#{major}.#{minor}.#{patch}#{prerelease && "-#{prerelease}"}#{build && "+#{build}"}"
    alias inspect to_s

    def eql?(other) = other.is_a?(Version) && to_s == other.to_s

    def hash = to_s.hash

    private

    def compare_prerelease(other)
      return (prerelease ? -1 : 1) if prerelease.nil? != other.prerelease.nil?
      return 0 if prerelease.nil?

      parts = [prerelease, other.prerelease].map { |p| p.split('.').map { |s| s.match?(/\A\d+\z/) ? [0, s.to_i] : [1, s] } }
      parts[0] <=> parts[1]
    end
  end

  # A range of versions. The compiler knows what is in it.
  class VersionRange
    def self.parse(text) = new(text)

    def initialize(text) = @text = text

    def include?(version) = Bunraku.ask('instance', Puppet::Pops::Types.of("SemVer[#{@text.inspect.gsub('#', '\#')}]"), version)
    alias cover? include?
    alias === include?
    alias member? include?

    def to_s = @text
    def ==(other) = other.is_a?(VersionRange) && to_s == other.to_s
    alias eql? ==
    def hash = @text.hash
  end
end

module Puppet
  module Pops
    module Time
      # What instants and durations have in common: a number of nanoseconds.
      class TimeData
        include Comparable

        attr_reader :nsecs

        def initialize(nsecs, text = nil)
          @nsecs = nsecs
          @text = text
        end

        def <=>(other) = other.is_a?(TimeData) ? nsecs <=> other.nsecs : (to_f <=> other if other.is_a?(Numeric))
        def to_i = nsecs / 1_000_000_000
        alias to_int to_i
        def to_f = nsecs / 1_000_000_000.0
        def to_r = Rational(nsecs, 1_000_000_000)
        def to_s = @text ||= Bunraku.ask('text', self)
        def eql?(other) = other.instance_of?(self.class) && nsecs == other.nsecs
        def hash = nsecs.hash
        def +(other) = self.class.new(nsecs + (other.is_a?(TimeData) ? other.nsecs : (other * 1_000_000_000).to_i))

        def -(other)
          between = is_a?(Timestamp) && other.is_a?(Timestamp)
          (between ? Timespan : self.class).new(nsecs - (other.is_a?(TimeData) ? other.nsecs : (other * 1_000_000_000).to_i))
        end

        def format(format) = Bunraku.ask('call', 'strftime', [self, format])
      end

      # An instant.
      class Timestamp < TimeData
        def self.now = from_time(::Time.now)
        def self.from_time(t) = new(t.to_i * 1_000_000_000 + t.nsec)
        def to_time = ::Time.at(Rational(nsecs, 1_000_000_000)).utc
      end

      # A duration.
      class Timespan < TimeData; end
    end

    module Types
      # An instance of a type that a manifest defines.
      class PuppetObject
        attr_reader :_pcore_type_name, :_pcore_init_hash

        def initialize(type, attributes)
          @_pcore_type_name = type
          @_pcore_init_hash = attributes || {}
        end

        def respond_to_missing?(name, all = false) = @_pcore_init_hash.key?(name.to_s) || super
        def method_missing(name, *args) = @_pcore_init_hash.key?(name.to_s) && args.empty? ? @_pcore_init_hash[name.to_s] : super
      end

      # What can be walked through, whatever it was.
      class Iterable
        include Enumerable

        def self.on(value, *)
          case value
          when Iterable then value
          when Array then new(value)
          when Hash then new(value.to_a)
          when String then new(value.chars)
          when Integer then value.negative? ? nil : new(Array.new(value) { |i| i })
          when PAnyType then (list = Bunraku.ask('elements', value)) && new(list)
          when Enumerable then new(value.to_a)
          end
        end

        def self.asserted_iterable(caller, value, *)
          on(value) or raise ArgumentError, "#{caller.class}(): wrong argument type (#{value.class}; is not Iterable."
        end

        def initialize(list) = @list = list
        def each(&block) = block ? @list.each(&block) : @list.each
        def next = (@enumerator ||= @list.each).next
        def size = @list.size
        def hash_style? = false
        def to_a = @list.dup
        def step(n) = self.class.new(@list.each_slice(n).map(&:first))
        def reverse_each(&block) = block ? @list.reverse_each(&block) : self.class.new(@list.reverse)
      end
      Iterator = Iterable
    end
  end

  # What a function that gives data to Hiera sees of it. Its methods are the compiler's.
  class LookupContext
    def environment_name = Bunraku.ask('method', self, 'environment_name', []).intern
    def module_name = Bunraku.ask('method', self, 'module_name', [])
    def not_found = Bunraku.ask('method', self, 'not_found', [])
    def interpolate(value) = Bunraku.ask('method', self, 'interpolate', [value])
    def cache(key, value) = Bunraku.ask('method', self, 'cache', [key, value])
    def cache_all(hash) = Bunraku.ask('method', self, 'cache_all', [hash])
    def cache_has_key(key) = Bunraku.ask('method', self, 'cache_has_key', [key])
    def cached_value(key) = Bunraku.ask('method', self, 'cached_value', [key])

    def cached_entries(&block)
      entries = Bunraku.ask('method', self, 'cached_entries', []).to_a
      block ? entries.each(&block) && nil : entries.each
    end

    def cached_file_data(path)
      text = Bunraku.ask('method', self, 'cached_file_text', [path])
      key = "bunraku file #{path}"
      @@files ||= {}
      return text unless block_given?

      @@files[key] = yield(text) unless @@files.key?(key)
      @@files[key]
    end

    def explain
      Bunraku.ask('explain', self) { yield }
      nil
    end

    def invocation = raise(Bunraku::Missing.new('the invocation of a lookup is not here', :invocation))
    alias interpolation invocation
  end

  module DataTypes
    # A call that the agent makes.
    class Deferred
      attr_reader :name, :arguments

      def initialize(name, arguments = nil)
        @name = name
        @arguments = arguments
      end
    end
  end
end
