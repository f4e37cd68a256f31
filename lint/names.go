package lint

import "strings"

// Checks of the plugin absolute_classname: a leading :: has been of no use since Puppet 4.

func withoutColons(t *token) func() bool {
	return func() bool {
		t.value = strings.TrimPrefix(t.value, "::")
		return true
	}
}

const absoluteName = "class included by absolute name (::$class)"

func relativeClassnameInclusion(f *file) {
	absolute := func(t *token) {
		if strings.HasPrefix(t.value, "::") {
			f.warn(t, absoluteName).fix = withoutColons(t)
		}
	}
	for _, t := range f.tokens {
		switch {
		case t.is(name, functionName) && (t.value == "include" || t.value == "contain" || t.value == "require"):
			if t.nextCode.is(farrow) {
				continue
			}
			depth := 0
			for u := t.nextCode; u != nil && u.kind != newline; u = u.next {
				f.spend(1)
				if !u.is(name, functionName, sstring) {
					continue
				}
				switch next := u.nextCode; {
				case next.is(lparen):
					depth++
				case depth > 0 && next.is(rparen):
					depth--
				case depth == 0:
					absolute(u)
				}
			}
		case t.kind == wordClass && t.nextCode.is(lbrace):
			for u := t.nextCode; u != nil && u.kind != colon; u = u.next {
				f.spend(1)
				if u.is(name, sstring) {
					absolute(u)
				}
			}
		case t.kind == wordInherits && t.nextCode.is(name):
			absolute(t.nextCode)
		}
	}
}

func relativeClassnameReference(f *file) {
	for _, t := range f.tokens {
		if t.kind != typeName || t.value != "Class" || !t.nextCode.is(lbrack) {
			continue
		}
		for u := t.nextCode; u != nil && u.kind != rbrack; u = u.next {
			f.spend(1)
			if u.is(name, sstring) && strings.HasPrefix(u.value, "::") {
				f.warn(u, "absolute class name reference").fix = withoutColons(u)
			}
		}
	}
}
