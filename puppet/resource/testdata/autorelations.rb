# autorelations.rb MODULEPATH: reads the paths of catalogs from standard input and prints for each one line of JSON: the automatic
# relations that the types of its resources ask for, as [resource, kind, other]; and the resources that could not be made or asked.
require 'puppet'
require 'json'
Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var', '--certname', 'oracle.invalid'])
Puppet::Util::Log.level = :crit
Dir[File.join(ARGV[0], '*', 'lib')].sort.each { |lib| $LOAD_PATH << lib }
env = Puppet::Node::Environment.create(:production, [ARGV[0]])
Puppet.override(current_environment: env, loaders: Puppet::Pops::Loaders.new(env), rich_data: true) do
  $stdin.read.split("\n").each do |path|
    data = JSON.parse(File.read(path))
    catalog = Puppet::Resource::Catalog.from_data_hash(data)
    ral = Puppet::Resource::Catalog.new(catalog.name, env)
    failed = []
    catalog.resources.each do |r|
      # what a machine has to say to it does not matter here
      made = begin
        r.to_ral
      rescue StandardError, LoadError => e
        failed << [r.ref, e.message]
        next
      end
      made.catalog = ral
      begin
        ral.add_resource(made)
      rescue StandardError => e
        failed << [r.ref, e.message]
      end
    end
    relations = []
    ral.resources.each do |r|
      %i[require subscribe before notify].each do |kind|
        r.class.send("eachauto#{kind}") do |type, block|
          next unless Puppet::Type.type(type)
          begin
            list = r.instance_eval(&block)
          rescue StandardError, LoadError => e
            failed << ["#{r.ref} #{kind} #{type}", e.message]
            next
          end
          [*(list.is_a?(Array) ? list : [list])].each do |dep|
            next if dep.nil?
            dep = ral.resource(type, dep) unless dep.is_a?(Puppet::Type)
            relations << [r.ref, kind.to_s, dep.ref] if dep
          end
        end
      end
    end
    puts JSON.generate(relations: relations, failed: failed)
  end
end
