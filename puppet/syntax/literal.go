package syntax

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A literal is the value of an expression that says it outright, as Puppet's validation sees it: an array or a hash of
// literals is one, too. Since Puppet 8 a minus before a literal counts, the name of a type (as its text in small
// letters), and an access by literals: of that only the keys, so that File['/a'] and Exec['/a'] are the same key.
type literal struct {
	kind byte
	// equal for equal literals: 1 and 1.0 differ, a name and a string of the same text do not; that of a text is itself
	id        string
	text      string // what Ruby's to_s makes of it
	inspected string // and its inspect
	number    *big.Int
	float     float64
}

func textLiteral(s string) literal {
	return literal{kind: 's', id: s, text: s, inspected: strconv.Quote(s)}
}

// other is a literal that is no text, of which the text of its kind and of its value tells it from all others.
func other(kind byte, id, text, inspected string) literal {
	return literal{kind: kind, id: "\x00" + string(kind) + id, text: text, inspected: inspected}
}

func intLiteral(n *big.Int) literal {
	x := other('i', n.String(), n.String(), n.String())
	x.number = n
	return x
}

func floatLiteral(f float64) literal {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	x := other('f', text, text, text)
	x.float = f
	return x
}

// literal is the value of an expression, if it is one as it stands.
func (v *validator) literal(e Expr) (literal, bool) {
	switch e := e.(type) {
	case *Str:
		return textLiteral(e.Value), true
	case *Name:
		return textLiteral(e.Value), true
	case *Int:
		return intLiteral(v.bigInteger(e)), true
	case *Float:
		return floatLiteral(e.Value), true
	case *Bool:
		text := strconv.FormatBool(e.Value)
		return other('b', text, text, text), true
	case *Undef:
		return other('u', "", "", "nil"), true
	case *Default:
		return other('d', "", "default", ":default"), true
	case *Regexp:
		return other('r', e.Source, "(?-mix:"+e.Source+")", "/"+e.Source+"/"), true
	case *List:
		return v.literals(e.Elems)
	case *Hash:
		return v.literalHash(e)
	}
	if !v.language.Eight() {
		return literal{}, false
	}
	switch e := e.(type) {
	case *Ref:
		return textLiteral(strings.ToLower(e.Value)), true
	case *Unary:
		x, ok := v.literal(e.X)
		switch {
		case !ok || e.Op != OpMinus:
			return literal{}, false
		case x.number != nil:
			return intLiteral(new(big.Int).Neg(x.number)), true
		case x.kind == 'f':
			return floatLiteral(-x.float), true
		}
		return x, x.kind == 's' // of a text Ruby's minus makes the text
	case *Access:
		if len(e.Keys) == 1 {
			if _, is := e.Keys[0].(*List); is {
				return literal{}, false
			}
		}
		return v.literals(e.Keys)
	}
	return literal{}, false
}

func (v *validator) literals(es []Expr) (literal, bool) {
	var ids, texts []string
	for _, e := range es {
		x, ok := v.literal(e)
		if !ok {
			return literal{}, false
		}
		ids, texts = append(ids, strconv.Quote(x.id)), append(texts, x.inspected)
	}
	text := "[" + strings.Join(texts, ", ") + "]"
	return other('[', strings.Join(ids, ","), text, text), true
}

// literalHash is that of a hash. The order of its entries is no part of what it is; the last of equal keys wins, at the
// first one's place.
func (v *validator) literalHash(h *Hash) (literal, bool) {
	var keys, ids, texts []string
	for _, entry := range h.Entries {
		k, ok := v.literal(entry.Key)
		if !ok {
			return literal{}, false
		}
		x, ok := v.literal(entry.Value)
		if !ok {
			return literal{}, false
		}
		id, text := strconv.Quote(k.id)+":"+strconv.Quote(x.id), k.inspected+"=>"+x.inspected
		if at := slices.Index(keys, k.id); at >= 0 {
			ids[at], texts[at] = id, text
			continue
		}
		keys, ids, texts = append(keys, k.id), append(ids, id), append(texts, text)
	}
	slices.Sort(ids)
	text := "{" + strings.Join(texts, ", ") + "}"
	return other('{', strings.Join(ids, ","), text, text), true
}
