# Declares packages.
Puppet::Functions.create_function(:ensure_packages_of) do
  dispatch :declare do
    param 'Array[String]', :names
  end

  def declare(names)
    names.sort.each do |name|
      # one by one
      call_function('create_resources', 'package', { name => { 'tag' => 'wanted' } })
    end
  end
end
