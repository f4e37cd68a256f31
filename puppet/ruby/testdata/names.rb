# Prints the methods and constants that Ruby has with Puppet loaded, for names.go.
require 'puppet'
require 'json'; require 'yaml'; require 'set'; require 'shellwords'; require 'base64'; require 'digest'; require 'ipaddr'; require 'cgi'; require 'uri'; require 'erb'; require 'time'; require 'date'; require 'securerandom'
list = %w[Object NilClass TrueClass FalseClass Integer Float String Symbol Array Hash Range Regexp MatchData Proc Method Exception Enumerator Set IPAddr Module Class]
base = Object.instance_methods + Object.private_instance_methods
list.each do |n|
  k = Object.const_get(n)
  own = n == 'Object' ? base : (k.instance_methods - Object.instance_methods) + (Kernel.instance_methods & k.instance_methods(false))
  puts "#{n}: #{own.map(&:to_s).uniq.sort.join(' ')}"
end
(list + %w[Math JSON Psych File CGI Shellwords Base64 URI ERB::Util Kernel Puppet]).each do |n|
  k = n.split('::').inject(Object) { |m, x| m.const_get(x) }
  puts "##{n}: #{(k.methods - Object.instance_methods - (k.is_a?(Class) ? Class : Module).instance_methods).map(&:to_s).uniq.sort.join(' ')}"
end
top = Object.constants.map(&:to_s)
nested = list.flat_map { |n| k = Object.const_get(n); n == 'Object' ? [] : k.constants(false).map { |x| "#{n}::#{x}" } }
puts "consts: #{(top + nested + Puppet.constants.map { |c| "Puppet::#{c}" } + Digest.constants.map { |c| "Digest::#{c}" }+Math.constants.map { |c| "Math::#{c}" }+File.constants.map { |c| "File::#{c}" }).uniq.sort.join(' ')}"
