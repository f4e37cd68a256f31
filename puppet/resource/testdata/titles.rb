# Reads JSON lines [type, title, {attribute: value}] and prints what Puppet makes of each: [attributes of the title, uniqueness key,
# munged path or name] or an error text.
require 'puppet'
require 'json'
Puppet.initialize_settings(['--confdir', '/nonexistent/conf', '--vardir', '/nonexistent/var', '--certname', 'oracle.invalid'])
Dir['/usr/share/puppet/modules/*_core/lib'].sort.each { |l| $LOAD_PATH.unshift(l) }
$stdin.each_line do |line|
  type, title, params = JSON.parse(line)
  begin
    r = Puppet::Resource.new(type, title, parameters: params)
    munged = nil
    case type
    when 'file'
      munged = Puppet::Type.type(:file).paramclass(:path).new(resource: Object.new).munge(title) if title.start_with?('/')
    when 'mount'
      munged = Puppet::Type.type(:mount).paramclass(:name).new(resource: Object.new).munge(title)
    end
    puts JSON.generate([r.send(:parse_title).map { |k, v| [k, v] }, r.uniqueness_key, munged])
  rescue StandardError => e
    puts JSON.generate(e.message)
  end
end
