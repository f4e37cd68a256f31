module Puppet::Parser::Functions
  newfunction(:t_another_name, :type => :rvalue) { |args| 1 }
end
