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
