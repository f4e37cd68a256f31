# machines: debian-12-x86_64 redhat-9-x86_64
node /^elastic_stack[.]/ {
  class { 'elastic_stack::repo': version => 8 }
  class { 'elasticsearch': version => '8.11.0', config => { 'cluster.name' => 'c', 'node' => { 'name' => 'n', 'roles' => ['master', 'data'] }, 'path.repo' => ['/a'] }, jvm_options => ['-Xms1g', '-Xmx1g'], init_defaults => { 'ES_USER' => 'x' }, datadir => ['/srv/a', '/srv/b'], ssl => false, api_basic_auth_username => 'u', api_basic_auth_password => 'p' }
  elasticsearch::template { 't': content => { 'index_patterns' => ['l-*'], 'settings' => { 'number_of_replicas' => 0 } } }
  elasticsearch::index { 'idx': settings => { 'index' => { 'number_of_replicas' => 0 } } }
  elasticsearch::plugin { 'analysis-icu': }
  elasticsearch::pipeline { 'p': content => { 'description' => 'd', 'processors' => [{ 'set' => { 'field' => 'f', 'value' => 'v' } }] } }
  elasticsearch::role { 'r': privileges => { 'cluster' => 'all', 'indices' => { '*' => 'all' } }, mappings => ['cn=a'] }
  elasticsearch::user { 'u': password => 'pw', roles => ['r'] }
  elasticsearch::snapshot_repository { 's': location => '/backup', compress => true, max_restore_rate => '20mb' }
  elasticsearch::ilm_policy { 'i': content => { 'policy' => { 'phases' => {} } } }
  class { 'logstash': settings => { 'http.host' => 'localhost', 'pipeline' => { 'workers' => 2 } }, jvm_options => ['-Xms1g'], startup_options => { 'LS_USER' => 'root' }, pipelines => [{ 'pipeline.id' => 'p', 'path.config' => '/a' }], version => '1:8.11.0-1' }
  logstash::configfile { 'in': content => 'input { }' }
  logstash::configfile { 'tpl': content => 'x', path => '/x/y' }
  logstash::patternfile { 'pf': source => 'puppet:///a/b' }
  logstash::plugin { 'logstash-input-beats': environment => ['A=b'] }
}
