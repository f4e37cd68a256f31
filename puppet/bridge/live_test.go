package bridge_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/ask"
	"bunraku/internal/live"
	"bunraku/puppet/bridge"
	"bunraku/puppet/functions/stdlib"
)

var (
	calls = flag.Int("calls", 25, "how many calls of each function TestScoreBridge makes")
	only  = flag.String("function", "", "the one function that TestScoreBridge looks at")
	shown = flag.Int("shown", 2, "how many differences of a function are shown")
)

// The module t uses all of the function API. Real Puppet says what its functions answer.
func apiQuestions() (exprs []string) {
	add := func(function string, args ...string) {
		for _, a := range args {
			exprs = append(exprs, function+"("+a+")")
		}
	}
	add("t::dispatches", "3", "3, 'x'", "30", "3, ''", "[1,[2,[3]]]", "[1,[20]]", "'low'", "'low', 1, 2.5", "'low', 'x'",
		"'text'", "{'a'=>1}, true", "{'a'=>1}", "{1=>1}, true", "", "undef", "3, 'x', 4", "/x/", "default")
	exprs = append(exprs, "t::dispatches([1,2]) |$x| { $x * 2 }", "t::dispatches([1,2]) |$x, $y = 4| { [$x, $y] }",
		"t::dispatches([1,2]) |$x, $y, $z| { $x }", "t::dispatches(1) |$x| { $x }", "t::dispatches([1,2]) || { 1 }")
	add("t::plain", "1", "1, 3", "1, 3, 4, 5", "", "undef, undef")
	add("t::returns", "1", "['a']", "'a'", "[1]", "undef", "{}", "", "1, 2")
	add("t::echo", "", "1, 2.5, 'a', true, undef, default, /a.b/, [1,[undef]], {'a'=>{1=>'x'}}",
		"Sensitive('s'), Binary('YQ=='), SemVer('1.2.3-rc1+b'), SemVerRange('>= 1.0.0')",
		"Timestamp(0), Timespan(90), URI('http://example.com/a')",
		"Integer, Integer[1,2], File, File['/x'], Class, Class['a::b'], Notify['n'], Optional[String], T::Level, "+
			"Type[Integer]",
		"{'__ptype'=>'x'}", `"\u{1F600}\u0001\u007f\n\\"`, "1e300, 1.0e-7, 9223372036854775807, -1")
	add("t::calls", "'upcase', 'x'", "'t::plus', 1, 2", "'t_old', undef, 2", "'nothing_of_the_kind'", "'t::plain'",
		"'split', 'a b', ' '", "'new', Integer, '3'", "'type', 1", "'t_statement', 1", "'Upcase', 'x'", "'::upcase', 'x'",
		"'abs', 'x'")
	exprs = append(exprs, "t::calls('map', [1,2]) |$x| { $x + 1 }", "t::calls('with', 3, 4) |$x, $y| { [$y, $x] }",
		"t::calls('each', [1]) |$x| { fail('in a block') }", "t::calls('filter', {'a'=>1,'b'=>2}) |$k, $v| { $v > 1 }",
		"t::calls('t::dispatches', [1]) |$x| { next(7) }", "[1,2].map |$x| { t::calls('t::plus', $x, 1) }",
		"[1,2,3].each |$x| { t::calls('with', $x) |$y| { if $y > 1 { break() } } }")
	add("t::blocks", "'map', [1,'a']", "'each', ['x','y']", "'filter', [1,'a',2]", "'reduce', ['a','b','c']", "'none', []")
	for _, b := range []string{"|$x| { \"<${x}>\" }", "|$x, $y| { [$x, $y] }", "|$x, $y = 1| { $x }", "|*$x| { $x }",
		"|Integer $x| { $x }", "|$x, *$y| { 1 }", "|$x| { fail('boom') }", "|$x| { $x.unknown_function }"} {
		for _, how := range []string{"arity", "pass", "index", "rescue"} {
			exprs = append(exprs, "t::blocks('"+how+"', [1, 'b']) "+b)
		}
	}
	for _, how := range []string{"[]", "lookupvar", "include?", "exist?", "closure", "catch", "global", "lenient",
		"parameters"} {
		for _, name := range []string{"fqdn", "::fqdn", "facts", "nope", "t::nope", "module_name", "os", "a.b"} {
			add("t::scopes", "'"+name+"', '"+how+"'")
		}
	}
	add("t::scopes", "'x', 'call'", "'x', 'old'", "'t_old', 'respond'", "'nope', 'respond'", "'x', 'with'",
		"'nope', 'compiler'")
	for _, how := range strings.Fields("argument parse puppet runtime nil zero key type load nested own unknown through " +
		"mismatch wrong big fail none") {
		add("t::fails", "'"+how+"'")
	}
	add("t::helps", "'double', 3", "'absolute', '/a'", "'absolute', 'a'", "'absolute', 3", "'windows', 'C:/x'",
		"'windows', '/x'", "'version', '1.10', '1.9'", "'rand', 42, 1000", "'rand_int', 42, 1000", "'title', 'file[/x]'",
		"'title', 'class[a::b]'",
		"'title', 'x'", "'module', 't'", "'module', 'nope'", "'setting', 'strict'", "'setting', 'environment'",
		"'instance', Integer, 1", "'instance', T::Level, 'low'", "'instance', String, 1", "'infer', [1,'a']",
		"'infer_set', {'a'=>1}", "'parse', 'Integer[1,2]', 2",
		"'parse', 'T::Level', 'low'", "'parsed', 'Variant[Integer,String]'", "'assignable', Numeric, Integer",
		"'assignable', Integer, Numeric", "'describe', Integer, 'x'", "'describe', Struct[{a=>Integer}], {'a'=>'x','b'=>1}",
		"'assert', Integer, 1", "'assert', Integer, 'x'",
		"'iterate', [1,2]", "'iterate', {'a'=>1}", "'iterate', 'abc'", "'iterate', 3", "'iterate', Integer[1,3]",
		"'iterate', 1.5", "'wrap', 'x'", "'unwrap', Sensitive('x')", "'binary', 'abc'", "'kind', File['/x']",
		"'kind', Class['a']", "'kind', Integer[1,2]", "'kind', 1",
		"'seconds', Timestamp(90)", "'seconds', Timespan(90)", "'older', SemVer('1.0.0'), SemVer('1.0.1')",
		"'older', SemVer('1.0.0-a.1'), SemVer('1.0.0-a.b')", "'older', Timestamp(1), Timestamp(2)", "'match', 'abc', /b./",
		"'symbols'", "'undefs'", "'data', {1=>Sensitive('x')}", "'data', [Integer, /a/]", "'regexp', 'a.b'",
		"'semver', '1.2.3'", "'semver', 'x'")
	add("t_old", "1", "undef, [undef, {'a'=>undef}]", "", "/a.b/, SemVer('1.2.3'), Binary('YQ==')",
		"Timestamp(0), Timespan(90)", "File['/x'], Class['a::b'], Integer[1,2]", "Sensitive('x'), default, true",
		"'raise', 'that'", "[1].reverse_each", "{'a'=>[File['/x']]}")
	add("t_exact", "1, 2", "1", "", "1, 2, 3")
	add("t_statement", "1")
	for _, a := range []string{"''", "'/'", "'a'", "'/a/b.txt'", "'a/../../b'", "'//a//./b/'", "'../x'", "'.'"} {
		add("t::path", a+", 'b'", a+", '../c'", a+", '/abs/../d'", a+", './/..'", a+", ''")
	}
	add("t::path", "undef, 'a'", "'a', undef", "1, 'a'", `"a\u0000b", 'c'`)
	add("t::looks", "'t', 'functions/plus.pp'", "'t', 'functions'", "'t', 'lib/../functions/./plus.pp'", "'t', 'nothing'")
	add("t::uri", "'ldap://1.2.3.4:56'", "'ldap://ldap.example.com/dc=a,dc=b?cn,sn?sub?(a=b)'",
		"'ldaps://h/cn=a???(x=1)?e'", "'ldap:///dc=a'", "'LDAP://h'", "'ldap://h/a#b'", "'ldap://h/?'",
		"'http://a.b:80/c?d#e'", "'http:///a'", "'http://:81/a'",
		"'foo:///a'", "'file:///a'", "'//x/a'", "'ftp://h/a'", "'http://u@:1/a'", "'ldaps://h:636'")
	add("t_two", "'call', 1, undef", "'one', 'x'", "'one', [1, 2]", "'statement'", "'old'", "'none'", "'call', [undef]")
	for _, how := range []string{"var", "at", "old", "exact", "bare", "md5", "new", "none", "known", "text", "undef",
		"absolute", "fail", "class"} {
		add("t_scope", "'"+how+"', 'fqdn'", "'"+how+"', 't_old'")
	}
	add("t_def", "1")
	add("t_other_name", "1")
	add("t::broken", "1")
	add("t::misnamed", "")
	add("t::badtype", "1")
	add("t::syntax", "1")

	return exprs
}

