# Nodes are classified elsewhere; here is only what they all have.
file { '/etc/tier':
  content => "${tier}\n",
}
include ssh
