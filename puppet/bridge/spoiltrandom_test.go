package bridge_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/ask"
	"bunraku/internal/live"
)

var programs = flag.Int("spoilt", 150, "how many programs TestSpoiltAsPuppet asks Puppet for")

// TestSpoiltAsPuppet asks Puppet for random programs of functions that leave state behind in all the ways that Ruby
// has, and look at it. In each some ask for the clock on the way, so that we end them there and Puppet goes on. What
// we say we know is what Puppet says.
func TestSpoiltAsPuppet(t *testing.T) {
	live.Puppet(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "environment.conf"), []byte("modulepath = modules\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var qs []ask.Question
	for n := range *programs {
		qs = append(qs, ask.Question(stateful(t, filepath.Join(dir, "modules/m/lib"), n)))
	}
	at := ask.Site{Environment: dir, Facts: factsFile, Mask: mask, MaskValues: true}
	want := at.Puppet(t, qs)
	w := openOwn(t, dir)
	w.at = &at
	known, all := 0, 0
	for i, q := range qs {
		got := w.ask(string(q))
		theirs, ours := elements(want[i]), elements(got)
		if len(theirs) != len(ours) {
			t.Errorf("program %d: %s\nPuppet: %s\nours:   %s", i, q, want[i], got)
			continue
		}
		for k := range theirs {
			all++
			switch {
			case ours[k] == theirs[k]:
				known++
			case ours[k] != "?":
				t.Errorf("program %d: %s, result %d\nPuppet: %s\nours:   %s", i, q, k, want[i], got)
			}
		}
	}
	t.Logf("score: results of functions that share state, %d known of %d", known, all)
}

// elements are those of a list in the notation of answers, ? for what is not known.
func elements(list string) (out []string) {
	list = strings.TrimSuffix(strings.TrimPrefix(list, "["), "]")
	depth, from := 0, 0
	add := func(s string) {
		if s = strings.TrimSpace(s); strings.HasPrefix(s, "Opaque(") {
			s = "?"
		}
		out = append(out, s)
	}
	for i, c := range list {
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ',' && depth == 0:
			add(list[from:i])
			from = i + 1
		}
	}
	add(list[from:])
	return out
}

