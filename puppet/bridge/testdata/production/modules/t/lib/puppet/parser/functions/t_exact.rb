Puppet::Parser::Functions.newfunction(:t_exact, :type => :rvalue, :arity => 2) { |args| args.reverse }
