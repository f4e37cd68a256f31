# frozen_string_literal: true
#
# Answers what Ruby and Puppet make of plain values. JSON lines in, one answer per line: {"ok": …} or {"error": …}.
require 'json'
require 'puppet'
require 'puppet/pops'
include Puppet::Pops
def version(s) = SemanticPuppet::Version.parse(s)
$stdin.each_line do |line|
  op, *a = JSON.parse(line)
  begin
    r =
      case op
      when 'sprintf' then format(a[0], *a[1])
      when 'float' then Float(a[0]).to_s
      when 'inspect' then a[0].inspect
      when 'quote' then Types::StringConverter.singleton.puppet_quote(a[0])
      when 'quote2' then Types::StringConverter.singleton.puppet_quote(a[0], true)
      when 'number' then n = Utils.to_n(a[0]); n.nil? ? nil : n.inspect
      when 'int' then Integer(a[0], *a[1]).to_s
      when 'tofloat' then Float(a[0]).to_s
      when 'semver' then v = version(a[0]); [v.to_s, v.prerelease.to_s]
      when 'semcmp' then version(a[0]) <=> version(a[1])
      when 'range' then r = SemanticPuppet::VersionRange.parse(a[0]); [r.to_s, r.inspect] + a[1].map { |v| r.include?(version(v)) }
      when 'span' then Puppet::Pops::Time::Timespan.parse(a[0], *a[1]).nsecs
      when 'spanfmt' then Puppet::Pops::Time::Timespan.new(a[0]).format(a[1])
      when 'spans' then Puppet::Pops::Time::Timespan.new(a[0]).to_s
      when 'stamp' then Puppet::Pops::Time::Timestamp.parse(a[0], *a[1]).nsecs.to_s
      when 'stampfmt' then Puppet::Pops::Time::Timestamp.new(a[0]).format(a[1], *a[2])
      when 'uri' then u = URI.parse(a[0]); [u.to_s, u.scheme, u.userinfo, u.host, u.port, u.path, u.query, u.fragment, u.opaque]
      when 'compare' then Evaluator::CompareOperator.new.compare(a[0], a[1])
      when 'equals' then Evaluator::CompareOperator.new.equals(a[0], a[1])
      when 'case' then [a[0].upcase, a[0].downcase, a[0].capitalize, a[0].strip]
      end
    puts({ ok: r }.to_json)
  rescue StandardError => e
    puts({ error: e.message }.to_json)
  end
end
