package ruby

import (
	"fmt"
	"strings"
	"testing"
)

// receivers are the objects that methods are tried on, by class, as Ruby writes them.
var receivers = map[string][]string{
	"NilClass": {"nil"},
	"Boolean":  {"true", "false"},
	"Integer":  {"0", "1", "-7", "42", "1000000007", "9223372036854775807", "-9223372036854775808", "2**70"},
	"Float":    {"0.0", "1.5", "-2.75", "3.14159", "1e20", "1e-5", "2.5", "100.0", "123456.789"},
	"String": {`""`, `"abc"`, `"Hello World"`, `"  pad\t\n"`, `"42"`, `"-3.7e2x"`, `"a,b,,c,,"`,
		`"line1\nline2\n\nline4"`, `"äöü ß"`, `"foo.bar-baz_qux"`, `"az"`, `"Zz9"`, `"/usr/local/lib.d/x.tar.gz"`,
		`"a'b\"c\\d#{1}"`, `"yes"`, `"0x1F"`, `"\r\n"`},
	"Symbol": {":abc", ":\"a b\"", ":a?", ":Foo"},
	"Array": {"[]", "[1, 2, 3]", "[3, 1, 2, 3, 1]", `["b", "a", "c"]`, "[nil, 1, nil, false]", "[[1, 2], [3, [4, 5]]]",
		`[["a", 1], ["b", 2]]`, `["x", :y, 1.5, nil]`, `[{"a" => 1}, {"b" => 2}]`, `["10", "9", "1"]`},
	"Hash": {"{}", `{"a" => 1, "b" => 2}`, `{:x => nil, :y => [1, 2]}`, `{"b" => "z", "a" => "y", "c" => nil}`,
		`{1 => "one", "k" => {"n" => {"m" => 3}}}`},
	"Range":  {"(1..5)", "(1...5)", `("a".."e")`, "(0..0)", "(5..1)", "(1..10)", `("aa".."ad")`, "(1.0..2.5)"},
	"Regexp": {"/a(b)?c/", "/^foo/i", `/(?<year>\d+)-(?<mon>\d+)/`, "/a.c/m"},
	"Set":    {"Set.new", "Set.new([1, 2, 3])", `Set["a", "b"]`},
}

