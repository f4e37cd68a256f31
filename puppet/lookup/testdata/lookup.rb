# usage: ruby lookup.rb DIR...   answers the queries of each case directory with real Puppet, one JSON line per case.
# A case is an environment: hiera.yaml, data/, modules/, environment.conf, facts.json, vars.json, trusted.json, global/hiera.yaml, queries.json.
require 'puppet'
require 'json'
require 'tmpdir'
tmp = Dir.mktmpdir('lookup')
at_exit { FileUtils.remove_entry(tmp) }
Puppet.initialize_settings(['--confdir', "#{tmp}/conf", '--vardir', "#{tmp}/var", '--environment_timeout', '0'])
Puppet.settings.preferred_run_mode = :server
Puppet[:basemodulepath] = ''
Puppet[:vendormoduledir] = '/nonexistent'
Puppet[:node_terminus] = :plain
Puppet::Util::Log.level = :err

def plain(v)
  case v
  when :default then { '__default' => true }
  when :undef then nil
  when Array then v.map { |x| plain(x) }
  when Hash
    if v.keys.all? { |k| k.is_a?(String) }
      v.map { |k, x| [k, plain(x)] }.to_h
    else
      { '__pairs' => v.map { |k, x| [plain(k), plain(x)] } }
    end
  when Puppet::Pops::Types::PSensitiveType::Sensitive then { '__sensitive' => plain(v.unwrap) }
  when Float then v.nan? || v.infinite? ? { '__float' => v.to_s } : { '__float' => v.to_s }
  when Integer, String, true, false, nil then v
  else { '__text' => Puppet::Pops::Types::StringConverter.convert(v, '%p') }
  end
end

def text(e)
  e.message.dup.force_encoding('UTF-8')
end

ARGV.each do |dir|
  name = File.basename(dir)
  Puppet[:environmentpath] = File.dirname(dir)
  Puppet[:environment] = name
  Puppet[:codedir] = "#{dir}/code"
  Puppet[:hiera_config] = "#{dir}/global/hiera.yaml"
  Puppet[:strict] = File.exist?("#{dir}/strict") ? File.read("#{dir}/strict").strip.to_sym : :warning
  read = ->(f, otherwise) { File.exist?("#{dir}/#{f}") ? JSON.parse(File.read("#{dir}/#{f}")) : otherwise }
  facts_h = read.call('facts.json', {})
  certname = facts_h.dig('networking', 'fqdn') || facts_h['fqdn'] || 'n1.example.com'
  envs = Puppet::Environments::Directories.new(File.dirname(dir), [])
  env = Puppet.override(environments: envs) { envs.get(name) }
  envs.define_singleton_method(:get) { |n| n.to_s == env.name.to_s ? env : super(n) }
  facts = Puppet::Node::Facts.new(certname, facts_h)
  facts.sanitize
  node = Puppet::Node.new(certname, facts: facts, environment: env)
  node.merge(facts.values)
  trusted = Puppet::Context::TrustedInformation.new('remote', certname, read.call('trusted.json', {}))
  node.trusted_data = trusted.to_h
  node.add_server_facts('serverversion' => Puppet.version.to_s, 'servername' => 'puppet.example.com', 'serverip' => '192.0.2.1')
  answers = Puppet.override(current_environment: env, environments: envs, trusted_information: trusted, rich_data: true) do
    compiler = Puppet::Parser::Compiler.new(node)
    Puppet.override(compiler.context_overrides) do
      compiler.send(:set_node_parameters)
      compiler.send(:create_settings_scope)
      scope = compiler.topscope
      read.call('vars.json', {}).each { |k, v| scope[k] = v }
      tp = Puppet::Pops::Types::TypeParser.singleton
      read.call('queries.json', []).map do |q|
        names = q['names'] || q['key']
        (q['set'] || {}).each { |k, v| scope.ephemeral_from({ k => v }) if false }
        run = lambda do |sc|
          type = q['type'] && tp.parse(q['type'])
          if q['hiera']
            args = [q['key']]
            args << q['default'] if q.key?('default')
            args << q['paths'] if q['paths']
            plain(sc.call_function(q['hiera'], args))
          elsif q['automatic']
            inv = Puppet::Pops::Lookup::Invocation.new(sc)
            found = false
            v = nil
            catch(:no_such_key) { v = Puppet::Pops::Lookup.search_and_merge(names, inv, nil); found = true }
            found ? plain(v) : { '__missing' => true }
          elsif q['explain']
            x = Puppet::Pops::Lookup::Explainer.new(true)
            inv = Puppet::Pops::Lookup::Invocation.new(sc, q['override'] || {}, q['defaults'] || {}, x)
            begin
              Puppet::Pops::Lookup.lookup(names, type, q['default'], q.key?('default'), q['merge'], inv)
            rescue Puppet::DataBinding::LookupError
            end
            { '__explain' => x.explain }
          else
            o = {}
            o['value_type'] = type if type
            o['default_value'] = q['default'] if q.key?('default')
            o['override'] = q['override'] if q['override']
            o['default_values_hash'] = q['defaults'] if q['defaults']
            o['merge'] = q['merge'] if q['merge']
            plain(sc.call_function('lookup', [names, o]))
          end
        end
        begin
          v = q['set'] ? scope.with_local_scope(q['set']) { run.call(scope) } : run.call(scope)
          { 'value' => v }
        rescue StandardError, SystemStackError => e
          { 'error' => text(e) }
        end
      end
    end
  end
  puts JSON.generate(answers).gsub(dir, '$DIR')
  $stdout.flush
end
