# machines: debian-12-x86_64 redhat-9-x86_64
node /^grafana_server[.]/ {
  class { 'grafana':
    install_method => 'repo', version => '10.2.0',
    cfg => { 'app_mode' => 'production', 'server' => { 'http_port' => 8080, 'domain' => 'g.example.com' }, 'database' => { 'type' => 'sqlite3', 'password' => Sensitive('pw') }, 'users' => { 'allow_sign_up' => false } },
    provisioning_datasources => { 'apiVersion' => 1, 'datasources' => [{ 'name' => 'P', 'type' => 'prometheus', 'access' => 'proxy', 'url' => 'http://localhost:9090', 'isDefault' => true }] },
    provisioning_dashboards => { 'apiVersion' => 1, 'providers' => [{ 'name' => 'default', 'orgId' => 1, 'folder' => '', 'type' => 'file', 'options' => { 'path' => '/var/lib/grafana/dashboards', 'puppetsource' => 'puppet:///modules/x/y' } }] },
    plugins => { 'grafana-clock-panel' => { 'ensure' => 'present' }, 'simple' => {} },
    sysconfig => { 'MAX' => '10' },
  }
  grafana_datasource { 'influx': grafana_url => 'http://localhost:3000', type => 'influxdb', url => 'http://localhost:8086', json_data => { 'a' => 1 } }
  grafana_dashboard { 'd': grafana_url => 'http://localhost:3000', content => stdlib::to_json({ 'a' => [1, 2] }) }
}
