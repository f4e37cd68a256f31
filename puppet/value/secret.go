package value

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
