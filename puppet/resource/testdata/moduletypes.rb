# moduletypes.rb MODULEPATH: loads every resource type of the modules there and prints one JSON line for each: its attributes with
# their values, namevars, what its title patterns make of the titles on standard input (a JSON array), its automatic relations and its
# traits; or the error that it ends with.
require 'puppet'
require 'json'
Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var', '--certname', 'oracle.invalid'])
Puppet::Util::Log.level = :crit
titles = JSON.parse($stdin.read)
names = []
modules = {}
ARGV[0].split(':').each do |dir|
  Dir[File.join(dir, '*', 'lib')].sort.each do |lib|
    $LOAD_PATH << lib
    Dir[File.join(lib, 'puppet/type/*.rb')].sort.each do |f|
      name = File.basename(f, '.rb')
      names << name unless modules[name]
      modules[name] ||= File.basename(File.dirname(lib))
    end
  end
end
values = lambda do |attr|
  c = attr.value_collection
  (c.values.map(&:to_s) + (c.instance_variable_get(:@regexes) || []).map { |r| r.name.inspect }).uniq
end
parse = lambda do |t, title|
  # as Puppet::Resource#parse_title does
  t.title_patterns.each do |re, attrs|
    m = re.match(title) or next
    return attrs.zip(m[1..-1]).map { |(attr, code), text| [attr.to_s, code ? code.call(text) : text] }
  end
  nil
end
env = Puppet::Node::Environment.create(:production, ARGV[0].split(':'))
Puppet.override(current_environment: env) do
  names.each do |name|
    out = { name: name, module: modules[name] }
    begin
      t = Puppet::Type.type(name.to_sym)
      raise 'no type' unless t
      out.merge!(
        properties: t.properties.map { |p| [p.name.to_s, values[p]] },
        parameters: t.parameters.map { |p| [p.to_s, values[t.paramclass(p)]] },
        namevars: t.key_attributes.map(&:to_s),
        titles: begin
          titles.map { |s| [s, ->(x) { parse.call(t, x) }.call(s)] }
        rescue StandardError => e
          e.message
        end,
        autos: %w[require subscribe before notify].flat_map { |k| [].tap { |l| t.send("eachauto#{k}") { |target, _| l << [k, target.to_s] } } },
        isomorphic: t.isomorphic?, refreshable: t.method_defined?(:refresh), self_refresh: !!t.self_refresh
      )
    rescue StandardError, LoadError, NotImplementedError => e
      out[:error] = "#{e.class}: #{e.message}"
    end
    puts JSON.generate(out)
  end
end
