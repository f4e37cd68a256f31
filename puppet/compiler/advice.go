package compiler

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/facts"
	"bunraku/source"
)

// advise adds to a failure what can be done about it, if it takes the environment or the facts to tell: what is missing
// where.
func (c *Snapshot) advise(d *source.Diagnostic, node *facts.Facts) {
	if m := unknownVariable.FindStringSubmatch(d.Summary); m != nil {
		if help := missingFact(m[1], node); help != "" {
			d.Help = help
		}
	}
	for _, a := range advices {
		if m := a.about.FindStringSubmatch(d.Summary); m != nil {
			if d.Help == "" {
				d.Help = a.help(c, m[1])
			}
			if d.Help == declareOnce && len(d.Related) > 0 && d.Related[0].Place.File == d.Place.File {
				d.Help = "declare it once; if two things are meant, give one of them another title"
			}
			if computed(d.Place, m[1]) {
				d.Help = strings.TrimLeft(suggestion.ReplaceAllString(d.Help, ""), "; ")
			}
			return
		}
	}
}

// declareOnce is the advice about what is declared at two places.
const declareOnce = "declare it once, in a class that both include; or as a virtual resource that both realize"

var suggestion = regexp.MustCompile(`(?:; | \()?did you mean [^?]*\?\)?`)

// computed reports whether a name is made of variables where it is used: nobody has written it, so it is no slip.
func computed(at source.Place, name string) bool {
	if !at.Known() {
		return false
	}
	text := strings.ToLower(at.File.Text[at.Span.Start:at.Span.End])
	name = strings.ToLower(strings.TrimSuffix(name, ":")) // a class is named with :: before it, or without
	return strings.Contains(text, "$") && !strings.Contains(text, strings.Trim(name, ":"))
}

// An advice is what to do about messages of a form; its first group is the name of what is missing.
type advice struct {
	about *regexp.Regexp
	help  func(c *Snapshot, name string) string
}

var unknownVariable = regexp.MustCompile(`Unknown variable: '(?:::)?([^':]+)'\.$`)

var advices = []advice{
	{regexp.MustCompile(`Could not find (?:declared )?class (?:::)?(\S+)`),
		func(c *Snapshot, name string) string { return c.missingCode("class", name) }},
	{regexp.MustCompile(`Could not find parent resource type '(?:::)?([^']+)'`),
		func(c *Snapshot, name string) string { return c.missingCode("class", name) }},
	{regexp.MustCompile(`Unknown resource type: '([^']+)'`), func(c *Snapshot, name string) string {
		if strings.Contains(name, "::") {
			return c.missingCode("define", name)
		}
		return "no module on the module path has lib/puppet/type/" + strings.ToLower(name) + ".rb; " + c.searched()
	}},
	{regexp.MustCompile(`Unknown function: '([^']+)'`), func(c *Snapshot, name string) string {
		module, rest, inModule := strings.Cut(strings.TrimPrefix(name, "::"), "::")
		switch {
		case name == AsksPuppetDB:
			return "PuppetDB's terminus brings it: --puppetdb URL asks one, --mock FILE gives the answers"
		case !inModule:
			return "no module on the module path has it; " + c.searched()
		case c.env.Module(module) == nil:
			return c.noModule(module)
		}
		return "module " + module + " has neither functions/" + strings.ReplaceAll(rest, "::", "/") +
			".pp nor lib/puppet/functions/" + strings.ReplaceAll(name, "::", "/") + ".rb"
	}},
	{regexp.MustCompile(`Could not find template '([^']+)'`),
		func(c *Snapshot, name string) string { return c.missingFile("templates", name) }},
	{regexp.MustCompile(`Could not find any files from ([^,]+)$`),
		func(c *Snapshot, name string) string { return c.missingFile("files", name) }},
	{regexp.MustCompile(`did not find a value for the name '([^']+)'`), func(_ *Snapshot, name string) string {
		return "no level of Hiera has " + name + ": add the key, or give lookup() a default value"
	}},
	{regexp.MustCompile(`Could not find resource '([^']+)'`), func(_ *Snapshot, name string) string {
		return "nothing declares " + name + " on this node: declare it, or take the relationship away"
	}},
	{regexp.MustCompile(`Failed to realize virtual resources (.+)$`), func(_ *Snapshot, name string) string {
		return "nothing declares " + name + " on this node, as a virtual resource or otherwise"
	}},
	{regexp.MustCompile(`Duplicate declaration: (\S+)\[`), func(_ *Snapshot, name string) string {
		if name == "Class" {
			return "write include for one of them: a class with parameters can be declared only once, and before it is included"
		}
		return declareOnce
	}},
}

