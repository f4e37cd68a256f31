package ruby

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

var addresses = regexp.MustCompile(`0x[0-9a-f]{8,}`)

// answer evaluates a snippet as the oracle does. ok is false when we say that we cannot.
func answer(rt *Runtime, code string) (text string, ok bool) {
	limits := DefaultLimits()
	limits.Steps = 200_000
	in := rt.New(limits)
	prog, errs := Parse(source.NewFile("(eval)", code))
	if len(errs) > 0 {
		return "syntax error: " + errs[0].Summary, false
	}
	self := &Instance{class: rt.object}
	v, err := in.Run(prog, self)
	if err == nil {
		text, err = in.Show(v)
	}
	if err != nil {
		e := err.(*Error)
		if e.Kind != Raised {
			return e.Error(), false
		}
		text = e.Class + ": " + e.Message
	}
	text = addresses.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "0x0")
	return strings.ReplaceAll(text, " for #<Object:0x0>", " for main:Object"), true
}

// differ asks Ruby and us the same, and reports where we differ.
func differ(t *testing.T, codes []string) (same, unsupported int) {
	t.Helper()
	in, err := json.Marshal(codes)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal([]byte(live.Ruby(t, "testdata/oracle.rb", string(in))), &want); err != nil {
		t.Fatal(err)
	}
	rt := NewRuntime()
	shown := 0
	for i, code := range codes {
		got, ok := answer(rt, code)
		switch {
		case !ok:
			unsupported++
			if testing.Verbose() {
				t.Logf("cannot: %s\n  %s (Ruby: %s)", code, got, want[i])
			}
		case got != want[i]:
			if shown++; shown <= 60 {
				t.Errorf("%s\n  ours: %s\n  Ruby: %s", code, got, want[i])
			}
		default:
			same++
		}
	}
	t.Logf("%d same, %d not supported, %d in all", same, unsupported, len(codes))
	return same, unsupported
}

// Operators that programs give Ruby's own classes. Each is asked in a process of its own, since it changes what others
// would see.
func TestOwnOperators(t *testing.T) {
	for _, code := range []string{
		"class String; def ^(o) = 'x' + o; end; [1 ^ 3, 'a' ^ 'b', 6 & 3, 6 | 1, -1 ^ 5, 1 + 2, 1 == 1.0, 2**70 ^ 1, 3 & 2**70]",
		"class Integer; def ^(o) = \"r#{o}\"; end; [1 ^ 2, 1 & 3]",
		"class Integer; def |(o) = :or; end; x = 3; [x | 1, x ^ 1]",
		"class Numeric; def ^(o) = 0; end; [1 ^ 2, 1 | 2]",
		"class String; def ==(o) = true; end; ['a' == 'b', 1 == 2, :a == :b]",
		"class Symbol; def x = 1; end; [:a.x, 1 ^ 1, :a == :a]",
		"class Integer; def xor(o) = self ^ o; end; [5.xor(3), [1, 2].map { |i| i & 1 }]",
	} {
		text, err := json.Marshal([]string{code})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if err := json.Unmarshal([]byte(live.Ruby(t, "testdata/oracle.rb", string(text))), &want); err != nil {
			t.Fatal(err)
		}
		if got, ok := answer(NewRuntime(), code); !ok || got != want[0] {
			t.Errorf("%s\n  ours: %s\n  Ruby: %s", code, got, want[0])
		}
	}
}
