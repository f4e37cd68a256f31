# What the compiler can have done.

require 'ripper'

module Bunraku
  module Tasks
    @functions = {}

    class << self
      # start is the first message: where modules' libraries are, what the settings say, how much memory there may be.
      def start(m)
        Process.setrlimit(Process::RLIMIT_AS, m['memory'], m['memory']) if m['memory'].to_i.positive?
        Bunraku.settings = m['settings']
        Bunraku.version = m['version']
        Bunraku.libraries = m['libraries']
        $LOAD_PATH.unshift(*m['libraries'])
        { 'value' => RUBY_VERSION }
      end

      # load reads a function's file and tells its signatures.
      def load(m)
        m['old'] ? load_old(m['name'], m['path']) : load_new(m['name'], m['path'])
      end

      # call runs a function with one of its signatures.
      def call(m)
        scope = Puppet::Parser::Scope.new(m['scope'])
        args = Wire.decode(m['arguments'])
        block = m['block'] && puppet_block(m['block'], m['scope'])
        { 'value' => Wire.encode(m['old'] ? call_old(scope, m['name'], args) : call_new(scope, m, args, block)) }
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

      # read runs a file as Puppet's loaders do.
      def read(path)
        eval(File.read(path, encoding: 'UTF-8'), BunrakuFile.binding_for_file, path, 1) # rubocop:disable Security/Eval
      end

      private

      def load_old(name, path)
        known = Puppet::Parser::Functions.known[name.intern]
        unless known
          refuse_methods(path)
          known = read(path)
          unless known.is_a?(Hash)
            raise ArgumentError, "Illegal legacy function definition! The code loaded from #{path} did not return the result of calling 'newfunction'. Got '#{known.class}'"
          end
          unless known[:name] == "function_#{name}"
            raise ArgumentError, "The code loaded from #{path} produced mis-matched name, expected 'function_#{name}', got '#{known[:name]}'"
          end
        end
        { 'value' => { 'dispatches' => [{ 'types' => ['Any'], 'names' => [], 'least' => 0, 'most' => nil, 'method' => name }], 'local_types' => [] } }
      end

      def load_new(name, path)
        unless File.read(path, encoding: 'UTF-8').match?(/Puppet::Functions\.create_function/)
          raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 4x API function - no create_function call."
        end
        created = read(path)
        raise ArgumentError, "The code loaded from #{path} did not produce a Function class when evaluated. Got '#{created.class}'" unless created.is_a?(Class)
        raise ArgumentError, "The code loaded from #{path} produced mis-matched name, expected '#{name}', got #{created.name}" unless created.name == name

        created.bunraku_path = path
        @functions[path] = created.new(nil, nil)
        { 'value' => { 'dispatches' => created.dispatches.map(&:to_h), 'local_types' => created.local_type_texts,
                       'calls_itself' => created.calls_itself? } }
      end

      # refuse_methods (the number that Puppet calls a line is a column) finds what Puppet does not allow in a 3.x function, and what every one must have.
      def refuse_methods(path)
        tree = Ripper.sexp(File.read(path, encoding: 'UTF-8')) or return
        called = false
        walk(tree) do |node|
          case node[0]
          when :def, :defs
            _, name, at = node.find { |x| x.is_a?(Array) && x[0] == :@ident }
            raise SecurityError, "Illegal method definition of method '#{name || '<unknown>'}' in source #{path} on line #{at ? at[1] : '<unknown>'} in legacy function. See https://puppet.com/docs/puppet/latest/functions_refactor_legacy.html for more information"
          when :fcall, :call, :command, :command_call
            called ||= node.any? { |x| x.is_a?(Array) && x[0] == :@ident && x[1] == 'newfunction' }
          end
        end
        raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 3x API function - no 'newfunction' call." unless called
      end

      def walk(node, &visit)
        return unless node.is_a?(Array)

        yield node if node[0].is_a?(Symbol)
        node.each { |child| walk(child, &visit) }
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

# Where a function's file is evaluated: its constants are global, its variables its own.
class BunrakuFile
  def self.binding_for_file = binding
end

Bunraku.serve
