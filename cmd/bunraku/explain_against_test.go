package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// Two nodes are the same but for one thing that is planted: a fact, a datum of the node or of its role, a parameter in
// the node's statement, something of its certificate. It goes through one to five steps to a slot of the catalog, along
// data and conditions that both nodes have alike, though perhaps in files of their own. The planted thing must be the
// first that --against names: as the first cause, or as the first of what the decision looks at that comes first.

// An againstSite is a site while it is being made.
type againstSite struct {
	*rand.Rand
	files       map[string]string
	bodies      map[string]*strings.Builder // of manifests: what goes before the closing brace
	body        *strings.Builder            // where code goes now
	class       string                      // the class that it is in, "" in a define
	facts       [2]map[string]any
	trusted     [2]map[string]any
	node        [2]string // data of the nodes
	role        [2]string // data of the roles
	common      string
	expr        string    // what has the value now
	key         string    // the Hiera key that has it, if one does
	value       [2]string // of the two nodes
	names, step int

	kind    string
	places  []string // of the planted thing, "file:line"; nil for facts
	fact    string   // what it is called, for facts
	ref     []string
	through []string
}

// name is a new name.
func (s *againstSite) name(prefix string) string {
	s.names++
	return fmt.Sprintf("%s%d", prefix, s.names)
}

// line writes a line of code where code goes now.
func (s *againstSite) line(format string, args ...any) {
	fmt.Fprintf(s.body, "  "+format+"\n", args...)
}

