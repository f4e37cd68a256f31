# frozen_string_literal: true
#
# Answers what Ruby says about a regular expression. JSON lines in: ["source", "text", flags]; out: the byte offsets of the
# first match and its groups, null for no match, or a string with the error.
require 'json'
require 'timeout'
$VERBOSE = nil
Warning[:deprecated] = false
$stdin.each_line do |line|
  src, text, flags = JSON.parse(line)
  begin
    re = Regexp.new(src, flags)
    m = Timeout.timeout(5) { re.match(text) }
    r = m && (0...m.size).flat_map { |i| m.begin(i) ? [m.byteoffset(i)].flatten : [-1, -1] }
  rescue NoMethodError
    r = m && (0...m.size).flat_map { |i| m.begin(i) ? [text[0...m.begin(i)].bytesize, text[0...m.end(i)].bytesize] : [-1, -1] }
  rescue RegexpError, ArgumentError => e
    r = e.message
  rescue Timeout::Error
    r = 'timeout'
  end
  puts r.to_json
end
