package syntax

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// TestValidateModulesLive compares with Puppet on every manifest and template of the modules that are installed here.
func TestValidateModulesLive(t *testing.T) {
	live.Puppet(t)
	if testing.Short() {
		t.Skip("not with -short: reads thousands of files")
	}
	files := live.Files(t, ".pp", ".epp")
	site := &Site{ModulePath: []string{live.ModulesDir}}
	answers := askPuppet(t, files, "--modulepath", live.ModulesDir)
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n += compareLive(t, file, string(text), answers[file], Options{}, site)
	}
	t.Logf("%d of %d files read by both parsers", n, len(files))
}

// TestValidateRandomLive compares with Puppet on random programs, most of them wrong in some way that only a validator
// minds.
func TestValidateRandomLive(t *testing.T) {
	live.Puppet(t)
	if testing.Short() {
		t.Skip("not with -short: asks Puppet about thousands of programs")
	}
	for _, tasks := range []bool{false, true} {
		programs := make([]string, *programCount)
		for seed := range programs {
			g := generator{r: rand.New(rand.NewPCG(uint64(seed), 7)), tasks: tasks}
			if seed%10 == 9 {
				programs[seed] = "epp " + g.template()
			} else {
				programs[seed] = "pp " + g.program()
			}
		}
		n := compareAll(t, programs, tasks)
		t.Logf("tasks=%v: %d of %d programs read by both parsers", tasks, n, len(programs))
		if n < len(programs)/2 {
			t.Errorf("the generator makes too many programs that do not parse")
		}
	}
}

// TestValidateMutantsLive compares with Puppet on real manifests with a few tokens lost, doubled, swapped or replaced.
func TestValidateMutantsLive(t *testing.T) {
	live.Puppet(t)
	if testing.Short() {
		t.Skip("not with -short: asks Puppet about thousands of programs")
	}
	var pool []string
	for _, file := range live.Files(t, ".pp") {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 && len(text) < 3000 {
			pool = append(pool, string(text))
		}
	}
	programs := make([]string, *programCount)
	for seed := range programs {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		programs[seed] = "pp " + mutate(r, pool[r.IntN(len(pool))])
	}
	n := compareAll(t, programs, false)
	t.Logf("%d of %d mutants read by both parsers", n, len(programs))
}

var programCount = flag.Int("programs", 1000,
	"how many random programs, and how many damaged manifests, to ask Puppet about")

// compareAll asks Puppet about programs, each preceded by the ending that its file shall have, and compares.
func compareAll(t *testing.T, programs []string, tasks bool) (read int) {
	t.Helper()
	dir := t.TempDir()
	names := make([]string, len(programs))
	for i, p := range programs {
		ending, text, _ := strings.Cut(p, " ")
		names[i] = writeProgram(t, dir, fmt.Sprintf("p%d.%s", i, ending), text)
	}
	var switches []string
	if tasks {
		switches = []string{"--tasks"}
	}
	answers := askPuppet(t, names, switches...)
	for i, p := range programs {
		_, text, _ := strings.Cut(p, " ")
		read += compareLive(t, strings.TrimPrefix(names[i], dir+":"), text, answers[names[i]], Options{Tasks: tasks}, nil)
	}
	return read
}

// mutate damages one to three tokens of a manifest.
func mutate(r *rand.Rand, text string) string {
	var tokens []string
	for i := 0; i < len(text); {
		j := i + 1
		if isWord(text[i]) {
			j = wordEnd(text, i)
		}
		tokens = append(tokens, text[i:j])
		i = j
	}
	spare := []string{"class", "define", "node", "function", "if", "$Foo", "$a::b", "=", "==", "+=", "=>", "+>", "->", "(",
		")", "[", "]", "{", "}",
		"@", "*", "1", "'x'", "undef", "default", "File", "foo", "File<| |>", ",", ";", ":", "|$x|", "inherits", "private",
		"notify { a => 1 }", "type"}
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(tokens)), r.IntN(len(tokens))
		switch r.IntN(4) {
		case 0:
			tokens[i] = ""
		case 1:
			tokens[i] += " " + tokens[i]
		case 2:
			tokens[i], tokens[j] = tokens[j], tokens[i]
		default:
			tokens[i] = " " + spare[r.IntN(len(spare))] + " "
		}
	}
	return strings.Join(tokens, "")
}

