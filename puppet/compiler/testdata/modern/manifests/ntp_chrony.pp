# machines: debian-12-x86_64 redhat-9-x86_64 freebsd-14-x86_64
node /^ntp_chrony[.]/ {
  case $facts['os']['family'] {
    'FreeBSD': { class { 'ntp': servers => ['0.pool iburst', '1.pool'], restrict => ['127.0.0.1', '-6 ::1'], interfaces => ['lo0'], pool => ['p.example.com'], leapfile => '/etc/leap', tinker => true, panic => 0, fudge => ['127.127.1.0 stratum 10'], keys_enable => true, keys => ['1 M x'], keys_trusted => [1, 2], statistics => ['loopstats'], statsdir => '/var/db/ntp', peers => ['10.0.0.2'], udlc => true, udlc_stratum => 8, disable_monitor => false, disable_auth => true, logfile => '/var/log/ntp' } }
    default: {
      class { 'chrony':
        servers => { 'a.ntp' => ['iburst', 'maxpoll 6'], 'b.ntp' => [] }, pools => ['p.ntp'], makestep_seconds => 3, makestep_updates => 10,
        queryhosts => ['10.0.0.0/8', '192.168.0.0/16'], leapsecmode => 'slew', leapsectz => 'right/UTC', maxslewrate => 1000.0, smoothtime => '400 0.001 leaponly',
        local_stratum => 10, stratumweight => 0.001, keys => ['0 xyzzy'], log_options => 'tracking statistics', bindcmdaddress => ['127.0.0.1'], clientlog => true, rtconutc => true, hwtimestamps => ['eth0'], dumpdir => '/var/lib/chrony', mailonchange => 'ops@example.com', threshold => 0.5,
      }
    }
  }
}
