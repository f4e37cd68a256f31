module Puppet::Parser::Functions
  newfunction(:t_scope, :type => :rvalue) do |args|
    case args[0]
    when 'var' then lookupvar(args[1])
    when 'at' then self[args[1]]
    when 'old' then function_t_old([args[1]])
    when 'exact' then function_t_exact([args[1]])
    when 'bare' then function_t_old(args[1])
    when 'md5' then function_md5([args[1]])
    when 'new' then call_function('t::echo', [args[1]])
    when 'none' then function_no_such_thing([args[1]])
    when 'known' then Puppet::Parser::Functions.function(args[1])
    when 'text' then to_s
    when 'undef' then [:undef, { 'a' => :undef }]
    when 'absolute' then absolute_path?(args[1]) rescue Puppet::Util.absolute_path?(args[1])
    when 'fail' then fail(args[1])
    when 'class' then catalog.classes.include?(args[1])
    end
  end
end
