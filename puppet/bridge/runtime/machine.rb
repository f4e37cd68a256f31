# What only a Ruby on a machine has: libraries to load, programs to run, files to read.

require 'digest/md5'
require 'erb'
require 'open3'
require 'ripper'
require 'set'
require 'time'
require 'uri'
require 'yaml'

# What Puppet has loaded long before code of modules runs, so that nobody requires it.
{ 'benchmark' => %i[Benchmark], 'cgi' => %i[CGI], 'date' => %i[Date DateTime], 'delegate' => %i[SimpleDelegator], 'fileutils' => %i[FileUtils],
  'find' => %i[Find], 'forwardable' => %i[Forwardable], 'ipaddr' => %i[IPAddr], 'logger' => %i[Logger], 'openssl' => %i[OpenSSL], 'ostruct' => %i[OpenStruct],
  'pathname' => %i[Pathname], 'resolv' => %i[Resolv], 'securerandom' => %i[SecureRandom], 'singleton' => %i[Singleton], 'socket' => %i[Socket],
  'timeout' => %i[Timeout], 'facter' => %i[Facter] }.each { |library, names| names.each { |name| autoload(name, library) } }

module Puppet
  module Util
    # Programs run as plain Ruby runs them.
    module Execution
      # What a program printed.
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(text, status)
          super(text)
          @exitstatus = status
        end
      end

      module_function

      def execute(command, options = nil)
        options = { failonfail: options.nil? }.merge(options || {})
        env = (options[:custom_environment] || {}).to_h { |k, v| [k.to_s, v&.to_s] }
        run = options[:combine] == false ? :capture2 : :capture2e
        out, status = Open3.public_send(run, env, *Array(command).map(&:to_s), chdir: options[:cwd] || Dir.pwd)
        raise ExecutionFailure, "Execution of '#{Array(command).join(' ')}' returned #{status.exitstatus}: #{out.strip}" if options[:failonfail] && !status.success?

        ProcessOutput.new(out, status.exitstatus)
      rescue SystemCallError
        raise ExecutionFailure, "Execution of '#{Array(command).join(' ')}' returned 1: " if options[:failonfail]

        ProcessOutput.new('', 1)
      end

      def execpipe(command, failonfail = true)
        yield execute(command, failonfail: failonfail)
      end
    end
  end

  # The features of the machine that compiles: a library that can be loaded is one.
  class Features
    def posix? = true
    def root? = Process.uid.zero?
    def microsoft_windows? = false

    def method_missing(name, *)
      library = name.to_s[/\A(\w+)\?\z/, 1] or return super
      require library
      true
    rescue LoadError
      false
    end

    def respond_to_missing?(name, *) = name.to_s.end_with?('?')
  end
end

module Bunraku
  # read runs a file as Puppet's loaders do.
  def self.read(path)
    eval(text(path), BunrakuFile.binding_for_file, path, 1) # rubocop:disable Security/Eval
  end

  # scope_of is the scope of a call, an object of its own each time.
  def self.scope_of(frame) = Puppet::Parser::Scope.new(frame)

  def self.text(path) = File.read(path, encoding: 'UTF-8')

  # methods_in (the number that Puppet calls a line is a column) finds what Puppet does not allow in a 3.x function, and whether newfunction
  # is called, which every one must do.
  def self.methods_in(path)
    called = false
    defined = nil
    walk(Ripper.sexp(text(path)) || []) do |node|
      case node[0]
      when :def, :defs
        _, name, at = node.find { |x| x.is_a?(Array) && x[0] == :@ident }
        defined ||= [name || '<unknown>', at ? at[1] : '<unknown>']
      when :fcall, :call, :command, :command_call
        called ||= node.any? { |x| x.is_a?(Array) && x[0] == :@ident && x[1] == 'newfunction' }
      end
    end
    [called, defined]
  end

  def self.walk(node, &visit)
    return unless node.is_a?(Array)

    yield node if node[0].is_a?(Symbol)
    node.each { |child| walk(child, &visit) }
  end
end

# Where a function's file is evaluated: its constants are global, its variables its own.
class BunrakuFile
  def self.binding_for_file = binding
end

# Puppet's files are here already, whether or not a Puppet is installed; those of modules are found below their lib directories.
module Kernel
  alias bunraku_require require

  def require(name)
    text = name.to_s
    return bunraku_require(name) unless text.match?(%r{\A(puppet|semantic_puppet|facter)(/|\z)})

    file = text.end_with?('.rb') ? text : "#{text}.rb"
    found = Bunraku.libraries.map { |dir| File.join(dir, file) }.find { |f| File.file?(f) }
    return bunraku_require(found) if found

    text.start_with?('facter') ? bunraku_require(name) : false
  end

  def _(text) = text
  def n_(one, many, n) = n == 1 ? one : many
end

module Bunraku
  # start is the first message: where modules' libraries are, what the settings say, how much memory there may be.
  def Tasks.start(m)
    Process.setrlimit(Process::RLIMIT_AS, m['memory'], m['memory']) if m['memory'].to_i.positive?
    Bunraku.settings = m['settings']
    Bunraku.version = m['version']
    Bunraku.libraries = m['libraries']
    $LOAD_PATH.unshift(*m['libraries'])
    { 'value' => RUBY_VERSION }
  end
end

Bunraku.serve
