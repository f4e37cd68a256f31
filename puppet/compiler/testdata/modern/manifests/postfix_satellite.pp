# machines: debian-12-x86_64 redhat-9-x86_64
node /^postfix_satellite[.]/ {
  class { 'postfix': satellite => true, relayhost => 'relay.example.com', mydestination => 'a.example.com, b.example.com', mynetworks => '127.0.0.0/8', myorigin => 'example.com', master_smtp => 'smtp inet n - - - - smtpd', master_entries => ['x unix - - n - - y'] }
}
