# The library pathname: a path, what can be said of it by its text alone, and the files that may be read.

# A path. Whatever looks at the machine asks File or Dir, which know what may be seen.
class Pathname
  SEPARATOR_LIST = '/'
  SEPARATOR_PAT = %r{/}.freeze
  TO_PATH = :to_path
  SAME_PATHS = false

  def self.pwd = new(Dir.pwd)
  def self.getwd = pwd

  def self.glob(*patterns, &block)
    found = Dir.glob(*patterns).map { |path| new(path) }
    block ? found.each(&block) && nil : found
  end

  attr_reader :to_s
  alias to_path to_s

  def initialize(path)
    path = path.to_path if path.respond_to?(:to_path)
    raise TypeError, "no implicit conversion of #{path.nil? ? 'nil' : path.class} into String" unless path.is_a?(String)
    raise ArgumentError, 'pathname contains null byte' if path.include?("\0")

    @to_s = path.dup
  end

  def inspect = "#<#{self.class}:#{@to_s}>"
  def hash = @to_s.hash
  def ==(other) = other.is_a?(Pathname) && @to_s == other.to_s
  alias eql? ==
  alias === ==

  # As texts in which a separator comes before everything else.
  def <=>(other)
    return nil unless other.is_a?(Pathname)

    @to_s.tr('/', "\0") <=> other.to_s.tr('/', "\0")
  end

  def absolute? = @to_s.start_with?('/')
  def relative? = !absolute?
  def root? = absolute? && names.empty?

  def basename(*suffix) = self.class.new(File.basename(@to_s, *suffix))
  def dirname = self.class.new(File.dirname(@to_s))
  def extname = File.extname(@to_s)
  def split = [dirname, basename]
  def parent = self + '..'
  def sub(*args, &block) = self.class.new(block ? @to_s.sub(*args, &block) : @to_s.sub(*args))

  def sub_ext(extension)
    known = File.extname(@to_s)
    self.class.new((known.empty? ? @to_s : @to_s[0, @to_s.rindex(known)]) + extension)
  end

  def each_filename(&block)
    return names.each unless block

    names.each(&block)
    nil
  end

  # The path without anything that leads nowhere; links are not asked.
  def cleanpath(consider_symlink = false)
    clean = []
    names.each do |name|
      case
      when name == '.' then next
      when name != '..' then clean << name
      when clean.empty? then clean << name unless absolute?
      when clean.last == '..' || consider_symlink then clean << name
      else clean.pop
      end
    end
    text = (absolute? ? '/' : '') + clean.join('/')
    return self.class.new(text.empty? ? '.' : text) unless consider_symlink

    # a name at the end of which something shows that it is a directory keeps that
    text += '/.' if clean.last && clean.last != '..' && @to_s.match?(%r{/\.?\z}) && names.last == '.'
    text += '/' if clean.last && clean.last != '..' && @to_s.end_with?('/') && names.last != '.'
    self.class.new(text.empty? ? '.' : text)
  end

  def +(other)
    other = other.is_a?(Pathname) ? other.to_s : Pathname.new(other).to_s
    self.class.new(Pathname.below(@to_s, other))
  end
  alias / +

  def join(*others)
    path = others.reverse.reduce(nil) do |right, left|
      left = Pathname.new(left)
      right = right ? left + right : left
      return self.class.new(right) if right.absolute?

      right
    end
    path ? self + path : self
  end

  # What path is called that is named from a directory: what goes up takes names of the directory away.
  def self.below(directory, path)
    return path if path.start_with?('/')

    left = directory
    rest = path.sub(%r{\A(?:\./+|\.\z)+}, '')
    while (last = left[%r{([^/]+)/*\z}, 1])
      stem = left[0, left.rindex(last)]
      if last == '.'
        left = stem
        next
      end
      left = stem + last
      break if last == '..' || !rest.match?(%r{\A\.\.(?:/|\z)})

      left = stem
      rest = rest.sub(%r{\A\.\.(?:/+|\z)}, '').sub(%r{\A(?:\./+|\.\z)+}, '')
    end
    bare = left.match?(%r{\A/*\z})
    rest = rest.sub(%r{\A(?:\.\.(?:/+|\z))+}, '') if bare && !left.empty?
    return bare ? left + rest : File.join(left, rest) unless rest.empty?

    left.empty? ? '.' : left
  end

  def ascend(&block)
    return to_enum(:ascend) unless block

    above(&block)
    nil
  end

  def descend(&block)
    return to_enum(:descend) unless block

    list = []
    above { |path| list.unshift(path) }
    list.each(&block)
    nil
  end

  def relative_path_from(base)
    base = base.is_a?(Pathname) ? base : Pathname.new(base)
    here = cleanpath
    there = base.cleanpath
    if here.absolute? != there.absolute?
      raise ArgumentError, "different prefix: #{(here.absolute? ? '/' : '').inspect} and #{there.to_s.inspect}"
    end

    to = here.each_filename.reject { |n| n == '.' }
    from = there.each_filename.reject { |n| n == '.' }
    while !to.empty? && !from.empty? && to.first == from.first
      to.shift
      from.shift
    end
    raise ArgumentError, "base_directory has ..: #{there.to_s.inspect}" if from.include?('..')

    way = from.map { '..' } + to
    self.class.new(way.empty? ? '.' : way.join('/'))
  end

  def children(with_directory = true)
    with_directory = false if @to_s == '.'
    Dir.children(@to_s).map { |name| with_directory ? self.class.new(File.join(@to_s, name)) : self.class.new(name) }
  end

  def each_child(with_directory = true, &block) = children(with_directory).each(&block)
  def entries = Dir.entries(@to_s).map { |name| self.class.new(name) }
  def each_entry(&block) = entries.each(&block)
  def glob(pattern, &block)
    base = File.join(@to_s, '')
    found = base.match?(/[*?{\[\\]/) ? Dir.glob(pattern, base: @to_s) : Dir.glob(base + pattern).map { |path| path[base.length..-1] }
    found = found.map { |name| self + name }
    block ? found.each(&block) && nil : found
  end

  def empty? = directory? ? Dir.children(@to_s).empty? : File.empty?(@to_s)
  def expand_path(*from) = self.class.new(File.expand_path(@to_s, *from))
  def each_line(*args, &block) = File.foreach(@to_s, *args, &block)
  def fnmatch(pattern, *args) = File.fnmatch(pattern, @to_s, *args)
  alias fnmatch? fnmatch

  %i[exist? file? directory? readable? zero? size size? read binread readlines open stat lstat symlink? executable? writable? owned? write binwrite
     delete unlink rename mtime ctime atime chmod chown].each do |name|
    define_method(name) { |*args, **more, &block| File.public_send(name, @to_s, *args, **more, &block) }
  end

  %i[realpath realdirpath readlink].each do |name|
    define_method(name) { |*args| self.class.new(File.public_send(name, @to_s, *args)) }
  end

  private

  def names = @to_s.scan(%r{[^/]+})

  def above
    path = @to_s
    yield self
    while (last = path[%r{([^/]+)/*\z}, 1])
      path = path[0, path.rindex(last)]
      break if path.empty?

      path = path.match?(%r{\A/+\z}) ? '/' : path.sub(%r{/+\z}, '')
      yield self.class.new(path)
    end
  end
end

module Kernel
  def Pathname(path) = path.is_a?(Pathname) ? path : Pathname.new(path)
end
