# machines: debian-12-x86_64 redhat-9-x86_64
node /^mongodb_single[.]/ {
  class { 'mongodb::globals': version => '7.0.0', manage_package_repo => true }
  -> class { 'mongodb::server': bind_ip => ['127.0.0.1', '10.0.0.1'], port => 27018, auth => true, verbose => true, smallfiles => undef, config_data => { 'storage' => { 'wiredTiger' => { 'engineConfig' => { 'cacheSizeGB' => 1 } } } }, create_admin => true, admin_username => 'admin', admin_password => Sensitive('pw'), store_creds => true, replset => 'rs0', set_parameter => ['a: true'] }
  mongodb::db { 'shop': user => 'u', password => 'secret', roles => ['readWrite'] }
}
