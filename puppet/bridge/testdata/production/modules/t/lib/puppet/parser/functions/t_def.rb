# Methods are not allowed here.
module Puppet::Parser::Functions
  newfunction(:t_def, :type => :rvalue) { |args| helper }
  def helper
    1
  end
end
