package value

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// DigestText is what is shown of bytes that are no text, before how many they are.
func DigestText(bytes string) string {
	sum := sha256.Sum256([]byte(bytes))
	return "{sha256}" + hex.EncodeToString(sum[:])[:16]
}

// A Piece is where something that was cut out of a secret stands in a text, too short to be told by itself.
type Piece struct{ Start, Len int }

// leastPieced is how many characters pieces have together that tell something of a secret.
const leastPieced = 4

// Pieced are the lines of a text that have been put together of enough pieces to tell something of a secret. The pieces
// come in their order.
func Pieced(text string, pieces []Piece) (lines []string) {
	end := 0
	for line := range strings.Lines(text) {
		end += len(line)
		n := 0
		for ; len(pieces) > 0 && pieces[0].Start < end; pieces = pieces[1:] {
			n += pieces[0].Len
		}
		if n >= leastPieced {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	return lines
}

// HasSensitive reports whether a value is, or holds, something Sensitive: in an element, an entry or a key.
func HasSensitive(v Value) bool {
	switch v := v.(type) {
	case *Sensitive:
		return true
	case *Array:
		for _, e := range v.Elems {
			if HasSensitive(e) {
				return true
			}
		}
	case *Hash:
		for _, e := range v.Entries() {
			if HasSensitive(e.Value) || HasSensitive(e.Key) {
				return true
			}
		}
	}
	return false
}

// EachSecret calls f with every text and number in a value that is Sensitive, keys of hashes too; inside says that the
// value itself stands in something Sensitive.
func EachSecret(v Value, inside bool, f func(text string)) {
	switch v := v.(type) {
	case *Sensitive:
		EachSecret(v.Value, true, f)
	case *Array:
		for _, e := range v.Elems {
			EachSecret(e, inside, f)
		}
	case *Hash:
		for _, e := range v.Entries() {
			EachSecret(e.Key, inside, f)
			EachSecret(e.Value, inside, f)
		}
	case String, Int, Float:
		if inside {
			f(ToString(v))
		}
	}
}
