# Asks an agent what catalogs do to machines. Reads lines of JSON:
#
#   {"id": …, "before": [[what, arguments…]…], "lines": [file…], "runs": [catalog…], "there": [[what, name…]…]}
#
# and prints one line for each: {"id": …, "runs": [{"failed": […], "changed": […], "error": text, "state": {path: text}}…]}. Every job
# has a machine of its own: an overlay over the root that is the argument, in a mount namespace of its own, gone afterwards. Every
# run is a process of its own. The state is what is unlike the root, without what no resource speaks of (logs, caches, dates).
# Instead of a catalog a run may be {"do": [[what, arguments…]…]}, what somebody does to the machine meanwhile, or
# {"catalog": …, "cut": …}, a run that is disturbed (cut.rb). Runs end with the one that succeeds and ends in the state "until".
# What "there" asks is looked for on the machine when all is over.
require 'json'
require 'digest'
require 'fileutils'
require 'fiddle'
require 'tmpdir'
require_relative 'cut'
LIBC = Fiddle.dlopen(nil)
UNSHARE = Fiddle::Function.new(LIBC['unshare'], [Fiddle::TYPE_INT], Fiddle::TYPE_INT)
MOUNT = Fiddle::Function.new(LIBC['mount'], [Fiddle::TYPE_VOIDP, Fiddle::TYPE_VOIDP, Fiddle::TYPE_VOIDP, Fiddle::TYPE_LONG, Fiddle::TYPE_VOIDP], Fiddle::TYPE_INT)
def mount(what, at, type, flags, options)
  MOUNT.call(what, at, type, flags, options).zero? or raise "mount #{type}: #{Fiddle.last_error}"
end

UNSHARE.call(0x20000).zero? or raise 'unshare'
mount('none', '/', nil, 0x44000, nil) # nobody else sees what is mounted here

# All of Ruby and Puppet that is run is the fresh machine's own, and everything that agents load or ask once is there before the first
# job: types, providers, facts.
Dir.chroot(ARGV[0])
Dir.chdir('/')
ROOT = ''
require 'puppet'
Puppet.initialize_settings(['--confdir', '/var/lib/judge/conf', '--vardir', '/var/lib/judge/var', '--certname', 'oracle.invalid'])
Puppet::Util::Log.level = :crit
Dir['/usr/share/puppet/modules/*/lib'].sort.each { |l| $LOAD_PATH.unshift(l) }
require 'puppet/transaction'
ENV.replace('PATH' => '/usr/sbin:/usr/bin:/sbin:/bin', 'LANG' => 'C.UTF-8', 'DEBIAN_FRONTEND' => 'noninteractive', 'HOME' => '/root')
env = Puppet::Node::Environment.create(:oracle, [])
Puppet.push_context(current_environment: env, loaders: Puppet::Pops::Loaders.new(env))
%i[exec file user group cron host file_line package service schedule filebucket notify].each do |t|
  type = Puppet::Type.type(t)
  type.providerloader.loadall(env) unless %i[package].include?(t)
  type.defaultprovider
end
Puppet::Type.type(:package).provider(:apt)
%w[os kernel networking identity].each { |f| Facter.value(f) }

$lines = []
SKIP = %r{\A/(proc|dev|sys|run|tmp|root|var/(log|cache|backups|tmp)|var/lib/(judge|puppet|apt|systemd|dpkg|ucf|pam)|var/lib/standin/log|etc/(\.pwd\.lock|ld\.so\.cache|(passwd|group|shadow|gshadow|subuid|subgid)-?)|.*\.dpkg-(dist|new|old|tmp))(/|\z)}
# digest leaves out what is about the time, and of files that resources look after line by line the order of lines.
DATED = /^# (HEADER|DO NOT EDIT|\(.*(installed on|Cron version))/
def digest(path)
  text = File.binread(path)
  if path.end_with?('/etc/hosts') || path.include?('/cron/crontabs/') || $lines.any? { |l| path.end_with?(l) }
    text = text.lines(chomp: true).grep_v(DATED).sort.join("\n")
  end
  text.size < 40 ? text.inspect : Digest::MD5.hexdigest(text)
end

