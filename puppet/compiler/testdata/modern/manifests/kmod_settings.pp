# machines: debian-12-x86_64 redhat-9-x86_64
node /^kmod_settings[.]/ {
  class { 'kmod': list_of_blacklists => { 'pcspkr' => {} }, list_of_options => { 'nf_conntrack hashsize' => { 'module' => 'nf_conntrack', 'option' => 'hashsize', 'value' => '65536' } }, list_of_loads => { 'br_netfilter' => {} } }
  kmod::alias { 'bond0': source => 'bonding' }
  kmod::option { 'bond0 mode': module => 'bond0', option => 'mode', value => '1' }
  kmod::install { 'pcspkr': command => '/bin/false' }
  kmod::setting { 'x': file => '/etc/modprobe.d/x.conf', module => 'm', option => 'o', value => 3, category => 'options' }
}
