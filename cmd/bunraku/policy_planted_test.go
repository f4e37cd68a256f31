package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A planted program brings a datum to a slot on a random way. Statements come in their order; x is the datum, as code.
type planted struct {
	r         *rand.Rand
	n         int
	before    []string          // definitions and statements
	files     map[string]string // templates
	decisive  bool              // somewhere on the way the datum only decides
	steps     []string
	reference string // what the rule is broken on
	attribute string
}

func (p *planted) fresh(what string) string { p.n++; return fmt.Sprintf("%s%d", what, p.n) }

// hops are the ways on which a datum goes on: each makes code of code.
var hops = []struct {
	name string
	make func(p *planted, x string) string
}{
	{"variable", func(p *planted, x string) string {
		v := p.fresh("v")
		p.before = append(p.before, "$"+v+" = "+x)
		return "$" + v
	}},
	{"interpolation", func(p *planted, x string) string { return `"pre-${` + p.named(x) + `}-post"` }},
	{"inline EPP", func(p *planted, x string) string { return "inline_epp('<%= $y %>!', { 'y' => " + x + " })" }},
	{"inline ERB", func(p *planted, x string) string { return "inline_template('<%= @" + p.local(x) + " %>!')" }},
	{"EPP", func(p *planted, x string) string {
		f := p.fresh("t")
		p.files["modules/m/templates/"+f+".epp"] = "<%- | $y | -%>\nline <%= $y %>\n"
		return "epp('m/" + f + ".epp', { 'y' => " + x + " })"
	}},
	{"ERB loop", func(p *planted, x string) string {
		f := p.fresh("t")
		v := p.local("[" + x + "]")
		p.files["modules/m/templates/"+f+".erb"] = "<% @" + v + ".each do |e| %>line <%= e %>\n<% end %>"
		return "template('m/" + f + ".erb')"
	}},
	{"key", func(p *planted, x string) string { return "{ " + x + " => 1 }.keys[0]" }},
	{"element", func(p *planted, x string) string { return "['a', " + x + "][1]" }},
	{"entry", func(p *planted, x string) string { return "{ 'a' => { 'b' => " + x + " } }['a']['b']" }},
	{"digest", func(p *planted, x string) string { return "md5(" + x + ")" }},
	{"sprintf", func(p *planted, x string) string { return "sprintf('%s;', " + x + ")" }},
	{"regsubst", func(p *planted, x string) string { return "regsubst(" + x + ", '^', 'a')" }},
	{"split", func(p *planted, x string) string { return "split(" + x + ", '@@')[0]" }},
	{"capture", func(p *planted, x string) string {
		v := p.fresh("v")
		p.before = append(p.before, "$"+v+" = "+x+" ? { /(.+)/ => $1, default => '' }")
		return "$" + v
	}},
	{"map", func(p *planted, x string) string { return "[" + x + "].map |$e| { \"m${e}\" }[0]" }},
	{"reduce", func(p *planted, x string) string { return "[" + x + ", 'b'].reduce |$a, $b| { \"${a}${b}\" }" }},
	{"function", func(p *planted, x string) string {
		f := p.fresh("f")
		p.before = append(p.before, "function "+f+"($a) { \"f${a}\" }")
		return f + "(" + x + ")"
	}},
	{"class parameter", func(p *planted, x string) string {
		c := p.fresh("c")
		p.before = append(p.before, "class "+c+"($a) { $b = \"c${a}\" }", "class { '"+c+"': a => "+x+" }")
		return "$" + c + "::b"
	}},
	{"unwrapped", func(p *planted, x string) string { return "Sensitive(" + x + ").unwrap" }},
	{"heredoc", func(p *planted, x string) string {
		v := p.named(x)
		w := p.fresh("v")
		p.before = append(p.before, "$"+w+" = @(\"END\")\n  h ${"+v+"}\n  | END")
		return "$" + w
	}},
	{"String", func(p *planted, x string) string { return "String(" + x + ")" }},
	{"branch", func(p *planted, x string) string {
		p.decisive = true
		v := p.fresh("v")
		p.before = append(p.before, "if "+x+" =~ /hunter/ { $"+v+" = 'a' } else { $"+v+" = 'b' }")
		return "$" + v
	}},
	{"selector", func(p *planted, x string) string {
		p.decisive = true
		return "(" + x + " ? { /hunter/ => 'a', default => 'b' })"
	}},
	{"length", func(p *planted, x string) string { return "\"${" + p.named(x) + ".length}\"" }},
}

