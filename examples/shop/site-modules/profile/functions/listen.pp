# The address that a service listens on: one port on every interface, or on the given one.
function profile::listen(Integer[1, 65535] $port, Optional[String[1]] $address = undef) >> String {
  $address ? {
    undef   => "*:${port}",
    default => "${address}:${port}",
  }
}
