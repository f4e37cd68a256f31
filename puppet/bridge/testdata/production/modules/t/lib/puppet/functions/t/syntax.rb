Puppet::Functions.create_function(:'t::syntax') do
  def syntax( = 1
end
