# machines: debian-12-x86_64 redhat-9-x86_64
node /^sssd_pam[.]/ {
  class { 'sssd': main_config => { 'sssd' => { 'domains' => ['example.com'], 'services' => ['nss', 'pam'], 'config_file_version' => 2 }, 'domain/example.com' => { 'id_provider' => 'ldap', 'ldap_uri' => ['ldap://a', 'ldap://b'], 'cache_credentials' => true } }, configs => { 'extra' => { 'stanzas' => { 'nss' => { 'x' => 1 } } } } }
  sssd::config { 'pam': stanzas => { 'pam' => { 'offline_credentials_expiration' => 2 } }, order => 20 }
}
