# machines: debian-12-x86_64 redhat-9-x86_64
node /^splunk_forwarder[.]/ {
  class { 'splunk::params': default_host => 'h', server => 'splunk.example.com', version => '9.0.0', build => 'abc', src_root => 'https://d.example.com' }
  class { 'splunk::forwarder': forwarder_output => { 'tcpout_defaultgroup' => { 'section' => 'default', 'setting' => 'defaultGroup', 'value' => 'x_9997', 'tag' => 'splunk_forwarder' } }, seed_password => true, purge_inputs => true }
  @splunkforwarder_input { 'default_host': section => 'default', setting => 'host', value => 'h', tag => 'splunk_forwarder' }
}
