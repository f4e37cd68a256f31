# machines: debian-12-x86_64 redhat-9-x86_64
node /^systemd_units[.]/ {
  class { 'systemd':
    manage_resolved  => true, dns => ['10.0.0.53'], dnssec => false,
    manage_timesyncd => true, ntp_server => ['a.ntp', 'b.ntp'],
    manage_journald  => true, journald_settings => { 'Storage' => 'persistent', 'MaxRetentionSec' => '5day', 'MaxLevelStore' => { 'ensure' => 'absent' } },
    manage_logind    => true, logind_settings => { 'HandleSuspendKey' => 'ignore', 'UserTasksMax' => '10000' }, loginctl_users => { 'me' => { 'linger' => 'enabled' } },
    manage_networkd  => true,
    manage_udevd     => true, udev_log => 'warn', udev_rules => { 'x.rules' => { 'rules' => ['ACTION=="add"', 'KERNEL=="sd*"'] } },
    manage_coredump  => true, coredump_settings => { 'Storage' => 'none' },
    manage_accounting => true, accounting => { 'DefaultCPUAccounting' => 'yes' },
    timers           => { 'from_hash.timer' => { 'timer_content' => "[Timer]\nOnCalendar=daily\n", 'service_content' => "[Service]\nExecStart=/bin/true\n" } },
    tmpfiles         => { 'a.conf' => { 'content' => 'd /run/a 0755 root root -' } },
    default_target   => 'multi-user.target',
    timezone         => 'Europe/Berlin', set_local_rtc => false,
  }
  systemd::unit_file { 'a.service': content => "[Service]\nExecStart=/bin/a\n", enable => true, active => true }
  systemd::dropin_file { 'limits.conf': unit => 'a.service', content => "[Service]\nLimitNOFILE=1\n" }
  systemd::manage_unit { 'b.service':
    unit_entry    => { 'Description' => 'b', 'After' => ['a.service', 'network.target'], 'Documentation' => 'man:b(1)' },
    service_entry => { 'Type' => 'oneshot', 'ExecStart' => ['/bin/b 1', '/bin/b 2'], 'Environment' => ['A=b', 'C=d e'], 'RemainAfterExit' => true, 'MemoryMax' => '10%' },
    install_entry => { 'WantedBy' => 'multi-user.target' },
    enable => true,
  }
  systemd::manage_dropin { 'c.conf': unit => 'sshd.service', service_entry => { 'ExecStart' => ['', '/usr/sbin/sshd -D'], 'LimitNOFILE' => 10000 } }
  systemd::timer { 'd.timer': timer_source => 'puppet:///modules/x/d.timer', service_content => "[Service]\n", active => true, enable => true }
  systemd::timer_wrapper { 'wrapped': ensure => present, command => '/bin/w', on_calendar => '*:0/10', user => 'nobody', timer_overrides => { 'Persistent' => true }, service_overrides => { 'Nice' => 5 } }
  systemd::tmpfile { 'b.conf': content => 'x' }
  systemd::modules_load { 'm.conf': content => 'loop' }
  systemd::network { 'eth0.network': content => "[Match]\nName=eth0\n" }
  systemd::sysuser { 'u.conf': content => 'u app' }
  systemd::networkd::interface { 'lan': interface => { 'filename' => '50-lan', 'network' => { 'Match' => { 'Name' => 'eth1' }, 'Network' => { 'DHCP' => 'ipv4', 'DNS' => ['1.1.1.1', '9.9.9.9'] }, 'Route' => [{ 'Gateway' => '10.0.0.1' }] } } }
  systemd::udev::rule { 'y.rules': rules => ['# a', 'SUBSYSTEM=="net"'] }
  systemd::user_service { 'pod.service': ensure => true, enable => true, user => 'me' }
}
