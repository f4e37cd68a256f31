# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^ssh_server[.]/ {
  class { 'ssh':
    storeconfigs_enabled => false, validate_sshd_file => true,
    server_options => { 'Match User www-data' => { 'ChrootDirectory' => '%h', 'ForceCommand' => 'internal-sftp', 'PasswordAuthentication' => 'yes' }, 'Port' => [22, 2222], 'PasswordAuthentication' => 'no', 'X11Forwarding' => 'no', 'ListenAddress' => ['10.0.0.1', '[::1]:22'] },
    client_options => { 'Host *.example.com' => { 'User' => 'me', 'SendEnv' => ['LANG', 'LC_*'] }, 'GlobalKnownHostsFile' => '/etc/ssh/known' },
    users_client_options => { 'bob' => { 'options' => { 'Host *.a' => { 'User' => 'x' } } } },
    server_match_block => { 'backup' => { 'type' => 'user', 'options' => { 'AllowTcpForwarding' => 'no' } } },
  }
  ssh::server::match_block { 'sftp_only': type => 'group', order => 60, options => { 'ChrootDirectory' => '/sftp/%u', 'X11Forwarding' => 'no', 'AcceptEnv' => ['A', 'B'] } }
  ssh::client::config::user { 'alice': user_home_dir => '/home/alice', options => { 'HashKnownHosts' => 'yes', 'Host *.in2p3.fr' => { 'GSSAPIAuthentication' => 'yes', 'IdentityFile' => ['~/.ssh/a', '~/.ssh/b'] } } }
  ssh::server::host_key { 'ssh_host_rsa_key': private_key_content => 'PRIV', public_key_content => 'PUB' }
  ssh::server::options { 'more': options => { 'MaxAuthTries' => '3' }, order => 70 }
}
