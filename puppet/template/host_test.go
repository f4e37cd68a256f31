package template

import (
	"fmt"
	"sort"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/value"
)

// mapHost is a Host made of a hash of variables; its functions are those of testdata/oracle.rb.
// NewMapHost is for the tests of package template_test.
func NewMapHost(vars *value.Hash, refs map[string]provenance.Ref) Host {
	return &mapHost{vars: vars, refs: refs}
}

type mapHost struct {
	vars *value.Hash
	refs map[string]provenance.Ref
	more map[string]value.Value
}

func (h *mapHost) Variable(name string) (value.Value, provenance.Ref, bool) {
	name = strings.TrimPrefix(name, "::")
	if v, ok := h.more[name]; ok {
		return v, 0, true
	}
	v, ok := h.vars.GetString(name)
	return value.OrUndef(v), h.refs[name], ok
}

func (h *mapHost) Exists(name string) (provenance.Ref, bool) {
	_, ref, found := h.Variable(name)
	return ref, found
}

func (h *mapHost) Variables(f func(name string, v value.Value, r provenance.Ref)) {
	for _, e := range h.vars.Entries() {
		n := value.ToString(e.Key)
		f(n, e.Value, h.refs[n])
	}
	var names []string
	for n := range h.more {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		f(n, h.more[n], 0)
	}
}

func (h *mapHost) Unknown(string) error          { return nil }
func (h *mapHost) HasFunction3(name string) bool { return true }

func (h *mapHost) Call3(name string, args []value.Value) (value.Value, provenance.Ref, error) {
	return h.Call(name, args)
}

func (h *mapHost) Call(name string, args []value.Value) (value.Value, provenance.Ref, error) {
	v, err := h.call(name, args)
	return v, 0, err
}

func (h *mapHost) call(name string, args []value.Value) (value.Value, error) {
	switch name {
	case "versioncmp":
		a, b := value.ToString(args[0]), value.ToString(args[1])
		if !version(a) || !version(b) {
			return value.Int(strings.Compare(a, b)), nil
		}
		return value.Int(compareVersions(a, b)), nil
	case "fail":
		var parts []string
		for _, a := range args {
			parts = append(parts, value.ToString(a))
		}
		return nil, fmt.Errorf("%s", strings.Join(parts, " "))
	case "warning", "notice", "debug", "info", "err":
		return value.Undef{}, nil
	case "stdlib::has_interface_with":
		return value.Bool(false), nil
	}
	return value.String(name + value.Inspect(value.NewArray(args...))), nil
}

func version(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" {
		return true
	}
	for i, p := range strings.Split(s, ".") {
		for _, c := range p {
			if c < '0' || c > '9' {
				return false
			}
		}
		if p == "" && i >= 0 {
			return false
		}
	}
	return true
}

// compareVersions is Gem::Version's order for versions of numbers.
func compareVersions(a, b string) int {
	x, y := strings.Split(strings.TrimSpace(a), "."), strings.Split(strings.TrimSpace(b), ".")
	for i := 0; i < len(x) || i < len(y); i++ {
		var m, n int
		if i < len(x) {
			fmt.Sscan(x[i], &m)
		}
		if i < len(y) {
			fmt.Sscan(y[i], &n)
		}
		switch {
		case m < n:
			return -1
		case m > n:
			return 1
		}
	}
	return 0
}

func (h *mapHost) Set(name string, v value.Value) error {
	if _, _, found := h.Variable(name); found {
		return fmt.Errorf("Cannot reassign variable '$%s'", name)
	}
	if h.more == nil {
		h.more = map[string]value.Value{}
	}
	h.more[name] = v
	return nil
}

func (h *mapHost) Classes() []string      { return []string{"settings", "main"} }
func (h *mapHost) Tags() []string         { return []string{"settings", "main"} }
func (h *mapHost) Scope() string          { return "Scope(Class[main])" }
func (h *mapHost) Log(level, text string) {}