// in begins a class or define; code goes there from now on.
func (s *againstSite) in(kind, name, params string) {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s site::%s(%s) {\n", kind, name, params)
	s.bodies["modules/site/manifests/"+name+".pp"] = b
	s.body, s.class = b, ""
	if kind == "class" {
		s.class = "site::" + name
	}
}

// datum adds a line to data, and returns it as a place.
func againstDatum(text *string, file, key, value string) string {
	*text += fmt.Sprintf("%s: '%s'\n", key, value)
	return fmt.Sprintf("%s:%d", file, strings.Count(*text, "\n"))
}

// shared is something that both nodes have alike: a fact, a datum of all, a datum in a file of each.
func (s *againstSite) shared() string {
	switch s.IntN(4) {
	case 0:
		return "$facts['os']['family']"
	case 1:
		key := s.name("all")
		s.common += key + ": same\n"
		return "lookup('" + key + "')"
	case 2:
		key := s.name("each")
		for i := range s.node {
			s.node[i] += key + ": same\n"
		}
		return "lookup('" + key + "')"
	}
	key := s.name("ours")
	for i := range s.role {
		s.role[i] += key + ": same\n"
	}
	return "lookup('" + key + "')"
}

// plant chooses the thing that differs.
func (s *againstSite) plant(kind string) {
	s.kind, s.value = kind, [2]string{"red", "blue"}
	if s.IntN(2) == 0 {
		s.value = [2]string{"blue", "red"}
	}
	node := func(i int) string { return fmt.Sprintf("data/nodes/%s.yaml", againstNodes[i]) }
	role := func(i int) string { return "data/role/" + againstRoles[i] + ".yaml" }
	s.bodies["modules/site/manifests/init.pp"] = &strings.Builder{}
	s.body, s.class = s.bodies["modules/site/manifests/init.pp"], "site"
	site := "node default {\n  include site\n}\n"
	head := "class site {\n"
	switch kind {
	case "fact":
		s.fact, s.expr = "fact colour", "$facts['colour']"
		for i := range s.facts {
			s.facts[i]["colour"] = s.value[i]
		}
		if s.IntN(3) == 0 {
			s.expr = "$::colour"
		}
	case "fact in a fact":
		s.fact, s.expr = "fact paint.coat.colour", "$facts['paint']['coat']['colour']"
		for i := range s.facts {
			s.facts[i]["paint"] = map[string]any{"coat": map[string]any{"colour": s.value[i], "thick": 3}, "dry": true}
		}
		if s.IntN(3) == 0 {
			s.expr = "$facts.dig('paint', 'coat', 'colour')"
		}
	case "datum of the node":
		s.key, s.expr = "colour", "lookup('colour')"
		for i := range s.node {
			s.places = append(s.places, againstDatum(&s.node[i], node(i), "colour", s.value[i]))
		}
	case "datum of one node": // the other has that of all
		s.key, s.expr = "colour", "lookup('colour')"
		i := s.IntN(2)
		s.places = append(s.places, againstDatum(&s.node[i], node(i), "colour", s.value[i]),
			againstDatum(&s.common, "data/common.yaml", "colour", s.value[1-i]))
	case "datum of the role":
		s.key, s.expr = "colour", "lookup('colour')"
		for i := range s.role {
			s.facts[i]["role"] = againstRoles[i]
			s.places = append(s.places, againstDatum(&s.role[i], role(i), "colour", s.value[i]))
		}
	case "parameter by the data of the node":
		head, s.expr = "class site($colour = 'none') {\n", "$colour"
		for i := range s.node {
			s.places = append(s.places, againstDatum(&s.node[i], node(i), "site::colour", s.value[i]))
		}
	case "parameter in the node's statement":
		head, s.expr = "class site($colour) {\n", "$colour"
		site = ""
		for i, name := range againstNodes {
			site += fmt.Sprintf("node '%s' {\n  class { 'site':\n    colour => '%s',\n  }\n}\n", name, s.value[i])
			s.places = append(s.places, fmt.Sprintf("manifests/site.pp:%d", 5*i+3))
		}
	case "certificate":
		s.fact, s.expr = "trusted.extensions.pp_zone", "$trusted['extensions']['pp_zone']"
		for i := range s.trusted {
			s.trusted[i] = map[string]any{"extensions": map[string]any{"pp_zone": s.value[i]}}
		}
	}
	s.body.WriteString(head)
	s.files["manifests/site.pp"] = site
}

var (
	againstNodes = [2]string{"one.example", "two.example"}
	againstRoles = [2]string{"front", "back"}
)

// becomes is what a step makes of the value: a text around it.
func (s *againstSite) around() (text string) {
	tag := s.name("v")
	for i := range s.value {
		s.value[i] = tag + "-" + s.value[i]
	}
	return tag + "-"
}

// turned is what a condition makes of the value: one of two words.
func (s *againstSite) turned() (was, is, other string) {
	was, is, other = s.value[0], s.name("yes"), s.name("no")
	s.value = [2]string{is, other}
	return was, is, other
}

// assign gives the expression to a new variable.
func (s *againstSite) assign(expr string) {
	v := s.name("v")
	s.line("$%s = %s", v, expr)
	s.expr = "$" + v
}

// through are the steps.
var againstSteps = map[string]func(s *againstSite){
	"variable": func(s *againstSite) { s.assign(s.expr) },
	"string":   func(s *againstSite) { s.assign(fmt.Sprintf("\"%s${%s}\"", s.around(), s.expr)) },
	"string with shared data": func(s *againstSite) {
		x := s.shared()
		s.assign(fmt.Sprintf("\"${%s}-${%s}\"", x, s.expr))
		word := "same"
		if strings.Contains(x, "family") {
			word = "Debian"
		}
		for i := range s.value {
			s.value[i] = word + "-" + s.value[i]
		}
	},
	"define": func(s *againstSite) {
		name := s.name("d")
		s.line("site::%s { 'x': p => %s }", name, s.expr)
		s.in("define", name, "$p")
		s.expr = "$p"
	},
	"class": func(s *againstSite) {
		name := s.name("k")
		s.line("class { 'site::%s': p => %s }", name, s.expr)
		s.in("class", name, "$p = 'unset'")
		s.expr = "$p"
	},
	"variable of another class": func(s *againstSite) {
		if s.class == "" {
			s.assign(s.expr)
			return
		}
		v := s.name("v")
		s.line("$%s = %s", v, s.expr)
		class, name := s.class, s.name("k")
		s.line("include site::%s", name)
		s.in("class", name, "")
		s.expr = "$" + class + "::" + v
	},
	"function": func(s *againstSite) {
		name := s.name("f")
		s.files["modules/site/functions/"+name+".pp"] = fmt.Sprintf("function site::%s($x) {\n  \"%s${x}\"\n}\n", name,
			s.around())
		s.assign(fmt.Sprintf("site::%s(%s)", name, s.expr))
	},
	"function with a condition": func(s *againstSite) {
		name := s.name("f")
		was, is, other := s.turned()
		s.files["modules/site/functions/"+name+".pp"] = fmt.Sprintf(
			"function site::%s($x) {\n  if $x == '%s' {\n    '%s'\n  } else {\n    '%s'\n  }\n}\n", name, was, is, other)
		s.assign(fmt.Sprintf("site::%s(%s)", name, s.expr))
	},
	"function that returns early": func(s *againstSite) {
		name := s.name("f")
		was, is, other := s.turned()
		s.files["modules/site/functions/"+name+".pp"] = fmt.Sprintf(
			"function site::%s($x) {\n  if $x == '%s' {\n    return('%s')\n  }\n  '%s'\n}\n", name, was, is, other)
		s.assign(fmt.Sprintf("site::%s(%s)", name, s.expr))
	},
	"EPP": func(s *againstSite) {
		name := s.name("t") + ".epp"
		s.files["modules/site/templates/"+name] = fmt.Sprintf("<%%- | $x | -%%>\n%s<%%= $x -%%>\n", s.around())
		s.assign(fmt.Sprintf("epp('site/%s', { 'x' => %s })", name, s.expr))
	},
	"ERB": func(s *againstSite) {
		name := s.name("t")
		s.assign(s.expr)
		s.files["modules/site/templates/"+name+".erb"] = fmt.Sprintf("%s<%%= @%s -%%>\n", s.around(), s.expr[1:])
		s.assign(fmt.Sprintf("template('site/%s.erb')", name))
	},
	"inline EPP with a condition": func(s *againstSite) {
		was, is, other := s.turned()
		s.assign(fmt.Sprintf("inline_epp('<%% if $x == \"%s\" { -%%>%s<%% } else { -%%>%s<%% } -%%>', { 'x' => %s })", was, is,
			other, s.expr))
	},
	"if": func(s *againstSite) {
		was, is, other := s.turned()
		v := s.name("v")
		s.line("if %s == '%s' {\n    $%s = '%s'\n  } else {\n    $%s = '%s'\n  }", s.expr, was, v, is, v, other)
		s.expr = "$" + v
	},
	"if with shared data": func(s *againstSite) {
		x := s.shared()
		was, is, other := s.turned()
		v := s.name("v")
		s.line("if %s != 'none' and %s == '%s' {\n    $%s = '%s'\n  } else {\n    $%s = '%s'\n  }", x, s.expr, was, v, is, v,
			other)
		s.expr = "$" + v
	},
	"unless": func(s *againstSite) {
		was, is, other := s.turned()
		v := s.name("v")
		s.line("$%s = unless %s =~ /^%s$/ { '%s' } else { '%s' }", v, s.expr, was, other, is)
		s.expr = "$" + v
	},
	"selector": func(s *againstSite) {
		was, is, other := s.turned()
		s.assign(fmt.Sprintf("%s ? { '%s' => '%s', default => '%s' }", s.expr, was, is, other))
	},
	"case": func(s *againstSite) {
		was, is, other := s.turned()
		v := s.name("v")
		s.line("case %s {\n    '%s': { $%s = '%s' }\n    default: { $%s = '%s' }\n  }", s.expr, was, v, is, v, other)
		s.expr = "$" + v
	},
	"table": func(s *againstSite) {
		a, b := s.value[0], s.value[1]
		_, is, other := s.turned()
		t := s.name("v")
		s.line("$%s = { '%s' => '%s', '%s' => '%s' }", t, a, is, b, other)
		s.assign(fmt.Sprintf("$%s[%s]", t, s.expr))
	},
	"list": func(s *againstSite) {
		s.assign(fmt.Sprintf("[%s, 'z'].map |$x| { \"%s${x}\" }", s.expr, s.around()))
		s.expr += "[0]"
	},
	"sum of hashes": func(s *againstSite) {
		s.assign(fmt.Sprintf("{ 'a' => %s, 'b' => 'first' } + { 'b' => %s }", s.shared(), s.expr))
		s.expr += "['b']"
	},
	"computed key": func(s *againstSite) {
		a, b := s.value[0], s.value[1]
		_, is, other := s.turned()
		key := s.name("key")
		s.common += fmt.Sprintf("%s_%s: %s\n%s_%s: %s\n", key, a, is, key, b, other)
		s.assign(fmt.Sprintf("lookup(\"%s_${%s}\")", key, s.expr))
	},
	"interpolation in data": func(s *againstSite) {
		of := map[string]string{"fact": "facts.colour", "fact in a fact": "facts.paint.coat.colour",
			"certificate": "trusted.extensions.pp_zone"}[s.kind]
		if s.key != "" {
			of = "lookup('" + s.key + "')"
		}
		if of == "" || s.step > 0 && s.key == "" {
			s.assign(fmt.Sprintf("\"%s${%s}\"", s.around(), s.expr))
			return
		}
		key := s.name("key")
		s.common += fmt.Sprintf("%s: \"%s%%{%s}\"\n", key, s.around(), of)
		s.assign(fmt.Sprintf("lookup('%s')", key))
	},
}

// againstEnds are the slots that the value ends in.
var againstEnds = map[string]func(s *againstSite){
	"attribute": func(s *againstSite) {
		s.line("notify { 'end': message => %s }", s.expr)
		s.ref = []string{"Notify[end]", "message"}
	},
	"text": func(s *againstSite) {
		s.line("file { '/end': content => \"of ${%s}: ${%s}\\n\" }", s.shared(), s.expr)
		s.ref = []string{"File[/end]", "content"}
	},
	"resource": func(s *againstSite) {
		s.line("if %s == '%s' {\n    notify { 'end': }\n  }", s.expr, s.value[s.IntN(2)])
		s.ref = []string{"Notify[end]"}
	},
	"splat": func(s *againstSite) {
		s.line("notify { 'end': * => { 'message' => %s } }", s.expr)
		s.ref = []string{"Notify[end]", "message"}
	},
	"override": func(s *againstSite) {
		s.line("notify { 'end': message => 'old' }\n  Notify<| title == 'end' |> { message => %s }", s.expr)
		s.ref = []string{"Notify[end]", "message"}
	},
	"default": func(s *againstSite) {
		name := s.name("k")
		s.line("class { 'site::%s': p => %s }", name, s.expr)
		s.in("class", name, "$p")
		s.line("Notify { message => $p }\n  notify { 'end': }")
		s.ref = []string{"Notify[end]", "message"}
	},
	"create_resources": func(s *againstSite) {
		s.line("create_resources('notify', { 'end' => { 'message' => %s } })", s.expr)
		s.ref = []string{"Notify[end]", "message"}
	},
	"attribute or none": func(s *againstSite) {
		s.line("$end = %s ? { '%s' => undef, default => 'set' }\n  notify { 'end': message => $end }", s.expr,
			s.value[s.IntN(2)])
		s.ref = []string{"Notify[end]", "message"}
	},
	"included class": func(s *againstSite) {
		name := s.name("k")
		s.line("if %s == '%s' {\n    include site::%s\n  }", s.expr, s.value[s.IntN(2)], name)
		s.in("class", name, "")
		s.line("notify { 'end': }")
		s.ref = []string{"Notify[end]"}
	},
}

var againstKinds = []string{"fact", "fact in a fact", "datum of the node", "datum of one node", "datum of the role",
	"parameter by the data of the node", "parameter in the node's statement", "certificate"}

// newAgainstSite makes one.
func newAgainstSite(seed int) *againstSite {
	s := &againstSite{Rand: rand.New(rand.NewPCG(uint64(seed), 101)), files: map[string]string{},
		bodies: map[string]*strings.Builder{}, common: "---\n"}
	for i := range 2 {
		s.facts[i] = map[string]any{"os": map[string]any{"family": "Debian"}, "kernel": "Linux", "role": "front"}
		s.node[i], s.role[i] = "---\n", "---\n"
		for range s.IntN(3) {
			s.node[i] += "# no more than a remark\n" // so that lines of the two files are others
		}
	}
	s.plant(againstKinds[seed%len(againstKinds)])
	steps := againstNames(againstSteps)
	for range 1 + s.IntN(5) {
		name := steps[s.IntN(len(steps))]
		s.through = append(s.through, name)
		againstSteps[name](s)
		s.step++
		s.key = ""
	}
	ends := againstNames(againstEnds)
	end := ends[s.IntN(len(ends))]
	s.through = append(s.through, end)
	againstEnds[end](s)
	for name, b := range s.bodies {
		s.files[name] = b.String() + "}\n"
	}
	s.files["hiera.yaml"] = "version: 5\nhierarchy:\n" +
		"  - {name: node, path: \"nodes/%{trusted.certname}.yaml\"}\n" +
		"  - {name: role, path: \"role/%{facts.role}.yaml\"}\n" +
		"  - {name: common, path: common.yaml}\n"
	s.files["data/common.yaml"] = s.common
	for i, name := range againstNodes {
		s.files["data/nodes/"+name+".yaml"], s.files["data/role/"+againstRoles[i]+".yaml"] = s.node[i], s.role[i]
		facts := map[string]any{"name": name, "values": s.facts[i]}
		if s.trusted[i] != nil {
			facts["trusted"] = s.trusted[i]
		}
		text, _ := json.Marshal(facts)
		s.files["facts/"+name+".json"] = string(text)
	}
	return s
}

func againstNames(m map[string]func(*againstSite)) (out []string) {
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// againstCause is a cause as JSON has it.
type againstCause struct {
	Kind, Text string
	LeftAt     *againstSpot `json:"left_at"`
	RightAt    *againstSpot `json:"right_at"`
	Facts      []againstCause
}

type againstSpot struct {
	File string
	Line int
}

// isFirst reports whether the first of some causes is the planted thing. Nodes that read data of another role have
// another role, which may be told before.
func (s *againstSite) isFirst(dir string, list []againstCause) bool {
	if len(list) > 0 && list[0].Kind == "decision" {
		list = list[0].Facts
	}
	if len(list) > 1 && s.kind == "datum of the role" && list[0].Text == "fact role" {
		list = list[1:]
	}
	return len(list) > 0 && s.isPlanted(dir, list[0])
}

// isPlanted reports whether a cause is the planted thing.
func (s *againstSite) isPlanted(dir string, c againstCause) bool {
	if s.fact != "" {
		return c.Text == s.fact
	}
	for _, at := range []*againstSpot{c.LeftAt, c.RightAt} {
		if at == nil {
			continue
		}
		name, _ := filepath.Rel(dir, at.File)
		if !slices.Contains(s.places, fmt.Sprintf("%s:%d", filepath.ToSlash(name), at.Line)) {
			return false
		}
	}
	return c.LeftAt != nil || c.RightAt != nil
}

// testAgainst asks one question of each site.
func testAgainst(t *testing.T, sites int) (right int) {
	of, all := map[string]int{}, map[string]int{}
	for seed := range sites {
		s := newAgainstSite(seed)
		dir := filepath.Join(t.TempDir(), "env")
		writeFiles(t, filesBelow(dir, s.files))
		args := append([]string{"explain", dir, "--node", againstNodes[0], "--against", againstNodes[1]}, s.ref...)
		code, out, errs := call(append(args, "--format", "json")...)
		var answer struct {
			Same   bool
			Causes []againstCause
		}
		if err := json.Unmarshal([]byte(out), &answer); code != 0 || err != nil || answer.Same {
			t.Fatalf("seed %d (%s, %s): exit %d, %v: %s%s\n%s", seed, s.kind, strings.Join(s.through, ", "), code, err, out,
				errs, againstText(s.files))
		}
		all[s.kind]++
		if s.isFirst(dir, answer.Causes) {
			of[s.kind]++
			right++
			continue
		}
		_, text, _ := call(args...)
		fmt.Printf("missed: seed %d, %s at %s%s, through %s:\n%s%s\n", seed, s.kind, strings.Join(s.places, " "), s.fact,
			strings.Join(s.through, ", "), strings.ReplaceAll(text, dir+"/", ""), againstText(s.files))
	}
	for _, kind := range againstKinds {
		fmt.Printf("--against: %-40s %d of %d\n", kind, of[kind], all[kind])
	}
	return right
}

// filesBelow are files in a directory.
func filesBelow(dir string, files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		out[filepath.Join(dir, name)] = text
	}
	return out
}

// againstText is a site for people.
func againstText(files map[string]string) (out string) {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out += "-- " + name + " --\n" + strings.TrimSuffix(files[name], "\n") + "\n"
	}
	return out
}

// TestExplainAgainstPlanted asks some sites.
func TestExplainAgainstPlanted(t *testing.T) {
	if right := testAgainst(t, 32); right < 32 {
		t.Errorf("%d of 32 name the planted thing first", right)
	}
}

// TestAcceptAgainst: why is it another there? What was planted comes first.
func TestAcceptAgainst(t *testing.T) {
	live.Accept(t)
	right := testAgainst(t, 200)
	fmt.Printf("--against: the planted thing is named first in %d of 200 (bar 99 %%)\n", right)
	if right < 198 {
		t.Errorf("%d of 200", right)
	}
}
