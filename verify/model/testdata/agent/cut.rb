# How runs of an agent are disturbed. A cut is one of
#
#   {"after": resource}           the agent is killed between that resource and the next one
#   {"fail": resource}            what that resource does fails, and does nothing
#   {"inside": resource, "at": n} its command and the agent are killed before the command's nth step that changes something
#   {"break": resource, "at": n}  only the command is, so that the resource fails
#
# Events that were not delivered are lost with the agent, as they are with one whose machine loses power.
require 'fiddle'

# Steps runs a program and stops it, with all that it has started, before the nth system call that changes a file.
module Steps
  LIB = Fiddle.dlopen(nil)
  PTRACE = Fiddle::Function.new(LIB['ptrace'], [Fiddle::TYPE_LONG] * 4, Fiddle::TYPE_LONG)
  WAIT = Fiddle::Function.new(LIB['waitpid'], [Fiddle::TYPE_INT, Fiddle::TYPE_VOIDP, Fiddle::TYPE_INT], Fiddle::TYPE_INT)
  TRACEME, SYSCALL, SETOPTIONS, INFO = 0, 24, 0x4200, 0x420e
  # Processes that are started are traced, too, a stop for a system call is told from a signal, and nobody outlives the tracer.
  OPTIONS = 0x100000 | 0x1 | 0x2 | 0x4 | 0x8 | 0x10
  # By number on x86-64: write, pwrite, writev, truncate, ftruncate, rename, mkdir, rmdir, creat, link, unlink, symlink, chmod,
  # fchmod, chown, fchown, lchown, and their like with a directory; sendfile, copy_file_range.
  CHANGE = [1, 18, 20, 76, 77, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 40, 258, 260, 263, 264, 265, 266, 268, 316, 326].freeze
  OPEN = { 2 => 1, 257 => 2 }.freeze # open and openat, and which argument has the flags
  CREATE = 0x40 | 0x200              # O_CREAT, O_TRUNC
  CLONE_FILE = 0x40049409            # what cp asks a file system for first

  # run is the status that the program ends with, nil if it was stopped.
  def self.run(n)
    RbConfig::CONFIG['host_cpu'] == 'x86_64' or raise "no table of system calls for #{RbConfig::CONFIG['host_cpu']}"
    first = fork do
      PTRACE.call(TRACEME, 0, 0, 0)
      Process.kill(:STOP, $$)
      yield
    end
    status = Fiddle::Pointer.malloc(4, Fiddle::RUBY_FREE)
    info = Fiddle::Pointer.malloc(88, Fiddle::RUBY_FREE)
    live, changes, result, started = { first => true }, 0, 0, false
    until live.empty?
      pid = WAIT.call(-1, status, 0x40000000)
      return result if pid.negative?
      s = status[0, 4].unpack1('l')
      if (s & 0x7f).zero? || s & 0xff != 0x7f # it has ended
        live.delete(pid)
        result = (s & 0x7f).zero? ? s >> 8 & 0xff : 128 + (s & 0x7f) if pid == first
        next
      end
      live[pid] = true
      signal, event = s >> 8 & 0xff, s >> 16
      unless started
        PTRACE.call(SETOPTIONS, first, 0, OPTIONS)
        started, signal = true, 0
      end
      if signal == 0x85 # a system call begins or ends
        signal = 0
        PTRACE.call(INFO, pid, 88, info.to_i)
        op, nr, *args = info[0, 80].unpack('Cx23Q7')
        if op == 1 && change?(nr, args) && (changes += 1) == n
          live.each_key { |x| Process.kill(:KILL, x) rescue nil }
          return nil
        end
      elsif event.positive? || signal == 19 # somebody starts somebody, or is started
        signal = 0
      end
      PTRACE.call(SYSCALL, pid, 0, signal)
    end
    result
  end

  def self.change?(nr, args)
    return args[OPEN[nr]] & CREATE != 0 if OPEN[nr]
    CHANGE.include?(nr) || nr == 16 && args[1] == CLONE_FILE
  end
end

module Cut
  @stop = @inside = nil
  class << self
    attr_accessor :stop, :inside
  end

  # prepare makes the run of a catalog one that is cut; declared are the resources of the catalog.
  def self.prepare(catalog, cut, declared)
    if cut['after']
      self.stop = [cut['after'], declared]
      Puppet::Transaction.prepend(Stop)
    elsif cut['fail']
      target = catalog.resource(cut['fail'])
      target.properties.each { |p| p.define_singleton_method(:sync) { raise Puppet::Error, 'made to fail' } }
      target.define_singleton_method(:refresh) { raise Puppet::Error, 'made to fail' } if target.respond_to?(:refresh)
    else
      self.inside = [cut['inside'] || cut['break'], cut['at'], !cut['inside'].nil?]
      Puppet::Type.type(:exec).provider(:posix).prepend(Inside)
      Kernel.singleton_class.prepend(Watched)
    end
  end

  # Stop kills the agent before the first declared resource that comes after the one, and at the end.
  module Stop
    def eval_resource(resource, ancestor = nil)
      last, declared = Cut.stop
      Process.kill(:KILL, $$) if @at_last && declared.include?(resource.ref)
      @at_last ||= resource.ref == last
      super
    end

    def evaluate
      super
      Process.kill(:KILL, $$) if @at_last
    end
  end

  # Inside marks the command of one resource, not its guards.
  module Inside
    def run(command, check = false)
      return super if check || resource.ref != Cut.inside[0]
      begin
        Cut::Watched.on = true
        super
      ensure
        Cut::Watched.on = false
      end
    end
  end

  # Watched runs a marked command step by step: Puppet's child that is about to become it looks on instead.
  module Watched
    class << self
      attr_accessor :on
    end

    def exec(*command)
      return super unless Cut::Watched.on
      status = Steps.run(Cut.inside[1]) { super(*command) }
      Process.kill(:KILL, Process.ppid) if status.nil? && Cut.inside[2]
      exit!(status || 137)
    end
  end
end
