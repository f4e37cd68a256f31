# machines: debian-12-x86_64 redhat-9-x86_64 ubuntu-24.04-x86_64
node /^postgresql_server[.]/ {
  class { 'postgresql::globals':
    encoding            => 'UTF-8',
    locale              => 'en_US.UTF-8',
    manage_package_repo => true,
    version             => '16',
  }
  class { 'postgresql::server':
    listen_addresses           => '*', manage_recovery_conf => true,
    postgres_password          => 'TPSrep0rt!',
    ip_mask_deny_postgres_user => '0.0.0.0/32',
    pg_hba_conf_defaults       => false,
    config_entries             => { 'shared_buffers' => '2GB', 'work_mem' => '64MB', 'log_statement' => undef },
    roles                      => { 'reporter' => { 'login' => true } },
  }
  include postgresql::server::contrib
  postgresql::server::role { 'app':
    password_hash   => postgresql::postgresql_password('app', 'secret', false, 'md5'),
    connection_limit => '20',
    superuser       => false,
  }
  postgresql::server::db { 'shop':
    user     => 'shop',
    password => postgresql::postgresql_password('shop', Sensitive('pw')),
    comment  => 'the shop',
    grant    => 'CONNECT',
  }
  postgresql::server::database_grant { 'app on shop': privilege => 'CONNECT', db => 'shop', role => 'app' }
  postgresql::server::grant { 'select': privilege => 'SELECT', object_type => 'ALL TABLES IN SCHEMA', object_name => 'public', db => 'shop', role => 'app' }
  postgresql::server::schema { 'private': owner => 'app', db => 'shop' }
  postgresql::server::extension { 'hstore': database => 'shop', version => '1.8' }
  postgresql::server::tablespace { 'fast': location => '/srv/fast' }
  postgresql::server::pg_hba_rule { 'office':
    description => 'from the office',
    type        => 'host',
    database    => 'shop',
    user        => 'shop',
    address     => '10.1.0.0/16',
    auth_method => 'scram-sha-256',
    order       => 5,
  }
  postgresql::server::pg_ident_rule { 'map': map_name => 'm', system_username => 'root', database_username => 'postgres' }
  postgresql::server::recovery { 'restore': restore_command => 'cp /a/%f %p', standby_mode => 'on' }
  postgresql::server::grant_role { 'both': group => 'reporter', role => 'app' }
  postgresql::server::default_privileges { 'later': privilege => 'SELECT', object_type => 'TABLES', db => 'shop', role => 'app', schema => 'public' }
}
