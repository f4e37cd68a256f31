package stdlib

import (
	"bunraku/puppet/eval"
	"bunraku/puppet/value"
)

// A module is the functions of one module.
type module struct {
	name string
	old  []old
	new  []*eval.Function
}

// others are the modules besides stdlib. Which functions are here was decided by counting calls in all of Debian's
// modules (TestUses); those that talk to a network or run programs are left out.
func others() []module {
	return []module{
		{name: "apache", new: apache()},
		{name: "archive", old: []old{nexusURL()}, new: []*eval.Function{artifactoryURL()}},
		{name: "collectd", old: []old{collectdProcesses()}},
		{name: "datacat", old: []old{templateBody()}},
		{name: "dns", old: []old{arpa(), date()}},
		{name: "inifile", new: inifile()},
		{name: "ironic", new: []*eval.Function{dnsmasqSubnets()}},
		{name: "mcollective", old: []old{mcoStrings()}},
		{name: "memcached", new: []*eval.Function{maxMemory()}},
		{name: "mongodb", old: []old{mongodbPassword()}},
		{name: "murano", new: []*eval.Function{externalNetwork()}},
		{name: "mysql", old: []old{mysqlPasswordOld()}, new: mysql()},
		{name: "neutron", new: neutron()},
		{name: "nova", new: []*eval.Function{jsonStrings()}},
		{name: "openstack_extras", new: []*eval.Function{yumHash()}},
		{name: "openstacklib", new: openstacklib()},
		{name: "postgresql", new: postgresql()},
		{name: "redis", old: []old{getvarEmpty()}},
		{name: "ssh", old: []old{ipAddresses()}},
		{name: "staging", old: []old{stagingParse()}},
		{name: "translate", new: []*eval.Function{translate()}},
		{name: "vswitch", new: []*eval.Function{rangeToMask()}},
	}
}

// free is a 4.x function without a signature: it takes what its Ruby method takes.
func free(name, doc string, f run) *eval.Function {
	return new4(name, doc, eval.Pure, "Callable[Any, 0]", []string{"args"}, f)
}

// renamed is a function that only warns and calls another.
func renamed(name, other, word string) *eval.Function {
	return &eval.Function{Name: name, Doc: "An old name of " + other + ".", Flow: eval.Observer,
		Dispatches: []eval.Dispatch{{
			Signature: "Callable[Any, 0]", Names: []string{"args"}, Run: func(c *eval.Call) (value.Value, error) {
				if err := deprecate(c, name, "This "+word+" is deprecated, please use "+other+" instead.", true); err != nil {
					return nil, err
				}
				return hand(c, other)
			},
		}}}
}
