# Puppet's types. A type is its text here; every question about one is the compiler's to answer.

module Puppet
  module Pops
    module Types
      class TypeAssertionError < StandardError; end

      # The type of all values, and the class of all types.
      class PAnyType
        def self.new(text = nil, fields = {})
          text ||= name[/P(\w+)Type\z/, 1]
          super(text.to_s, fields)
        end

        def self.const_missing(name) = name == :DEFAULT ? const_set(:DEFAULT, new) : super
        def self.singleton = const_get(:DEFAULT)

        def initialize(text, fields)
          @text = text
          @fields = fields
        end

        def to_s = @fields.fetch('alias', @text)
        def bunraku_text = @text
        def name = @text[/\A[\w:]+/]
        alias simple_name name
        def ==(other) = other.is_a?(PAnyType) && (to_s == other.to_s || Bunraku.ask('same', self, other))
        alias eql? ==
        def hash = Bunraku.ask('canonical', self).hash
        def instance?(value, *) = Bunraku.ask('instance', self, value)
        def ===(value) = instance?(value)
        def assignable?(type, *) = Bunraku.ask('assignable', self, type)
        def generalize = Bunraku.ask('generalize', self)
        def create(*args) = Bunraku.ask('call', 'new', [self, *args])
        def type_name = @fields.fetch('type_name', nil)
        def title = @fields.fetch('title', nil)
        def class_name = @fields.fetch('class_name', nil)

        # What types of Puppet can be asked, and these cannot.
        UNKNOWN = %i[from to range size_type element_type key_type value_type types elements values patterns pattern param_types block_type return_type resolved_type
                     callable? callable_args? iterable? iterable_type normalize kind_of_callable? hashed_elements common_type accept really_instance? _pcore_type].freeze

        def method_missing(name, *_args)
          raise Bunraku::Missing.new("types have no method #{name} here", name) if UNKNOWN.include?(name)

          super
        end

        def respond_to_missing?(*) = false
      end

      { 'Scalar' => 'Any', 'ScalarData' => 'Scalar', 'Numeric' => 'ScalarData', 'Integer' => 'Numeric', 'Float' => 'Numeric', 'String' => 'ScalarData',
        'Boolean' => 'ScalarData', 'Enum' => 'ScalarData', 'Pattern' => 'ScalarData', 'Regexp' => 'Scalar', 'Collection' => 'Any', 'Array' => 'Collection', 'Hash' => 'Collection',
        'Tuple' => 'Any', 'Struct' => 'Any', 'Variant' => 'Any', 'Optional' => 'Any', 'NotUndef' => 'Any', 'Type' => 'Any', 'Callable' => 'Any',
        'Iterable' => 'Any', 'Iterator' => 'Any', 'Sensitive' => 'Any', 'SemVer' => 'Scalar', 'SemVerRange' => 'Any', 'Timespan' => 'Scalar', 'Timestamp' => 'Scalar',
        'Binary' => 'Any', 'URI' => 'Any', 'CatalogEntry' => 'Any', 'Class' => 'CatalogEntry', 'Resource' => 'CatalogEntry', 'Default' => 'Any', 'Undef' => 'Any',
        'Runtime' => 'Any', 'Object' => 'Any', 'TypeAlias' => 'Any', 'TypeReference' => 'Any', 'Init' => 'Any', 'TypeSet' => 'Any' }.each do |name, parent|
        const_set("P#{name}Type", Class.new(const_get("P#{parent}Type")))
      end

      # of makes a type from its text.
      def self.of(text, fields = {})
        name = "P#{text[/\A\w+/]}Type"
        kind = if fields.key?('class_name') then PClassType
               elsif fields.key?('type_name') then PResourceType
               elsif fields.key?('alias') then PTypeAliasType
               elsif !text.match?(/\A\w+::/) && const_defined?(name, false) then const_get(name)
               else PAnyType
               end
        kind.new(text, fields)
      end

      # Hides a value from logs.
      class PSensitiveType
        # The value that is hidden.
        class Sensitive
          def initialize(value) = @value = value

          def unwrap
            Bunraku.bare(@value)
            @value
          end

          def to_s = 'Sensitive [value redacted]'
          def inspect = "#<#{self}>"
          def ==(other) = other.is_a?(Sensitive) && other.hash == hash
          alias eql? ==
          def hash = @value.hash
        end

        def self.redaction(*) = 'Sensitive [value redacted]'
      end

      class PBinaryType
        # Bytes.
        class Binary
          attr_reader :binary_buffer

          def self.from_base64(text) = new(text.unpack1('m0'))
          def self.from_base64_strict(text) = from_base64(text)
          def self.from_binary_string(bytes) = new(bytes.dup.force_encoding(Encoding::ASCII_8BIT))
          def self.from_string(text) = new(text.encode(Encoding::UTF_8).force_encoding(Encoding::ASCII_8BIT))

          def initialize(bytes) = @binary_buffer = bytes.freeze
          def to_s = [@binary_buffer].pack('m0')
          def relaxed_to_s = [@binary_buffer].pack('m')
          def length = @binary_buffer.bytesize
          def ==(other) = other.is_a?(Binary) && other.binary_buffer == binary_buffer
          alias eql? ==
          def hash = @binary_buffer.hash
        end
      end

      # Says what types values have.
      class TypeCalculator
        def self.singleton = @singleton ||= new

        %w[infer infer_set].each { |m| define_method(m) { |value| Bunraku.ask(m, value) } }
        def instance?(type, value) = Bunraku.ask('instance', type, value)
        def assignable?(type, other) = Bunraku.ask('assignable', type, other)
        def generalize(type) = type.generalize
        def type(value) = infer(value)
        %i[infer infer_set instance? assignable? generalize].each { |m| define_singleton_method(m) { |*args| singleton.public_send(m, *args) } }
      end

      # Reads types.
      class TypeParser
        def self.singleton = @singleton ||= new
        def parse(text, *) = Bunraku.ask('parse', text)
      end

      # Words what is wrong with a type.
      class TypeMismatchDescriber
        def self.singleton = @singleton ||= new
        def describe_mismatch(name, expected, actual, *) = Bunraku.ask('mismatch', name, expected, actual)
        def self.describe_mismatch(*args) = singleton.describe_mismatch(*args)
      end

      # Raises what it words.
      module TypeAsserter
        def self.assert_instance_of(subject, expected, value, nil_ok = false)
          return value if (value.nil? && nil_ok) || expected.instance?(value)

          subject = yield(subject) if block_given?
          subject = subject[0] % subject[1..] if subject.is_a?(Array)
          raise TypeAssertionError, Bunraku.ask('mismatch', "#{subject} has wrong type,", expected, Bunraku.ask('infer_set', value))
        end
      end

      # Makes types.
      module TypeFactory
        def self.method_missing(name, *args)
          known = "P#{name.to_s.split('_').map(&:capitalize).join}Type"
          return Types.const_get(known)::DEFAULT if args.empty? && Types.const_defined?(known, false)

          super
        end

        def self.respond_to_missing?(name, *) = Types.const_defined?("P#{name.to_s.split('_').map(&:capitalize).join}Type", false)
        def self.any = PAnyType::DEFAULT
      end
    end
  end
end
