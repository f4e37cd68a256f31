# The library stringio: a text that is read and written like a file.

class StringIO
  include Enumerable

  attr_accessor :string, :pos, :lineno

  def self.open(*args)
    io = new(*args)
    block_given? ? yield(io) : io
  end

  def initialize(string = +'', mode = nil)
    @string = string
    @pos = mode.to_s.start_with?('a') ? string.bytesize : 0
    @lineno = 0
    @closed = false
  end

  def read(length = nil, *)
    rest = @string.byteslice(@pos..) || ''
    if length
      return (length.zero? ? '' : nil) if rest.empty?

      rest = rest.byteslice(0, length)
    end
    @pos += rest.bytesize
    rest
  end

  def gets(separator = "\n", chomp: false)
    rest = @string.byteslice(@pos..)
    return nil if rest.nil? || rest.empty?

    at = separator && rest.index(separator)
    line = at ? rest[0, at + separator.size] : rest
    @pos += line.bytesize
    @lineno += 1
    chomp ? line.chomp(separator) : line
  end

  def readline(*args, **more) = gets(*args, **more) || raise(EOFError, 'end of file reached')

  def each_line(*args, **more)
    return to_enum(:each_line, *args, **more) unless block_given?

    while (line = gets(*args, **more))
      yield line
    end
    self
  end
  alias each each_line

  def readlines(*args, **more) = each_line(*args, **more).to_a
  def getc = (c = (@string.byteslice(@pos..) || '')[0]) && (@pos += c.bytesize) && c

  def write(*texts)
    texts.sum do |text|
      text = text.to_s
      before = @string.byteslice(0, @pos) || ''
      after = @string.byteslice(@pos + text.bytesize..) || ''
      @string.replace(before + text + after)
      @pos += text.bytesize
      text.bytesize
    end
  end

  def <<(text)
    write(text)
    self
  end

  def print(*texts)
    write(*texts)
    nil
  end

  def puts(*texts)
    texts = [''] if texts.empty?
    texts.flatten.each { |t| write(t.to_s.end_with?("\n") ? t.to_s : "#{t}\n") }
    nil
  end

  def printf(*args)
    write(format(*args))
    nil
  end

  def rewind
    @pos = 0
    @lineno = 0
    0
  end

  def eof? = @pos >= @string.bytesize
  alias eof eof?
  def size = @string.bytesize
  alias length size
  def tell = @pos
  def close = (@closed = true) && nil
  def closed? = @closed
  def truncate(n) = @string.replace(@string.byteslice(0, n)) && 0
  def binmode = self
  def set_encoding(*) = self
  def sync = true
  def flush = self
  def tty? = false
  alias isatty tty?
end
