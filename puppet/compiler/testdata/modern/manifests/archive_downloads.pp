# machines: debian-12-x86_64 redhat-9-x86_64
node /^archive_downloads[.]/ {
  include archive
  archive { '/tmp/jta.tar.gz': ensure => present, extract => true, extract_path => '/tmp', source => 'https://x.example.com/jta.tgz', checksum => 'e', checksum_type => 'sha1', creates => '/tmp/jta', cleanup => true, username => 'u', password => Sensitive('p') }
  archive::nexus { '/tmp/x.jar': url => 'https://n.example.com', gav => 'org.x:y:1.0', repository => 'releases', packaging => 'jar', extract => false, checksum_verify => false }
  archive::go { '/opt/app.zip': server => 'go.example.com', port => 8081, url_path => 'go/files/x.zip', md5_url_path => 'y', username => 'u', password => 'p' }
  archive::download { 'd.tar.gz': ensure => present, url => 'https://x/d.tgz', checksum => false, src_target => '/tmp' }
}
