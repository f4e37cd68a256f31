package resource_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bunraku/puppet/resource"
	"bunraku/puppet/value"
)

// testFiles are the files of one module, m.
type testFiles map[string]string

func (f testFiles) find(path string) (string, bool) {
	_, ok := f[path]
	return "/m/" + path, ok
}

func (f testFiles) Type(name string) (string, bool)    { return f.find("lib/puppet/type/" + name + ".rb") }
func (f testFiles) Feature(name string) (string, bool) { return f.find("lib/" + name + ".rb") }
func (f testFiles) Generated(name string) (string, bool) {
	return f.find(".resource_types/" + name + ".pp")
}
func (f testFiles) Providers(typ string) []string { return strings.Fields(f["providers "+typ]) }
func (f testFiles) Display(path string) string    { return strings.TrimPrefix(path, "/m/") }
func (f testFiles) Read(path string) (string, error) {
	if text, ok := f[strings.TrimPrefix(path, "/m/")]; ok {
		return text, nil
	}
	return "", fmt.Errorf("%s lies outside of the modules", path)
}

// read reads one type whose text is given.
func read(text string, more ...string) *resource.Type {
	files := testFiles{"lib/puppet/type/thing.rb": text}
	for i := 0; i < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return resource.NewLibrary(files, "8.10.0").Type("thing")
}

// summary is a type in one line.
func summary(t *resource.Type) string {
	if t == nil {
		return "none"
	}
	names := func(list []resource.Attribute) string {
		var out []string
		for _, a := range list {
			out = append(out, a.Name)
		}
		return strings.Join(out, " ")
	}
	s := fmt.Sprintf("%s | %s | %s", names(t.Properties), names(t.Params), strings.Join(t.Namevars, " "))
	if t.Open {
		s += " | open"
	}
	return s
}

func TestWhatCannotBeRead(t *testing.T) {
	begin := "Puppet::Type.newtype(:thing) do\n  newparam(:name, namevar: true)\n"
	for _, c := range []struct{ name, text, want, note string }{
		{"all is read", begin + "end", " | name | name", ""},
		{"a parent that is not known", begin + "  newproperty(:a, parent: Gem::X)\n  newparam(:b)\nend", "a | name b | name",
			"not supported without Ruby: the constant Gem"},
		{"a parent of Puppet's", begin + "  newproperty(:a, parent: Puppet::Type::Nosuch::Thing)\nend", "a | name | name",
			"NameError: uninitialized constant Puppet::Type::Nosuch"},
		{"a helper of Puppet's own", begin + "  include Puppet::Util::Symbolizing\n  newparam(:b)\nend", " | name b | name",
			""},
		{"names that a file has", begin + "  File.readlines('/etc/x').each { |l| newparam(l) }\n  newparam(:b)\nend",
			" | name b | name | open", "refused: reading files (File.readlines)"},
		{"a fact", begin + "  newparam(:b) if Facter.value(:kernel) == 'Linux'\nend", " | name | name | open",
			"refused: the system (Facter)"},
		{"inside of an attribute", begin + "  newparam(:b) { defaultto Etc.getlogin }\nend", " | name b | name",
			"refused: the system (Etc)"},
		{"a fact in the values", begin + "  newproperty(:b) { newvalues(*Facter.value(:list)) }\nend", "b | name | name",
			"refused: the system (Facter)"},
		{"another type", "Puppet::Type.newtype(:other) do\nend", " |  | name | open",
			"the file does not declare the type thing"},
		{"no Ruby at all", "Puppet::Type.newtype(:thing do\n", "open", ""},
		{"it never ends", begin + "  loop { }\nend", " | name | name | open", "stopped: it took more than 2000000 steps"},
		{"it recurses", begin + "  def self.f = f\n  f\nend", " | name | name | open", "stopped: calls nest deeper than 400"},
		{"it reads what is not a module's", "require '/etc/passwd'\n" + begin + "end", " | name | name | open",
			"/etc/passwd.rb lies outside of the modules"},
		{"title patterns that fail", begin + "  newparam(:b, namevar: true)\nend", " | name b | name b | open",
			"title patterns: you must specify title patterns when there are two or more key attributes"},
		{"a command", begin + "  `id`\nend", " | name | name | open", "refused: running a command (`…`)"},
	} {
		typ := read(c.text)
		if got := summary(typ); got != c.want && !(c.want == "open" && typ.Open) {
			t.Errorf("%s: got %q, want %q\n%s", c.name, got, c.want, noteTexts(typ))
		}
		if notes := noteTexts(typ); !strings.Contains(notes, c.note) || c.note == "" && c.want != "open" && notes != "" {
			t.Errorf("%s: noted %q, want %q", c.name, notes, c.note)
		}
	}
}

