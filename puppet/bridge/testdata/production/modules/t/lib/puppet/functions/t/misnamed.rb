Puppet::Functions.create_function(:'t::other') do
  def other = 1
end
