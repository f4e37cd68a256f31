# Reads lines: the path of a catalog in JSON. Prints, for each, the relationship graph that an agent makes of it, as one line of JSON:
# {edges: [[from, to, refreshes]], order: [ref], cycles: text} or {error: text}. The first argument says which modules to load types from,
# the others are the types whose automatic relations count.
require 'puppet'
require 'json'
require 'puppet/property/list'
Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var', '--certname', 'oracle.invalid'])
Puppet::Util::Log.level = :crit
Dir["/usr/share/puppet/modules/#{ARGV.shift}/lib"].sort.each { |l| $LOAD_PATH.unshift(l) }
known = ARGV.map(&:to_sym)
Puppet::Type.singleton_class.prepend(Module.new do
  %w[require subscribe before notify].each do |k|
    define_method("eachauto#{k}") { |&block| super(&block) if known.include?(name) }
  end
end)
messages = []
Puppet.define_singleton_method(:err) { |m| messages << m }
# Nothing of the machine may leak in: lists are what was declared.
Puppet::Property::List.send(:define_method, :retrieve) { :absent }
env = Puppet::Node::Environment.create(:oracle, [])
Puppet.push_context(current_environment: env, loaders: Puppet::Pops::Loaders.new(env))
$stdin.each_line(chomp: true) do |path|
  begin
    messages.clear
    catalog = Puppet::Resource::Catalog.from_data_hash(JSON.parse(File.read(path))).to_ral
    catalog.host_config = false
    catalog.finalize
    graph = catalog.relationship_graph
    graph.report_cycles_in_graph
    name = ->(v) { v.is_a?(Puppet::Type.type(:whit)) ? v.name : v.ref }
    edges = graph.edges.map { |e| [name[e.source], name[e.target], e.callback == :refresh] }
    order = []
    graph.enqueue_roots
    while (v = graph.next_resource)
      order << name[v]
      graph.finish(v)
    end
    puts JSON.generate(edges: edges, order: order, cycles: messages.join)
  rescue StandardError, ScriptError => e
    puts JSON.generate(error: e.message.lines.first.to_s)
  end
end
