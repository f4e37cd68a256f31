Puppet::Functions.create_function(:'t::fails') do
  def fails(how, text = 'text')
    case how
    when 'argument' then raise ArgumentError, text
    when 'parse' then raise Puppet::ParseError, text
    when 'puppet' then raise Puppet::Error, text
    when 'runtime' then raise text
    when 'nil' then nil.upcase
    when 'zero' then 1 / 0
    when 'key' then { 'a' => 1 }.fetch(text)
    when 'type' then 1 + text
    when 'load' then require 'no_such_library_anywhere'
    when 'nested' then begin; call_function('t::fails', 'parse', text); rescue Puppet::ParseError => e; "rescued #{e.message}"; end
    when 'own' then begin; call_function('fail', text); rescue Puppet::Error => e; "rescued #{e.message}"; end
    when 'unknown' then call_function("t::no_such_#{text}")
    when 'through' then call_function('t::fails', 'argument', text)
    when 'mismatch' then call_function('t::returns')
    when 'wrong' then call_function('round', text)
    when 'big' then 2**70
    when 'fail' then fail(text)
    end
  end
end
