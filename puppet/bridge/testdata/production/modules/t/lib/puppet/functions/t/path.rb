require 'pathname'

# What Ruby makes of a path.
Puppet::Functions.create_function(:'t::path') do
  def path(text, other)
    path = Pathname.new(text)
    [path + other, path.join(other, 'x'), path.cleanpath, path.cleanpath(true), path.parent, path.dirname, path.basename('.txt'), path.extname,
     path.ascend.to_a, path.descend.map(&:to_s), path.each_filename.to_a, path.split, path.root?, path.absolute?, path <=> Pathname(other),
     path.sub('a', 'b'), path.sub_ext('.rb'), File.join(path, 'z'), File.basename(path), "in #{path}", path.inspect, path == Pathname.new(text.dup),
     { path => 1 }[Pathname.new(text)], related(path, other)].map { |x| plain(x) }
  rescue ArgumentError, TypeError => e
    "#{e.class}: #{e.message}"
  end

  def related(path, other)
    path.relative_path_from(Pathname.new(other))
  rescue ArgumentError => e
    e.message
  end

  def plain(value)
    value.is_a?(Array) ? value.map { |x| plain(x) } : (value.is_a?(Pathname) ? "path #{value}" : value)
  end
end