func TestAPI(t *testing.T) {
	live.Puppet(t)
	compareAPI(t, open(t, environmentDir, bridge.Options{}), "function API")
}

// The own engine gives the same API. What it cannot do it says: then there is no answer, and no wrong one.
func TestOwnAPI(t *testing.T) {
	live.Puppet(t)
	compareAPI(t, openOwn(t, environmentDir), "function API, own engine")
}

func compareAPI(t *testing.T, w *testWorld, what string) {
	exprs := apiQuestions()
	want := asking.Puppet(t, questions(exprs))
	equal, unknown := 0, 0
	for i, e := range exprs {
		switch got := w.ask(e); {
		case got == want[i]:
			equal++
		case strings.Contains(got, ": syntax error, ") && strings.HasPrefix(want[i], got):
			equal++ // of what Ruby expects, and the line that it draws, nothing is said
		case strings.HasPrefix(got, "Opaque("):
			unknown++
			t.Logf("%s\n\tPuppet: %s\n\tours:   %s", e, want[i], got)
		default:
			t.Errorf("%s\n\tPuppet: %s\n\tours:   %s", e, want[i], got)
		}
	}
	t.Logf("score: %s %d/%d, unknown %d", what, equal, len(exprs), unknown)
}

// ---- the functions of Debian's modules

