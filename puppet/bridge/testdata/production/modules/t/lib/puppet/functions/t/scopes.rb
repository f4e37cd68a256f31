Puppet::Functions.create_function(:'t::scopes', Puppet::Functions::InternalFunction) do
  dispatch(:look) { scope_param; param 'String', :name; optional_param 'String', :how }
  def look(scope, name, how = '[]')
    case how
    when '[]' then scope[name]
    when 'lookupvar' then scope.lookupvar(name)
    when 'include?' then scope.include?(name)
    when 'exist?' then scope.exist?(name)
    when 'closure' then closure_scope[name]
    when 'global' then closure_scope.find_global_scope[name]
    when 'lenient'
      was = Puppet[:strict]
      begin
        Puppet[:strict] = :off
        [Puppet[:strict].to_s, closure_scope.find_global_scope.lookupvar(name)]
      ensure
        Puppet[:strict] = was
      end
    when 'parameters' then closure_scope.find_global_scope.catalog.resource("Class[#{name}]")&.parameters.to_h.transform_values(&:value)
    when 'catch' then catch(:undefined_variable) { return scope.lookupvar(name) }; 'caught'
    when 'call' then scope.call_function('upcase', [name])
    when 'old' then scope.function_t_old([name, 1])
    when 'respond' then [scope.respond_to?("function_#{name}"), scope.respond_to?(:lookupvar)]
    when 'with' then call_function_with_scope(scope, 'join', ['a', name], '/')
    when 'compiler' then [scope.compiler.topscope['fqdn'], scope.environment.to_s, scope.catalog.classes.include?(name)]
    end
  end
end