// compareLive reports differences and returns 1 when both parsers read the file. What only one of them reads is the
// business of the parser's tests.
func compareLive(t *testing.T, file, text string, puppet []issue, opt Options, site *Site) int {
	t.Helper()
	ours, parsed := judge(file, text, opt, site)
	if !parsed || len(puppet) > 0 && puppet[0].Severity == "parse" {
		return 0
	}
	if diffs := differences(puppet, ours); diffs != nil {
		if len(text) > 2000 {
			text = "…"
		}
		t.Errorf("%s:\n%s\n  %s", file, text, strings.Join(diffs, "\n  "))
	}
	return 1
}

// A generator writes programs that parse and that break the validator's rules every now and then.
type generator struct {
	r     *rand.Rand
	tasks bool
	depth int
}

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

// some writes up to n pieces with a separator.
func (g *generator) some(n int, sep string, piece func() string) string {
	var parts []string
	for range g.r.IntN(n + 1) {
		parts = append(parts, piece())
	}
	return strings.Join(parts, sep)
}

func (g *generator) program() string { return g.some(4, "\n", g.statement) + "\n" }

func (g *generator) template() string {
	head := g.pick("", "<%- | "+g.params()+"$last | -%>\n")
	return head + g.some(3, "", func() string {
		return g.pick("text ", "\n", "<% "+g.statement()+" %>", "<%= "+g.expr()+" %>", "<%= { "+g.statement()+"\n"+
			g.statement()+" } %>")
	})
}

func (g *generator) body() string { return "{\n" + g.some(3, "\n", g.statement) + "\n}" }

func (g *generator) name() string {
	return g.pick("a", "b", "a::b", "foo", "Foo", "::foo", "string", "plan_x", "title", "a_b", "foo-bar")
}

func (g *generator) variable() string {
	return "$" + g.pick("a", "b", "x", "::a", "a::b", "Foo", "_a", "a::_b", "1", "0", "01", "0x1f", "title")
}

func (g *generator) params() string {
	return g.some(3, "", func() string {
		return g.pick("", "Integer ", "Array[String] ") + g.pick("", "", "", "*") + g.variable() + g.pick("", " = "+
			g.simple(), " = ("+g.assignment()+")") + ", "
	})
}

func (g *generator) statement() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 5 {
		return g.pick("notice(1)", "include x", "1")
	}
	if g.tasks && g.r.IntN(6) == 0 {
		return g.pick("plan "+g.name()+"("+g.params()+") "+g.body(), "apply("+g.expr()+") "+g.body())
	}
	switch g.r.IntN(24) {
	case 0:
		return "class " + g.name() + "(" + g.params() + ") " + g.body()
	case 1:
		return "define " + g.name() + "(" + g.params() + ") " + g.body()
	case 2:
		return "function " + g.name() + "(" + g.params() + ") " + g.pick("", ">> Plan ", ">> Integer[1] ") + g.body()
	case 3:
		return "node " + g.pick("a", "'a b'", "default", "/x/", "\"a${b}\"", "a.b, c") + g.pick("", "", " inherits b") + " " +
			g.body()
	case 4:
		return "type " + g.pick("A", "A::B", "String", "::A") + " = " + g.pick("Integer", "[1]", "{ a => 1 }", "Plan",
			"B { parent => C }", "Array[A]")
	case 5:
		return "type " + g.pick("Runtime[ruby, 'a']", "Runtime[ruby, [/a/, 'b']]", "A[1]") + " = " +
			g.pick("B", "[/a/, 'b']", "[1]", "B[1]")
	case 6:
		return "if " + g.simple() + " " + g.body() + g.pick("", " else "+g.body(), " elsif "+g.simple()+" "+g.body())
	case 7:
		return "unless " + g.simple() + " " + g.body() + g.pick("", " else "+g.body())
	case 8:
		return "case " + g.simple() + " {\n" + g.pick("1", "default", g.simple()) + ": " + g.body() + "\n" +
			g.pick("2, default", "default", "3") + ": " + g.body() + "\n}"
	case 9:
		return g.pick("", "@", "@@") + g.pick("file", "class", "foo::bar") + " { " + g.simple() + ": " + g.attributes() + " }"
	case 10:
		return g.pick("", "@", "@@") + g.pick("File", "File['a']", "Foo::Bar") + " { " + g.attributes() + " }"
	case 11:
		return g.pick("notify", "foo", "include") + " { " + g.pick("", "a => "+g.expr()+", ") + "b => " + g.expr() + " }"
	case 12:
		return g.collector()
	case 13:
		return g.expr() + " -> " + g.expr()
	case 14, 15, 16:
		return g.assignment()
	case 17:
		return "[1].each |" + g.params() + "$last| " + g.body()
	case 18, 19, 20:
		return g.pick("notice(1)", "include x", "foo("+g.expr()+")", "$x.foo")
	}
	return g.expr()
}

