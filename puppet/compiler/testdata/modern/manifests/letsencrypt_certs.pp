# machines: debian-12-x86_64 redhat-9-x86_64
node /^letsencrypt_certs[.]/ {
  class { 'letsencrypt': email => 'ops@example.com', config => { 'server' => 'https://acme.example.com/directory', 'rsa-key-size' => 4096 }, renew_cron_ensure => 'present', renew_pre_hook_commands => ['a'], renew_deploy_hook_commands => ['b "c"', 'd'] }
  letsencrypt::certonly { 'web': domains => ['a.example.com', 'b.example.com'], plugin => 'webroot', webroot_paths => ['/var/www/a', '/var/www/b'], manage_cron => true, cron_hour => [0, 12], cron_minute => '30', pre_hook_commands => ['systemctl stop x'], cron_output => 'suppress', cron_monthday => ['1-7', '15-21'] }
  letsencrypt::certonly { 'standalone.example.com': additional_args => ['--staple-ocsp'], key_size => 2048, environment => ['A=b'] }
  letsencrypt::certonly { 'gone': ensure => absent, domains => ['gone.example.com'] }
}
