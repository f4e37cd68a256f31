# Bunraku's side of a Ruby process: it runs functions and templates of modules for a compiler that is written in Go. Plain Ruby is all
# it needs. What functions expect of Puppet is given to them by the other files here, and asked of the compiler where it knows better.
#
# Both sides speak JSON, a message a line. The compiler says {"do": …}; while that is being done we may ask it, {"ask": …}, and while
# it answers it may have more for us to do: calls nest, as on one stack.

require 'json'

module Bunraku
  # bare notes what code lays bare. Nobody hears of it here: see Evaluator.Remade.
  def self.bare(_value) = nil

  # What a module uses of Puppet and is not here.
  class Missing < NameError; end

  # The code has looked at a value that is not known.
  class Unknown < Exception; end

  # The compiler has ended what it was doing: the way is up, past every rescue.
  class Abort < Exception
    attr_reader :number

    def initialize(number)
      super('the compile has ended')
      @number = number
    end
  end

  # The pipe is ours alone: what modules print goes to standard error, and they read nothing.
  IN = $stdin.dup
  OUT = $stdout.dup
  $stdin.reopen(File::NULL)
  $stdout.reopen($stderr)
  [IN, OUT].each(&:binmode)

  @depth = 0
  @raised = []

  class << self
    attr_accessor :settings, :version, :libraries

    def receive
      line = IN.gets or exit!(0)
      JSON.parse(line.force_encoding(Encoding::UTF_8), max_nesting: false)
    end

    def say(message)
      OUT.write(JSON.generate(message, max_nesting: 0) << "\n")
      OUT.flush
    end

    # serve does what it is told until the pipe closes.
    def serve
      loop { say(perform(receive)) }
    end

    # invoke calls the method of a function.
    def invoke(function, name, arguments, &block) = function.send(name, *arguments, &block)

    # ask has the compiler answer a question.
    def ask(question, *arguments, **more)
      say({ 'ask' => question, 'arguments' => arguments.map { |a| Wire.encode(a) } }.merge(more.transform_keys(&:to_s)))
      loop do
        m = receive
        return answer(m) unless m['do']

        say(perform(m))
      end
    end

    private

    def answer(m)
      return Wire.decode(m['value']) unless m['error']
      raise @raised[m['raised']] if m['raised']
      raise Abort, m['abort'] if m['abort'] && !m['rescuable']

      error = Object.const_get(m['class'] || 'Puppet::ParseError').new(m['error'])
      error.instance_variable_set(:@bunraku_abort, m['abort'])
      raise error
    end

    def perform(m)
      @depth += 1
      Tasks.public_send(m['do'], m)
    rescue Abort => e
      { 'error' => e.message, 'abort' => e.number }
    rescue Exception => e # rubocop:disable Lint/RescueException
      failure(e)
    ensure
      @depth -= 1
      if @depth.zero?
        @raised.clear
        # Threads that the code has left behind would take turns with all that comes later, a tenth of a second each.
        (Thread.list - [Thread.current]).each(&:kill)
      end
    end

    # failure describes an exception. It is kept, since the compiler may hand it back to the function that called this one.
    def failure(e)
      @raised << e
      message = e.message.to_s.dup
      message.force_encoding(Encoding::UTF_8) unless message.encoding == Encoding::UTF_8
      out = { 'error' => message.scrub, 'class' => e.class.name.to_s, 'raised' => @raised.size - 1 }
      out['abort'] = e.instance_variable_get(:@bunraku_abort) if e.instance_variable_get(:@bunraku_abort)
      out['missing'] = true if e.is_a?(Missing)
      out['grave'] = true unless e.is_a?(StandardError)
      out['error'] = 'the code called exit' if e.is_a?(SystemExit)
      out
    end
  end
end