// The values that calls are made of, as Puppet source.
var pools = map[string][]string{
	"Integer": {"0", "1", "-1", "2", "7", "42", "100", "1000"},
	"Float":   {"0.0", "1.5", "-2.5", "1e20"},
	"String": {"''", "'a'", "'abc'", "'Foo BAR'", "'a.b.c'", "'é'", "'a::b'", "'/a/b/c.txt'", "'10'", "'3.5'", "'yes'",
		"'true'", "'192.0.2.1'", "'10.0.0.0/8'", "'2001:db8::1'", `"l1\nl2"`, "'{\"a\": 1}'", "'http://example.com/x'",
		"'x@example.com'", "'present'", "'%s'", "'md5'", "'file[/nope]'"},
	"Boolean": {"true", "false"},
	"Array": {"[]", "[1,2,3]", "['a','b','c']", "[['a','b'],['c']]", "[undef,'a']", "['b','A','a']",
		"[{'a'=>1},{'b'=>2}]", "['10.0.0.1','10.0.0.2']"},
	"Hash": {"{}", "{'a'=>1}", "{'a'=>{'b'=>[1]}}", "{1=>'x'}", "{'k'=>undef}", "{'a'=>'x','b'=>''}",
		"{'ensure'=>'present'}"},
	"Undef":     {"undef"},
	"Default":   {"default"},
	"Regexp":    {"/a/", "/(b)(c)?/"},
	"Type":      {"String", "Integer[1,3]", "Array[Integer]", "File['/x']", "Class['m']"},
	"Sensitive": {"Sensitive('s')"},
	"Rich":      {"SemVer('1.2.3')", "Timestamp(0)", "Timespan(90)", "Binary('YQ==')"},
}

