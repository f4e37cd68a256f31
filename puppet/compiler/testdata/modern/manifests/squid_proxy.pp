# machines: debian-12-x86_64 redhat-9-x86_64
node /^squid_proxy[.]/ {
  class { 'squid': cache_mem => '512 MB', visible_hostname => 'p', via => false, forwarded_for => false, coredump_dir => '/var/spool/squid', access_log => ['daemon:/var/log/squid/access.log'], max_filedescriptors => 8192, acls => { 'remote_urls' => { 'type' => 'url_regex', 'entries' => ['http://example.org/path', 'http://example.com/'] } }, http_access => { 'allow_remote' => { 'action' => 'allow', 'value' => 'remote_urls' } } }
  squid::acl { 'safe_ports': type => 'port', entries => ['80', '443'], order => '04' }
  squid::http_access { 'safe_ports': action => allow }
  squid::http_access { '!safe_ports': action => deny, order => '01', comment => "two\nlines" }
  squid::http_port { '10000': options => 'accel vhost' }
  squid::http_port { 'h': host => '10.0.0.1', port => 3129, ssl => true, options => 'cert=/a' }
  squid::cache_dir { '/srv/cache': type => 'ufs', options => '15000 32 256', process_number => 2 }
  squid::refresh_pattern { '^ftp': min => 1440, max => 10080, percent => 20, order => '60' }
  squid::refresh_pattern { '(/cgi-bin/|\?)': case_sensitive => false, min => 0, max => 0, percent => 0, options => 'override-expire' }
  squid::extra_config_section { 'mail': order => '61', config_entries => { 'mail_from' => 'squid@example.com', 'mail_program' => 'mail', 'list' => ['a', 'b'] } }
  squid::auth_param { 'basic': scheme => 'basic', entries => ['program /usr/lib/auth', 'children 5'] }
  squid::send_hit { 'PragmaNoCache': action => 'deny' }
  squid::snmp_port { '1000': process_number => 3 }
}
