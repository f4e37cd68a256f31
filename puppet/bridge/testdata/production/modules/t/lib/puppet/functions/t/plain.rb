# No dispatch: the method of the function's own name takes what it takes.
Puppet::Functions.create_function(:'t::plain') do
  def plain(a, b = 2, *rest) = [a, b, rest]
end