var kinds = []string{"String", "String", "String", "String", "Integer", "Integer", "Array", "Array", "Array", "Hash",
	"Hash", "Boolean", "Float", "Undef", "Default", "Regexp", "Type", "Sensitive", "Rich"}

func questions(exprs []string) []ask.Question {
	out := make([]ask.Question, len(exprs))
	for i, e := range exprs {
		out[i] = ask.Question(e)
	}
	return out
}

var parameter = regexp.MustCompile(`\b(?:\w+_)?param\s*\(?\s*['"]([^'"]+)['"]`)

// generate makes calls of a function, always the same ones. What its file says of parameters makes most of them fit.
func generate(name, path string, n int) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var params []string
	for _, m := range parameter.FindAllStringSubmatch(string(text), -1) {
		params = append(params, m[1])
	}
	seed := uint64(0)
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	r := rand.New(rand.NewPCG(5, seed))
	pick := func(pool []string) string { return pool[r.IntN(len(pool))] }
	seen := map[string]bool{}
	var out []string
	for tries := 0; len(out) < n && tries < 4*n; tries++ {
		args := make([]string, min(r.IntN(4)+r.IntN(2), 4))
		if len(params) > 0 {
			args = make([]string, max(0, min(len(params), 4)+r.IntN(3)-1))
		}
		for i := range args {
			kind := pick(kinds)
			if i < len(params) && r.IntN(6) > 0 {
				for k := range pools {
					if strings.Contains(params[i], k) {
						kind = k
						break
					}
				}
				for _, k := range []string{"Hash", "Array", "Integer", "Boolean", "String"} {
					if strings.HasPrefix(params[i], k) {
						kind = k
					}
				}
			}
			args[i] = pick(pools[kind])
		}
		if known := likely[name]; len(out) < n/2 && known != nil {
			args = make([]string, len(known))
			for i := range args {
				args[i] = pick(known[i])
			}
		}
		if call := name + "(" + strings.Join(args, ", ") + ")"; !seen[call] {
			seen[call] = true
			out = append(out, call)
		}
	}
	return out
}

// notAsked are functions whose answers nobody can compare, with the reason.
var notAsked = map[string]string{
	"pry": "a debugger", "private": "a reserved word", "shuffle": "random", "str2saltedsha512": "random",
	"random_password": "random", "time": "the clock", "strftime": "the clock", "date": "the clock",
	"ensure_packages": "declares resources, and the oracle keeps one catalog", "ensure_resource": "declares resources",
	"ensure_resources":             "declares resources",
	"create_ini_settings":          "declares resources",
	"inifile::create_ini_settings": "declares resources",
}

// rubyFunctions are the functions of Debian's modules that are written in Ruby, with their files.
func rubyFunctions(t *testing.T) (names []string, path map[string]string) {
	path = map[string]string{}
	for _, f := range live.Files(t, ".rb") {
		name := ""
		if _, rest, ok := strings.Cut(f, "/lib/puppet/functions/"); ok {
			name = strings.ReplaceAll(strings.TrimSuffix(rest, ".rb"), "/", "::")
		} else if strings.Contains(f, "/lib/puppet/parser/functions/") {
			name = strings.TrimSuffix(filepath.Base(f), ".rb")
		}
		if name == "" || table()[name] != nil || strings.Contains(f, "/spec/") || *only != "" && name != *only {
			continue
		}
		if _, known := path[name]; !known {
			names = append(names, name)
			path[name] = f
		}
	}
	slices.Sort(names)
	return names, path
}

