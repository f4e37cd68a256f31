# Asks metadata-json-lint about texts, for the tests of package lint: ruby -I … metadata.rb
# The standard input has one text a line, as a JSON string; the answer to each is one line: [[level, check, message]…], or
# a string with the error that it stopped with.
require 'json'
require 'tempfile'
require 'metadata_json_lint'

def ask(text)
  found = []
  MetadataJsonLint.instance_variable_set(:@errors, [])
  MetadataJsonLint.instance_variable_set(:@warnings, [])
  MetadataJsonLint.options[:format] = :json
  Tempfile.create('metadata') do |f|
    f.write(text)
    f.flush
    MetadataJsonLint.validate_metadata(f.path, MetadataJsonLint.options) { |l, c, m| MetadataJsonLint.send(l, c, m) }
  end
  { error: :@errors, warning: :@warnings }.each do |level, name|
    MetadataJsonLint.instance_variable_get(name).each { |x| found << [level, x[:check], x[:msg]] }
  end
  found.uniq
rescue StandardError => e
  "#{e.class}: #{e.message}"
end

$stdout.sync = true
$stdin.each_line { |line| puts JSON.generate(ask(JSON.parse(line))) }
