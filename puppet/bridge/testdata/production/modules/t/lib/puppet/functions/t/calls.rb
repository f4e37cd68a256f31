Puppet::Functions.create_function(:'t::calls') do
  dispatch(:calls) { param 'String', :name; repeated_param 'Any', :args; optional_block_param }
  def calls(name, *args, &block)
    block ? call_function(name, *args, &block) : call_function(name, *args)
  end
end
