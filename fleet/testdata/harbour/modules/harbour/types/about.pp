# What is told of a ship.
type Harbour::About = Struct[{
  depth           => Integer[1, 20],
  Optional[flag]  => String[2],
}]
