package diff

import (
	"fmt"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
)

// Ruby has integers of any size, and a catalog may hold them: two that differ in the last digit are two.
func TestLongIntegers(t *testing.T) {
	read := func(number string) Side {
		c, err := catalog.Read([]byte(fmt.Sprintf(`{"name":"n","version":1,"environment":"e","resources":[{"type":"Notify",
"title":"x","tags":[],"exported":false,"parameters":{"message":%s}}],"edges":[],"classes":[]}`, number)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := catalog.JSON{}.Append(nil, c)
		if err != nil || !strings.Contains(string(text), number) {
			t.Errorf("%s is written as %s %v", number, text, err)
		}
		return Side{Catalog: c}
	}
	for _, c := range []struct{ old, new, want string }{
		{"9223372036854775808", "9223372036854775809", "9223372036854775808 → 9223372036854775809"},
		{"-123456789012345678901234567890", "-123456789012345678901234567891",
			"-123456789012345678901234567890 → -123456789012345678901234567891"},
		{"123456789012345678901234567890", "123456789012345678901234567890", ""},
		{"9223372036854775808", `"9223372036854775808"`, "9223372036854775808 → '9223372036854775808'"},
		{"[9223372036854775808,1]", "[9223372036854775809,1]", "+ 9223372036854775809, - 9223372036854775808"},
	} {
		var got []string
		for _, x := range Compare(read(c.old), read(c.new), Options{}) {
			got = append(got, x.headline())
		}
		if text := strings.Join(got, "\n"); !strings.HasSuffix(text, c.want) || text == "" != (c.want == "") {
			t.Errorf("%s and %s: %q", c.old, c.new, text)
		}
	}
}
