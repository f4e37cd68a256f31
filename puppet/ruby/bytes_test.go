package ruby

import (
	"fmt"
	"testing"
)

// The characters of binary strings are bytes, also where they would be characters as UTF-8: digests of many texts.
func TestBinaryStrings(t *testing.T) {
	var codes []string
	for i := range 40 {
		for _, e := range []string{"a.reverse.bytes", "a.chars.map(&:bytes)", "a[3..].bytes", "a[-2, 2].bytes", "a[2].bytes",
			"(a + 'x')[0, 4].bytes", "('x' + a)[0, 4].bytes", "(a * 2)[15, 4].bytes", "x = +''; x << a; x[0, 4].bytes",
			"[a, 'b'].join[0, 5].bytes", "\"x#{a}\"[1, 3].bytes", "a.ord", "a.codepoints", "a.start_with?(a[0])",
			"a.end_with?(a[-3, 3])", "a.include?(a[4,5])", "a.encoding", "(a + 'x').encoding", "a.dup[0,3].bytes",
			"a.freeze[0,3].bytes", "x = a.dup; x << 200; x.bytes.last(2)", "a.length", "a.upcase.bytes", "a.index(a[3])",
			"a.byteslice(1,3)[0,2].bytes", "{a => 1}.keys[0][0,3].bytes", "a.b[0,3].bytes", "a.unpack('C*')",
			"a.force_encoding('UTF-8').valid_encoding?", "a == a.dup", "a.inspect", "a.hash == a.dup.hash", "200.chr.bytes",
			"a.each_char.to_a.size", "a.slice(0,3).size", "x = a.dup; x.slice!(0,3).size", "(a <=> 'x')", "a.sum",
			"format('%s', a).size", "a.unpack1('H*')", "a.scan(/./mn).size", "a.split('').size", "a.to_sym.size",
			"(a + 'é').size", "a.empty?", "a.center(20).size", "a.count('a')", "(Digest::MD5.new << a[0, 7] << 0.chr).hexdigest",
			"a.replace('é').size", "x = ''.encode('ASCII-8BIT'); a.bytes.each { |c| x << (c ^ 85) }; x.unpack('H*')",
			"'a'.encode('BINARY').encoding", "x = ''; x << a; x << ''.encode('binary') << 255; x.slice(0, 20).unpack('H*')"} {
			codes = append(codes, fmt.Sprintf("a = Digest::MD5.digest('x%d'); %s", i, e))
		}
	}
	differ(t, codes)
}
