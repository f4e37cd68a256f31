package syntax

import "strings"

// StaticNames are the strings that an expression may name; "" stands for one that is computed.
func StaticNames(e Expr) []string {
	switch e := e.(type) {
	case *Name:
		return []string{e.Value}
	case *Str:
		return []string{e.Value}
	case *Default:
		return nil
	case *List:
		var out []string
		for _, x := range e.Elems {
			out = append(out, StaticNames(x)...)
		}
		return out
	case *Access: // Class['a']
		if r, ok := e.Left.(*Ref); ok && strings.EqualFold(r.Value, "class") {
			var out []string
			for _, k := range e.Keys {
				out = append(out, StaticNames(k)...)
			}
			return out
		}
	}
	return []string{""}
}
