Puppet::Functions.create_function(:'t::echo') do
  dispatch(:echo) { repeated_param 'Any', :x }
  def echo(*x) = [x, x.map { |v| v.class.name[/\w+\z/] }]
end
