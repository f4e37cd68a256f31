package syntax

import (
	"math"
	"strconv"
)

var quoteNames = [...]string{Single: "single", Double: "double", Bare: "bare", Piece: "piece", Host: "host", Key: "key"}

func (j *tree) kind(name string, n Node) {
	j.raw(`{"kind":"` + name + `",`)
	j.place(n.Span())
}

// object writes a node with its fields. docs/parse-json.md has the same list; a test compares the two.
func (j *tree) object(n Node) {
	switch n := n.(type) {
	case *Undef:
		j.kind("Undef", n)
	case *Default:
		j.kind("Default", n)
	case *Nop:
		j.kind("Nop", n)
	case *Bool:
		j.kind("Bool", n)
		j.bool("value", n.Value)
	case *Int:
		j.kind("Int", n)
		j.number("value", decimal(j.f, n))
		j.number("radix", strconv.Itoa(int(n.Radix)))
		j.string("text", j.f.Source.Slice(n.Where))
	case *Float:
		j.kind("Float", n)
		if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
			j.null("value")
		} else {
			j.number("value", strconv.FormatFloat(n.Value, 'g', -1, 64))
		}
		j.string("text", j.f.Source.Slice(n.Where))
	case *Str:
		j.kind("Str", n)
		j.string("quote", quoteNames[n.Quote])
		j.string("value", n.Value)
	case *Interpolated:
		j.kind("Interpolated", n)
		nodes(j, "parts", n.Parts)
	case *Text:
		j.kind("Text", n)
		j.bool("braced", n.Braced)
		j.node("expr", n.X)
	case *Heredoc:
		j.kind("Heredoc", n)
		j.string("tag", n.Tag)
		j.bool("interpolated", n.Interp)
		j.optional("syntax", n.Syntax)
		if n.HasEsc {
			j.string("escapes", n.Flags)
		} else {
			j.null("escapes")
		}
		j.span("lines", n.Lines)
		j.node("text", n.X)
		j.bool("margin", n.Margin)
		j.bool("chomp", n.Chomp)
	case *Regexp:
		j.kind("Regexp", n)
		j.string("source", n.Source)
	case *List:
		j.kind("List", n)
		nodes(j, "elements", n.Elems)
	case *Hash:
		j.kind("Hash", n)
		j.bool("unfolded", n.Unfolded)
		nodes(j, "entries", n.Entries)
	case *Entry:
		j.kind("Entry", n)
		j.node("key", n.Key)
		j.node("value", n.Value)
	case *Name:
		j.kind("Name", n)
		j.string("name", n.Value)
	case *Ref:
		j.kind("Ref", n)
		j.string("name", n.Value)
	case *Var:
		j.kind("Var", n)
		j.string("name", n.Name)
	case *Reserved:
		j.kind("Reserved", n)
		j.string("word", n.Word)
	case *Binary:
		j.kind("Binary", n)
		j.operation(n.Left, n.Op, n.OpAt, n.Right)
	case *Unary:
		j.kind("Unary", n)
		j.string("op", n.Op.String())
		j.node("expr", n.X)
	case *Paren:
		j.kind("Paren", n)
		j.node("expr", n.X)
	case *Assign:
		j.kind("Assign", n)
		j.operation(n.Left, n.Op, n.OpAt, n.Right)
	case *Relation:
		j.kind("Relation", n)
		j.operation(n.Left, n.Op, n.OpAt, n.Right)
	case *Access:
		j.kind("Access", n)
		j.node("left", n.Left)
		nodes(j, "keys", n.Keys)
	case *NamedAccess:
		j.kind("NamedAccess", n)
		j.node("left", n.Left)
		j.node("name", n.Name)
	case *Call:
		j.kind("Call", n)
		j.node("functor", n.Functor)
		j.bool("bare", n.Bare)
		j.bool("value", n.Value)
		nodes(j, "args", n.Args)
		j.lambda(n.Lambda)
	case *MethodCall:
		j.kind("MethodCall", n)
		j.node("functor", n.Functor)
		j.bool("parens", n.Parens)
		nodes(j, "args", n.Args)
		j.lambda(n.Lambda)
	case *Lambda:
		j.kind("Lambda", n)
		nodes(j, "params", n.Params)
		j.node("returns", n.Returns)
		j.body("body", n.Body)
	case *Param:
		j.kind("Param", n)
		j.node("type", n.Type)
		j.bool("splat", n.Splat)
		j.string("name", n.Name)
		j.span("nameSpan", n.NameAt)
		j.node("default", n.Default)
	case *If:
		j.kind("If", n)
		j.bool("unless", n.Unless)
		j.node("test", n.Test)
		j.body("then", n.Then)
		j.bool("elsif", n.ElseIf)
		if n.Else.Braces.End == 0 {
			j.null("else")
		} else {
			j.body("else", n.Else)
		}
	case *Case:
		j.kind("Case", n)
		j.node("test", n.Test)
		nodes(j, "options", n.Options)
	case *Option:
		j.kind("Option", n)
		nodes(j, "values", n.Values)
		j.body("then", n.Then)
	case *Selector:
		j.kind("Selector", n)
		j.node("left", n.Left)
		j.bool("braced", n.Braced)
		nodes(j, "entries", n.Entries)
	case *Block:
		j.kind("Block", n)
		nodes(j, "statements", n.Stmts)
	case *Resource:
		j.kind("Resource", n)
		j.string("form", n.Form.String())
		j.node("type", n.Type)
		nodes(j, "bodies", n.Bodies)
	case *ResourceBody:
		j.kind("ResourceBody", n)
		j.node("title", n.Title)
		nodes(j, "attributes", n.Ops)
	case *AttrOp:
		j.kind("AttrOp", n)
		j.optional("name", n.Name)
		j.span("nameSpan", n.NameAt)
		j.bool("splat", n.Splat)
		if n.Append {
			j.string("op", "+>")
		} else {
			j.string("op", "=>")
		}
		j.node("value", n.Value)
	case *Defaults:
		j.kind("Defaults", n)
		j.string("form", n.Form.String())
		j.node("type", n.Type)
		nodes(j, "attributes", n.Ops)
	case *Override:
		j.kind("Override", n)
		j.string("form", n.Form.String())
		j.node("target", n.Target)
		nodes(j, "attributes", n.Ops)
	case *Collect:
		j.kind("Collect", n)
		j.node("type", n.Type)
		j.bool("exported", n.Exported)
		j.node("query", n.Query)
		j.span("querySpan", n.QueryAt)
		j.bool("braced", n.Braced)
		nodes(j, "attributes", n.Ops)
	default:
		j.definition(n)
	}
	j.raw("}")
}

