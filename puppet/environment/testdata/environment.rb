# usage: ruby environment.rb BASEMODULEPATH CODEDIR DIR...   prints, per environment directory, what Puppet makes of it, as a JSON line.
require 'puppet'
require 'json'
require 'tmpdir'
tmp = Dir.mktmpdir('environment')
at_exit { FileUtils.remove_entry(tmp) }
base, code, *dirs = ARGV
Puppet.initialize_settings(['--confdir', "#{tmp}/conf", '--vardir', "#{tmp}/var", '--codedir', code, '--environment_timeout', '0'])
Puppet.settings.preferred_run_mode = :server
Puppet[:basemodulepath] = base
Puppet[:vendormoduledir] = '/nonexistent'
Puppet::Util::Log.level = :crit
dirs.each do |dir|
  Puppet[:environmentpath] = File.dirname(dir)
  envs = Puppet::Environments::Directories.new(File.dirname(dir), base.split(':'))
  out = begin
    Puppet.override(environments: envs) do
      env = envs.get(File.basename(dir))
      files = File.directory?(env.manifest) ? Dir.glob(File.join(env.manifest, '**/*.pp')).sort : [env.manifest].select { |f| File.exist?(f) }
      Puppet.override(current_environment: env) do
        loaders = Puppet::Pops::Loaders.new(env)
        functions = %w[mod::one mod::deep::two environment::e plain mod::missing].map do |n|
          te = (loaders.private_environment_loader.load_typed(Puppet::Pops::Loader::TypedName.new(:function, n)) rescue nil)
          [n, te && te.value ? (te.origin.is_a?(Array) ? te.origin[0] : te.origin).to_s : nil]
        end.to_h
        types = %w[Mod::Port Mod::Deep::Port Environment::E Plain Mod::Nope].map do |n|
          te = (loaders.private_environment_loader.load_typed(Puppet::Pops::Loader::TypedName.new(:type, n.downcase)) rescue nil)
          [n, te && te.value ? (te.origin.is_a?(Array) ? te.origin[0] : te.origin).to_s : nil]
        end.to_h
        found = %w[mod/t.epp mod/sub/t.erb mod nomod/t mod/none].map { |n| [n, Puppet::Parser::Files.find_template(n, env)] }.to_h
        manifests = %w[mod mod/a mod/b/c mod/none].map { |n| [n, Puppet::Parser::Files.find_manifests_in_modules(n, env)[1]] }.to_h
        { 'modulepath' => env.full_modulepath, 'manifest' => env.manifest, 'files' => files, 'modules' => env.modules.map { |m| [m.name, m.path] }.sort,
          'dependencies' => env.modules.sort_by(&:name).map { |m| m.dependencies }, 'functions' => functions, 'types' => types, 'templates' => found, 'manifests' => manifests,
          'provider' => env.configuration.environment_data_provider }
      end
    end
  rescue StandardError => e
    { 'error' => e.message }
  end
  puts JSON.generate(out)
end
