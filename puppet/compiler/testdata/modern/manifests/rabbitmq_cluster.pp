# machines: debian-12-x86_64 redhat-9-x86_64
node /^rabbitmq_cluster[.]/ {
  class { 'rabbitmq':
    config_cluster => true, cluster_nodes => ['a', 'b'], cluster_node_type => 'ram', erlang_cookie => 'CHOCOLATE', wipe_db_on_cookie_change => true,
    ssl => true, ssl_cacert => '/a', ssl_cert => '/b', ssl_key => '/c', ssl_port => 5671, ssl_versions => ['tlsv1.2', 'tlsv1.1'],
    config_variables => { 'vm_memory_high_watermark' => 0.4, 'hipe_compile' => true }, environment_variables => { 'NODENAME' => 'n', 'SERVICENAME' => 'r' },
    config_kernel_variables => { 'inet_dist_listen_min' => 9100 }, config_management_variables => { 'rates_mode' => 'basic' }, plugins => ['rabbitmq_mqtt'], management_enable => true,
    delete_guest_user => true, tcp_keepalive => true, file_limit => 65536, repos_ensure => false, manage_python => false,
  }
  rabbitmq_user { 'app': admin => false, password => 'pw', tags => ['monitoring'] }
  rabbitmq_vhost { 'v': ensure => present }
  rabbitmq_user_permissions { 'app@v': configure_permission => '.*', read_permission => '.*', write_permission => '.*' }
  rabbitmq_policy { 'ha@v': pattern => '.*', priority => 0, applyto => 'all', definition => { 'ha-mode' => 'all', 'ha-sync-mode' => 'automatic' } }
  rabbitmq_exchange { 'e@v': type => 'topic', user => 'app', password => 'pw', durable => true, arguments => { 'hash-header' => 'x' } }
}
