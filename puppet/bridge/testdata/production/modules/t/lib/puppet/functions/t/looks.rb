# What can be seen of a module's files by a Pathname, which nobody requires.
Puppet::Functions.create_function(:'t::looks') do
  def looks(module_name, file)
    path = Pathname.new(Puppet::Module.find(module_name).path) + file
    return 'no such file' unless path.exist?

    [path.file?, path.directory?, path.readable?, path.basename.to_s,
     path.directory? ? (path.children(false) + path.children + path.glob('*.none') + path.glob('p*.pp')).map(&:to_s).map { |f| f.sub(path.to_s, '') } : [path.read, path.size, path.readlines.length, File.read(path)]]
  end
end
