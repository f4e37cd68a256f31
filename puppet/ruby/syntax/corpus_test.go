package syntax

import (
	"os"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

// Every Ruby file of Debian's modules is Ruby; so the parser must read it without complaint, and spans must nest.
func TestParseModules(t *testing.T) {
	files := live.Files(t, ".rb")
	bad := 0
	n := 0
	for _, name := range files {
		if strings.Contains(name, "/spec/") && strings.Contains(name, "nova_aggregate_spec") {
			continue // no Ruby: it has two commas in a row
		}
		n++
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		prog, errs := Parse(source.NewFile(name, string(text)))
		if len(errs) > 0 {
			bad++
			if bad < 40 {
				t.Errorf("%v\n%s", errs[0], errs[0].Place.File.Line(errs[0].Place.Line()))
			}
			continue
		}
		checkSpans(t, name, prog)
	}
	t.Logf("score: ruby files parsed %d/%d", n-bad, n)
}

// checkSpans makes sure that each node lies within the one above it.
func checkSpans(t *testing.T, name string, prog *Program) {
	var stack []Node
	var visit func(n Node) bool
	visit = func(n Node) bool {
		if len(stack) > 0 {
			if up := stack[len(stack)-1]; !up.Span().Contains(n.Span()) {
				if _, heredoc := up.(*DStr); !heredoc { // what a heredoc interpolates stands below its line
					t.Errorf("%s: %T %v is not within %T %v", name, n, n.Span(), up, up.Span())
				}
			}
		}
		stack = append(stack, n)
		Walk(n, func(m Node) bool {
			if m == n {
				return true
			}
			return visit(m)
		})
		stack = stack[:len(stack)-1]
		return false
	}
	Walk(prog.Body, visit)
}

// A do behind a condition begins a block, behind a loop's the body. Ruby takes all of these.
func TestDo(t *testing.T) {
	for _, text := range []string{"unless x.none? do |r| r == 1 end\n  p 1\nend\n", "if x.any? do |r| r end\n p 2\nend\n",
		"case x.find do |r| r end\nwhen y.map do |z| z end then p 3\nend\n", "while x do\n p 4\nend\n",
		"until x.empty? do x.pop end\n", "for a in x.list do p a end\n", "while (if x.any? do |r| r end then 1 end) do p 5 end\n"} {
		if _, errs := Parse(source.NewFile("a.rb", text)); len(errs) > 0 {
			t.Errorf("%q: %v", text, errs[0])
		}
	}
}

// What Ruby reads is never called a syntax error, although it may not be supported; what Ruby does not read is.
func TestSyntaxErrors(t *testing.T) {
	for _, text := range []string{"x => {a:}\n", "x in Integer\n", "case x\nin [1, *] then 2\nend\n",
		"def f(&); g(&); end\n", "BEGIN { p 1 }\n", "END { p 1 }\n", "a.b&.c&.[](1)\n", "x = 1r + 2i\n", "def a.b; end\n",
		"def (a).b; end\n", "def f(...) = g(...)\n", "def f(a, ...) ; g(a, ...) ; end\n", "x = a&.[] :b\n", "(a,) = b\n",
		"raise Foo \"x\"\n", "Foo::Bar :x\n", "raise A::B c.d\n", "(a, _, b), c = d[0], e\n",
		"def @a.b c\nend\n", "x = A::B [1]\n", "Before do\n  1\nend\n", "def f# x\n  unless a\n  end\nend\n",
		"return __ENCODING__\n", "self::class::A\n", "def f(a) /b/n end\n", "let:facts do\nend\n",
		"f do\n  g 'x', owner:\nend\n"} {
		_, errs := Parse(source.NewFile("a.rb", text))
		if len(errs) > 0 && errs[0].Code == SyntaxError {
			t.Errorf("%q: %v", text, errs[0])
		}
	}
	for _, text := range []string{"def f(a\n  a\nend\n", "f do\n  a[0 +\nend\n", "end\n", "x = [1, 2\ny = 3\n", "if x\n",
		"f(1 2)\n", "x = )\n", "a = {1 => 2\n", "def f; 1; end; end\n"} {
		_, errs := Parse(source.NewFile("a.rb", text))
		if len(errs) == 0 || errs[0].Code != SyntaxError {
			t.Errorf("%q: %v", text, errs)
		}
	}
}