// calls are what is tried on each receiver of a class.
var calls = map[string]string{
	"any":      `.to_s|.inspect|.class|.nil?|.is_a?(String)|.is_a?(Array)|.kind_of?(Enumerable)|.respond_to?(:each)|.respond_to?(:nope)|== nil|== 1|!= "abc"|.frozen?|.dup|.itself|.then { \|x\| x.class }|.tap { \|x\| 1 }.class|.eql?(1)|.equal?(nil)|.to_json|.instance_of?(Integer)|=~ /x/|!~ /x/|.nope|.send(:to_s)|.public_send(:inspect)|.send(:nope, 1)|=== 1|.method(:to_s).call|<=> 1|&.to_s|.hash == 1 rescue 1|.display|.object_id.class`,
	"NilClass": `.to_a|.to_h|.to_i|.to_f|& true|\| 1|.empty?|.length|[0]|.each { }|+ 1|.upcase|.join|["a"]|.to_sym`,
	"Boolean":  `& true|\| false|^ true|!|.to_sym|+ 1|.upcase`,
	"Integer":  `+ 1|+ 1.5|+ "a"|+ nil|- 3|* 3|* 1.5|/ 2|/ -2|/ 0|/ 2.0|% 3|% -3|% 0|** 2|** 2.0|.divmod(3)|.divmod(-3)|.modulo(4)|.remainder(3)|.fdiv(3)|.div(2)|-@|~|.abs|.succ|.pred|.next|.zero?|.positive?|.negative?|.even?|.odd?|.to_s(2)|.to_s(16)|.to_s(36)|.to_s(1)|.chr|.ord|.to_i|.to_f|.round|.round(-1)|.round(-2)|.round(2)|.floor|.floor(-1)|.ceil(-1)|.truncate(-2)|.gcd(12)|.lcm(4)|.digits|.bit_length|[0]|& 6|\| 8|^ 5|<< 3|>> 1|< 5|> 5.0|<= 42|>= nil|== 42.0|<=> 5|<=> "a"|.between?(1, 50)|.clamp(1, 10)|.upto(45).first(2)|.times.first(2)|.integer?|.finite?|.nonzero?|.coerce(2)|.coerce(2.5)|.size|.pow(3)|.pow(3, 5)|.to_int|.downto(40).first(2)|.allbits?(2)|.infinite?|.real?|=== 42|.zero? ? 1 : 2|.dup|.to_sym|.length|.each { }|.empty?`,
	"Float":    `+ 1|- 0.5|* 2|/ 0|/ 3|% 2|** 2|.divmod(2)|.div(2)|.to_i|.to_f|.to_s|.round|.round(1)|.round(2)|.round(-1)|.floor|.floor(1)|.ceil|.ceil(1)|.truncate|.truncate(1)|.abs|.nan?|.infinite?|.finite?|.zero?|< 2|> 2|== 1.5|<=> 2|<=> "x"|.integer?|.coerce(1)|.between?(1, 2)|.clamp(0, 1)|-@|.round(half: :even)|.round(half: :down)|.to_int|.quo(2.0)|.negative?|.modulo(0.7)|.positive?|+ nil|* "a"|.round(1, half: :even)|.next_float > 0`,
	"String":   `+ "x"|+ 1|+ nil|* 3|* -1|* "a"|% 5|% [1, 2]|== "abc"|<=> "b"|<=> 1|=~ /b/|[0]|[-1]|[1]|[1, 2]|[1..]|[1..-2]|[0...-1]|[10]|[2, 100]|["b"]|[/l+/]|[/(b)(c)?/, 1]|[nil]|.length|.size|.bytesize|.upcase|.downcase|.capitalize|.swapcase|.reverse|.strip|.lstrip|.rstrip|.chomp|.chomp("c")|.chop|.chr|.chars|.bytes.first(3)|.lines|.lines.map(&:chomp)|.each_line.to_a|.each_char.to_a|.split|.split(",")|.split(",", -1)|.split(",", 2)|.split("")|.split(/[,\s]+/)|.split(/(,)/)|.split(//)|.split(/b?/)|.split(" ", 2)|.split(" ", -1)|.split("-")|.split(".")|.split(nil)|.split(1)|.empty?|.include?("b")|.include?(nil)|.start_with?("a")|.start_with?("a", "H")|.start_with?(/h/i)|.end_with?("c", "\n")|.index("b")|.index("l", 3)|.index(/o/)|.rindex("l")|.rindex(/[aeiou]/)|.index("zz")|.sub("b", "X")|.sub(/b/, "X")|.gsub("b", "X")|.gsub(/[aeiou]/, "<\\0>")|.gsub(/(l)(.)/, "\\2\\1")|.gsub(/l/) { \|m\| m.upcase }|.gsub(/[eo]/, "e" => "3", "o" => "*")|.gsub(/(?<v>[aeiou])/, "{\\k<v>}")|.gsub(/x*/, "-")|.gsub("", "-")|.gsub(/$/, "!")|.gsub(/^/, "  ")|.gsub(/\\s+/, " ")|.gsub(/b/) { $~[0] + $&.to_s }|.sub(/(.)(.)/) { $2.to_s + $1.to_s }|.tr("a-y", "b-z")|.tr("^a-z", "*")|.tr("el", "ip")|.tr("a-c", "")|.tr_s("l", "r")|.delete("l")|.delete("a-m", "^e")|.squeeze|.squeeze("l")|.count("lo")|.count("a-z")|.to_i|.to_i(16)|.to_i(2)|.to_f|.to_s|.to_sym|.to_str|.inspect|.dump|.hex|.oct|.ord|.sum|.succ|.next|.center(20)|.center(11, "*-")|.ljust(12)|.ljust(12, ".")|.rjust(12, "0")|.rjust(3)|.insert(1, "X")|.insert(-1, "X")|.prepend("p")|.concat("c", "d")|<< "z"|<< 33|.replace("r")|.partition(",")|.partition(/o/)|.rpartition("l")|.rpartition(/[,.]/)|.scan(/[a-z]/)|.scan(/(.)(.)/)|.scan("l")|.match(/b/)|.match(/(?<x>l+)/)|.match?(/L/i)|.match("b")|.casecmp("ABC")|.casecmp?("ABC")|.casecmp(1)|.each_char.with_index.map { \|c, i\| c * i }|.unicode_normalize|.encoding|.force_encoding("UTF-8")|.valid_encoding?|.ascii_only?|.slice(0, 3)|.delete_prefix("a")|.delete_suffix("c")|.eql?("abc")|.hash.class|.between?("a", "b")|.upto("abe").to_a.first(3)|.each_byte.first(2)|.codepoints.first(2)|.tr('a-z', 'A-Z')|.freeze.frozen?|.dup << "q"|.freeze << "q"|.upcase!|.downcase!|.gsub!(/l/, "L")|.sub!("zzz", "")|.strip!|.chomp!|.squeeze!|.reverse!|.capitalize!|.slice!(0, 2)|.tap { \|s\| s[0] = "Q" }|.tap { \|s\| s[1..2] = "--" }|.tap { \|s\| s["b"] = "BB" }|.clear|.unpack1("a*") rescue 0|.to_c rescue 0|.crypt("ab") rescue 0|.shellescape|.to_json|.to_yaml|.clamp("b", "c")|=== "abc"|.each { }|.map { }|.first|.nope|.join|.lines(chomp: true)|.chars.each_slice(2).map(&:join)|.byteslice(0, 2)|.getbyte(0)|.ljust(5, "")|.scrub|.b.length|.encode("UTF-8")|.intern|.format|.match(/(o)(x)?/).to_a|.gsub(/[<>&]/) { "x" }|.start_with?|.index(nil)|.tr("a-", "x")|.tr("z-a", "x")`,
	"Symbol":   `.to_s|.to_sym|.to_proc.call("x") rescue 0|.length|.size|.upcase|.capitalize|<=> :b|== :abc|[0]|.inspect|.empty?|.start_with?("a")|.succ|+ "a"|.to_i|=~ /b/|.id2name|.name|<=> 1|.end_with?("c")|.swapcase`,
	"Array":    `[0]|[-1]|[1, 2]|[1..]|[5]|[5, 1]|["a"]|[nil]|[0..0]|.at(1)|.first|.first(2)|.last|.last(2)|.first(-1)|.length|.size|.count|.count(1)|.count { \|x\| x }|.empty?|.any?|.all?|.none?|.one?|.any? { \|x\| x.nil? }|.all?(Integer)|.include?(1)|.member?("a")|.index(3)|.index { \|x\| x }|.find_index("a")|.rindex(1)|.join|.join(",")|.join(nil)|.join(1)|.reverse|.rotate|.rotate(-1)|.sort|.sort { \|a, b\| b.to_s <=> a.to_s }|.sort_by(&:to_s)|.sort_by { \|x\| x.to_s.length }|.min|.max|.minmax|.min(2)|.max_by(&:to_s)|.min_by { \|x\| x.to_s }|.sum rescue $!.class|.sum { \|x\| x.to_s.length }|.sum("") { \|x\| x.to_s }|.map(&:to_s)|.map { \|x\| x.inspect }|.map.with_index { \|x, i\| [i, x] }|.map.with_index(1).to_a|.collect(&:class)|.flat_map { \|x\| [x, x] }|.each { \|x\| }|.each_with_index.to_a|.each_with_index.map { \|x, i\| "#{i}:#{x}" }|.each_with_object([]) { \|x, m\| m << x.to_s }|.each_slice(2).to_a|.each_cons(2).to_a|.each_slice(0)|.select { \|x\| x }|.reject(&:nil?)|.filter_map { \|x\| x && x.to_s }|.partition { \|x\| x.is_a?(Integer) }|.group_by(&:class)|.group_by { \|x\| x.to_s.size }|.find { \|x\| x.to_s > "1" }|.detect(&:nil?)|.inject { \|a, b\| a.to_s + b.to_s }|.inject(:+) rescue $!.class|.inject("") { \|a, b\| a + b.to_s }|.reduce(1) { \|a, b\| a }|.zip([1, 2])|.zip|.zip(1)|.product([0])|.transpose rescue $!.class|.flatten|.flatten(1)|.compact|.uniq|.uniq { \|x\| x.to_s.size }|.take(2)|.drop(1)|.take_while { \|x\| x }|.drop_while { \|x\| x }|.take(-1)|.values_at(0, -1, 9)|.fetch(0) rescue $!.message|.fetch(9)|.fetch(9, "d")|.fetch(9) { \|i\| i * 2 }|.dig(0)|.dig(0, 1) rescue $!.message|.assoc("a")|+ [1]|+ nil|- [1]|& [1, "a"]|\| [1, 9]|* 2|* ","|<=> [1]|== [1, 2, 3]|.push(9)|<< 9|.unshift(0)|.insert(1, :i)|.pop|.shift|.pop(2)|.concat([7], [8])|.delete(1)|.delete_at(0)|.delete_if(&:nil?)|.reject! { \|x\| x.nil? }|.select! { \|x\| x }|.compact!|.uniq!|.flatten!|.reverse!|.sort! rescue $!.class|.map! { \|x\| x.to_s }|.clear|.fill(0)|.fill { \|i\| i }|.replace([1])|.to_a|.to_h|.to_h { \|x\| [x, 1] }|.to_ary|.inspect|.to_s|.to_json|.to_yaml|.tally|.cycle.first(3)|.combination(2).to_a|.permutation(2).first(2)|.each_entry.to_a|.chunk_while { \|a, b\| a == b }.to_a|.slice_when { \|a, b\| true }.to_a|.each_index.to_a|.reverse_each.to_a|.slice(0, 2)|.sample.class rescue 0|.to_set|.lazy.class|.frozen?|.freeze << 1|.dup << 1|.hash.class|.bsearch { \|x\| true } rescue 0|.grep(Integer)|.grep(/a/)|.grep_v(nil)|.sum(0.0) rescue $!.class|.tap { \|a\| a[5] = 1 }|.tap { \|a\| a[0, 2] = [8, 8, 8] }|.tap { \|a\| a[1..] = 0 }|.tap { \|a\| a[-9] = 0 }|.difference([1])|.union([5])|.intersect?([1])|.min_by(&:size) rescue $!.class|.upcase|.keys|.each_pair { }|.first("x")|.max(1)|.sort.reverse rescue $!.class|.each_with_index.select { \|x, i\| i > 0 }.map(&:first)|.minmax_by(&:to_s)|.none?(nil)|.find_all { \|x\| x }|.filter { \|x\| !x }|.sort_by { \|x\| [x.to_s, 1] }.first|.map(&:upcase) rescue $!.message`,
	"Hash":     `["a"]|[:x]|[nil]|.fetch("a")|.fetch("zz", 1)|.fetch("zz") { \|k\| k }|.dig("k", "n", "m")|.dig("a", 1)|.key?("a")|.has_key?(:x)|.include?("b")|.member?(1)|.value?(1)|.has_value?(nil)|.key(1)|.keys|.values|.length|.size|.count|.empty?|.any?|.all? { \|k, v\| v }|.any? { \|k, v\| v.nil? }|.none?|.each { \|k, v\| }|.each_pair.to_a|.each_with_index.to_a|.each_with_index.map { \|(k, v), i\| [k, v, i] }|.map { \|k, v\| "#{k}=#{v}" }|.map { \|x\| x }|.map(&:first)|.collect { \|k, v\| k }.sort_by(&:to_s)|.flat_map { \|k, v\| [k] }|.select { \|k, v\| v }|.reject { \|k, v\| v.nil? }|.filter_map { \|k, v\| k if v }|.find { \|k, v\| v }|.partition { \|k, v\| v.nil? }|.group_by { \|k, v\| v.class }|.sort rescue $!.class|.sort.to_h rescue $!.class|.sort_by { \|k, v\| k.to_s }|.sort_by { \|k, v\| v.to_s }.to_h|.min_by { \|k, v\| k.to_s }|.max_by { \|k, v\| v.to_s }|.sum { \|k, v\| 1 }|.inject(0) { \|m, (k, v)\| m + 1 }|.reduce([]) { \|m, kv\| m << kv[0] }|.each_with_object({}) { \|(k, v), h\| h[v] = k }|.to_a|.to_h|.to_h { \|k, v\| [k.to_s, v.inspect] }|.merge({"a" => 9})|.merge({"a" => 9}) { \|k, o, n\| [o, n] }|.merge|.merge(1)|.merge!("z" => 1)|.update({})|.invert|.transform_values(&:to_s)|.transform_values { \|v\| v.class }|.transform_keys(&:to_s)|.transform_keys("a" => "A")|.slice("a")|.except("a")|.compact|.first|.first(1)|.delete("a")|.delete("zz") { "n" }|.delete_if { \|k, v\| v }|.reject! { false }|.select! { true }|.keep_if { \|k, v\| v }|.store("q", 1)|.tap { \|h\| h["q"] = 1 }|.clear|.values_at("a", "zz")|.fetch_values("a") rescue $!.message|.assoc("a")|.key("zz")|.each_key.to_a|.each_value.map { \|v\| v }|.zip([1])|.inspect|.to_s|.to_json|.to_yaml|== {"a" => 1, "b" => 2}|.default|.compare_by_identity.class rescue 0|.each_slice(1).to_a|.count { \|k, v\| v }|.find_all { \|k, v\| v }|.min|.uniq|.take(1)|.drop(1)|.each_entry.to_a|.reverse_each.to_a|.freeze.merge("z" => 1)|.freeze["z"] = 1|.dup.class|.filter { \|k\| k }|.reject { \|k\| k }|.any? { \|x\| x.is_a?(Array) }|.to_set.size|.join(",")|.upcase|.shift|.sum|.tally|.entries|.each_cons(2).to_a|.length.zero?|.hash.class|.map.with_index { \|(k, v), i\| "#{i}#{k}" }|.lazy.class|.flatten rescue 0|>= {}|.fetch("zz")|.dig|.key?|.each_with_index { \|kv, i\| kv }|.sort { \|a, b\| b[0].to_s <=> a[0].to_s }|.inject { \|a, b\| a + b }|.partition { \|k, v\| k.is_a?(String) }.map(&:to_h)`,
	"Range":    `.to_a|.first|.last|.first(2)|.last(2)|.min|.max|.size|.count|.sum rescue $!.class|.include?(3)|.member?("b")|.cover?(2.5)|=== 3|=== "c"|.each { }|.map { \|x\| x }|.step(2).to_a|.step(2) { }|.each_slice(2).to_a|.reverse_each.to_a|.to_s|.inspect|.exclude_end?|.begin|.end|.select { \|x\| x }|.inject(:+) rescue $!.class|.each_with_index.to_a|.zip(1..3) rescue $!.class|== (1..5)|.entries|.include?("x")|.minmax rescue $!.class|.take_while { \|x\| true }|.partition { \|x\| x == 1 }|.none?|.sort rescue 0|.to_set.size rescue 0|.each_cons(2).first|.tally rescue 0|.find { \|x\| x }|.reduce { \|a, b\| b }|.hash.class|.join rescue $!.message|.length rescue $!.message`,
	"Regexp":   `.source|.to_s|.inspect|.options|.names|=~ "xabc"|=~ nil|.match("abc")|.match("2024-05")|.match("zzz")|.match?("FOOd")|=== "abc"|=== 1|.match("abc").to_a rescue 0|.match("ac").captures rescue 0|.match("2024-05x").named_captures rescue 0|.match("a\nc").pre_match rescue 0|== /a(b)?c/|.casefold?|.match("xxabcyy").post_match rescue 0|.match("xabc").begin(0) rescue 0|.match("xabc").offset(0) rescue 0|.match("abc")[1] rescue 0|.match("2024-05")["year"] rescue 0|.match("2024-05")[:nope] rescue $!.message|.match("abc").size rescue 0|.freeze.frozen?|.hash.class|.match("abc").values_at(0, 1) rescue 0`,
	"Set":      `.to_a|.size|.include?(1)|.add(5)|<< 1|.delete(1)|\| [9]|& [1, 2]|- [1]|.empty?|.map { \|x\| x }|.each { }|== Set.new([1, 2, 3])|.subset?(Set[1, 2, 3, 4])|.sort|.inspect|.to_s|.merge([7])|.select { \|x\| x }|.group_by { \|x\| x }|.join("-")|.to_set.size|.any?|.first|.min|.sum rescue $!.class|.add?(1).class|.superset?(Set.new)|.disjoint?(Set[9])`,
}