func (j *tree) operation(left Expr, op Op, at uint32, right Expr) {
	j.node("left", left)
	j.string("op", op.String())
	j.number("opAt", strconv.FormatUint(uint64(at), 10))
	j.node("right", right)
}

func (j *tree) lambda(l *Lambda) {
	if l == nil {
		j.null("lambda")
		return
	}
	j.node("lambda", l)
}

func (j *tree) definition(n Node) {
	switch n := n.(type) {
	case *Class:
		j.kind("Class", n)
		j.string("name", n.Name)
		j.span("nameSpan", n.NameAt)
		nodes(j, "params", n.Params)
		j.optional("parent", n.Parent)
		if n.Parent == "" {
			j.null("parentSpan")
		} else {
			j.span("parentSpan", n.ParentAt)
		}
		j.body("body", n.Body)
	case *Define:
		j.kind("Define", n)
		j.string("name", n.Name)
		j.span("nameSpan", n.NameAt)
		nodes(j, "params", n.Params)
		j.body("body", n.Body)
	case *NodeDef:
		j.kind("NodeDef", n)
		nodes(j, "hosts", n.Hosts)
		j.node("parent", n.Parent)
		j.body("body", n.Body)
	case *Function:
		j.kind("Function", n)
		j.string("name", n.Name)
		j.span("nameSpan", n.NameAt)
		nodes(j, "params", n.Params)
		j.node("returns", n.Returns)
		j.body("body", n.Body)
	case *Plan:
		j.kind("Plan", n)
		j.string("name", n.Name)
		j.span("nameSpan", n.NameAt)
		nodes(j, "params", n.Params)
		j.body("body", n.Body)
	case *Apply:
		j.kind("Apply", n)
		nodes(j, "args", n.Args)
		j.body("body", n.Body)
	case *TypeAlias:
		j.kind("TypeAlias", n)
		j.string("name", n.Name)
		j.span("nameSpan", n.NameAt)
		j.node("type", n.X)
	case *TypeMapping:
		j.kind("TypeMapping", n)
		j.node("type", n.Type)
		j.node("to", n.X)
	case *TypeDef:
		j.kind("TypeDef", n)
		j.string("name", n.Name)
		j.span("nameSpan", n.NameAt)
		j.optional("parent", n.Parent)
		j.body("body", n.Body)
	case *Epp:
		j.kind("Epp", n)
		if n.HasParams {
			j.span("paramsSpan", n.ParamsAt)
		} else {
			j.null("paramsSpan")
		}
		nodes(j, "params", n.Params)
		j.body("body", n.Body)
	case *RenderString:
		j.kind("RenderString", n)
		j.string("value", n.Value)
	case *Render:
		j.kind("Render", n)
		j.body("body", n.X)
	default:
		panic("syntax: AppendJSON: unknown node")
	}
}
