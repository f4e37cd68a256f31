package stdlib

import (
	"errors"
	"fmt"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
)

// compat is the type that the warning of a deprecated function names, "" for the function's own words.
var compat = map[string]string{
	"is_absolute_path": "Absolute_Path", "is_array": "Array", "is_bool": "Bool", "is_float": "Float",
	"is_ip_address":   "Ip_address",
	"is_ipv4_address": "Ipv4", "is_ipv6_address": "Ipv6", "is_numeric": "Numeric", "is_string": "String",
	"validate_absolute_path": "Stdlib::Compat::Absolute_Path", "validate_array": "Stdlib::Compat::Array",
	"validate_bool": "Stdlib::Compat::Bool",
	"validate_hash": "Stdlib::Compat::Hash", "validate_integer": "Stdlib::Compat::Integer",
	"validate_ip_address":   "Stdlib::Compat::Ip_Address",
	"validate_ipv4_address": "Stdlib::Compat::Ipv4_Address", "validate_ipv6_address": "Stdlib::Compat::Ipv6_address",
	"validate_numeric": "Stdlib::Compat::Numeric", "validate_re": "Pattern[]", "validate_slength": "String[]",
	"validate_string": "Stdlib::Compat::String",
}

// deprecated makes the 4.x function that stands before an old one: it warns, and hands its arguments over as they are.
func deprecated(o old) *eval.Function {
	t := compat[o.name]
	message := "This method is deprecated, please use match expressions with Stdlib::Compat::" + t +
		" instead. They are described at " +
		"https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions."
	if o.name[0] == 'v' {
		message = "This method is deprecated, please use the stdlib validate_legacy function,\n                    with " +
			t +
			". There is further documentation for validate_legacy function in the README."
	}
	return &eval.Function{Name: o.name, Doc: o.doc, Flow: o.flow, Raw: func(c *eval.Call) (value.Value, error) {
		if err := deprecate(c, o.name, message, true); err != nil {
			return nil, err
		}
		return o.run(c)
	}}
}

// deprecate warns, or fails where the setting `strict` says so.
func deprecate(c *eval.Call, key, message string, strictly bool) error {
	if strictly {
		switch c.Eval.Settings().Strict {
		case eval.StrictOff:
			return nil
		case eval.StrictError:
			return eval.TooStrict(fmt.Errorf("deprecation. %s. %s", key, message))
		}
	}
	c.Warn("W0650", message)
	return nil
}

func deprecationFunction(nine bool) *eval.Function {
	signature, names := "Callable[String, String]", []string{"key", "message"}
	if nine {
		signature, names = "Callable[String, String, Boolean, 2, 3]", append(names, "use_strict_setting")
	}
	return new4("deprecation", "Warns that something is deprecated.", statement, signature, names,
		func(c *eval.Call) (value.Value, error) {
			strictly := len(c.Args) < 3 || c.Args[2] == value.Value(value.Bool(true))
			return nil, deprecate(c, text(c.Args[0]), text(c.Args[1]), strictly)
		})
}

// validateLegacy checks a value by its type, and in 8.x by an old function too. What either accepts is accepted; when
// it is only the old function there is a warning.
func validateLegacy(nine bool) *eval.Function {
	const doc = "Ends the compile unless a value is of a type; an old validation function may still accept it."
	names := []string{"scope", "target_type", "function_name", "value", "args"}
	typed := "Callable[Any, Type, String, Any, Any, 4]"
	texted := "Callable[Any, String, String, Any, Any, 4]"
	return &eval.Function{Name: "validate_legacy", Doc: doc, Raw: func(c *eval.Call) (value.Value, error) {
		args := append([]value.Value{value.Undef{}}, c.Args...) // Puppet passes the scope as the first
		first := types.MustParse(typed).(*types.Callable)
		second := types.MustParse(texted).(*types.Callable)
		var t value.Type
		switch {
		case first.Accepts(args, nil):
			t = c.Args[0].(value.Type)
		case second.Accepts(args, nil):
			var err error
			if t, err = c.Eval.ParseType(text(c.Args[0])); err != nil {
				// An error with a place is told as it is. The one at the end of the text has none.
				if s := err.Error(); s != "Syntax error at end of input" && (strings.HasPrefix(s, "Syntax error") ||
					strings.HasPrefix(s, "Illegal number")) {
					c.Fail("E0650", err.Error())
				}
				return nil, err
			}
		default:
			textNames := append([]string{"scope", "type_string"}, names[2:]...)
			return nil, mismatch("validate_legacy", args, nil, types.Signature{Type: first, Names: names},
				types.Signature{Type: second, Names: textNames})
		}
		function, v := text(c.Args[1]), c.Args[2]
		fits := c.Judge().IsInstance(t, v)
		if nine {
			if err := deprecate(c, "validate_legacy",
				"This method is deprecated, please use Puppet data types to validate parameters", true); err != nil || fits {
				return nil, err
			}
			return nil, errors.New(c.Judge().DescribeMismatch(fmt.Sprintf("validate_legacy(%s, ...)", t), t, types.InferSet(v)))
		}
		before := true
		if _, err := call3x(c, function, c.Args[2:]...); err != nil {
			var refused parseError
			if !errors.As(err, &refused) {
				return nil, err
			}
			before = false
		}
		if fits {
			if !before {
				c.Log("notice", fmt.Sprintf("Accepting previously invalid value for target type '%s'", t))
			}
			return nil, nil
		}
		problem := c.Judge().DescribeMismatch("validate_legacy("+function+")", t, types.InferSet(v))
		if before {
			return nil, deprecate(c, "validate_legacy", problem, true)
		}
		return nil, errors.New(problem)
	}}
}

// call3x calls a 3.x function by name, with arguments as they are: Ruby's scope.function_name.
func call3x(c *eval.Call, name string, args ...value.Value) (value.Value, error) {
	if o, known := old3x(name); known {
		return o.run(of(c, name, args...))
	}
	if f := c.Eval.World().Function(name); f != nil && f.Raw != nil && is3x(c, name) {
		return f.Raw(of(c, name, args...))
	}
	me := "Class[main]"
	if r := c.Scope.Resource(); r != nil {
		me = r.Ref()
	}
	return nil, fmt.Errorf("undefined method `function_%s' for Scope(%s):Puppet::Parser::Scope", name, me)
}