// Every Ruby function of Debian's modules, also those that we have in Go, is called through the bridge and in real
// Puppet.
func TestScoreBridge(t *testing.T) {
	live.Puppet(t)
	c := compareFunctions(t, open(t, environmentDir, bridge.Options{}))
	needed, served := 0, 0
	for _, name := range c.asked {
		if stdlib.Table()[name] == nil {
			needed++
			if c.differ[name] == 0 && c.unknown[name] == 0 {
				served++
			}
		}
	}
	t.Logf("score: bridge %d/%d (%d of %d calls equal); of the functions that we do not have in Go: %d/%d",
		len(c.asked)-len(c.differ), len(c.asked), c.equal, c.total, served, needed)
	if c.equal < c.total*99/100 {
		t.Errorf("only %d of %d calls are equal", c.equal, c.total)
	}
}

// The same functions in our own interpreter. What it cannot do is unknown; no answer is wrong.
func TestScoreOwn(t *testing.T) {
	live.Puppet(t)
	c := compareFunctions(t, openOwn(t, environmentDir))
	whole := 0
	for _, name := range c.asked {
		if c.differ[name] == 0 && c.unknown[name] == 0 {
			whole++
		}
	}
	t.Logf("score: own engine %d/%d functions of Debian's modules on all calls; of %d calls %d equal, %d unknown, %d wrong", whole, len(c.asked), c.total, c.equal, c.open, c.total-c.equal-c.open)
	if len(c.differ) > 0 {
		t.Errorf("%d functions give wrong answers", len(c.differ))
	}
}

// A comparison is how functions answer: equal to Puppet, not at all, or differently.
type comparison struct {
	asked              []string
	differ, unknown    map[string]int
	equal, open, total int
}

func compareFunctions(t *testing.T, w *testWorld) comparison {
	_, path := rubyFunctions(t)
	return compareAt(t, w, path, func(qs []ask.Question) []string { return asking.Puppet(t, qs) })
}

// compareAt compares the functions of files.
func compareAt(t *testing.T, w *testWorld, path map[string]string,
	puppet func([]ask.Question) []string) (c comparison) {
	var exprs, whose []string
	for _, name := range slices.Sorted(maps.Keys(path)) {
		if why := notAsked[name]; why != "" {
			t.Logf("not asked: %s (%s)", name, why)
			continue
		}
		c.asked = append(c.asked, name)
		for _, e := range generate(name, path[name], *calls) {
			exprs, whose = append(exprs, e), append(whose, name)
		}
	}
	// Where Puppet runs, the libraries of all modules are in one directory that Ruby searches.
	var libraries []string
	for _, m := range w.env.Modules() {
		libraries = append(libraries, filepath.Join(m.Dir, "lib"))
	}
	t.Setenv("RUBYLIB", strings.Join(libraries, ":"))
	want := puppet(questions(exprs))
	c.differ, c.unknown = map[string]int{}, map[string]int{}
	for i, e := range exprs {
		if strings.Contains(want[i], ":0x0000") {
			continue // the address of an object is never the same twice
		}
		if strings.HasPrefix(want[i], "Log(") {
			want[i] = "undef"
		}
		c.total++
		got := w.ask(e)
		switch {
		case got == want[i]:
			c.equal++
			continue
		case strings.Contains(got, "Opaque("):
			c.open++
			c.unknown[whose[i]]++
			if c.unknown[whose[i]] <= *shown {
				t.Logf("unknown: %s\n\tPuppet: %s\n\tours:   %s", e, want[i], got)
			}
			continue
		}
		if c.differ[whose[i]]++; c.differ[whose[i]] <= *shown {
			t.Logf("wrong: %s\n\tPuppet: %s\n\tours:   %s", e, want[i], got)
		}
	}
	for _, name := range c.asked {
		if n := c.differ[name]; n > 0 {
			t.Logf("differ: %s %d", name, n)
		}
	}
	return c
}
