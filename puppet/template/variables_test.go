package template

import (
	"math/rand"
	"regexp"
	"sort"
	"strings"

	"bunraku/puppet/value"
)

// Variables for a template are made up from how it uses them: their names are found by scanning, their types guessed
// from the methods that are called on them, and then varied with a fixed seed.

var (
	ivarUse  = regexp.MustCompile(`@([a-z_]\w*)`)
	scopeUse = regexp.MustCompile(`scope(?:\.lookupvar\(|\[|\.lookupvar )\s*['"](?:::)?([\w:]+)['"]`)
	knownUse = regexp.MustCompile(`has_variable\?\(?\s*['"]([\w:]+)['"]`)
	keyUse   = regexp.MustCompile(`\[\s*['":]([\w.-]+)['"]?\s*\]`)
)

func variableNames(text string) []string {
	seen := map[string]bool{}
	for _, re := range []*regexp.Regexp{ivarUse, scopeUse, knownUse} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			seen[m[1]] = true
		}
	}
	var names []string
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// kinds guesses for all names at once; templates are looked at many times.
func kinds(text string, names []string) map[string]string {
	out := map[string]string{}
	lines := strings.Split(text, "\n")
	for _, n := range names {
		var use []string
		for _, l := range lines {
			if strings.Contains(l, n) {
				use = append(use, l)
			}
		}
		out[n] = kindOf(n, strings.Join(use, "\n"))
	}
	return out
}

// kindOf guesses what sort of value a variable is.
func kindOf(name, text string) string {
	at := `(?:@|scope(?:\.lookupvar\(|\[)\s*['"](?:::)?)` + regexp.QuoteMeta(name) + `(?:['"]\s*[\])])?`
	has := func(re string) bool { return regexp.MustCompile(at + re).MatchString(text) }
	switch {
	case has(`\s*\[\s*['":]`), has(`\.(each_pair|keys|values|has_key\?|key\?|to_a|merge|sort_by|each_key)`),
		has(`[\w.?() ]*\.each(?:_pair)? (?:do|\{) ?\|\s*\(?\w+\s*,`),
		has(`\.(sort|each|map|reject|select|collect|sort_by)[\w. ]*(?:do|\{) ?\|\s*\w+\s*,`):
		return "hash"
	case has(`\.(each|map|join|flatten|sort|collect|compact|first|reject|select|push|concat|each_with_index|uniq|any\?|zip|transpose)`):
		return "array"
	case has(`\.(split|downcase|upcase|strip|gsub|sub|capitalize|match|start_with|lines)`), has(`\s*=~`):
		return "string"
	case has(`\s*(>|<|>=|<=)\s*\d`), has(`\.(to_i|zero\?|times)`):
		return "number"
	}
	return "scalar"
}

type maker struct {
	r    *rand.Rand
	keys []string
	odd  bool // also values that hardly anybody gives to a template
}

// strange is a value that no template expects.
func (m *maker) strange(depth int) value.Value {
	re, err := value.NewRegexp([]string{"^a+$", "x/y", `\d{2,}`, "(?i)foo|bar"}[m.r.Intn(4)])
	if err != nil {
		panic(err)
	}
	texts := []string{"🙂 e\u0301", "a\tb\r\nc", "\x00\x01", "'\"\\\\", "<%= 1 %>", "0x1F", "1e3", "-0", "٣",
		strings.Repeat("long ", 40), "#{x}", "nil", "~", "- a: b", "  both  "}
	numbers := []value.Value{value.Int(1<<62 + 1), value.Int(-1 << 63), value.Float(1e20), value.Float(-0.5),
		value.Float(1e-7), value.Float(100), value.Float(123456789.125)}
	switch m.r.Intn(8) {
	case 0:
		return re
	case 1:
		return value.Default{}
	case 2:
		return numbers[m.r.Intn(len(numbers))]
	case 3:
		return value.NewHash(value.Int(m.r.Intn(3)), m.any(depth), value.String("b"), value.Undef{}, value.Bool(true),
			value.NewArray())
	case 4:
		return value.NewArray(value.Undef{}, m.any(depth), value.NewArray(value.NewArray(m.text())))
	case 5:
		return value.NewHash(value.String(""), m.any(depth), value.String("a b"), m.any(depth))
	}
	return value.String(texts[m.r.Intn(len(texts))])
}