func splitCalls(s string) []string {
	s = strings.ReplaceAll(s, `\|`, "\x00")
	var out []string
	for _, c := range strings.Split(s, "|") {
		out = append(out, strings.ReplaceAll(c, "\x00", "|"))
	}
	return out
}

func expressions() []string {
	var codes []string
	for _, class := range []string{"NilClass", "Boolean", "Integer", "Float", "String", "Symbol", "Array", "Hash", "Range",
		"Regexp", "Set"} {
		for _, r := range receivers[class] {
			for _, c := range append(splitCalls(calls[class]), splitCalls(calls["any"])...) {
				sep := " "
				if c[0] == '.' || c[0] == '[' || c[0] == '&' && len(c) > 1 && c[1] == '.' {
					sep = ""
				}
				recv := r
				if class == "Integer" || class == "Float" || class == "Hash" {
					recv = "(" + r + ")"
				}
				switch c {
				case "!":
					codes = append(codes, "!"+recv)
				case "-@", "~":
					codes = append(codes, string(c[0])+recv)
				default:
					codes = append(codes, fmt.Sprintf("x = %s; x%s%s", recv, sep, c))
				}
			}
		}
	}
	return codes
}

// Every method, on every kind of receiver, answers as Ruby's does: the same value, or the same exception with the same
// message.
func TestMethods(t *testing.T) {
	codes := expressions()
	same, unsupported := differ(t, codes)
	t.Logf("score: ruby methods %d/%d (%d said to be unsupported)", same, len(codes)-unsupported, unsupported)
}
