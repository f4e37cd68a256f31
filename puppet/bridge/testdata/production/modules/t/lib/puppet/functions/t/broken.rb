Puppet::Functions.create_function(:'t::broken') do
  dispatch(:broken) { param 'Integer', :a; optional_param 'Integer', :b; param 'Integer', :c }
  def broken(*) = 1
end
