# What every machine of the harbour has.
Package { ensure => installed }

node default {
  include role::plain
}

node /^crane\d+\./ {
  include role::crane
}

node 'office.harbour.example' {
  $floor = 3
  include role::office
}
