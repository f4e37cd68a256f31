# The function API: 4.x functions are classes that say what they accept, 3.x functions are methods of the scope.

module Bunraku
  def self.type_text(type) = type.is_a?(Puppet::Pops::Types::PAnyType) ? type.bunraku_text : type&.to_s
end

module Puppet
  module Pops
    module Functions
      # The ancestor of all functions.
      class Function
        attr_reader :loader

        def initialize(closure_scope = nil, loader = nil)
          @closure_scope = closure_scope
          @loader = loader
        end

        def closure_scope = @closure_scope || Bunraku.global_scope
        def call_function(name, *args, &block) = Bunraku.call_function(closure_scope, name, args, &block)

        # call may be overridden: by functions that choose their own arguments.
        def call(scope, *args, &block) = self.class.dispatcher.dispatch(self, scope, args, &block)

        # The file that the function is from: several may have one name.
        class << self
          attr_accessor :bunraku_path
        end

        def self.dispatcher = Dispatcher.new(self)
        def self.dispatches = @dispatches ||= []
        def self.calls_itself? = instance_method(:call).owner != Function
        def self.local_type_texts = @local_type_texts ||= []
      end

      # Chooses among signatures; the compiler knows which of them fits.
      class Dispatcher
        def initialize(function) = @function = function

        def dispatch(instance, scope, args, &block)
          number = Bunraku.ask('choose', @function.bunraku_path, args)
          raise ArgumentError, number if number.is_a?(String)

          @function.dispatches[number].invoke(instance, scope, args, &block)
        end
      end
    end
  end

  module Functions
    # A signature, with the method that it leads to.
    Dispatch = Struct.new(:method_name, :types, :names, :least, :most, :block, :block_optional, :block_name, :returns, :mismatch, :weaving) do
      def to_h
        { 'types' => types.map { |t| Bunraku.type_text(t) }, 'names' => names.map(&:to_s), 'least' => least, 'most' => most, 'block' => Bunraku.type_text(block), 'block_optional' => block_optional,
          'returns' => Bunraku.type_text(returns), 'method' => method_name.to_s, 'mismatch' => mismatch }
      end

      def invoke(instance, scope, args, &block) = catch(:next) { Bunraku.invoke(instance, method_name, weave(scope, args), &block) }

      # weave puts what is injected between the arguments.
      def weave(scope, args)
        weaving.flat_map do |knit|
          case knit
          when :scope then [scope]
          when Symbol then raise Bunraku::Missing.new("the parameter #{knit} is not here", knit)
          when Integer then knit.negative? ? args.drop(-knit - 1) : args[knit, 1] || []
          end
        end
      end
    end

    # What the block of a dispatch can say.
    class DispatcherBuilder
      def initialize(method_name, mismatch)
        @dispatch = Dispatch.new(method_name, [], [], 0, 0, nil, false, nil, nil, mismatch, [])
      end

      attr_reader :dispatch

      def param(type, name)
        add(type, name)
        raise ArgumentError, 'A required parameter cannot be added after an optional parameter' if @dispatch.least != @dispatch.most

        @dispatch.least += 1
        @dispatch.most += 1
      end
      alias required_param param

      def optional_param(type, name)
        add(type, name)
        @dispatch.most += 1
      end

      def repeated_param(type, name)
        add(type, name, repeated: true)
        @dispatch.most = nil
      end
      alias optional_repeated_param repeated_param

      def required_repeated_param(type, name)
        add(type, name, repeated: true)
        raise ArgumentError, 'A required repeated parameter cannot be added after an optional parameter' if @dispatch.least != @dispatch.most

        @dispatch.least += 1
        @dispatch.most = nil
      end

      def block_param(*type_and_name)
        raise ArgumentError, "block_param accepts max 2 arguments (type, name), got #{type_and_name.size}." if type_and_name.size > 2
        raise ArgumentError, 'Attempt to redefine block' if @dispatch.block

        name = type_and_name.pop || :block
        raise ArgumentError, "Expected block_param name to be a Symbol, got #{name.class}" unless name.is_a?(Symbol)

        @dispatch.block_name = name
        @dispatch.block = type_and_name.first || 'Callable'
      end
      alias required_block_param block_param

      def optional_block_param(*type_and_name)
        block_param(*type_and_name)
        @dispatch.block_optional = true
      end

      def return_type(type)
        unless type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
          raise ArgumentError, "Argument to 'return_type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end
        @dispatch.returns = type
      end

      private

      def add(type, name, repeated: false)
        raise ArgumentError, 'Parameters cannot be added after a block parameter' if @dispatch.block
        raise ArgumentError, 'Parameters cannot be added after a repeated parameter' if @dispatch.most.nil?
        raise ArgumentError, "Parameter name argument must be a Symbol. Got #{name.class}" if name.is_a?(String)
        unless type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
          raise ArgumentError, "Parameter 'type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end

        @dispatch.types << type
        @dispatch.names << name
        @dispatch.weaving << (repeated ? -@dispatch.names.size : @dispatch.names.size - 1)
      end
    end

    # The builder of functions that get more than their arguments.
    class InternalDispatchBuilder < DispatcherBuilder
      %i[scope script_compiler cache compiler pal_compiler].each do |what|
        define_method("#{what}_param") { @dispatch.weaving << what }
      end
    end

    class Function < Puppet::Pops::Functions::Function
      def self.builder = DispatcherBuilder
      def self.dispatch(method_name, &block) = add_dispatch(method_name, false, &block)
      def self.argument_mismatch(method_name, &block) = add_dispatch(method_name, true, &block)
      def self.loader = nil

      def self.add_dispatch(method_name, mismatch, &block)
        b = builder.new(method_name, mismatch)
        b.instance_eval(&block)
        dispatches << b.dispatch
      end

      def self.local_types(&block)
        LocalTypes.new(self).instance_eval(&block)
      end

      # The aliases that a function's signatures may use.
      class LocalTypes
        def initialize(function) = @function = function

        def type(text)
          @function.local_type_texts << text
          name = text[/\A\s*(\w+)/, 1]
          @function.define_method("type_#{name}") { Puppet::Pops::Types.of(name) }
        end
      end
    end

    # Functions that may ask for the scope of their caller.
    class InternalFunction < Function
      def self.builder = InternalDispatchBuilder
      def call_function_with_scope(scope, name, *args, &block) = Bunraku.call_function(scope, name, args, &block)
    end

    def self.create_function(name, base = Function, &block)
      create_loaded_function(name, nil, base, &block)
    rescue StandardError => e
      raise if e.is_a?(Bunraku::Missing)

      raise ArgumentError, "Function Load Error for function '#{name}': #{e.message}"
    end

    def self.create_loaded_function(name, _loader, base = Function, &block)
      unless base.ancestors.include?(Puppet::Pops::Functions::Function)
        raise ArgumentError, "Functions must be based on Puppet::Pops::Functions::Function. Got #{base}"
      end

      text = name.to_s
      created = Class.new(base)
      created.define_singleton_method(:name) { text }
      created.class_eval(&block)
      created.dispatches << default_dispatch(created, text.split('::').last) if created.dispatches.empty?
      created
    end

    # default_dispatch takes whatever the method of the function's own name takes.
    def self.default_dispatch(created, name)
      unless created.method_defined?(name)
        raise ArgumentError, "Function Creation Error, cannot create a default dispatcher for function '#{name}', no method with this name found"
      end
      parameters = created.instance_method(name).parameters.reject { |kind, _| kind == :block }
      least = parameters.count { |kind, _| kind == :req }
      rest = parameters.any? { |kind, _| kind == :rest }
      most = rest ? nil : least + parameters.count { |kind, _| kind == :opt }
      Dispatch.new(name, ['Any'], parameters.map { |_, n| n.to_s }, least, most, nil, false, nil, nil, false, [-1])
    end
  end

  module Parser
    # The 3.x functions.
    module Functions
      @known = {}

      class << self
        attr_reader :known

        def newfunction(name, options = {}, &block)
          name = name.intern
          kind = options[:type] || :statement
          raise Puppet::DevError, "Invalid statement type #{kind.inspect}" unless %i[statement rvalue].include?(kind)

          define(name, options[:arity] || -1, kind, block)
          @known[name] = { arity: options[:arity] || -1, type: kind, name: "function_#{name}" }.merge(options[:doc] ? { doc: options[:doc] } : {})
        end

        def function(name, *)
          name = name.intern
          @known.key?(name) || !Bunraku.ask('old_function', name.to_s).nil? ? "function_#{name}" : false
        end

        def rvalue?(name, *) = @known.dig(name.intern, :type) == :rvalue
        def arity(name, *) = @known.dig(name.intern, :arity) || -1
        def autoloader = Autoloader
        def environment_module(*) = Puppet::Parser::Scope

        private

        def define(name, arity, kind, block)
          Puppet::Parser::Scope.define_method("real_function_#{name}", &block)
          Puppet::Parser::Scope.define_method("function_#{name}") do |*args|
            unless args[0].is_a?(Array)
              raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. For example, function_example([1]) instead of function_example(1)'
            end
            given = args[0].size
            raise ArgumentError, "#{name}(): Wrong number of arguments given (#{given} for #{arity})" if arity >= 0 && given != arity
            raise ArgumentError, "#{name}(): Wrong number of arguments given (#{given} for minimum #{(arity + 1).abs})" if arity.negative? && given < (arity + 1).abs

            out = Puppet::Pops::Evaluator::Old.result(send("real_function_#{name}", args[0]))
            kind == :rvalue ? out : nil
          end
        end
      end

      # Functions are loaded when they are called.
      module Autoloader
        def self.load(name, *) = Functions.function(name) ? true : false
        def self.loadall(*) = nil
        def self.loaded?(name) = Functions.known.key?(name.intern)
        def self.delegatee = self
      end

      # For functions that only exist as 4.x.
      class Error
        def self.is4x(name) = raise(Puppet::ParseError, "#{name}() can only be called using the 4.x function API. See Scope#call_function")
      end
    end
  end
end

[Puppet::Functions, Puppet::Parser::Functions].each { |m| m.extend(Bunraku::Incomplete) }
