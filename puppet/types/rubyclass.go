package types

import "bunraku/puppet/value"

// RubyClass is what Ruby calls the class of a value in Puppet; some messages show it.
func RubyClass(v value.Value) string {
	switch v := v.(type) {
	case nil, value.Undef:
		return "NilClass"
	case value.Default:
		return "Symbol"
	case value.Bool:
		if v {
			return "TrueClass"
		}
		return "FalseClass"
	case value.Int:
		return "Integer"
	case value.Float:
		return "Float"
	case value.String:
		return "String"
	case *value.Regexp:
		return "Regexp"
	case *value.Array:
		return "Array"
	case *value.Hash:
		return "Hash"
	case *value.Sensitive:
		return "Puppet::Pops::Types::PSensitiveType::Sensitive"
	case value.Binary:
		return "Puppet::Pops::Types::PBinaryType::Binary"
	case *value.SemVer:
		return "SemanticPuppet::Version"
	case *value.SemVerRange:
		return "SemanticPuppet::VersionRange"
	case value.Timespan:
		return "Puppet::Pops::Time::Timespan"
	case value.Timestamp:
		return "Puppet::Pops::Time::Timestamp"
	case *value.Iterator:
		return "Puppet::Pops::Types::Iterator"
	case *value.Deferred:
		return "Puppet::DataTypes::Deferred"
	case *value.URI:
		return v.RubyClass()
	case *value.Object:
		return "Puppet::Pops::Types::PuppetObject"
	case *Alias:
		return "Puppet::Pops::Types::PTypeAliasType"
	case *ObjectExt:
		return "Puppet::Pops::Types::PObjectTypeExtension"
	case value.Type:
		return "Puppet::Pops::Types::P" + v.Name() + "Type"
	}
	return "Object"
}