// named is x as the name of a variable, local as one that a template can read.
func (p *planted) named(x string) string {
	v := p.fresh("v")
	p.before = append(p.before, "$"+v+" = "+x)
	return v
}

func (p *planted) local(x string) string { return p.named(x) }

// ends are slots that a datum comes to.
var ends = []struct {
	name string
	make func(p *planted, x string)
}{
	{"attribute", func(p *planted, x string) { p.end("notify { 'end': message => "+x+" }", "Notify[end]", "message") }},
	{"content", func(p *planted, x string) { p.end("file { '/end': content => "+x+" }", "File[/end]", "content") }},
	{"command", func(p *planted, x string) {
		p.end("exec { 'end': command => \"/bin/echo ${"+p.named(x)+"}\" }", "Exec[end]", "command")
	}},
	{"title", func(p *planted, x string) { p.end("notify { "+x+": }", "Notify[", "") }},
	{"name", func(p *planted, x string) {
		p.end("file { 'end': path => \"/${"+p.named(x)+"}\" }", "File[end]", "path")
	}},
	{"define", func(p *planted, x string) {
		p.end("define d($y) { notify { $title: message => $y } }\nd { 'end': y => "+x+" }", "Notify[end]", "message")
	}},
	{"collector", func(p *planted, x string) {
		p.end("notify { 'end': }\nNotify<| title == 'end' |> { message => "+x+" }", "Notify[end]", "message")
	}},
	{"default", func(p *planted, x string) {
		p.end("class e { Notify { message => "+strings.ReplaceAll(x, "$v", "$::v")+" } notify { 'end': } }\ninclude e",
			"Notify[end]", "message")
	}},
	{"export", func(p *planted, x string) { p.end("@@notify { 'end': message => "+x+" }", "Notify[end]", "message") }},
	{"virtual", func(p *planted, x string) {
		p.end("@notify { 'end': message => "+x+" }\nrealize(Notify['end'])", "Notify[end]", "message")
	}},
	{"create_resources", func(p *planted, x string) {
		p.end("create_resources('notify', { 'end' => { 'message' => "+x+" } })", "Notify[end]", "message")
	}},
	{"splat", func(p *planted, x string) {
		p.end("notify { 'end': * => { 'message' => "+x+" } }", "Notify[end]", "message")
	}},
	{"override", func(p *planted, x string) {
		p.end("notify { 'end': }\nNotify['end'] { message => "+x+" }", "Notify[end]", "message")
	}},
	{"loop", func(p *planted, x string) {
		p.end("["+x+"].each |$i, $e| { notify { \"end${i}\": message => $e } }", "Notify[end0]", "message")
	}},
	{"existence", func(p *planted, x string) {
		p.decisive = true
		p.end("if "+x+" != 'nothing' { notify { 'end': message => 'x' } }", "Notify[end]", "message")
	}},
	{"reference", func(p *planted, x string) {
		p.decisive = true
		p.end("$q = "+x+"\nnotify { 'end': }\nif $q == 'nothing' { Notify['end'] { message => 'y' } }", "Notify[end]", "")
	}},
}

func (p *planted) end(code, reference, attribute string) {
	p.before, p.reference, p.attribute = append(p.before, code), reference, attribute
}

// sources are where the datum comes from.
var sources = []struct{ name, code, place string }{
	{"lookup", "lookup('db::password')", "hiera:db::password"},
	{"nested lookup", "lookup('nested')", "hiera:db::password"},
	{"hash", "lookup('db')['password']", "hiera:db"},
	{"parameter", "$store::password", "hiera:store::password"},
	{"fact", "$facts['token']", "fact:token"},
}

