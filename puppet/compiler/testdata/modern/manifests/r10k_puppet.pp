# machines: debian-12-x86_64 redhat-9-x86_64
node /^r10k_puppet[.]/ {
  class { 'r10k': sources => { 'puppet' => { 'remote' => 'git@g:a.git', 'basedir' => '/etc/puppetlabs/code/environments', 'prefix' => false }, 'hiera' => { 'remote' => 'git@g:h.git', 'basedir' => '/h', 'prefix' => true } }, postrun => ['/usr/bin/curl', '-F', 'x'], git_settings => { 'provider' => 'rugged', 'private_key' => '/k' }, forge_settings => { 'proxy' => 'https://p' }, deploy_settings => { 'purge_levels' => ['puppetfile'] }, cachedir => '/c', version => '4.0.0' }
}
