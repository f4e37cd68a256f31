# machines: debian-12-x86_64 redhat-9-x86_64
node /^gitlab_omnibus[.]/ {
  class { 'gitlab': external_url => 'http://gitlab.example.com', gitlab_rails => { 'webhook_timeout' => 10, 'ldap_enabled' => true, 'ldap_servers' => { 'main' => { 'label' => 'L', 'port' => 389, 'encryption' => undef, 'active_directory' => false } }, 'time_zone' => 'UTC' }, nginx => { 'listen_https' => false, 'real_ip_trusted_addresses' => ['10.0.0.0/8'] }, logging => { 'svlogd_size' => '200 * 1024 * 1024' }, roles => ['redis_sentinel_role'], sidekiq => { 'concurrency' => 7 }, prometheus => { 'scrape_configs' => [{ 'job_name' => 'x', 'static_configs' => [{ 'targets' => ['a'] }] }] } }
  gitlab::custom_hook { 'h': namespace => 'n', project => 'p', type => 'post-receive', source => 'puppet:///x', repos_path => '/r' }
}
