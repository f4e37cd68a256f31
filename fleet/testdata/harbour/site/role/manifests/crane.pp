class role::crane {
  include profile::base
  include profile::crane
  Class['profile::base'] -> Class['profile::crane']
}
