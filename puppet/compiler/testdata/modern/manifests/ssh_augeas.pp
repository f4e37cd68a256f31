# machines: debian-12-x86_64 redhat-9-x86_64
node /^ssh_augeas[.]/ {
  class { 'ssh': storeconfigs_enabled => true, server_options => { 'PermitRootLogin' => 'no' }, server_instances => { 'sftp' => { 'options' => { 'sshd_config' => { 'Port' => 8022, 'Protocol' => 2, 'AddressFamily' => 'any', 'ListenAddress' => ['0.0.0.0'] }, 'sshd_service_options' => '', 'match_blocks' => { '*,!ssh_exempt' => { 'type' => 'group', 'options' => { 'ForceCommand' => 'internal-sftp' } } } } } } }
}
