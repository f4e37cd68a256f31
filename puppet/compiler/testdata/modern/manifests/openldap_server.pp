# machines: debian-12-x86_64 redhat-9-x86_64
node /^openldap_server[.]/ {
  class { 'openldap::server': ldaps_ifs => ['/'], ssl_key => '/k', ssl_cert => '/c' }
  openldap::server::database { 'dc=example,dc=com': rootdn => 'cn=admin,dc=example,dc=com', rootpw => openldap_password('secret', 'SSHA') , directory => '/srv/ldap' }
  openldap::server::module { 'memberof': ensure => present }
  openldap::server::overlay { 'memberof on dc=example,dc=com': ensure => present }
  openldap::server::access { '0 on dc=example,dc=com': what => '*', access => ['by self write', 'by * read'] }
  openldap::server::globalconf { 'security': value => { 'Security' => ['simple_bind=128', 'tls=1'] } }
  openldap::server::schema { 'samba': path => '/etc/ldap/schema/samba.schema' }
  openldap::server::dbindex { 'uid': suffix => 'dc=example,dc=com', attribute => 'uid', indices => 'eq,sub' }
  class { 'openldap::client': base => 'dc=example,dc=com', uri => ['ldap://a', 'ldap://b'], tls_cacert => '/ca' }
}
