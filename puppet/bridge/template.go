package bridge

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// A Template is an ERB template that Ruby is to render.
type Template struct {
	Name string // as the manifest calls it; "" for an inline one
	Path string
	Text string
}

var (
	instanceVariable = regexp.MustCompile(`@(\w+)`)
	anyVariable      = regexp.MustCompile(`instance_variable|binding|\beval\b|instance_eval|instance_exec`)
)

// Render renders a template in the scope of a call. It sees the variables that its text names; all of them, when the
// text does something by which it could get at others.
func (b *Bridge) Render(c *eval.Call, t Template) (value.Value, provenance.Ref, error) {
	name := "an inline template"
	if t.Name != "" {
		name = "the template " + t.Name
	}
	v, f, err := b.run(c, name, func(f *frame) (value.Value, error) {
		if err := b.start(); err != nil {
			return nil, err
		}
		vars, err := f.templateVariables(t.Text)
		if err != nil {
			return nil, err
		}
		m := do("render").set("text", value.String(strings.TrimPrefix(t.Text, "\uFEFF"))).set("variables", vars).set("scope",
			value.Int(len(b.frames)-1))
		if t.Name != "" {
			m.set("name", value.String(t.Name)).set("path", value.String(t.Path))
		}
		v, err := b.do(m)
		if err != nil {
			return nil, err
		}
		return b.reader(f).value(v)
	})
	v, err = b.settle(c, name, "", v, err)
	return v, f.sofar, err
}

// templateVariables are what a template finds in its instance variables.
func (f *frame) templateVariables(text string) (value.Value, error) {
	named := map[string]bool{}
	for _, m := range instanceVariable.FindAllStringSubmatch(text, -1) {
		named[m[1]] = true
	}
	all := anyVariable.MatchString(text)
	out := &value.HashBuilder{}
	var hole *value.Opaque
	f.call.Scope.Variables(func(name string, v value.Value, r provenance.Ref) {
		if value.IsUndef(v) || !all && !named[name] {
			return
		}
		if o := unknown(v); o != nil {
			if named[name] {
				hole = o
			}
			return
		}
		f.saw(v, r)
		out.SetString(name, v)
	})
	if hole != nil {
		return nil, &opaque{hole}
	}
	// A variable that is named and not there matters too: where it would be decides about it.
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if _, r, found := f.call.Scope.Variable(name); !found {
			f.saw(value.Undef{}, r)
		}
	}
	return out.Hash(), nil
}
