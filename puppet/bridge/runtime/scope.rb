# The scope that functions and templates see. Its variables are the compiler's.

module Puppet
  module Parser
    # A resource of the catalog that is being made. Its parameters know more than their values.
    class Resource < Puppet::Resource
      Param = Struct.new(:name, :value)

      def parameters = @parameters.to_h { |name, value| [name.to_sym, Param.new(name.to_sym, value)] }
    end

    # The scope of a call, or of the top level.
    class Scope
      include Puppet::Util
      include Puppet::Util::Errors

      attr_reader :frame

      UNCAUGHT_THROW_EXCEPTION = UncaughtThrowError

      # What Puppet's scopes can do besides: no reason to say that there is no such method.
      ABSENT = %i[class_scope class_set defaults effective_symtable enclosing_scope ephemeral_from ephemeral_level
                  find_builtin_resource_type find_defined_resource_type find_resource_type get_local_variable has_local_variable?
                  inherited_scope is_classscope? is_nodescope? lookup_qualified_variable lookuptype new_ephemeral new_match_scope
                  newscope parent pop_ephemerals push_ephemerals resolve_type_and_titles
                  set_facts set_match_data transform_and_assert_classnames undef_as variable_not_found with_global_scope
                  with_guarded_scope with_local_scope with_parameter_scope without_ephemeral_scopes].freeze

      def initialize(frame) = @frame = frame

      def lookupvar(name, *)
        raise Puppet::ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string" unless name.is_a?(String)

        value, found = ask('variable', name)
        return value if found

        throw(:undefined_variable)
      rescue UncaughtThrowError
        ask('unknown_variable', name) unless Bunraku.lenient
      end
      alias [] lookupvar

      def include?(name)
        catch(:undefined_variable) { return !self[name].nil? }
        false
      end

      def exist?(name) = ask('variable', name).last
      def bound?(name) = ask('bound', name)

      def setvar(name, value, *)
        ask('set', name, value)
        value
      end
      alias []= setvar

      def to_hash(_recursive = true, include_undef = false) = ask('variables', include_undef)

      def call_function(name, args, &block)
        Bunraku.call_compiler(self, name, [*args], &block)
      rescue Bunraku::NoFunction => e
        Bunraku.call_beside(self, name, args, e) { raise ArgumentError, "Unknown function '#{name}'" }
      end

      # function_NAME is the 3.x function as other 3.x functions and templates call it.
      def method_missing(method, *args, &block)
        raise Bunraku::Missing.new("Scope##{method} is not here", method) if ABSENT.include?(method)

        name = method.to_s[/\Afunction_(.*)/m, 1] or return super
        case (where = ask('old_function', name))
        when nil then super
        when String
          Bunraku.read(where)
          respond_to?(method, true) ? send(method, *args, &block) : super
        else
          unless args.size == 1 && args[0].is_a?(Array)
            raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. For example, function_example([1]) instead of function_example(1)'
          end
          ask('old_call', name, args[0])
        end
      end

      def respond_to_missing?(method, all = false)
        name = method.to_s[/\Afunction_(.*)/m, 1]
        (name && !ask('old_function', name).nil?) || super
      end

      def findresource(type, title = nil)
        type, title = Puppet::Resource.type_and_title(type.is_a?(Puppet::Resource) ? type.ref : type, title)
        found = ask('resource', type, title)
        found && Resource.new(found[0], found[1], parameters: found[2])
      end

      def lookupdefaults(type) = ask('defaults', type.to_s).transform_keys(&:to_sym).transform_values { |v| Param.new(v) }
      Param = Struct.new(:value)

      def catalog = Catalog.new(self)
      def compiler = Compiler.new(self)
      def environment = Puppet.lookup(:current_environment)
      def resource = (r = ask('own_resource')) && Resource.new(r[0], r[1], parameters: r[2])
      def source = Source.new(*ask('source'))
      def parent_module_name = ask('parent_module')
      def tags = catalog.tags
      def is_topscope? = ask('top?')

      # The scope of the node, or of the top level: functions are mostly called from there.
      def find_global_scope = is_topscope? ? self : raise(Bunraku::Missing.new('the global scope of another one is not here', :find_global_scope))
      def find_hostclass(name) = ask('known_class', name) ? Source.new(name, nil) : nil
      def find_definition(name) = ask('known_type', name) ? Source.new(name, nil) : nil
      def to_s = ask('scope_text')
      alias inspect to_s
      def is_a?(kind) = super

      # The class or define whose code this is.
      Source = Struct.new(:name, :module_name, :kind) { def type = kind&.intern }

      # The catalog as far as it has come.
      class Catalog
        def initialize(scope) = @scope = scope
        def classes = @scope.ask('classes')
        def tags = @scope.ask('tags')
        def resources = @scope.ask('resources').map { |type, title, parameters| Resource.new(type, title, parameters: parameters) }
        def resource(type, title = nil) = @scope.findresource(type, title)
      end

      # What there is to ask of a compiler.
      class Compiler
        def initialize(scope) = @scope = scope
        def environment = @scope.environment
        def catalog = @scope.catalog
        def topscope = Bunraku.global_scope
        def node = Puppet::Node.new(Bunraku.ask('node'))
        def resources = catalog.resources
        def findresource(*args) = @scope.findresource(*args)
      end

      def ask(question, *args, **more) = Bunraku.ask(question, *args, scope: frame, **more)
    end

    # What self is in a template.
    class TemplateWrapper
      include Puppet::Util::Errors
      include Puppet::Logging

      def initialize(scope, file, variables)
        @__scope__ = scope
        @__file__ = file
        variables.each { |name, value| instance_variable_set("@#{name.gsub(/[^\w]/, '_')}", value) }
      end

      def file = @__file__
      def scope = @__scope__
      def has_variable?(name) = scope.include?(name.to_s)
      def classes = scope.catalog.classes
      def all_tags = scope.catalog.tags
      def tags = raise(NotImplementedError, "Call 'all_tags' instead.")
      def to_s = "template[#{file || 'inline'}]"

      def result(text)
        template = Puppet::Util.create_erb(text)
        template.filename = @__file__
        template.result(binding)
      end
    end
  end
end

module Bunraku
  # The compiler knows no function of a name.
  class NoFunction < ArgumentError; end

  @blocks = []

  # call_function calls any function.
  def self.call_function(scope, name, args, &block)
    call_compiler(scope, name, args, &block)
  rescue NoFunction => e
    call_beside(scope, name, args, e) { raise e }
  end

  # call_beside calls a 3.x function that no file is named after: it may have come with the file of another one.
  def self.call_beside(scope, name, args, error)
    raise error unless error.message.end_with?("'#{name.to_s.downcase}'") # it is about another call, further in
    return yield unless Puppet::Parser::Functions.known.key?(name.to_s.intern)

    scope.send("function_#{name}", Puppet::Pops::Evaluator.map_args(args))
  end

  # call_compiler calls a function that the compiler knows; a block stays here, and the compiler calls it by number.
  def self.call_compiler(scope, name, args, &block)
    return ask('call', name.to_s, args, scope: scope.frame) unless block

    begin
      @blocks << block
      required = block.parameters.count { |kind, _| block.lambda? ? kind == :req : %i[req opt].include?(kind) }
      rest = block.parameters.any? { |kind, _| kind == :rest }
      ask('call', name.to_s, args, scope: scope.frame, block: @blocks.size - 1, required: required, most: rest ? -1 : block.parameters.count { |kind, _| %i[req opt].include?(kind) })
    ensure
      @blocks.pop
    end
  end

  def self.block(number) = @blocks[number]
end
