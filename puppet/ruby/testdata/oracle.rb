# Answers a JSON list of Ruby snippets with a JSON list of what each gives: its inspect, or the class and message of its exception.
require 'json'; require 'yaml'; require 'set'; require 'shellwords'; require 'base64'; require 'digest'; require 'ipaddr'; require 'cgi'; require 'uri'; require 'erb'
$stdout = File.open(File::NULL, "w")
# each snippet gets local variables of its own, at the top level
ROOM = 'proc { binding }.call'
out = JSON.parse($stdin.read).map do |code|
  begin
    r = eval(code, eval(ROOM, TOPLEVEL_BINDING)).inspect
    r.valid_encoding? ? r.encode('UTF-8') : r.b.inspect
  rescue Exception => e
    "#{e.class}: #{e.respond_to?(:original_message) ? e.original_message : e.message}".scrub.gsub(/0x[0-9a-f]{8,}/, '0x0')
  end.gsub(/0x[0-9a-f]{8,}/, '0x0')
end
STDOUT.puts JSON.generate(out)
