# The library ostruct: an object whose attributes are what is set.

class OpenStruct
  def initialize(hash = nil)
    @table = {}
    hash&.each_pair { |k, v| @table[k.to_sym] = v }
  end

  def [](name) = @table[name.to_sym]

  def []=(name, value)
    @table[name.to_sym] = value
  end

  def to_h(&block) = block ? @table.to_h(&block) : @table.dup

  def each_pair(&block)
    return to_enum(:each_pair) unless block

    @table.each_pair(&block)
    self
  end

  def dig(name, *names) = @table.dig(name.to_sym, *names)
  def delete_field(name) = @table.delete(name.to_sym)
  def ==(other) = other.is_a?(OpenStruct) && to_h == other.to_h
  def respond_to_missing?(name, all = false) = @table.key?(name.to_s.chomp('=').to_sym) || super

  def method_missing(name, *args)
    text = name.to_s
    if text.end_with?('=')
      @table[text.chomp('=').to_sym] = args[0]
    elsif args.empty?
      @table[name]
    else
      super
    end
  end

  def inspect = "#<OpenStruct#{@table.map { |k, v| " #{k}=#{v.inspect}" }.join(',')}>"
  alias to_s inspect
end
