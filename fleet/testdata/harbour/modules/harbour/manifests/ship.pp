define harbour::ship (
  Integer $depth = 4,
  Optional[String] $flag = undef,
) {
  $berth = harbour::berth($title, $depth)
  $colours = harbour::pick_first($flag, 'none')
  file { "/srv/ships/${title}":
    content => "berth ${berth}\ncolours ${colours}\n",
    owner   => 'root',
  }
  if $depth > 8 {
    @@notify { "pilot for ${title}":
      tag => 'pilots',
    }
    notify { "${title} needs a pilot": }
  }
}
