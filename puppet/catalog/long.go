package catalog

import (
	"strings"

	"bunraku/puppet/value"
)

// A catalog may hold an integer that 64 bits cannot: Ruby has such numbers. Here it is opaque to whoever computes, but
// known by its digits to whoever compares or copies.

const long = "the integer "

func longInteger(digits string) *value.Opaque { return &value.Opaque{Why: long + digits} }

// LongDigits are the digits of an integer that 64 bits cannot hold, as a catalog has it; "" of anything else.
func LongDigits(v *value.Opaque) string {
	digits, is := strings.CutPrefix(v.Why, long)
	if !is || strings.Trim(strings.TrimPrefix(digits, "-"), "0123456789") != "" {
		return ""
	}
	return digits
}
