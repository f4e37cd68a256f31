$y = 1
class a ($x) {
  if $x == 1 { $y = 42 }
  $z = $y
}
class { 'a': x => 2 }
$w = $a::z
notify { 'out': message => "w is ${w}" }
