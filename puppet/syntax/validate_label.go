package syntax

import "strings"

// label is Puppet's name for a kind of node; its messages are made of these.
func label(n Node) string {
	switch n := n.(type) {
	case *Binary:
		return "'" + n.Op.String() + "' expression"
	case *Assign:
		return "'" + n.Op.String() + "' expression"
	case *Relation:
		return "'" + n.Op.String() + "' expression"
	case *Unary:
		switch n.Op {
		case OpNot:
			return "'not' expression"
		case OpMinus:
			return "Unary Minus"
		}
		return "Unfold"
	case *If:
		if n.Unless {
			return "'unless' Statement"
		}
		return "'if' statement"
	case *Collect:
		if n.Exported {
			return "Exported Query"
		}
		return "Virtual Query"
	case *Heredoc:
		return "'@(" + n.Syntax + ")' expression"
	case *Reserved:
		return "Reserved Word '" + n.Word + "'"
	case *AttrOp:
		if n.Append {
			return "'+>' expression"
		}
		return "'=>' expression"
	case *Undef:
		return "'undef' expression"
	case *Default:
		return "'default' expression"
	case *Bool:
		return "Boolean"
	case *Int:
		return "Literal Integer"
	case *Float:
		return "Literal Float"
	case *Str:
		return "String"
	case *Interpolated:
		return "Double Quoted String"
	case *Text:
		return "Expression in Interpolated String"
	case *Regexp:
		return "Regular Expression"
	case *List:
		return "Array Expression"
	case *Hash:
		return "Hash Expression"
	case *Entry:
		return "Hash Entry"
	case *Name:
		return "Name"
	case *Ref:
		return "Type-Name"
	case *Var:
		return "Variable"
	case *Nop:
		return "Nop Expression"
	case *Paren:
		return "Parenthesized Expression"
	case *Access:
		return "'[]' expression"
	case *NamedAccess:
		return "'.' expression"
	case *Call:
		return "Function Call"
	case *MethodCall:
		return "Method call"
	case *Lambda:
		return "Lambda"
	case *Param:
		return "Parameter Definition"
	case *Case:
		return "'case' statement"
	case *Option:
		return "Case Option"
	case *Selector:
		return "Selector Expression"
	case *Block:
		return "Block Expression"
	case *Resource:
		return "Resource Statement"
	case *ResourceBody:
		return "Resource Instance Definition"
	case *Defaults:
		return "Resource Defaults Expression"
	case *Override:
		return "Resource Override"
	case *Class:
		return "Host Class Definition"
	case *Define:
		return "'define' expression"
	case *NodeDef:
		return "Node Definition"
	case *Function:
		return "Function Definition"
	case *Plan:
		return "Plan Definition"
	case *Apply:
		return "'apply' expression"
	case *TypeAlias:
		return "Type Alias"
	case *TypeMapping:
		return "Type Mapping"
	case *TypeDef:
		return "Type Definition"
	case *Epp:
		return "Epp Template"
	case *RenderString:
		return "Epp Text"
	case *Render:
		return "Epp Interpolated Expression"
	}
	return "Object"
}

// article is Puppet's choice of a or an: by the first letter behind a quote, and y counts as a vowel.
func article(label string) string {
	first := strings.TrimLeft(label, `'"`)
	if first != "" && strings.IndexByte("aeiouyAEIOUY", first[0]) >= 0 {
		return "an"
	}
	return "a"
}

// anA is the label with its article: "a Variable"; anACap starts a sentence with it.
func anA(n Node) string {
	s := label(n)
	return article(s) + " " + s
}

func anACap(n Node) string {
	s := anA(n)
	return "A" + s[1:]
}
