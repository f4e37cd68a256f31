package value

import (
	"slices"
	"testing"
)

func TestSecrets(t *testing.T) {
	hidden := NewHash(String("user"), NewArray(Int(12345), Float(1.5), Bool(true)))
	for name, c := range map[string]struct {
		v    Value
		want []string
	}{
		"plain":       {hidden, nil},
		"itself":      {&Sensitive{Value: String("s3cret")}, []string{"s3cret"}},
		"of a key":    {NewHash(&Sensitive{Value: String("key")}, Int(1)), []string{"key"}},
		"all inside":  {NewArray(Int(7), &Sensitive{Value: hidden}), []string{"user", "12345", "1.5"}},
		"of an entry": {NewHash(String("a"), &Sensitive{Value: Int(99)}), []string{"99"}},
	} {
		var got []string
		EachSecret(c.v, false, func(text string) { got = append(got, text) })
		if !slices.Equal(got, c.want) || HasSensitive(c.v) != (c.want != nil) {
			t.Errorf("%s: %q, want %q; HasSensitive is %v", name, got, c.want, HasSensitive(c.v))
		}
	}
}
