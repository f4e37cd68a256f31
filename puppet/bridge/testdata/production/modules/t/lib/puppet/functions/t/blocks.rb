Puppet::Functions.create_function(:'t::blocks') do
  dispatch(:run) { param 'String', :how; param 'Array', :list; optional_block_param 'Callable', :block }
  def run(how, list, &block)
    case how
    when 'map' then call_function('map', list) { |x| [x, x] }
    when 'each' then seen = []; call_function('each', list) { |i, x| seen << [i, x] }; seen
    when 'filter' then call_function('filter', list) { |x| x.is_a?(Integer) }
    when 'reduce' then call_function('reduce', list) { |a, b| "#{a}-#{b}" }
    when 'arity' then block && block.arity
    when 'pass' then call_function('map', list, &block)
    when 'index' then list.each_with_index.map { |x, i| block.call(i, x) }
    when 'rescue' then begin; list.map(&block); rescue StandardError => e; "rescued #{e.class}"; end
    else raise ArgumentError, "no way #{how}"
    end
  end
end
