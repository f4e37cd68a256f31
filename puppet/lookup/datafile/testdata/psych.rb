# Reads a JSON array of texts from standard input and says, for each, what Puppet's YAML, JSON or HOCON loader makes of it.
require 'json'
if ARGV[0] == 'yaml'
  require 'puppet'
  require 'puppet/util/yaml'
  require 'puppet/pops'
  Puppet.initialize_settings(['--confdir', '/nonexistent', '--vardir', '/nonexistent'])
end

def plain(v)
  case v
  when nil then ['undef']
  when true, false then ['bool', v]
  when Integer then ['int', v.to_s]
  when Float then ['float', [v].pack('G').unpack1('H*')]
  when Symbol then ['symbol', v.to_s]
  when String then ['string', v.dup.force_encoding('BINARY').unpack1('H*')]
  when Array then ['array', v.map { |x| plain(x) }]
  when Hash then ['hash', v.map { |k, x| [plain(k), plain(x)] }]
  else ['other', v.class.name]
  end
end

kind = ARGV[0]
out = JSON.parse($stdin.read).map do |hex|
  text = [hex].pack('H*').force_encoding('UTF-8')
  begin
    case kind
    when 'yaml'
      v = Puppet::Util::Yaml.safe_load(text, [Symbol], 'f.yaml')
      v = nil if v == false && !(text =~ /no|false|off/i)
      plain(Puppet::Pops::Lookup::HieraConfig.symkeys_to_string(v))
    when 'json'
      plain(JSON.parse(text)) # what Puppet::Util::Json does without multi_json
    when 'hocon'
      require 'hocon'
      require 'hocon/config_error'
      plain(Hocon.parse(text))
    end
  rescue StandardError, SystemStackError, Psych::Exception => e
    ['error', e.message.dup.force_encoding('BINARY').unpack1('H*')]
  end
end
puts JSON.generate(out, max_nesting: 0)
