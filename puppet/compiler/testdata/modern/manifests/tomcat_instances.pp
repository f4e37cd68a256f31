# machines: debian-12-x86_64 redhat-9-x86_64
node /^tomcat_instances[.]/ {
  class { 'tomcat': catalina_home => '/opt/tomcat', user => 'tomcat', group => 'tomcat' }
  tomcat::install { '/opt/tomcat9': source_url => 'https://archive.example.com/apache-tomcat-9.0.80.tar.gz' }
  tomcat::instance { 'first': catalina_home => '/opt/tomcat9', catalina_base => '/srv/first' }
  tomcat::instance { 'second': catalina_home => '/opt/tomcat9', catalina_base => '/srv/second', manage_service => true, java_home => '/usr/lib/jvm/java' }
  tomcat::config::server { 'first': catalina_base => '/srv/first', port => 8006 }
  tomcat::config::server::connector { 'first-http':
    catalina_base => '/srv/first', port => 8081, protocol => 'HTTP/1.1',
    additional_attributes => { 'redirectPort' => '8443', 'maxThreads' => 200 },
    attributes_to_remove => ['address'],
    purge_connectors => true,
  }
  tomcat::config::server::context { 'ctx': catalina_base => '/srv/first', context_ensure => present, doc_base => 'app.war', parent_service => 'Catalina', parent_engine => 'Catalina', parent_host => 'localhost', additional_attributes => { 'path' => '/app' } }
  tomcat::config::server::valve { 'access': catalina_base => '/srv/first', class_name => 'org.apache.catalina.valves.AccessLogValve', parent_host => 'localhost', additional_attributes => { 'prefix' => 'access', 'pattern' => '%h %l' } }
  tomcat::config::server::realm { 'lock': catalina_base => '/srv/first', class_name => 'org.apache.catalina.realm.LockOutRealm' }
  tomcat::config::server::tomcat_users { 'admin': catalina_base => '/srv/first', password => 'x', roles => ['manager-gui', 'admin-gui'] }
  tomcat::config::context::resource { 'jdbc/shop': catalina_base => '/srv/first', resource_type => 'javax.sql.DataSource', additional_attributes => { 'url' => 'jdbc:x', 'maxActive' => '20' } }
  tomcat::config::context::environment { 'level': catalina_base => '/srv/first', type => 'java.lang.Integer', value => '3', override => true }
  tomcat::config::properties::property { 'p': catalina_base => '/srv/first', value => 'v' }
  tomcat::setenv::entry { 'JAVA_OPTS': value => ['-Xmx1g', '-Xms512m'], quote_char => '"', config_file => '/srv/first/bin/setenv.sh' }
  tomcat::war { 'app.war': catalina_base => '/srv/first', war_source => 'https://repo.example.com/app.war', war_purge => false }
  tomcat::service { 'byhand': catalina_base => '/srv/first', use_init => false, start_command => '/bin/a', stop_command => '/bin/b' }
}
