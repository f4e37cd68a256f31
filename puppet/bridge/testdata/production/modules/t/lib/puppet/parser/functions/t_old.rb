# A 3.x function sees values as Puppet 3 had them.
module Puppet::Parser::Functions
  newfunction(:t_old, :type => :rvalue, :arity => -2, :doc => 'echo') do |args|
    raise Puppet::ParseError, "t_old(): no #{args[1]}" if args[0] == 'raise'

    [args, args.map { |a| a.class.name[/\w+\z/] }]
  end
end