def entry(path)
  s = File.lstat(path)
  return 'gone' if s.chardev?
  text = case
         when s.symlink? then "link #{File.readlink(path)}"
         when s.directory? then 'dir'
         when s.file? then "file #{digest(path)}"
         else s.ftype
         end
  text += format(' %04o', s.mode & 0o7777) unless s.symlink?
  "#{text} #{$users.fetch(s.uid, s.uid)}:#{$groups.fetch(s.gid, s.gid)}"
end

# Numbers that nobody declares come as they come: what belongs to such an account of a run is compared by its name.
$users = $groups = {}
def unnumbered(top, file, declared)
  File.readlines("#{top}/etc/#{file}", chomp: true).map { |l| l.split(':', -1) }
      .reject { |p| BASE.key?("#{file} #{p[0]}") || declared.include?(p[0]) }.to_h { |p| [p[2].to_i, p[0]] }
end

def numbered(data, type, attribute)
  data['resources'].select { |r| r['type'] == type && (r['parameters'] || {})[attribute].to_s =~ /\A\d+\z/ }.map { |r| r['title'] }
end

# accounts are compared by name, too.
def accounts(top)
  out = {}
  %w[passwd group].each do |f|
    File.readlines("#{top}/etc/#{f}", chomp: true).each do |l|
      p = l.split(':', -1)
      out["#{f} #{p[0]}"] = f == 'passwd' ? [p[4], p[5], p[6]].join(':') : p[3].to_s.split(',').sort.join(',')
    end
  end
  out
end

def packages(top)
  out = {}
  File.read("#{top}/var/lib/dpkg/status").split("\n\n").each do |p|
    out["package #{p[/^Package: (.*)/, 1]}"] = p[/^Status: \S+ \S+ (.*)/, 1]
  end
  out
end

BASE = accounts(ROOT).merge(packages(ROOT))

def snapshot(upper, merged)
  out = {}
  walk = lambda do |rel|
    Dir.each_child(upper + rel) do |name|
      p = "#{rel}/#{name}"
      next if SKIP.match?(p)
      here = entry(upper + p)
      there = File.exist?(ROOT + p) || File.symlink?(ROOT + p) ? entry(ROOT + p) : nil
      # A directory that was removed and made anew hides what was in it: what is seen is in the merged tree.
      out[p] = here unless here == there || here == 'gone' && there.nil?
      walk[p] if File.directory?(upper + p) && !File.symlink?(upper + p)
    end
  end
  walk['']
  now = accounts(merged).merge(packages(merged))
  now.each { |k, v| out[k] = v unless BASE[k] == v }
  BASE.each_key { |k| out[k] = 'gone' unless now.key?(k) }
  out.reject! { |k, v| v == 'not-installed' }
  out
end

def prepare(ops)
  ops.each do |what, *args|
    case what
    when 'dir' then FileUtils.rm_rf(args[0]) unless File.directory?(args[0]); FileUtils.mkdir_p(args[0])
    when 'file' then FileUtils.mkdir_p(File.dirname(args[0])); FileUtils.rm_rf(args[0]); File.write(args[0], args[1])
    when 'link' then FileUtils.mkdir_p(File.dirname(args[0])); FileUtils.rm_rf(args[0]); File.symlink(args[1], args[0])
    when 'none' then FileUtils.rm_rf(args[0])
    when 'chown' then FileUtils.chown(args[1], args[2], args[0])
    when 'chmod' then FileUtils.chmod(args[1].to_i(8), args[0])
    when 'sh' then system('/bin/sh', '-c', args[0], out: '/dev/null', err: '/dev/null') or raise "before: #{args[0]}"
    else raise "before: #{what}"
    end
  end
end

# Ran counts how often the command of a resource runs, its guards apart.
module Ran
  def self.of = @of ||= Hash.new(0)

  def run(command, check = false)
    Ran.of[resource.ref] += 1 unless check
    super
  end
end

# calls are those of the stand-in systemctl that change something.
def calls = File.exist?('/var/lib/standin/log') ? File.readlines('/var/lib/standin/log', chomp: true) : []

