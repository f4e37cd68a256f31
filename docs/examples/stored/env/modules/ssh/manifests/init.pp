# Every machine knows every other machine's key.
class ssh {
  @@sshkey { $trusted['certname']:
    type => 'ed25519',
    key  => $facts['hostkey'],
  }
  Sshkey <<| |>>
}
