// Package stdlib is the functions of puppetlabs-stdlib, written in Go. They exist only where the module is on the
// module path, and only while its Ruby is what they were checked against (checked.go). Functions of other modules run
// in the interpreter (package ruby).
//
// Facts and wording are those of stdlib 8.5 (lib/puppet/functions and lib/puppet/parser/functions), and of 9.7 for the
// names below stdlib::. Most are 3.x functions: they check their own arguments, and see values as Puppet 3 had them
// (old, in record.go).
//
// It may import functions, eval and what is below them. Start reading at Module, then record.go.
package stdlib

import (
	"slices"
	"strings"
	"time"

	"bunraku/puppet/eval"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Module is the functions of a version of stdlib, as its metadata.json gives it ("" for the newest of 8.x), by name.
// The records are made anew.
func Module(version string) map[string]*eval.Function { return versioned(version) }

// Table is every function of every version: what a manual lists. Where 8.x and 9.x have a name in common it is 8.x's.
func Table() map[string]*eval.Function {
	all := table9()
	for n, f := range Module("") {
		all[n] = f
	}
	return all
}

func enter(t map[string]*eval.Function, fs ...*eval.Function) {
	for _, f := range fs {
		if t[f.Name] != nil {
			panic("stdlib: two records for " + f.Name)
		}
		t[f.Name] = guarded(f)
	}
}

// old8 are the 3.x functions of stdlib 8.5 that Puppet has none of its own for.
func old8() []old {
	var all []old
	for _, group := range [][]old{
		collections(), conversions(), texts(), paths(), checks(), validations(), parsers(), randoms(), passwords(),
		interfaceFunctions(), files(), resources(),
		{rangeFunction(), encloseIPv6(), clock(), pry()},
	} {
		all = append(all, group...)
	}
	return all
}

// old3x is the 3.x function of a name.
func old3x(name string) (old, bool) {
	all3x.once.Do(func() {
		all3x.m = map[string]old{}
		for _, o := range append(shadowed(), old8()...) {
			all3x.m[o.name] = o
		}
	})
	o, known := all3x.m[name]
	return o, known
}

// all3x are the 3.x functions by name. Some of them ask for others.
var all3x struct {
	once source.Once
	m    map[string]old
}

// table8 is stdlib 8.5.
func table8() map[string]*eval.Function {
	t := map[string]*eval.Function{}
	for _, o := range old8() {
		if _, stands := compat[o.name]; stands {
			enter(t, deprecated(o))
		} else {
			enter(t, o.record())
		}
	}
	enter(t, deprecationFunction(false), validateLegacy(false), ensurePackages(), factFunction(), isA(), merge("merge"),
		sprintfHash(), typeOf("type_of"), seededRandString("seeded_rand_string"),
		osVersion("os_version_gte", []string{"operatingsystem"}, []string{"operatingsystemmajrelease"}))
	enter(t, serializers("", false)...)
	enter(t, newParsers("")...)
	enter(t, escapes("")...)
	enter(t, names8()...)
	return t
}

// removed9 are the names of 8.5 that 9.x has no more.
const removed9 = ` camelcase capitalize dig44 has_key hash is_absolute_path is_array is_bool is_domain_name is_email_address is_float
 is_function_available is_hash is_integer is_ip_address is_ipv4_address is_ipv6_address is_mac_address is_numeric is_string private sprintf_hash
 try_get_value type3x validate_absolute_path validate_array validate_bool validate_hash validate_integer validate_ip_address validate_ipv4_address
 validate_ipv6_address validate_numeric validate_re validate_slength validate_string `

// Removed reports whether stdlib had a function once and has it no more.
func Removed(name string) bool { return slices.Contains(strings.Fields(removed9), name) }

// moved9 are the functions that 9.x has below stdlib::, and under their old names with a warning.
const moved9 = ` batch_escape ensure_packages fqdn_rand_string fqdn_rotate has_interface_with merge os_version_gte parsehocon powershell_escape seeded_rand
 seeded_rand_string shell_escape to_json to_json_pretty to_python to_ruby to_toml to_yaml type_of validate_domain_name validate_email_address `

// table9 is stdlib 9.7. stdlib::has_ip_address, stdlib::has_ip_network and stdlib::time are written in Puppet.
func table9() map[string]*eval.Function {
	listed := func(list, name string) bool { return slices.Contains(strings.Fields(list), name) }
	t := map[string]*eval.Function{}
	for _, o := range old8() {
		if !listed(removed9, o.name) && !listed(moved9, o.name) && o.name != "has_ip_address" && o.name != "has_ip_network" &&
			o.name != "time" {
			enter(t, o.record())
		}
	}
	// parsepson is the module's own: it says that it is deprecated, may fail for that, and reads nothing in Puppet 8.
	enter(t, deprecationFunction(true), validateLegacy(true), factFunction(), isA())
	enter(t, names8()...)
	enter(t, names9()...)
	enter(t, sums()...)
	enter(t, randoms9()...)
	enter(t, serializers("stdlib::", true)...)
	enter(t, escapes("stdlib::")...)
	enter(t, newParsers("stdlib::")...)
	enter(t, rewrap(), ensurePackages9(), interfaces9(), merge("stdlib::merge"), typeOf("stdlib::type_of"),
		osVersion("stdlib::os_version_gte", []string{"os", "name"}, []string{"os", "release", "major"}))
	for _, name := range strings.Fields(moved9) {
		enter(t, moved(name, true, nil))
	}
	enter(t, moved("has_ip_address", true, nil), moved("has_ip_network", true, nil), moved("time", false, nil))
	return t
}

// moved makes the old name of a function of 9.x: it warns and calls the new one, from another scope than the caller's
// if from is given.
func moved(name string, warns bool, from func(*eval.Call) *eval.Scope) *eval.Function {
	signature := "Callable[Any, 0]"
	if name == "merge" {
		signature = "Callable[Any, 0, Optional[Variant[Callable[2,2], Callable[3,3]]]]"
	}
	return new4(name, "An old name of stdlib::"+name+".", eval.Observer, signature, []string{"args"},
		func(c *eval.Call) (value.Value, error) {
			if warns {
				if err := deprecate(c, name, "This function is deprecated, please use stdlib::"+name+" instead.",
					false); err != nil {
					return nil, err
				}
			}
			if from != nil {
				d := *c
				d.Scope = from(c)
				v, err := hand(&d, "stdlib::"+name)
				c.Ref = d.Ref
				return v, err
			}
			return hand(c, "stdlib::"+name)
		})
}

// hand calls another function with the arguments of this call. The result comes from where that says.
func hand(c *eval.Call, name string) (value.Value, error) {
	if f := c.Eval.World().Function(name); f != nil {
		c.MustSay(f.Does)
	}
	v, ref, err := c.Eval.CallTraced(c.Scope, name, c.Args, c.Refs, c.Block, c.Place)
	c.Ref = ref
	return v, err
}

// clock is the function time.
func clock() old {
	return old{"time", "The seconds since 1970. A catalog that has it is another one each time.", eval.Observer, -1,
		func(c *eval.Call) (value.Value, error) {
			if len(c.Args) > 1 {
				return nil, parseErrorf("time(): Wrong number of arguments given %d for 0 or 1", len(c.Args))
			}
			c.Ref = randomly(c, "clock")
			return value.Int(time.Now().Unix()), nil
		}}
}

// puppet3x are the 3.x functions of Puppet itself, stubs of later ones included.
const puppet3x = ` assert_type binary_file break contain create_resources defined dig digest each epp fail file filter find_file fqdn_rand generate hiera
 hiera_array hiera_hash hiera_include include inline_epp inline_template lest lookup map match md5 new next realize reduce regsubst require return
 reverse_each scanf sha1 sha256 shellquote slice split sprintf step strftime tag tagged template then type versioncmp with alert crit debug emerg err info
 notice warning `

// IsPuppet3x reports whether Puppet itself has a 3.x function of a name.
func IsPuppet3x(name string) bool { return slices.Contains(strings.Fields(puppet3x), name) }

// is3x reports whether there is a 3.x function of a name: one of Puppet, or of a module that is there.
func is3x(c *eval.Call, name string) bool {
	if IsPuppet3x(name) {
		return true
	}
	if w, ok := c.Eval.World().(interface {
		Function3x(name string) *eval.Function
	}); ok {
		return w.Function3x(name) != nil
	}
	_, known := old3x(name)
	return known && c.Eval.World().Function(name) != nil
}