def apply(data, cut)
  catalog = Puppet::Resource::Catalog.from_data_hash(data).to_ral
  catalog.host_config = true
  catalog.finalize
  # What is generated for a file below a directory is the directory's doing.
  declared = data['resources'].map { |r| "#{r['type']}[#{r['title']}]" }
  Puppet::Type.type(:exec).provider(:posix).prepend(Ran)
  Cut.prepare(catalog, cut, declared) if cut
  told = calls.size
  transaction = catalog.apply
  statuses = transaction.report.resource_statuses
  owner = lambda do |s|
    next s.resource if declared.include?(s.resource)
    (s.containment_path || []).reverse.find { |x| declared.include?(x) } || s.resource
  end
  all = statuses.values.reject { |s| s.resource.start_with?('Schedule[', 'Filebucket[') }
  { failed: all.select { |s| s.failed || s.failed_to_restart }.map(&owner).uniq, skipped: all.select(&:skipped).map(&owner).uniq,
    changed: all.select { |s| s.changed && !s.events.all? { |e| e.status == 'noop' } }.map(&owner).uniq,
    restarted: all.select(&:restarted).map(&owner).uniq,
    properties: all.to_h { |s| [s.resource, s.events.select { |e| e.status == 'success' }.map(&:property).compact.uniq] }.reject { |_, l| l.empty? },
    ran: Ran.of, calls: calls.drop(told),
    why: all.flat_map { |s| s.events.select { |e| e.status == 'failure' }.map { |e| "#{s.resource}: #{e.message.to_s.lines.first}" } }.first(3) }
end

# there? says whether the machine has something, as whoever looks finds it.
def there?(what, name, more = nil)
  case what
  when 'path' then File.exist?(name) || File.symlink?(name)
  when 'package' then `dpkg-query -W -f '${db:Status-Status}' #{name} 2>/dev/null` == 'installed'
  when 'user' then !`getent passwd #{name}`.empty?
  when 'group' then !`getent group #{name}`.empty?
  when 'active' then File.exist?("/var/lib/standin/active/#{name}")
  when 'enabled' then File.exist?("/var/lib/standin/enabled/#{name}")
  when 'host' then File.readlines('/etc/hosts').any? { |l| l.split[1] == name }
  when 'cron' then `crontab -l -u #{more} 2>/dev/null`.include?("# Puppet Name: #{name}\n")
  when 'line' then File.file?(name) && File.readlines(name, chomp: true).include?(more)
  else raise "there: #{what}"
  end
end

def child
  r, w = IO.pipe
  pid = fork do
    r.close
    begin
      w.write(JSON.generate(yield))
    rescue StandardError, ScriptError => e
      w.write(JSON.generate(error: "#{e.class}: #{e.message.lines.first}"))
    end
    w.close
    exit!(0)
  end
  w.close
  text = r.read
  Process.wait(pid)
  text.empty? ? { 'error' => 'died' } : JSON.parse(text)
end

def inside(top)
  child do
    Dir.chroot(top)
    Dir.chdir('/')
    $stdin.reopen('/dev/null')
    yield
  end
end

def job(j)
  UNSHARE.call(0x20000).zero? or raise 'unshare'
  top = '/var/lib/judge/machine'
  mount('judge', top, 'tmpfs', 0, 'size=1g')
  %w[upper work merged].each { |d| Dir.mkdir("#{top}/#{d}", 0o755) }
  mount('overlay', "#{top}/merged", 'overlay', 0, "lowerdir=/,upperdir=#{top}/upper,workdir=#{top}/work")
  merged = "#{top}/merged"
  $lines = j['lines'] || []
  was = inside(merged) { prepare(j['before'] || []); {} }
  return { id: j['id'], error: was['error'] } if was['error']
  done = false
  runs = j['runs'].map do |data|
    next if done
    next inside(merged) { prepare(data['do']); {} } if data['do']
    cut = data['cut']
    data = data['catalog'] if cut
    answer = inside(merged) { apply(data, cut) }
    $users = unnumbered(merged, 'passwd', numbered(data, 'User', 'uid'))
    $groups = unnumbered(merged, 'group', numbered(data, 'User', 'uid') + numbered(data, 'Group', 'gid'))
    answer['state'] = snapshot("#{top}/upper", merged)
    done = j['until'] == answer['state'] && answer['error'].nil? && answer['failed'].empty?
    answer
  end.compact
  there = inside(merged) { { there: (j['there'] || []).map { |x| there?(*x) } } }
  { id: j['id'], start: nil, runs: runs }.merge(there)
end

GC.start
Process.warmup if Process.respond_to?(:warmup)
$stdout.sync = true
$stdin.each_line(chomp: true) do |line|
  j = JSON.parse(line)
  answer = child { job(j) }
  answer['id'] ||= j['id']
  puts JSON.generate(answer)
end
