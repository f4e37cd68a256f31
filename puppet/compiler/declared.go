package compiler

import (
	"strings"

	"bunraku/puppet/syntax"
)

// Sensitive implements record.Code.
func (o *codeOf) Sensitive(key string) bool { return o.c.declaredSensitive(key) }

// declaredSensitive reports whether a key of Hiera's is that of a class's parameter whose type has Sensitive in it, at
// any depth and also by other names. Its data are meant to be secret, also where no node has the class.
func (c *Snapshot) declaredSensitive(key string) bool {
	key = strings.TrimPrefix(key, "::")
	i := strings.LastIndex(key, "::")
	if i < 0 {
		return false
	}
	if is, known := c.declared.Load(key); known {
		return is.(bool)
	}
	is := c.findsSensitive(key[:i], key[i+2:])
	c.declared.Store(key, is)
	return is
}

// findsSensitive is declaredSensitive of a class and its parameter.
func (c *Snapshot) findsSensitive(class, param string) bool {
	f := c.Code().Manifest(class)
	if f == nil {
		return false
	}
	for _, d := range f.Defs {
		if d, is := d.(*syntax.Class); is && strings.EqualFold(strings.TrimPrefix(d.Name, "::"), class) {
			for _, p := range d.Params {
				if p.Name == param && p.Type != nil {
					return c.hasSensitive(p.Type, map[string]bool{})
				}
			}
		}
	}
	return false
}

// hasSensitive reports whether a type has Sensitive in it. seen are the aliases that have been looked at.
func (c *Snapshot) hasSensitive(typ syntax.Expr, seen map[string]bool) (is bool) {
	syntax.Walk(typ, func(n syntax.Node) bool {
		r, ref := n.(*syntax.Ref)
		if is || !ref {
			return !is
		}
		name := strings.ToLower(strings.TrimPrefix(r.Value, "::"))
		if is = name == "sensitive"; is || seen[name] {
			return false
		}
		seen[name] = true
		path, ok := c.env.TypeFile(name)
		if !ok {
			return true
		}
		if f, _, err := c.env.Parse(path); err == nil && f != nil {
			for _, d := range f.Defs {
				if a, alias := d.(*syntax.TypeAlias); alias && a.X != nil && strings.EqualFold(a.Name, name) {
					is = is || c.hasSensitive(a.X, seen)
				}
			}
		}
		return true
	})
	return is
}
