package datafile

import (
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

var hoconTexts = []string{
	"a = 1", "a : 1", "a: {b: 1}", "a { b = 1 }", "{a: 1, b: [1, 2, 3]}", "a.b.c = 1", "a.b = 1\na.c = 2",
	"a { x = 1, y = 2 }\na { z = 3, x = 9 }", "\"a.b\" = 1", "a.\"b.c\".d = 1",
	"a = hello world", "a = \"quoted\" and not", "a = 1 2 3", "a = true", "a = true story", "a = null", "a = nullable",
	"a = 1.5", "a = 1e3", "a = 1.0", "a = -0.0", "a = 1e400", "a = 1.5e3", "a = 2e30", "a = 10s", "a = 010", "a = -5",
	"a = 1.2.3", "a = x # comment\nb = y // other\n# line\nc = 1",
	"a = [1, 2\n3\n4,]", "a = [1, 2] [3]", "a = {x: 1} {y: 2}", "a = \"\"\"tri\nple \"quoted\" \"\"\"", "a = 1\nb = ${a}",
	"a = x\nb = ${a}y", "a = [1]\na = ${a} [2]", "a = [1]\na += 2", "a += 1", "b = ${?nope}", "b = ${nope}",
	"b = x${?nope}y", "a = {x: 1}\nb = ${a} {y: 2}", "a = 1\na = 2", "a = {b: 1}\na = 5", "a = 5\na = {b: 1}",
	"a.b = 1\na = ${c}\nc = {d: 2}",
	"path = /usr\npath = ${path}\":/bin\"", "a = ${b}\nb = ${a}", "a {", "a = [", "a", "= 1", "a = }", "", "# nothing",
	"a = @x", "a = 1 }", "a b c = 1", "1 = x", "a = \"x\\ny\\u00e9\"", "x = {a = ${y}}\ny = 1", "a : 1, b : 2",
	"a : 1,, b : 2", "a = [,]", "[1, 2, {a: b}]", "a = foo.bar", "a = http://x", "a = x:y",
	"a.b.c = 1\na.b = {d: 2}\na.b.c = 3", "a=1\nb=${a} ${a}", "list = [${x}, ${?y}]\nx = 1", "a = \"%{lookup('x')}\"",
	"a = {}\nb = []\nc = \"\"", "s = \"a\" \"b\"", "s = a  b   c", "a { b { c = 1 } }\nd = ${a.b.c}\ne = ${a.b}",
	"a = ${b}\nb = ${c}\nc = ${?a}", "a = ${b}\nb = ${c}\nc = ${a}", "a = ${a}", "a = ${?a}", "a = ${a.b}",
	"a { b = ${a} }", "a = ${\"x y\".z}", "a = [1] x", "a = x [1]", "a = {b: [1, x]} [2]", "a = 1 {b: \"c\"}",
	"a = null []", "a = ${x} y", "a = ${?x} [1]", "x = [2]\na = ${x} ${?y} [1]", "x = [2]\na = ${?y} ${x}",
	"a = [{b += 1}]", "a += {b += 1}",
	"mod::key = 1", "\"mod::key\" = 1", "\"mod::key\" : {a : [x, y]}",
}

func TestHOCONAgainstRuby(t *testing.T) {
	live.Puppet(t)
	compare(t, "hocon", hoconTexts, ReadHOCON, func(ours, theirs string) bool { return ours == theirs })
}

func FuzzHOCON(f *testing.F) {
	for _, d := range hoconTexts {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := source.NewFile("f.conf", text)
		if n, err := ReadHOCON(file); err == nil && n != nil {
			checkSpans(t, file, n, map[*Node]bool{})
		}
	})
}
