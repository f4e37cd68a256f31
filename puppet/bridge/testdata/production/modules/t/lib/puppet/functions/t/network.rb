# What only the network knows.
Puppet::Functions.create_function(:'t::network') do
  def network(how)
    require 'open-uri'
    case how
    when 'read' then URI.parse('https://no.such.host.invalid/a').read
    when 'open' then URI.parse('http://no.such.host.invalid/a').open(&:read)
    when 'function' then URI('ftp://no.such.host.invalid/a').read
    when 'module' then URI.open('https://no.such.host.invalid/a', &:read)
    when 'rescue' then begin; URI('http://no.such.host.invalid/a').read; rescue StandardError; 'nothing'; end
    end
  end
end
