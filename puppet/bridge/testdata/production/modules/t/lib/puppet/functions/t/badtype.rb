Puppet::Functions.create_function(:'t::badtype') do
  dispatch(:x) { param 'Integer[', :a }
  def x(a) = a
end
