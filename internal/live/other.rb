# Puts another Puppet than the installed one before a script: ruby -r ./other.rb SCRIPT. $BUNRAKU_ORACLE names the directories whose
# lib comes first, by colons. Of Debian's libraries everything stays but Puppet and Hiera 3, which Puppet 8 neither has nor expects:
# Facter, deep_merge and the rest are reached through links in a directory of their own.
require 'tmpdir'
require 'fileutils'
require 'set' # which later Rubies load by themselves
module OtherPuppet
  DEBIAN = '/usr/lib/ruby/vendor_ruby'
  LINKS = Dir.mktmpdir('puppet-libraries')
  at_exit { FileUtils.remove_entry(LINKS) }
  Dir.children(DEBIAN).each do |name|
    File.symlink("#{DEBIAN}/#{name}", "#{LINKS}/#{name}") unless name.start_with?('puppet', 'hiera')
  end
  $LOAD_PATH.map! { |dir| dir == DEBIAN ? LINKS : dir }
  $LOAD_PATH.unshift(*ENV.fetch('BUNRAKU_ORACLE').split(':').map { |dir| "#{dir}/lib" })
end
