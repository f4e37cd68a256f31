# A file of a 3.x function may define further ones: they are there once the file was read.
module Puppet::Parser::Functions
  newfunction(:'t::beside', :type => :rvalue) do |args|
    "beside #{args.inspect}"
  end

  newfunction(:t_beside_statement) { |_args| 'not told' }

  newfunction(:t_two, :type => :rvalue) do |args|
    case args[0]
    when 'call' then call_function('t::beside', args[1..-1])
    when 'one' then call_function('t::beside', args[1])
    when 'statement' then call_function('t_beside_statement', args)
    when 'old' then function_t_beside_statement(args)
    else call_function('t::nowhere', args)
    end
  end
end
