# What code that means no good does.
Puppet::Functions.create_function(:'t::hostile') do
  def hostile(how)
    case how
    when 'loop' then loop {}
    when 'sleep' then sleep
    when 'exit' then exit
    when 'exit!' then exit!(3)
    when 'kill' then Process.kill(:KILL, Process.pid)
    when 'abort' then abort('enough of this')
    when 'memory' then 'a' * 10**11
    when 'grow' then list = []; loop { list << 'x' * 1_000_000 }
    when 'stack' then hostile('stack')
    when 'round' then call_function('t::hostile', 'round')
    when 'print' then puts 'noise'; $stderr.puts 'noise'; STDOUT.write('noise'); warn 'noise'; system('echo noise'); 'fine'
    when 'read' then [$stdin.read, gets].inspect
    when 'garbage' then Bunraku::OUT.write("this is no JSON\n"); Bunraku::OUT.flush; loop {}
    when 'brackets' then Bunraku::OUT.write('[' * 100_000 + "\n"); Bunraku::OUT.flush; loop {}
    when 'wrong' then Bunraku::OUT.write(%({"value": {"__ptype": "Nonsense"}}\n)); Bunraku::OUT.flush; loop {}
    when 'empty' then Bunraku::OUT.write("{}\n"); Bunraku::OUT.flush; loop {}
    when 'question' then Bunraku::OUT.write(%({"ask": "nothing known", "scope": 99}\n)); Bunraku::OUT.flush; loop {}
    when 'endless' then loop { Bunraku::OUT.write('x' * 1_000_000) }
    when 'child' then spawn('sleep 1000'); loop {}
    when 'thread' then Thread.new { loop {} }; 'fine'
    when 'object' then Object.new
    when 'circle' then a = []; a << a; a
    when 'bytes' then "\xff\xfe".b
    when 'latin' then "caf\xe9".dup.force_encoding('ISO-8859-1')
    when 'rescue' then begin; call_function('fail', 'x'); rescue Exception; 'rescued'; end
    when 'ensure' then begin; loop {}; ensure; loop {}; end
    end
  end
end
