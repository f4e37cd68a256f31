package stdlib

import (
	"strconv"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// versioned is the functions of a version of stdlib. The tables are those of 8.5 and 9.7; what earlier and later ones
// do otherwise, and catalogs show, is ensure_packages: what an installed package is called, and where its resource is
// contained.
func versioned(version string) map[string]*eval.Function {
	major, minor := release(version)
	if major >= 9 {
		t := table9()
		if major == 9 && minor < 2 {
			t["ensure_packages"] = guarded(moved("ensure_packages", true, atTop))
		}
		return t
	}
	t := table8()
	switch {
	case version == "" || major == 8 && minor >= 3 && minor < 6:
	case major == 8 && minor >= 6:
		f := ensurePackages9()
		f.Name = "ensure_packages"
		t[f.Name] = guarded(f)
	case major == 8:
		t["ensure_packages"] = guarded(ensurePackages3("installed", "present").record())
	default:
		t["ensure_packages"] = guarded(ensurePackages3("present", "installed").record())
	}
	return t
}

// release is the first two numbers of a version; a version that cannot be read is of 8.5.
func release(version string) (major, minor int) {
	parts := strings.SplitN(version, ".", 3)
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return 8, 5
	}
	if len(parts) > 1 {
		minor, _ = strconv.Atoi(parts[1])
	}
	return major, minor
}

// atTop is the scope that 4.x functions call others from unless they ask for the caller's.
func atTop(c *eval.Call) *eval.Scope { return c.Eval.Top() }

// ensurePackages3 is the 3.x function that there was until 8.3.
func ensurePackages3(word, instead string) old {
	return old{"ensure_packages", "Declares packages unless they are declared with these attributes.", statement, -1,
		func(c *eval.Call) (value.Value, error) {
			_, is := c.Arg(1).(*value.Hash)
			switch {
			case len(c.Args) == 0 || len(c.Args) > 2:
				return nil, given(c, "1 or 2")
			case len(c.Args) == 2 && !is:
				return nil, parseErrorf("ensure_packages(): Requires second argument to be a Hash")
			}
			return installPackages(c, word, instead)
		}}
}