func TestHelpers(t *testing.T) {
	helper := "module PuppetX; module M\n  def self.included(k) = k.extend(Declares)\n  module Declares\n    def " +
		"pair(a, b)\n      newparam(a)\n      newproperty(b) { newvalues(:x, /y/) }\n    end\n  end\nend; end\n"
	typ := read("require 'puppet_x/m'\nPuppet::Type.newtype(:thing) do\n  include PuppetX::M\n  newparam(:name)\n  pair "+
		":a, :b\n  ensurable { newvalue(:up); newvalue(:down) }\n  @isomorphic = false\n  @self_refresh = true\n  def "+
		"refresh; end\nend",
		"lib/puppet_x/m.rb", helper, "providers thing", "one two")
	want := &resource.Type{Name: "thing", Properties: []resource.Attribute{{Name: "ensure",
		Values: []string{"up", "down"}}, {Name: "b", Values: []string{"x", "/y/"}}},
		Params: []resource.Attribute{{Name: "name"}, {Name: "a"}, {Name: "provider"}}, Namevars: []string{"name"},
		Ensurable: true, Refreshable: true, SelfRefresh: true}
	if d := cmp.Diff(want, typ); d != "" {
		t.Errorf("(-want +got)\n%s%s", d, noteTexts(typ))
	}
}

// The Resource API is no part of Debian; its answers were recorded with the gem puppet-resource_api.
func TestResourceAPI(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "resource_api", "recorded.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lib := resource.NewLibrary(&moduleFiles{libs: []string{filepath.Join("testdata", "resource_api", "things", "lib")}},
		"7.23.0")
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		var want described
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		got := lib.Type(want.Name)
		if d := cmp.Diff(want, describe(got, want.Module)); d != "" || got.Open {
			t.Errorf("%s (-recorded +ours):\n%s%s", want.Name, d, noteTexts(got))
		}
	}
}

// instance is a resource for automatic relations.
type instance struct {
	typ, title string
	attrs      map[string]value.Value
	order      []string
}

func (i *instance) Type() string                { return i.typ }
func (i *instance) Title() string               { return i.title }
func (i *instance) Name() string                { return i.title }
func (i *instance) Get(attr string) value.Value { return i.attrs[attr] }
func (i *instance) Attributes() []string        { return i.order }

type instances struct{ list *[]*instance }

func (all instances) Has(typ, title string) bool { return all.Find(typ, title) != nil }
func (all instances) Find(typ, title string) resource.Instance {
	for _, i := range *all.list {
		if i.typ == typ && i.title == title {
			return i
		}
	}
	return nil
}
func (all instances) Each(typ string, f func(resource.Instance)) {
	for _, i := range *all.list {
		if typ == "" || i.typ == typ {
			f(i)
		}
	}
}

func TestRelations(t *testing.T) {
	typ := read(`Puppet::Type.newtype(:thing) do
  newparam(:name, namevar: true)
  newparam(:dir) { munge { |v| v.chomp('/') } }
  newparam(:kind) { newvalues(:a, :b); defaultto :a }
  newproperty(:users, array_matching: :all)
  autorequire(:file) { [self[:dir], '/etc'] }
  autorequire(:user) { self[:users] }
  autorequire(:package) { value(:kind) == :a ? 'pkg-a' : 'pkg-b' }
  autobefore(:service) { "svc-#{self[:name]}" }
  autonotify(:exec) { catalog.resources.select { |r| r.is_a?(Puppet::Type.type(:exec)) && r[:command].include?(name) } }
  autosubscribe(:thing) { catalog.resource(:thing, 'two') unless name == 'two' }
  autorequire(:group) { provider.group }
end`)
	str := func(s string) value.Value { return value.String(s) }
	list := []*instance{
		{typ: "thing", title: "one", attrs: map[string]value.Value{"dir": str("/srv/"),
			"users": value.NewArray(str("u"), str("v"))}, order: []string{"dir", "users"}},
		{typ: "thing", title: "two", attrs: map[string]value.Value{"kind": str("b")}, order: []string{"kind"}},
		{typ: "exec", title: "run one", attrs: map[string]value.Value{}},
		{typ: "class", title: "main", attrs: map[string]value.Value{}},
	}
	want := []string{
		"one require file /srv (dir) /etc (dir)", "one require user u (users) v (users)", "one require package pkg-a (kind)",
		"one require group ! refused: a provider",
		"one subscribe thing two (name)", "one before service svc-one (name)", "one notify exec run one (name)",
		"two require file /etc (dir)", "two require user", "two require package pkg-b (kind)",
		"two require group ! refused: a provider", "two subscribe thing", "two before service svc-two (name)",
		"two notify exec",
	}
	var got []string
	for _, r := range list[:2] {
		for _, a := range typ.Autos {
			line := r.title + " " + a.Relation.String() + " " + a.Target
			related, err := a.Related(r, instances{&list})
			for _, n := range related {
				line += fmt.Sprintf(" %s (%s)", n.Title, n.Attr)
			}
			if err != nil {
				line += " ! " + err.Error()
			}
			got = append(got, line)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
