# What the compiler can have done.

module Bunraku
  module Tasks
    @functions = {}

    class << self
      # load reads a function's file and tells its signatures.
      def load(m)
        case m['kind']
        when 0 then load_new(m['name'], m['path'])
        when 1 then load_old(m['name'], m['path'])
        else anything(m['name'])
        end
      end

      # call runs a function with one of its signatures.
      def call(m)
        scope = Bunraku.scope_of(m['scope'])
        args = Wire.decode(m['arguments'])
        block = m['block'] && puppet_block(m['block'], m['scope'])
        { 'value' => Wire.encode(run(m, scope, args, block)) }
      end

      # yield runs a block that Ruby code gave to a function of the compiler's.
      def yield(m)
        { 'value' => Wire.encode(Bunraku.block(m['block']).call(*Wire.decode(m['arguments']))) }
      end

      # render runs a template.
      def render(m)
        wrapper = Puppet::Parser::TemplateWrapper.new(Puppet::Parser::Scope.new(m['scope']), m['path'], Wire.decode(m['variables']))
        { 'value' => Wire.encode(wrapper.result(Wire.decode(m['text'])).to_s) }
      rescue StandardError, ScriptError => e
        raise if e.is_a?(Missing) || e.instance_variable_get(:@bunraku_abort)

        at = e.backtrace.to_a.first.to_s.split(':')
        raise Puppet::ParseError, m['path'] ? "Failed to parse template #{m['name']}:\n  Filepath: #{at[0]}\n  Line: #{at[1]}\n  Detail: #{e}\n" : "Failed to parse inline template: #{e}"
      end

      private

      def run(m, scope, args, block)
        case m['kind']
        when 0 then call_new(scope, m, args, block)
        when 1 then call_old(scope, m['name'], args)
        else scope.send("function_#{m['name']}", args)
        end
      end

      # anything is the signature of a function that counts its arguments itself.
      def anything(name)
        { 'value' => { 'dispatches' => [{ 'types' => ['Any'], 'names' => [], 'least' => 0, 'most' => nil, 'method' => name }], 'local_types' => [] } }
      end

      def load_old(name, path)
        known = Puppet::Parser::Functions.known[name.intern]
        unless known
          refuse_methods(path)
          known = Bunraku.read(path)
          unless known.is_a?(Hash)
            raise ArgumentError, "Illegal legacy function definition! The code loaded from #{path} did not return the result of calling 'newfunction'. Got '#{known.class}'"
          end
          unless known[:name] == "function_#{name}"
            raise ArgumentError, "The code loaded from #{path} produced mis-matched name, expected 'function_#{name}', got '#{known[:name]}'"
          end
        end
        anything(name)
      end

      def load_new(name, path)
        unless Bunraku.text(path).match?(/Puppet::Functions\.create_function/)
          raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 4x API function - no create_function call."
        end
        created = Bunraku.read(path)
        raise ArgumentError, "The code loaded from #{path} did not produce a Function class when evaluated. Got '#{created.class}'" unless created.is_a?(Class)
        raise ArgumentError, "The code loaded from #{path} produced mis-matched name, expected '#{name}', got #{created.name}" unless created.name == name

        created.bunraku_path = path
        @functions[path] = created.new(nil, nil)
        { 'value' => { 'dispatches' => created.dispatches.map(&:to_h), 'local_types' => created.local_type_texts,
                       'calls_itself' => created.calls_itself? } }
      end

      # refuse_methods finds what Puppet does not allow in a 3.x function, and what every one must have.
      def refuse_methods(path)
        called, defined = Bunraku.methods_in(path)
        if defined
          raise SecurityError, "Illegal method definition of method '#{defined[0]}' in source #{path} on line #{defined[1]} in legacy function. See https://puppet.com/docs/puppet/latest/functions_refactor_legacy.html for more information"
        end
        raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 3x API function - no 'newfunction' call." unless called
      end

      def call_old(scope, name, args)
        scope.send("function_#{name}", Puppet::Pops::Evaluator.map_args(args))
      end

      def call_new(scope, m, args, block)
        function = @functions.fetch(m['path'])
        return function.call(scope, *args, &block) if m['dispatch'].negative?

        function.class.dispatches[m['dispatch']].invoke(function, scope, args, &block)
      end

      # puppet_block is a block of the manifest's.
      def puppet_block(shape, frame)
        block = proc { |*args| Bunraku.ask('yield', args, scope: frame) }
        least, most, names = shape.values_at('least', 'most', 'names')
        block.define_singleton_method(:arity) { least == most ? least : -least - 1 }
        block.define_singleton_method(:parameters) { names.each_with_index.map { |n, i| [i < least ? :req : (most ? :opt : :rest), n.intern] } }
        block
      end
    end
  end
end