// stateful writes program n, and gives an expression that calls its functions.
func stateful(t *testing.T, lib string, n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	write := func(path, format string, args ...any) {
		path = filepath.Join(lib, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// Two classes that hold something, one that goes to the first, and one that the first is told of.
	a, b, via, told := fmt.Sprintf("A%d", n), fmt.Sprintf("B%d", n), fmt.Sprintf("Via%d", n), fmt.Sprintf("Told%d", n)
	head, foot := "module PuppetX\n  module M\n", "  end\nend\n"
	state := "    class %[1]s\n      LIST = [0]\n      @n = 0\n      @@m = 0\n      @told = []\n" +
		"      def self.add(x) = @n += x\n      def self.more(x) = @@m += x\n      def self.push(x) = LIST << x\n" +
		"      def self.tell(x) = @told << x\n      def self.ask(x) = @told.map { |o| o.hear(x) }.sum\n" +
		"      def self.sum = @n + @@m + LIST.sum + @told.size\n    end\n"
	write(fmt.Sprintf("puppet_x/m/a%d.rb", n), head+state+foot, a)
	write(fmt.Sprintf("puppet_x/m/b%d.rb", n), head+state+foot, b)
	write(fmt.Sprintf("puppet_x/m/via%d.rb", n), "require_relative 'a%d'\n"+head+
		"    module %s\n      def self.add(x) = %s.add(x)\n      def self.sum = %[3]s.sum\n    end\n"+foot, n, via, a)
	write(fmt.Sprintf("puppet_x/m/told%d.rb", n), "require_relative 'a%d'\n"+head+
		"    class %s\n      @heard = 0\n      def self.hear(x) = @heard += x\n      def self.sum = @heard\n    end\n"+
		"    %s.tell(%[2]s)\n"+foot, n, told, a)
	names := []string{"a", "b", "via", "told"}
	classes := []string{a, b, via, told}

	const functions = 5
	var names3 []string // functions of the 3.x API, which are called by both names
	for f := range functions {
		name := fmt.Sprintf("p%d_%d", n, f)
		old := r.IntN(3) == 0
		if old {
			names3 = append(names3, name)
		}
		var requires strings.Builder
		var ops []string
		use := func(k int) string {
			if !strings.Contains(requires.String(), names[k]+fmt.Sprint(n)) {
				fmt.Fprintf(&requires, "require_relative '../../../puppet_x/m/%s%d'\n", names[k], n)
			}
			return "PuppetX::M::" + classes[k]
		}
		operation := func() string {
			x := 1 + r.IntN(9)
			other := fmt.Sprintf("m::p%d_%d", n, r.IntN(functions))
			switch k := r.IntN(14); k {
			case 0, 1:
				return fmt.Sprintf("%s.add(%d)", use(r.IntN(3)), x)
			case 2:
				return fmt.Sprintf("%s.more(%d)", use(r.IntN(2)), x)
			case 3:
				return fmt.Sprintf("%s.push(%d)", use(r.IntN(2)), x)
			case 4:
				return fmt.Sprintf("%s.ask(%d)", use(r.IntN(2)), x)
			case 5, 6, 7:
				return fmt.Sprintf("out += %s.sum", use(r.IntN(4)))
			case 8:
				return fmt.Sprintf("@own%[2]d = (@own%[2]d || 0) + %[1]d; out += @own%[2]d", x, n)
			case 9:
				if r.IntN(3) > 0 {
					return fmt.Sprintf("out += %d", x)
				}
				return fmt.Sprintf("$m_%d = ($m_%[1]d || 0) + %d; out += $m_%[1]d", n, x)
			case 10:
				if old || r.IntN(2) > 0 {
					return fmt.Sprintf("out += %d", x)
				}
				return fmt.Sprintf("out += call_function('%s', depth + 1) if depth < 2", other)
			case 11:
				if r.IntN(3) > 0 {
					return fmt.Sprintf("out += %d", x)
				}
				return fmt.Sprintf("k = Object.const_get("+"'PuppetX').const_get('M') if Object.const_defined?(:PuppetX); "+
					"out += k.const_get('%s').sum if k && k.const_defined?('%[1]s')", classes[r.IntN(2)])
			case 12:
				return fmt.Sprintf("%s.send(:add, %d)", use(r.IntN(2)), x)
			default:
				return fmt.Sprintf("[1, 2].each { |i| %s.add(i) }", use(r.IntN(2)))
			}
		}
		for range 1 + r.IntN(4) {
			ops = append(ops, operation())
		}
		if r.IntN(3) == 0 {
			clock := "out += 1 if Time.now.to_i > 0"
			if r.IntN(3) == 0 {
				clock += " && depth == 0"
			}
			k := r.IntN(len(ops) + 1)
			ops = append(ops[:k], append([]string{clock}, ops[k:]...)...)
		}
		body := "    out = 0\n    " + strings.Join(ops, "\n    ") + "\n    out\n"
		if old {
			write("puppet/parser/functions/"+name+".rb", "%smodule Puppet::Parser::Functions\n"+
				"  newfunction(:%s, type: :rvalue) do |args|\n    depth = args[0] || 0\n%s  end\nend\n", requires.String(), name,
				body)
			write("puppet/functions/m/"+name+".rb", "Puppet::Functions.create_function(:'m::%s') do\n"+
				"  def %[1]s(depth = 0)\n    call_function('%[1]s', depth)\n  end\nend\n", name)
		} else {
			write("puppet/functions/m/"+name+".rb", "%sPuppet::Functions.create_function(:'m::%s') do\n"+
				"  def %[2]s(depth = 0)\n%[3]s  end\nend\n", requires.String(), name, body)
		}
	}
	calls := make([]string, 4+r.IntN(5))
	for i := range calls {
		calls[i] = fmt.Sprintf("m::p%d_%d()", n, r.IntN(functions))
		if len(names3) > 0 && r.IntN(3) == 0 {
			calls[i] = names3[r.IntN(len(names3))] + "(0)"
		}
		if r.IntN(5) == 0 {
			calls[i] = "([0].map |$x| { " + calls[i] + " })[0]"
		}
	}
	return "[" + strings.Join(calls, ", ") + "]"
}
