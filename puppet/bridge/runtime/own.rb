# Bunraku's own interpreter in the place of a Ruby process. It has no machine below it: what asks the world is refused, and what is not
# here is told, so that the answer is unknown and never a guess. Bunraku.ask, .bare, .read, .text, .methods_in, .scope_of, .invoke and .refuse are
# the interpreter's.

module Bunraku
  # What a module uses of Puppet and is not here. Nobody can rescue it.
  class Missing < NameError; end

  class << self
    attr_accessor :settings, :version, :libraries
  end

  # Values do not travel.
  module Wire
    def self.encode(v) = v
    def self.decode(v) = v
  end
end

module Puppet
  module Util
    # No programs run.
    module Execution
      def self.execute(command, *) = Bunraku.refuse("running a program (#{Array(command).join(' ')})")
      def self.execpipe(command, *) = Bunraku.refuse("running a program (#{Array(command).join(' ')})")
    end
  end

  # What the machine has that compiles, nobody knows here.
  class Features
    def posix? = true
    def microsoft_windows? = false
    def method_missing(name, *) = Bunraku.refuse("the machine that compiles (Puppet.features.#{name})")
    def respond_to_missing?(name, *) = name.to_s.end_with?('?')
  end
end

# The environment of the server, which nobody knows here: but that a switch of stdlib's is not set in it is what our own versions of its
# functions assume, too.
class BunrakuEnvironment
  UNSET = %w[STDLIB_LOG_DEPRECATIONS].freeze
  def [](name) = UNSET.include?(name) ? nil : Bunraku.refuse("the environment (ENV['#{name}'])")
  def fetch(name, *default) = UNSET.include?(name) && default.size == 1 ? default[0] : Bunraku.refuse("the environment (ENV['#{name}'])")
  def key?(name) = UNSET.include?(name) ? false : Bunraku.refuse("the environment (ENV['#{name}'])")
  alias include? key?
  alias has_key? key?
  def method_missing(name, *) = Bunraku.refuse("the environment (ENV.#{name})")
  def inspect = Bunraku.refuse('the environment (ENV)')
  alias to_s inspect
end
ENV = BunrakuEnvironment.new

# Where files of functions are evaluated: their constants are seen by all functions of the same kind, their variables are their own.
module Puppet
  module Pops
    module Loader
      class RubyFunctionInstantiator; end
      class RubyLegacyFunctionInstantiator; end
    end
  end
end

# What is known of sockets without opening one.
class Socket
  AF_INET = 2
  AF_INET6 = 10
  AF_UNSPEC = 0
  def self.const_missing(name) = Bunraku.refuse("the system (Socket::#{name})")
  def self.method_missing(name, *) = Bunraku.refuse("the system (Socket.#{name})")
  def self.new(*) = Bunraku.refuse('the system (Socket.new)')
end
