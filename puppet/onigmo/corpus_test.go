package onigmo

import "math/rand"

// corpus is every construct once, legal or not, and texts to search.
func corpus() []question {
	var qs []question
	for _, src := range syntaxCases {
		for _, text := range [...]string{"", "xaxb abab\nxyxy\n", "aA1_é-z b"} {
			qs = append(qs, question{src, text, 0})
		}
	}
	return append(qs, matchCases...)
}

var matchCases = []question{
	{`^$`, "a\n", 0}, {`^`, "\n", 0}, {`$`, "a\nb", 0}, {`^b$`, "a\nb\nc", 0}, {`\Ab`, "a\nb", 0}, {`b\Z`, "a\nb\n", 0},
	{`b\z`, "a\nb\n", 0},
	{`a.c`, "a\nc", 0}, {`a.c`, "a\nc", Multiline}, {`(?m)a.c`, "a\nc", 0}, {`(?m:a.)c`, "a\nc", 0}, {`a(?i)b|c`, "aC", 0},
	{`a(?i)b|c`, "C", 0},
	{`(?i)é`, "É", 0}, {`é`, "É", IgnoreCase}, {`[é]`, "É", IgnoreCase}, {`\w+`, "éa", 0}, {`(?u)\w+`, "éa", 0},
	{`\b`, "é", 0},
	{`(?a)\b`, "é", 0}, {`[[:alpha:]]+`, "aéß1", 0}, {`(?a)[[:alpha:]]+`, "éa", 0}, {`[[:upper:]]`, "aÉ", 0},
	{`[[:punct:]]+`, "a$+!", 0},
	{`\h+`, "xAf09", 0}, {`\H+`, "af-", 0}, {`\R`, "a\r\nb", 0}, {`\R+`, "\n\r\n\u2028", 0}, {`\X`, "e\u0301x", 0},
	{`a++b`, "aaab", 0}, {`a++ab`, "aaab", 0}, {`(?>a+)ab`, "aaab", 0}, {`a{2}+`, "aaaaa", 0}, {`a{2}?b`, "aab", 0},
	{`a{2}?b`, "b", 0}, {`a{1,3}?`, "aaa", 0},
	{`(a*)*`, "aab", 0}, {`(a|b)*c`, "ababc", 0}, {`(?:(a)|b)*`, "ab", 0}, {`(a|ab)(c|bcd)(d*)`, "abcd", 0},
	{`(a?)*?b`, "aab", 0}, {`(|a)+`, "aa", 0}, {`(a|)+`, "aa", 0},
	{`(?<=a)b`, "ab", 0}, {`(?<!a)b`, "ab bb", 0}, {`(?<=a|bc)d`, "bcd", 0}, {`(?<=\Aé)x`, "éx", 0},
	{`foo(?=bar)`, "foobar", 0}, {`foo(?!bar)`, "foobar foox", 0},
	{`(?=(a))a\1`, "aa", 0}, {`(?!(a))b\1?`, "b", 0}, {`a\Kb`, "ab", 0}, {`(a\Kb|c)+`, "abcab", 0}, {`\Gb`, "ab", 0},
	{`(\w)\1`, "abccd", 0}, {`(?i)(a)\1`, "aA", 0}, {`(?<x>a)\k<x>`, "aa", 0}, {`(?<x>a)|(?<x>b)\k<x>`, "bb", 0},
	{`(?<x>a)(b)`, "ab", 0}, {`(b)(?<x>a)`, "ba", 0},
	{`\A(?<p>\((?:[^()]|\g<p>)*\))\z`, "(a(b)c)", 0}, {`(?<p>a\g<p>?b)`, "xaaabbb", 0}, {`\g<1>(a)`, "aa", 0},
	{`(a)(?:\g<1>)(b)`, "aab", 0}, {`a\g<0>?b`, "aabb", 0},
	{`(x)?(?(1)a|b)`, "xa", 0}, {`(x)?(?(1)a|b)`, "b", 0}, {`(?<n>x)?(?(<n>)a|b)`, "xa", 0},
	{`/\*(?~\*/)\*/`, "a /* b */ c */", 0}, {`(?~abc)c`, "xabc", 0}, {`(?~)`, "a", 0},
	{`[a-z&&[^aeiou]]+`, "abcde", 0}, {`[^a-z&&[aeiou]]+`, "abcde", 0}, {`[\w&&[^\d]]+`, "12ab3", 0},
	{`[a-c[x-z]]+`, "qaxbz", 0}, {`[^[a-c]]+`, "abcd", 0}, {`[a-]+`, "a-b", 0}, {`[]a]+`, "]a", 0},
	{`[\]\-\\]+`, `a]-\`, 0}, {`[\n\t]`, "a\t", 0}, {`[\b]`, "a\b", 0}, {`\p{Lu}`, "aÉ", 0}, {`\p{^Lu}`, "É1", 0},
	{`\P{Lu}`, "Éa", 0}, {`\p{Greek}+`, "aαβ", 0}, {`\p{Alnum}+`, "-aé1-", 0},
	{`a b # c`, "ab", Extended}, {`(?x) a b # c`, "ab", 0}, {`a[ ]b`, "a b", Extended}, {`a\ b`, "a b", Extended},
	{`a(?#x)b`, "ab", 0}, {`(?x: a ) b`, "a b", 0},
	{`\x41\u0042\u{43 44}\103`, "ABCDC", 0}, {`\cA`, "\x01", 0}, {`\e`, "\x1b", 0}, {`\0`, "\x00", 0}, {`\12`, "\n", 0},
	{`\u00e9`, "é", 0}, {`\xc3\xa9`, "é", 0},
	{`a{,2}b`, "aaab", 0}, {`a{2,}`, "aaa", 0}, {`a{0}b`, "ab", 0}, {`x{1`, "x{1", 0}, {`x{,}`, "x{,}", 0},
	{`a|b|`, "c", 0}, {`()`, "a", 0}, {`(?:a|b)??c`, "ac", 0},
	{`^\s*$`, "a\n\n", 0}, {`^\s*\n`, "a\n \n", 0}, {`(?m)^.*$`, "a\nb", 0}, {`^(.*)$`, "a\nb", 0}, {`.*`, "", 0},
	{`.+?b`, "aabab", 0}, {`(.+?)b$`, "aabab", 0},
	{`\Bb`, "ab b", 0}, {`\bfoo\b`, "a foo.", 0}, {`\bfoo\b`, "é foo.", 0}, {`\bé`, "aé é", 0},
	{`[[:word:]]+`, "-é_1-", 0}, {`[[:^space:]]+`, " ab ", 0}, {`[[:space:]]`, "a\u00a0b", 0}, {`\s`, "a\u00a0b", 0},
	{`\A(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}\z`, "192.168.1.255", 0},
	{`\A([a-z]:|//|[\\/])`, "c:/x", IgnoreCase}, {`^(?:[A-Za-z]:)?[\\/]`, "C:\\x", 0},
	{`\A[a-z0-9]+(?:[._-][a-z0-9]+)*@[a-z]+\z`, "a.b-c@d", 0}, {`(\d+)(?:\.(\d+))?(?:\.(\d+))?`, "v1.22", 0},
	{`(?<major>\d+)\.(?<minor>\d+)`, "8.5.0", 0},
}

// A generator makes random patterns over a small alphabet.
type generator struct {
	r      *rand.Rand
	groups int
}

func generated(n int, seed int64) []question {
	g := &generator{r: rand.New(rand.NewSource(seed))}
	var qs []question
	for range n {
		g.groups = 0
		src := g.alt(4)
		flags := Flags(0)
		if g.r.Intn(5) == 0 {
			flags = Flags(g.r.Intn(8))
		}
		qs = append(qs, question{src, g.text(), flags})
	}
	return qs
}

func (g *generator) text() string {
	parts := []string{"a", "b", "c", "A", "B", "1", "2", "_", "-", " ", "\n", "é", "É", "ab", "aa", "\n\n"}
	s := ""
	for range g.r.Intn(10) {
		s += parts[g.r.Intn(len(parts))]
	}
	return s
}

func (g *generator) pick(ss ...string) string { return ss[g.r.Intn(len(ss))] }

func (g *generator) alt(depth int) string {
	s := g.seq(depth)
	for g.r.Intn(4) == 0 {
		s += "|" + g.seq(depth)
	}
	return s
}

func (g *generator) seq(depth int) string {
	s := ""
	for range 1 + g.r.Intn(3) {
		s += g.atom(depth)
		if g.r.Intn(3) == 0 {
			s += g.pick("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}", "{,2}", "{1,}", "{1,2}?", "*+", "++", "?+")
		}
	}
	return s
}

func (g *generator) atom(depth int) string {
	if depth > 0 {
		switch g.r.Intn(14) {
		case 0, 1:
			g.groups++
			return "(" + g.alt(depth-1) + ")"
		case 2:
			return "(?:" + g.alt(depth-1) + ")"
		case 3:
			return g.pick("(?=", "(?!", "(?>", "(?i:", "(?m:") + g.alt(depth-1) + ")"
		case 4:
			return g.pick("(?<=", "(?<!") + g.pick("a", "b", "a|b", "ab", "ab|c", "[ab]", `\w`, "^a", `\b`) + ")"
		case 5:
			if g.groups > 0 {
				return `\` + g.pick("1", "2")
			}
		}
	}
	return g.pick("a", "b", "c", "A", "1", ".", "^", "$", `\A`, `\z`, `\Z`, `\b`, `\B`, `\w`, `\W`, `\d`, `\s`, `\S`, `\h`,
		"[ab]", "[^a]", "[a-c1]", `[\w-]`, "[[:alpha:]]",
		"[[:upper:]]", "é", "[é]", "[^\\s]", `\n`, "[a-c&&[^b]]", `\p{L}`, `\R`, "_", "-")
}

// syntaxCases are patterns of every construct, and of every mistake.
var syntaxCases = []string{
	`*a`, `a|*`, `(*)`, `(?:*)`, `a**`, `a+*?`, `a{3,1}`, `a{,3}`, `a{3,}`, `a{`, `a{a}`, `a{1`, `{1}`, `a|{1}`, `(`,
	`(?:`, `)`, `a)`, `[`, `[]`,
	`[]a]`, `[^]`, `[^]a]`, `[a`, `[z-a]`, `[a-\d]`, `[\d-a]`, `[a-`, `[a-]`, `[-a]`, `[--a]`, `[a-b-c]`, `[[:alpha:]`,
	`[[:foo:]]`, `[[:alpha:`,
	`[:alpha:]`, `[[:^alpha:]]`, `[a&&b]`, `[a&&]`, `[&&a]`, `[a&&b&&c]`, `[[a]]`, `[a[b]c]`, `[a[b]-c]`, `\`, `a\`, `\x`,
	`\xg`, `\x{41}`, `\xff`,
	`\x41`, `\u`, `\u12`, `\u1234`, `\u{41}`, `\u{41 42}`, `\u{110000}`, `\u{`, `\u{zz}`, `\u{}`, `\p`, `\p{`, `\p{Foo}`,
	`\p{Alpha}`, `\p{^Alpha}`,
	`\P{Alpha}`, `\pL`, `\p{Han}`, `\p{L}`, `\p{Lu}`, `\k`, `\k<`, `\k<>`, `\k<a>`, `(?<a>x)\k<a>`, `(?<a>x)\k<b>`,
	`(?<a>x)\1`, `(x)\1`, `\1`, `\2(x)`,
	`(x)\2`, `\9`, `\10`, `\0`, `\08`, `\012`, `\777`, `(?<a>x)(y)\k<a>`, `\g<a>`, `(?<a>x\g<a>)`, `(?<a>x\g<a>?)`,
	`(?<a>x|\g<a>y)`, `(?<a>\g<a>|x)`,
	`\g<0>`, `a\g<0>?`, `\g<1>(x)`, `(x)\g<1>`, `(x)\g<2>`, `(?<a>x)\g<1>`, `(?<1>x)`, `(?<>x)`, `(?<a`, `(?<a>`,
	`(?<a-b>x)`, `(?<A>x)`, `(?<é>x)`,
	`(?<a b>x)`, `(?'a'x)`, `(?P<a>x)`, `(?#c)`, `(?#c`, `(?i)a`, `(?z)a`, `(?i:a)`, `(?i-m:a)`, `(?imx)`, `(?a)x`,
	`(?u)x`, `(?d)x`, `(?au)x`, `(?i`,
	`(?=a)`, `(?!a)`, `(?<=a)`, `(?<!a)`, `(?<=a*)`, `(?<=a|bc)`, `(?<=a|b*)`, `(?<=(a))`, `(?<!(a))`, `(?<=a{2})`,
	`(?<=a{1,2})`, `(?<=(?=a))`,
	`(?<=ab|c)`, `(?<=(?:ab|c))`, `(?<=(?:a|bc)d)`, `(?>a)`, `(?~a)`, `(?~|a)`, `(?(1)a|b)`, `(x)(?(1)a|b)`,
	`(x)(?(1)a|b|c)`, `(?(<a>)x)`,
	`(?<a>y)(?(<a>)x)`, `(?@a)`, `(?|a|b)`, `\K`, `\R`, `\X`, `\h`, `\H`, `\N`, `\O`, `\Q`, `\y`, `\Y`, `\A\z\Z\G\b\B`,
	`a++`, `a?+`, `a*+`, `a{2}+`,
	`a{2}?`, `^*`, `$*`, `^+`, `\b*`, `(?=a)*`, `\A*`, `(?<=a)*`, `a{100000}`, `a{100001}`, `a{0,100000}`,
	`a{99999999999}`, `(a{1000}){1000}`, `\cA`,
	`\c`, `\C-a`, `\C-`, `\M-a`, `\M-\C-a`, `\M-`, `\e\a\f\n\r\t\v`, `[\b]`, `[\R]`, `[\X]`, `[\B]`, `[\cA]`,
	`[\x41-\x43]`, `[\u{41 43}]`,
	`[\u{41}-\u{43}]`, `[\p{L}\d]`, `[\h\H]`, `[^\D]`, `[]-a]`, `[a\]]`, `[.-]`, `[+--]`, `[\]-a]`, `[!--]`, `[a-c-e]`,
	`(?:a|b|)`, `|`, `||`, `()`,
	`(?:)`, `x{0}`, `x{0,0}`, `x{2}{3}`, `\z*`, `(?i)`, `(?i)|b`, `a(?i)b|c`, `\8`, `\18`, `[\1]`, `[\8]`, `[\01]`,
	`\b{2}`, `[a-é]`, `é`, `[é-a]`,
	`(?<n>a)(?<n>b)\k<n>`, `\k<-1>`, `(a)\k<-1>`, `(a)\k<1>`, `(a)\k<+1>`, `\k<1>`, `(?<a>b)\k<a+0>`, `(?<a>b)\k<a+1>`,
	`(a)\k<1-1>`, `\g<-1>(a)`,
	`(a\g<-1>)`, `\g<+1>(a)`, "\n", "a\nb", `(?x) a # c`, `(?x) a # c )`, `[[:word:]]`, `[[:ascii:]]`, `[[:xdigit:]]`,
	`\p{Word}`, `\p{ASCII}`,
	`\p{XPosixPunct}`, `\p{Greek}`, `\p{InGreek}`, `\p{Script=Greek}`, `\p{sc=Greek}`, `\p{L&}`,
	`\p{Any}`, `\p{Assigned}`, `\p{Letter}`, `\p{Uppercase_Letter}`, `[[=a=]]`, `[[.a.]]`, `(?<=\R)`, `(?<=\b)`, `(?<=^)`,
	`(?<=(?i)a)`, `(?<=(?i:a))`,
	`(?<!a|bc)`, `(?<=a\Kb)`, `(?<=(?<n>a))`, `(?<=(?>a))`, `(?<=a?)`, `(?<=.)`, `(?<=[a])`, `(?<=\X)`, `(?<=(?!a))`,
	`(?<=(?<!a))`, `(?<!(?<=a))`,
	`(?<!(?!a))`, `(?<!(?=a))`, `(?<a>b){3}`, `\u00e9`, `\xc3\xa9`, `\xe9`, `\303\251`, `[\xc3\xa9]`, `\u{d800}`, `\ud800`,
	`\U0041`, `a{1}{2}`,
	`a{1,2}{3,4}`, `a?{2}`, `a??`, `a???`, `+`, `?`, `a|+`, `^+a`,
}
