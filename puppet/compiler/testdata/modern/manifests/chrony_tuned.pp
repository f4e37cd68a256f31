# machines: redhat-9-x86_64
node /^chrony_tuned[.]/ {
  class { 'chrony': servers => { 'a.ntp' => ['iburst'] } }
  class { 'tuned': active_profile => 'virtual-guest' }
}
