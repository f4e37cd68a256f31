package compiler

import (
	"strings"
	"sync"

	"bunraku/puppet/eval"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/resource"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Nearly every module needs stdlib, and a module as it was cloned lies alone. For whoever only wants to look at such a
// tree (Options.StandIn) what is built in of stdlib stands in for it: its functions, which we have in Go, its types,
// and the two resource types. Whether any of it was used is told (Snapshot.StoodIn): Puppet would have refused.

// StandInVersion is the version of stdlib that what is built in follows.
const StandInVersion = "9.7.0"

// StoodIn reports whether stdlib is absent and something that is built in was used instead.
func (c *Snapshot) StoodIn() bool { return c.stoodIn.Load() }

// standsIn reports whether what is built in may be used.
func (c *Snapshot) standsIn() bool { return c.opt.StandIn && c.env.Module("stdlib") == nil }

// OnceOfStdlib reports whether a function is one that older versions of stdlib have, and stdlib is not there: who knows
// which one the tree is for.
func (c *Snapshot) OnceOfStdlib(name string) bool {
	return c.env.Module("stdlib") == nil && stdlib.Removed(name)
}

var standInFunctions = sync.OnceValue(func() map[string]*eval.Function {
	return stdlib.Module(StandInVersion)
})

// standInFile is a file of stdlib's code; nil if there is none.
func (c *Snapshot) standInFile(kind standInKind, name string) *syntax.File {
	text := ""
	switch kind {
	case standInType:
		text = stdlib.Alias(name)
	case standInFunction:
		text = standInCode[name]
	case standInClass:
		if name == "stdlib" {
			text = "class stdlib { }\n"
		}
	}
	if text == "" {
		return nil
	}
	c.stoodIn.Store(true)
	f, ds := syntax.Parse(source.NewFile("stdlib (built in)", text), syntax.Options{Language: c.set.Language})
	if ds.HasErrors() {
		panic("compiler: built-in " + name + ": " + ds[0].Summary)
	}
	return f
}

type standInKind uint8

const (
	standInType standInKind = iota
	standInClass
	standInFunction
)

// standInCode are functions that stdlib has in Puppet's language.
var standInCode = map[string]string{
	// A Deferred among the values would make the whole text deferred; then nobody knows it now.
	"stdlib::deferrable_epp": "function stdlib::deferrable_epp(String $template, Hash $variables) { epp($template, " +
		"$variables) }\n",
	"stdlib::ensure": `function stdlib::ensure($ensure, $resource = undef) {
  $on = $ensure ? { Boolean => $ensure, default => $ensure != 'absent' }
  $yes = $resource ? { undef => 'present', 'package' => 'installed', 'service' => 'running', default => $resource }
  $no = $resource ? { 'service' => 'stopped', default => 'absent' }
  if $on { $yes } else { $no }
}
`,
}

// standInTypes are stdlib's resource types.
var standInTypes = map[string]*resource.Type{
	"anchor": {Name: "anchor", Module: "stdlib", Params: []resource.Attribute{{Name: "name"}}, Namevars: []string{"name"},
		Isomorphic: true, Refreshable: true},
	"file_line": {Name: "file_line", Module: "stdlib", Ensurable: true, Isomorphic: true, Namevars: []string{"name"},
		Properties: attributes("ensure line"),
		Params: attributes("name path match match_for_absence multiple after encoding replace " +
			"replace_all_matches_not_matching_line append_on_no_match provider")},
}

func attributes(names string) (out []resource.Attribute) {
	for _, n := range strings.Fields(names) {
		out = append(out, resource.Attribute{Name: n})
	}
	return out
}
