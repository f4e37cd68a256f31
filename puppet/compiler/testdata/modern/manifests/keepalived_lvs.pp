# machines: debian-12-x86_64 redhat-9-x86_64
node /^keepalived_lvs[.]/ {
  class { 'keepalived': sysconf_options => '-D --snmp' }
  class { 'keepalived::global_defs': notification_email => ['a@example.com', 'b@example.com'], smtp_server => 'localhost', router_id => 'R', script_user => 'nobody', enable_script_security => true }
  keepalived::vrrp::script { 'check': script => '/usr/bin/killall -0 nginx', interval => 3, fall => 2, rise => 1, weight => -5 }
  keepalived::vrrp::instance { 'VI_50': interface => 'eth1', state => 'MASTER', virtual_router_id => 50, priority => 101, auth_type => 'PASS', auth_pass => Sensitive('secret'), virtual_ipaddress => ['10.0.0.1/29', { 'ip' => '10.0.0.2', 'dev' => 'eth2', 'label' => 'x' }], track_interface => ['eth1'], track_script => ['check'], virtual_routes => [{ 'to' => '168.168.2.0/24', 'via' => '192.168.2.1' }], unicast_source_ip => '10.0.0.9', unicast_peers => ['10.0.0.8'] }
  keepalived::vrrp::sync_group { 'G': group => ['VI_50'], notify_script => '/bin/n', smtp_alert => true }
  keepalived::lvs::virtual_server { 'www': ip_address => '10.1.1.1', port => 80, delay_loop => 7, lb_algo => 'wlc', lb_kind => 'DR', persistence_timeout => 86400, virtualhost => 'w', protocol => 'TCP', collect_exported => false }
  keepalived::lvs::real_server { 'www1': virtual_server => 'www', ip_address => '10.1.1.4', port => 80, options => { 'weight' => '1000', 'SMTP_CHECK' => { 'connect_timeout' => 3, 'host' => { 'connect_ip' => '127.0.0.1' } } } }
}
