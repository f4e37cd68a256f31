# Bunraku's own interpreter in the place of a Ruby process. It has no machine below it: what asks the world is refused, and what is not
# here is told, so that the answer is unknown and never a guess. Bunraku.ask, .read, .text, .methods_in, .invoke and .refuse are the
# interpreter's.

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

# Where a function's file is evaluated: its constants are seen by all functions, its variables are its own.
class BunrakuFile; end
