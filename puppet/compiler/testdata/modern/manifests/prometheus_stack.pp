# machines: debian-12-x86_64 redhat-9-x86_64 ubuntu-24.04-x86_64
node /^prometheus_stack[.]/ {
  class { 'prometheus':
    init_style => 'systemd', manage_prometheus_server => true,
    version => '2.52.0', external_url => 'https://prom.example.com', storage_retention => '30d',
    alerts => { 'groups' => [{ 'name' => 'g', 'rules' => [{ 'alert' => 'InstanceDown', 'expr' => 'up == 0', 'for' => '5m', 'labels' => { 'severity' => 'page' }, 'annotations' => { 'summary' => 'x {{ $labels.instance }}' } }] }] },
    scrape_configs => [{ 'job_name' => 'prometheus', 'scrape_interval' => '10s', 'static_configs' => [{ 'targets' => ['localhost:9090'], 'labels' => { 'alias' => 'P' } }] }],
    alertmanagers_config => [{ 'static_configs' => [{ 'targets' => ['localhost:9093'] }] }],
    global_config => { 'scrape_interval' => '15s', 'external_labels' => { 'monitor' => 'm' } },
    extra_options => '--web.enable-lifecycle', storage_retention_size => '10GB',
  }
  class { 'prometheus::alertmanager': version => '0.27.0', route => { 'group_by' => ['alertname'], 'receiver' => 'slack' }, receivers => [{ 'name' => 'slack', 'slack_configs' => [{ 'channel' => '#c', 'send_resolved' => true }] }], inhibit_rules => [] }
  class { 'prometheus::node_exporter': version => '1.8.0', collectors_disable => ['loadavg', 'mdadm'], collectors_enable => ['systemd'], extra_options => '--x', web_config_content => { 'tls_server_config' => { 'cert_file' => '/a', 'key_file' => '/b' } } }
  class { 'prometheus::blackbox_exporter': modules => { 'http_2xx' => { 'prober' => 'http', 'http' => { 'valid_status_codes' => [200, 301] } } } }
  class { 'prometheus::process_exporter': watched_processes => [{ 'name' => '{{.Comm}}', 'cmdline' => ['.+'] }] }
  class { 'prometheus::mysqld_exporter': cnf_user => 'exp', cnf_password => Sensitive('pw'), cnf_port => 3307 }
  class { 'prometheus::redis_exporter': addr => ['redis://a:6379', 'redis://b:6379'], namespace => 'r' }
  class { 'prometheus::statsd_exporter': mappings => [{ 'match' => 'a.*', 'name' => 'a', 'labels' => { 'x' => '$1' } }] }
  prometheus::scrape_job { 'j': job_name => 'node', targets => ['a:9100'], labels => { 'env' => 'prod' }, collect_dir => '/etc/prometheus/file_sd_config.d' }
  prometheus::alerts { 'more': alerts => { 'groups' => [] } }
}
