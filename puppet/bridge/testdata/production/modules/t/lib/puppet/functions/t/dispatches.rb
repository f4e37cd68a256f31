Puppet::Functions.create_function(:'t::dispatches') do
  local_types do
    type 'Small = Integer[0, 9]'
    type 'Tree = Array[Variant[Small, Tree]]'
  end
  dispatch(:small) { param 'Small', :x; optional_param 'String[1]', :label }
  dispatch(:tree) { param 'Tree', :tree }
  dispatch(:level) { param 'T::Level', :level; repeated_param 'Numeric', :numbers }
  dispatch(:pairs) { param 'Hash[String, Any]', :hash; required_repeated_param 'Boolean', :flags }
  dispatch(:block) { param 'Array', :list; block_param 'Callable[1, 2]', :block }
  argument_mismatch(:no_text) { param 'String', :text }

  def small(x, label = 'none') = "small #{x} #{label}"
  def tree(t) = t.flatten.sum
  def level(l, *n) = [l, n, n.sum]
  def pairs(h, *flags) = h.map { |k, v| [k, v, flags.first] }
  def block(list) = list.map { |e| yield(e) }
  def no_text(text) = "wants no text such as '#{text}'"
end
