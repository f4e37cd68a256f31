# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^dns_bind[.]/ {
  class { 'dns': forwarders => ['8.8.8.8', '8.8.4.4'], allow_recursion => ['10.0.0.0/8'], acls => { 'trusted' => ['10.0.0.0/8', 'localhost'] }, additional_options => { 'version' => '"x"' }, logging_categories => {}, zones => { 'z.example.com' => { 'soa' => 'ns1.z.example.com' } } }
  dns::zone { 'example.com': soa => 'ns1.example.com', soaip => '10.0.0.1', contact => 'root.example.com.', serial => 7, allow_transfer => ['10.0.0.2'], filename => 'db.example.com' }
  dns::zone { '0.10.in-addr.arpa': reverse => true }
  dns::zone { 'slave.example.org': zonetype => 'slave', masters => ['10.0.0.9'], dns_notify => 'no' }
  dns::zone { 'fwd.example.org': zonetype => 'forward', forward => 'only', forwarders => ['10.0.0.8'], manage_file => false }
  dns::key { 'k': algorithm => 'hmac-sha256', secret => 'c2VjcmV0' }
  dns::logging::channel { 'local': log_type => 'file', file_path => '/var/log/n', file_size => '5m', file_versions => 3, severity => 'info' }
  dns::logging::category { 'default': channels => ['local'] }
}