// missingCode says which file a class or define should be in.
func (c *Snapshot) missingCode(kind, name string) string {
	module, rest, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(name, "::")), "::")
	m := c.env.Module(module)
	if m == nil {
		return c.noModule(module)
	}
	file := "manifests/init.pp"
	if rest != "" {
		file = "manifests/" + strings.ReplaceAll(rest, "::", "/") + ".pp"
	}
	where := "module " + module + " in " + c.env.Display(m.Dir)
	if _, there := c.env.ManifestFile(module, rest); !there {
		return where + " has no " + file + c.nearCode(m.Dir, module, rest)
	}
	return file + " of " + where + " is there, but it declares no " + kind + " of this name"
}

// nearCode names a class or define of a module that may have been meant: what its files are called after.
func (c *Snapshot) nearCode(dir, module, rest string) string {
	var names []string
	root := filepath.Join(dir, "manifests")
	// What cannot be read suggests nothing.
	_ = source.Walk(c.files, root, func(file string, d source.Entry) bool {
		if d.IsDir() || filepath.Ext(file) != ".pp" {
			return true
		}
		if rel, err := filepath.Rel(root, strings.TrimSuffix(file, ".pp")); err == nil && rel != "init" {
			names = append(names, module+"::"+strings.ReplaceAll(filepath.ToSlash(rel), "/", "::"))
		}
		return true
	})
	if near := source.Nearest(module+"::"+rest, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// missingFile says where a template or file should be.
func (c *Snapshot) missingFile(kind, name string) string {
	module, rest, inModule := strings.Cut(name, "/")
	if path.IsAbs(name) {
		var no *source.Refused
		if _, err := c.files.Stat(path.Clean(name)); errors.As(err, &no) && no.Flag != "" {
			return "it " + no.Why + "; say " + no.Flag + " if it may be, or --allow-outside if you vouch for the tree"
		}
	}
	if !inModule || path.IsAbs(name) {
		return "it is named MODULE/FILE, and stands in " + kind + " of the module"
	}
	m := c.env.Module(module)
	if m == nil {
		return c.noModule(module)
	}
	at := path.Join(m.Dir, kind, rest)
	var names []string
	entries, _ := c.files.List(path.Dir(at)) // no directory has no names
	for _, e := range entries {
		names = append(names, e.Name)
	}
	help := "there is no " + c.env.Display(at)
	if near := source.Nearest(path.Base(at), names); near != "" {
		help += "; did you mean " + path.Join(path.Dir(name), near) + "?"
	}
	return help
}

// noModule says that a module is missing, and which may have been meant.
func (c *Snapshot) noModule(name string) string {
	var names []string
	for _, m := range c.env.Modules() {
		names = append(names, m.Name)
	}
	near := ""
	if x := source.Nearest(name, names); x != "" {
		near = " (did you mean " + x + "?)"
	}
	return "there is no module " + name + near + "; " + c.searched()
}

// searched is where modules were looked for.
func (c *Snapshot) searched() string {
	if len(c.env.ModulePath) == 0 {
		return "there is no module path: give --modulepath, or a directory with environment.conf"
	}
	var dirs []string
	for _, d := range c.env.ModulePath {
		text := c.env.Display(d)
		if _, err := c.files.Stat(d); errors.Is(err, fs.ErrNotExist) {
			text += " (not there)"
		} else if err != nil {
			text += " (not read)"
		}
		dirs = append(dirs, text)
	}
	return "the module path is " + strings.Join(dirs, ", ")
}

// missingFact says what to do about a fact that modules take for granted; "" if the name is none.
func missingFact(name string, node *facts.Facts) string {
	modern, legacy := facts.Legacy[name]
	switch {
	case slices.Contains(agentFacts, name):
		return "every agent adds " + name +
			" to the facts that it sends, facter does not: add it to the file of facts, or take PuppetDB's facts"
	case legacy && node == nil:
		return "it is a fact, and the node has none: give --facts FILE"
	case legacy:
		return "it is a legacy fact, which these facts lack: use $facts" + path1(modern) +
			", or make them with `facter --show-legacy`"
	}
	return ""
}

// path1 is a fact's path as code reads it: os.family is ['os']['family'].
func path1(fact string) string {
	return "['" + strings.ReplaceAll(fact, ".", "']['") + "']"
}

// agentFacts are those that agents add to facter's (Puppet::Node::Facts#add_local_facts).
var agentFacts = []string{"clientcert", "clientversion", "clientnoop"}
