package ruby

import (
	"strings"
	"testing"

	"bunraku/provenance"
	"bunraku/source"
)

// What a loop adds to the graph does not depend on how many rounds came before.
func TestTraceGrowsWithTheRounds(t *testing.T) {
	for _, code := range []string{
		"i = 0; until i >= ROUNDS; i += 1; end",
		"i = 0; i += 1 while i < ROUNDS",
		"i = 0; begin; i += 1; raise 'x' if i < ROUNDS; rescue; retry; end",
		"a = []; ROUNDS.times { |i| a << i }",
		"(1..ROUNDS).inject(0) { |s, x| s + x }",
		"(1..ROUNDS).each_with_object({}) { |x, h| h[x] = x }",
		"(1..ROUNDS).map { |x| x.to_s }.select { |x| x != 'a' }.each { |x| [x].each { |y| y } }",
		"def f(n) n + 1 end; i = 0; i = f(i) while i < ROUNDS",
		"s = String.new; ROUNDS.times { |i| s << i.to_s; s << 'x' if i.even? }",
		"i = 0; loop { i += 1; case i; when 1 then 2; when ROUNDS then break; end }",
		"i = 0; while true; i += 1; next if i.odd?; break if i >= ROUNDS; end",
		"catch(:x) { i = 0; loop { i += 1; throw :x if i >= ROUNDS } }",
		"@a = 0; ROUNDS.times { @a += 1 }; $g = 0; ROUNDS.times { $g += 1 }",
		"i = 0; begin; i += 1; end until i >= ROUNDS",
		"for i in (1..ROUNDS) do for j in [1, 2] do x = [i, j] end end",
		"x = 0; for i in (1..ROUNDS) do x += i if i.odd? end",
	} {
		grown := func(rounds string) int {
			rt := NewRuntime()
			prog, errs := Parse(source.NewFile("t", strings.ReplaceAll(code, "ROUNDS", rounds)))
			if len(errs) > 0 {
				t.Fatal(errs[0])
			}
			tr := provenance.NewTrace()
			in := rt.New(DefaultLimits())
			in.Trace(tr, func(p *Program) provenance.Ref {
				return tr.Literals(p.File, len(p.Literals()), func(int) source.Span { return source.Span{} })
			})
			if _, err := in.Run(prog, &Instance{class: rt.object}); err != nil {
				t.Fatal(err)
			}
			size := tr.Size()
			return size.Nodes + size.Operands
		}
		if once, twice := grown("1000"), grown("2000"); twice > 2*once+once/4 {
			t.Errorf("%s: 1000 rounds add %d nodes and operands, 2000 add %d", code, once, twice)
		}
	}
}