func (m *maker) text() value.Value {
	words := []string{"alpha", "eth0", "10.0.0.1", "/etc/foo.conf", "foo.example.com", "2.4.6", "8080", "a b", "present",
		"on", "", "yes", "x-y_z", "fe80::1", "%{foo}", "it's", `say "hi"`, "multi\nline", "ünï", "C:\\x", "1.0", "unset",
		"true"}
	return value.String(words[m.r.Intn(len(words))])
}

func (m *maker) number() value.Value {
	n := []value.Value{value.Int(0), value.Int(1), value.Int(80), value.Int(-3), value.Int(65536), value.Float(1.5)}
	return n[m.r.Intn(len(n))]
}

func (m *maker) scalar() value.Value {
	switch m.r.Intn(8) {
	case 0:
		return value.Bool(true)
	case 1:
		return value.Bool(false)
	case 2:
		return m.number()
	}
	return m.text()
}

func (m *maker) array(depth int) value.Value {
	b := value.NewArrayBuilder(3)
	for range m.r.Intn(4) {
		if depth > 0 && m.r.Intn(5) == 0 {
			b.Add(m.any(depth - 1))
		} else {
			b.Add(m.text())
		}
	}
	return b.Array()
}

func (m *maker) hash(depth int) value.Value {
	b := value.NewHashBuilder(4)
	n := m.r.Intn(4)
	for range n {
		b.SetString([]string{"k1", "b", "a", "zz", "option", "0"}[m.r.Intn(6)], m.nested(depth))
	}
	for _, k := range m.keys {
		if m.r.Intn(3) > 0 {
			b.SetString(k, m.nested(depth))
		}
	}
	return b.Hash()
}

func (m *maker) nested(depth int) value.Value {
	if depth > 0 && m.r.Intn(3) == 0 {
		return m.any(depth - 1)
	}
	return m.scalar()
}

func (m *maker) any(depth int) value.Value {
	if m.odd && depth > 0 && m.r.Intn(3) == 0 {
		return m.strange(depth - 1)
	}
	switch m.r.Intn(10) {
	case 0:
		return value.Undef{}
	case 1, 2:
		return m.array(depth)
	case 3, 4:
		if depth > 0 {
			return m.hash(depth - 1)
		}
	case 5:
		return m.number()
	}
	return m.scalar()
}

func (m *maker) of(kind string) value.Value {
	switch kind {
	case "hash":
		return m.hash(2)
	case "array":
		return m.array(1)
	case "string":
		return m.text()
	case "number":
		return m.number()
	}
	return m.scalar()
}

// variables makes set number n for a template: the first ones as guessed, later ones with more and more that is not.
func variables(text string, kinds map[string]string, n int, seed int64) *value.Hash {
	m := &maker{r: rand.New(rand.NewSource(seed)), odd: n >= 20}
	keys := map[string]bool{}
	for _, k := range keyUse.FindAllStringSubmatch(text, -1) {
		keys[k[1]] = true
	}
	for k := range keys {
		m.keys = append(m.keys, k)
	}
	sort.Strings(m.keys)
	if len(m.keys) > 12 {
		m.keys = m.keys[:12]
	}
	b := value.NewHashBuilder(16)
	for _, name := range variableNames(text) {
		odd := n - 2
		switch {
		case odd > 0 && m.r.Intn(12) < odd:
			b.SetString(name, m.any(2))
		case n > 0 && m.r.Intn(6) == 0:
			b.SetString(name, value.Undef{})
		default:
			b.SetString(name, m.of(kinds[name]))
		}
	}
	return b.Hash()
}