// plantFlow writes a program in which a datum of a place comes to a slot, or one of the same form with another datum.
func plantFlow(r *rand.Rand, t *testing.T) (dirty, clean, policy string, p *planted) {
	src := sources[r.IntN(len(sources))]
	build := func(x string, seed uint64) *planted {
		p := &planted{r: rand.New(rand.NewPCG(seed, 1)), files: map[string]string{}, steps: []string{src.name}}
		for range p.r.IntN(4) {
			h := hops[p.r.IntN(len(hops))]
			p.steps = append(p.steps, h.name)
			x = h.make(p, x)
		}
		e := ends[p.r.IntN(len(ends))]
		p.steps = append(p.steps, e.name)
		e.make(p, x)
		return p
	}
	seed := r.Uint64()
	p, other := build(src.code, seed), build("lookup('public')", seed)
	fine := "\nfile { '/etc/ok': content => Sensitive(\"${" + "ok}\") }\n"
	head := "include store\n$ok = " + src.code + fine
	policy = src.place + " may reach File[/etc/ok].content Class[*]\n"
	if p.decisive {
		policy = src.place + " never decide Notify[*] File[/end] File[end] Exec[*]\n"
	}
	write := func(q *planted) string {
		files := site(head+strings.Join(q.before, "\n")+"\n", "hiera.yaml", oneLevel, "data/common.yaml",
			"db::password: 'hunter2'\nstore::password: 'hunter3'\nnested: \"n%{lookup('db::password')}\"\ndb:\n  password: "+
				"'hunter4'\npublic: 'hunter of public'\n",
			"modules/store/manifests/init.pp", "class store($password) { }\n", "modules/m/metadata.json", "{}\n",
			"bunraku.policy", policy, "facts/n.json", `{"name":"n","values":{"token":"hunter5"}}`)
		for name, text := range q.files {
			files[name] = text
		}
		g := gap{files: files}
		return g.write(t)
	}
	return write(p), write(other), policy, p
}

// TestScorePolicyPlanted plants leaks and influences on random ways: none is missed, and the same program with another
// datum breaks no rule.
func TestScorePolicyPlanted(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	r := rand.New(rand.NewPCG(18, 9))
	explicit, decisive, missed, alarms, failed := 0, 0, 0, 0, 0
	for i := 0; explicit+decisive < n && i < 3*n; i++ {
		dirty, clean, policy, p := plantFlow(r, t)
		code, out, errs := call("explain", dirty, "--node", "n", "--policy", filepath.Join(dirty, "bunraku.policy"))
		if code == exitFailed { // such as a title that is no title
			failed++
			continue
		}
		if p.decisive {
			decisive++
		} else {
			explicit++
		}
		want := "reaches "
		if p.decisive {
			want = "decides "
		}
		if code != exitNo || !strings.Contains(out, want) || !strings.Contains(out, p.reference) {
			missed++
			t.Errorf("%s is missed:\n%s%s\n%s", strings.Join(p.steps, " > "), policy, strings.Join(p.before, "\n"), out+errs)
		}
		if code, out, errs := call("explain", clean, "--node", "n", "--policy",
			filepath.Join(clean, "bunraku.policy")); code != exitFine {
			alarms++
			t.Errorf("%s is no fault with another datum:\n%s%s\n%s", strings.Join(p.steps, " > "), policy,
				strings.Join(p.before, "\n"), out+errs)
		}
		os.RemoveAll(dirty)
		os.RemoveAll(clean)
	}
	t.Logf("score: planted leaks and influences %d/%d", explicit+decisive-missed, explicit+decisive)
	t.Logf("%d leaks and %d influences planted, %d missed; %d false alarms on the same programs with another datum; %d "+
		"did not compile",
		explicit, decisive, missed, alarms, failed)
	if explicit+decisive < n {
		t.Errorf("only %d programs compile", explicit+decisive)
	}
}
