# machines: debian-12-x86_64 redhat-9-x86_64
node /^rsyslog_server[.]/ {
  include rsyslog::config
}
