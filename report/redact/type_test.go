package redact

import "testing"

// TestTypesTellNoLengths: the type of something Sensitive that somebody got tells neither its length nor what is in it;
// one that is expected stands in the code.
func TestTypesTellNoLengths(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"expects a Sensitive[String[8]] value, got Sensitive[Hash[String[1, 4], Data]]",
			"expects a Sensitive[String[8]] value, got Sensitive[Hash]"},
		{"got Sensitive[String]", "got Sensitive[String]"},
		{"got Tuple[Sensitive[Enum['a]', 'b']], Sensitive[Array[Integer[3, 3]]]] on a",
			"got Tuple[Sensitive[Enum], Sensitive[Array]] on a"},
		{"got Sensitive[Hash[String[1, 4]", "got Sensitive[Hash"},
		{"Sensitive[String[8]] $x", "Sensitive[String[8]] $x"},
		{"got it\nSensitive[String[8]] $x", "got it\nSensitive[String[8]] $x"},
	} {
		s := &Secrets{}
		if got := s.Hide(x.text); got != x.want {
			t.Errorf("%s: %s", x.text, got)
		}
		if got := s.HideJSON(`{"message":"` + x.text + `"}`); x.text == x.want && got != `{"message":"`+x.text+`"}` {
			t.Errorf("%s: %s", x.text, got)
		}
	}
	if got := (&Secrets{}).HideJSON(`{"message":"got Sensitive[Hash[String[1, 4]]]"}`); got !=
		`{"message":"got Sensitive[Hash]"}` {
		t.Error(got)
	}
}