func (g *generator) attributes() string {
	return g.some(3, ", ", func() string {
		return g.pick("a => ", "b => ", "a +> ", "* => ") + g.expr()
	})
}

func (g *generator) assignment() string {
	return g.pick(g.variable(), g.variable(), "[$a, "+g.variable()+"]", g.simple()) + g.pick(" = ", " = ", " += ",
		" -= ") + g.expr()
}

func (g *generator) collector() string {
	query := g.pick("", "a == 1", "a != "+g.simple(), "a > 1", "a == 1 and b == 2", "(a == 1) or "+g.simple(), g.simple())
	c := g.pick("File<| "+query+" |>", "File<<| "+query+" |>>", "file<| "+query+" |>")
	return g.pick(c, c+" { "+g.attributes()+" }")
}

// simple writes an expression that can stand before a brace or a colon.
func (g *generator) simple() string {
	return g.pick("1", "'a'", "\"b${c}\"", g.variable(), "[1]", "foo()", "undef", "true", "Foo", "(1 + 2)", "$a == 1",
		"$a =~ /b/",
		"default", "9223372036854775808", "\"${Foo} ${x} ${true_x}\"", "(File<| |>)")
}

func (g *generator) expr() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 7 {
		return g.simple()
	}
	switch g.r.IntN(16) {
	case 0:
		return "[" + g.some(3, ", ", g.expr) + "]"
	case 1:
		return "{ " + g.some(4, ", ", func() string {
			return g.pick("a", "'a'", "1", "0x1", "undef", "[1]", "$a", "default", "/a/", g.simple()) + " => " + g.expr()
		}) + " }"
	case 2:
		return "(" + g.pick(g.expr(), g.assignment()) + ")"
	case 3:
		return g.expr() + g.pick(" + ", " == ", " and ", " in ", " =~ ", " << ") + g.expr()
	case 4:
		return g.pick("-", "!", "*") + g.simple()
	case 5:
		return g.pick("foo", "Integer", "Array[A]", "$x", "'a'", "$x['a']", "(foo)") + "(" + g.some(2, ", ", g.expr) + ")" +
			g.pick("", " |$i| "+g.body())
	case 6:
		return g.simple() + " ? { " + g.pick("1", "default", g.simple()) + " => " + g.expr() + ", " + g.pick("default", "2") +
			" => " + g.expr() + " }"
	case 7:
		return g.collector()
	case 8:
		return "$x.foo(" + g.some(2, ", ", g.expr) + ") |" + g.params() + "$last| " + g.body()
	case 9:
		return "\"x ${" + g.expr() + "} y\""
	case 10:
		return g.pick("class c { }", "function f() { }", "private", "if $a { 1 } else { notice(1) }", "$a['b']", "foo")
	}
	return g.simple()
}
