# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^snmp_agent[.]/ {
  class { 'snmp': agentaddress => ['udp:161', 'tcp:161'], ro_community => ['public', 'other'], ro_network => '10.0.0.0/8', contact => 'me', location => 'here', com2sec => ['notConfigUser default x'], views => ['v included .1'], snmpd_config => ['rocommunity x'], manage_snmptrapd => true, trap_handlers => ['default /bin/t'] } 
  snmp::snmpv3_user { 'mon': authpass => '1234auth', privpass => '5678priv' }
}
