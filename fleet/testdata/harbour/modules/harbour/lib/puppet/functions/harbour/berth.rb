# The berth of a ship.
Puppet::Functions.create_function(:'harbour::berth') do
  dispatch :of do
    param 'String', :ship
    optional_param 'Integer', :depth
  end

  def of(ship, depth = 4)
    # deep ships lie further out
    side = depth > 7 ? 'north' : 'south'
    number = ship.length + 100
    "#{side}-#{number}"
  end
end
