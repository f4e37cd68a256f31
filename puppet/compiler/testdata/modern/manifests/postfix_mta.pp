# machines: debian-12-x86_64 redhat-9-x86_64
node /^postfix_mta[.]/ {
  class { 'postfix':
    inet_interfaces => 'localhost', relayhost => '[mail.example.com]', mydestination => 'blank', mta => true, mynetworks => '127.0.0.0/8 10.0.0.0/8',
    smtp_listen => 'all', root_mail_recipient => 'ops@example.com', use_amavisd => true, use_dovecot_lda => true, use_schleuder => true, use_sympa => true,
    configs => { 'message_size_limit' => { 'value' => '20480000' } },
    maps => { 'senders' => { 'content' => 'x y', 'type' => 'regexp' } },
    hashes => { '/etc/postfix/tls' => { 'content' => Sensitive('a b') } },
  }
  postfix::config { 'relay_domains': ensure => present, value => 'localhost host.example.com' }
  postfix::config { 'smtpd_banner': ensure => absent }
  postfix::virtual { 'user@example.com': ensure => present, destination => ['root', 'ops'] }
  postfix::transport { 'mailman.example.com': destination => 'mailman' }
  postfix::transport { '.example.org': nexthop => '[relay.example.org]:25' }
  postfix::mailalias { 'postmaster': recipient => ['a', 'b'] }
  postfix::conffile { 'ldap.cf': options => { 'server_host' => 'ldap.example.com', 'bind' => 'no' } }
  postfix::canonical { 'foo': file => '/etc/postfix/canonical', destination => 'root' }
  postfix::hash { '/etc/postfix/canonical': }
}
