# machines: debian-12-x86_64 redhat-9-x86_64
node /^fail2ban_jails[.]/ {
  class { 'fail2ban': jails => ['sshd'], bantime => 3600, maxretry => 4, ignoreip => ['127.0.0.1/8', '10.0.0.0/8'] }
  fail2ban::jail { 'nginx': filter_includebefore => 'common', logpath => ['/var/log/a', '/var/log/b'], port => 'http,https', filter_failregex => ['^<HOST> a', '^<HOST> b'] }
  fail2ban::action { 'a1': action_content => 'x' }
  fail2ban::filter { 'f1': filter_content => "[Definition]\nfailregex = x\n" }
}
