# Reads lines of JSON and prints each value again, as JSON.generate and as JSON.pretty_generate (in a JSON string).
require 'json'
$stdin.each_line do |line|
  v = JSON.parse(line)
  puts JSON.generate([JSON.generate(v), JSON.pretty_generate(v)])
end
