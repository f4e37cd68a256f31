# dump.rb [--modulepath P] [NAME…]: facts about resource types, as JSON, for the generator beside it.
# Only names, values, patterns and relations: no documentation text. With names, only those types and the ones Puppet itself has.
require 'puppet'
require 'json'
modulepath = ARGV[0] == '--modulepath' ? ARGV.shift(2)[1].split(':') : []
Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var', '--certname', 'oracle.invalid'])
Puppet::Util::Log.level = :crit
modules = {}
Puppet::Type.loadall
own = []
Puppet::Type.eachtype { |t| own << t.name.to_s }
modulepath.each do |dir|
  Dir[File.join(dir, '*', 'lib')].sort.each do |lib|
    found = Dir[File.join(lib, 'puppet/type/*.rb')].map { |f| File.basename(f, '.rb') } & ARGV
    $LOAD_PATH.unshift(lib) unless found.empty?
    found.each { |n| modules[n] ||= File.basename(File.dirname(lib)) }
  end
end
(own + ARGV).each { |n| Puppet::Type.type(n.to_sym) }
wanted = (own + ARGV).uniq.sort - %w[component whit]

values = lambda do |attr|
  c = attr.value_collection
  (c.values.map(&:to_s) + (c.instance_variable_get(:@regexes) || []).map { |r| r.name.inspect }).uniq
rescue StandardError
  []
end
# What an attribute declares: its name, its values, and other names of those, where it has some.
attribute = lambda do |name, attr|
  aliases = (attr.value_collection.instance_variable_get(:@strings) || []).flat_map(&:aliases).map(&:to_s)
  aliases.empty? ? { name: name, values: values[attr] } : { name: name, values: values[attr], aliases: aliases }
end
out = wanted.filter_map do |name|
  t = Puppet::Type.type(name.to_sym) or next
  autos = %w[require subscribe before notify].flat_map do |k|
    found = []
    t.send("eachauto#{k}") { |target, _| found << [k, target.to_s] }
    found
  end
  {
    name: name, module: own.include?(name) ? '' : modules[name],
    properties: t.properties.map { |p| attribute[p.name.to_s, p] },
    parameters: t.parameters.map { |p| attribute[p.to_s, t.paramclass(p)] },
    namevars: t.key_attributes.map(&:to_s),
    titles: t.title_patterns.map { |re, attrs| { source: re.source, options: re.options, attrs: attrs.map { |a| Array(a).first.to_s }, code: attrs.any? { |a| Array(a).length > 1 } } },
    autos: autos, isomorphic: t.isomorphic?, ensurable: !!t.validproperty?(:ensure),
    refreshable: t.method_defined?(:refresh), self_refresh: !!t.self_refresh, depthfirst: t.method_defined?(:depthfirst?) && t.instance_method(:depthfirst?).owner == t
  }
end
meta = []
Puppet::Type.eachmetaparam { |m| meta << { name: m.to_s, values: values[Puppet::Type.metaparamclass(m)] } }
puts %({"types": [\n#{out.map { |t| JSON.generate(t) }.join(",\n")}\n],\n"metaparameters": #{JSON.generate(meta)}})
