package bridge

import (
	"bunraku/provenance"
	"bunraku/puppet/ruby"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// How values that Ruby does not have come to Ruby code of the own engine: as objects of the runtime's classes, each
// with the value that it was made of (@bunraku_value), which is what goes back.

const original = "@bunraku_value"

// symbolType is the type of a symbol, as Puppet infers it.
var symbolType = func() value.Type {
	t, err := types.Parse("Runtime['ruby', 'Symbol']", nil)
	if err != nil {
		panic(err)
	}
	return t
}()

// fromValue makes an object of a value that is no plain data.
func (o *ownRun) fromValue(in *ruby.Interp, v value.Value, ref provenance.Ref) (ruby.Object, bool) {
	if o.tasks == nil {
		return nil, false
	}
	made := func(class string, ivars ...any) (ruby.Object, bool) {
		return in.Make(o.class(class), append(ivars, original, ruby.NewForeign(v, ref))...), true
	}
	text := func(s string) ruby.Object { return ruby.NewString(s) }
	switch v := v.(type) {
	case *value.Opaque:
		return nil, false
	case *value.Sensitive:
		return in.Make(o.class("Puppet::Pops::Types::PSensitiveType::Sensitive"), "@value", in.FromValue(v.Value, ref)), true
	case value.Binary:
		return made("Puppet::Pops::Types::PBinaryType::Binary", "@binary_buffer", ruby.NewBinary(string(v)))
	case value.Timestamp:
		return made("Puppet::Pops::Time::Timestamp", "@nsecs", ruby.Int(v.Sec*1e9+int64(v.Nsec)), "@text", text(v.String()))
	case value.Timespan:
		return made("Puppet::Pops::Time::Timespan", "@nsecs", ruby.Int(v), "@text", text(v.String()))
	case *value.SemVer:
		return in.Call(o.class("SemanticPuppet::Version"), "parse", []ruby.Object{text(v.String())}, nil), true
	case *value.SemVerRange:
		return made("SemanticPuppet::VersionRange", "@text", text(v.String()))
	case *value.URI:
		return in.Call(o.uri(in), "parse", []ruby.Object{text(v.String())}, nil), true
	case *value.Deferred:
		args := ruby.Object(ruby.Nil{})
		if v.Args != nil {
			args = in.FromValue(v.Args, ref)
		}
		return in.Make(o.class("Puppet::DataTypes::Deferred"), "@name", text(v.Name), "@arguments", args), true
	case *value.Iterator:
		return in.Make(o.class("Puppet::Pops::Types::Iterable"), "@list", in.FromValue(v.Array(), ref)), true
	case *value.Object:
		if s, is := v.Host.(ruby.Symbol); is {
			return s, true
		}
		if v.Type == types.LookupContextT {
			return made("Puppet::LookupContext")
		}
		return made("Puppet::Pops::Types::PuppetObject", "@_pcore_type_name", text(v.Type.Name()), "@_pcore_init_hash",
			in.FromValue(v.Attrs, ref))
	case value.Type:
		return o.fromType(in, v, ref), true
	}
	return nil, false
}

func (o *ownRun) uri(in *ruby.Interp) *ruby.Class {
	u, _ := in.Constant("URI")
	return u.(*ruby.Class)
}

func (o *ownRun) fromType(in *ruby.Interp, t value.Type, ref provenance.Ref) ruby.Object {
	text := func(s string) ruby.Object { return ruby.NewString(s) }
	fields := in.NewTable()
	name := t.String()
	switch t := t.(type) {
	case *types.Alias:
		fields.Put(text("alias"), text(name))
		name = t.Of
	case *types.Class:
		fields.Put(text("class_name"), ruby.Nil{})
		if t.Of != "" {
			fields.Put(text("class_name"), text(t.Of))
		}
	case *types.Resource:
		fields.Put(text("type_name"), text(t.Type))
		if t.HasTitle {
			fields.Put(text("title"), text(t.Title))
		}
	}
	obj := in.Call(o.class("Puppet::Pops::Types"), "of", []ruby.Object{text(name), fields}, nil)
	in.SetIvar(obj, original, ruby.NewForeign(t, ref))
	return obj
}

// toValue makes a value of an object that is neither plain data nor a container.
func (o *ownRun) toValue(in *ruby.Interp, obj ruby.Object) (value.Value, bool) {
	switch obj := obj.(type) {
	case ruby.Symbol:
		if o.symbols && obj != "undef" && obj != "default" {
			return &value.Object{Type: symbolType, Attrs: value.EmptyHash, Init: value.EmptyHash, Host: obj}, true
		}
	case *ruby.Instance:
		return o.ofInstance(in, obj), true
	case *ruby.Big:
		end := "max"
		if obj.Negative() {
			end = "min"
		}
		in.Raise("RuntimeError", "Use of a Ruby Integer outside of Puppet Integer "+end+" range, got '"+obj.Hex()+"'")
	case *ruby.Regexp:
		re, err := value.NewRegexp(obj.Pattern())
		if err != nil {
			in.Unsupported(err.Error())
		}
		return re, true
	case *ruby.Set, *ruby.Proc, *ruby.MethodObject, *ruby.Class, *ruby.Exception, *ruby.Enumerator, *ruby.Match,
		*ruby.Native, *ruby.Range, *ruby.IPAddr:
		return o.rubyObject(in, obj), true
	}
	return nil, false
}

// rubyObject is an object that Puppet has no value for. Puppet passes it on; nobody else can look into it.
func (o *ownRun) rubyObject(in *ruby.Interp, obj ruby.Object) value.Value {
	name := "Ruby code"
	if n := len(o.b.frames); n > 0 {
		name = o.b.frames[n-1].name
	}
	return &value.Opaque{Why: name + " gives a Ruby object of class " + in.ClassName(obj), Settled: true}
}

func (o *ownRun) ofInstance(in *ruby.Interp, obj *ruby.Instance) value.Value {
	if f, is := in.Ivar(obj, original).(*ruby.Foreign); is {
		return f.Value()
	}
	is := func(class string) bool { return in.IsA(obj, class) }
	ivar := func(name string) ruby.Object { return in.Ivar(obj, name) }
	try := func(v value.Value, err error) value.Value {
		if err != nil {
			in.Raising("Puppet::ParseError", err.Error(), nil)
		}
		return v
	}
	switch {
	case is("Puppet::Pops::Types::PSensitiveType::Sensitive"):
		return &value.Sensitive{Value: in.ToValue(ivar("@value"))}
	case is("Puppet::Pops::Types::PAnyType"):
		t, err := o.b.frames[len(o.b.frames)-1].call.Eval.ParseType(in.ToS(ivar("@text")))
		return try(t, err)
	case is("Puppet::Pops::Types::PBinaryType::Binary"):
		s, _ := ruby.Text(ivar("@binary_buffer"))
		return value.Binary(s)
	case is("Puppet::Pops::Time::Timestamp"):
		n, _ := ivar("@nsecs").(ruby.Int)
		return value.Timestamp{}.Add(value.Timespan(n))
	case is("Puppet::Pops::Time::Timespan"):
		n, _ := ivar("@nsecs").(ruby.Int)
		return value.Timespan(n)
	case is("SemanticPuppet::Version"):
		v, err := value.ParseSemVer(in.ToS(obj))
		return try(v, err)
	case is("SemanticPuppet::VersionRange"):
		v, err := value.ParseSemVerRange(in.ToS(obj))
		return try(v, err)
	case is("URI::Generic"):
		v, err := value.ParseURI(in.ToS(obj))
		return try(v, err)
	case is("Puppet::DataTypes::Deferred"):
		args, _ := in.ToValue(ivar("@arguments")).(*value.Array)
		return &value.Deferred{Name: in.ToS(ivar("@name")), Args: args}
	case is("Puppet::Resource"):
		v, err := o.b.reader(o.b.frames[len(o.b.frames)-1]).rich("Reference",
			value.NewHash(value.String("__pvalue"), value.NewArray(in.ToValue(ivar("@type")), in.ToValue(ivar("@title")))))
		return try(v, err)
	case is("Puppet::Pops::Types::Iterable"):
		return in.ToValue(ivar("@list"))
	}
	return o.rubyObject(in, obj)
}
