# Keeps the message of the day.
#
# @param text what it says
class motd (
  String $text = "hello",
  String $owner = 'root',
) {
  file { '/etc/motd':
    content => "${text}",
    mode  => 644,
  }
  notice($::osfamily) # lint:ignore:legacy_facts moved with the next release
}
