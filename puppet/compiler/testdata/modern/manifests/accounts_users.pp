# machines: debian-12-x86_64 redhat-9-x86_64
node /^accounts_users[.]/ {
  class { 'accounts':
    group_defaults => { 'system' => true },
    group_list     => { 'dev' => { 'gid' => 1500 }, 'ops' => {} },
    user_defaults  => { 'groups' => ['dev'], 'purge_sshkeys' => true },
    user_list      => { 'alice' => { 'uid' => 1601, 'gid' => 1601, 'sshkeys' => ['ssh-rsa AAAA alice@home', 'from="10.0.0.1",no-pty ssh-ed25519 BBBB alice two'], 'shell' => '/bin/zsh' }, 'bob' => { 'ensure' => 'absent' } },
  }
  accounts::user { 'carol':
    locked => true, comment => 'Carol', groups => ['ops'], bashrc_content => "alias a=b\n", bash_profile_content => 'x', password => Sensitive('!!'), home => '/srv/carol', home_mode => '0750', managevim => true, managehome => true,
    sshkey_custom_path => '/var/lib/ssh/carol', password_max_age => 90, expiry => '2030-01-01', membership => 'inclusive', forward_content => "carol@example.com\n",
  }
  accounts::user { 'sys': system => true, create_group => false, gid => 900, uid => 900, managehome => false, ignore_password_if_empty => true, password => '' }
}
