package model

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/verify/listing"
)

// basis is a resource of each modelled type that does something, to which attributes are added.
var basis = map[string]map[string]any{
	"augeas":             {"incl": "/etc/x", "lens": "X.lns", "changes": "set a b"},
	"concat_file":        {"path": "/etc/x"},
	"cron":               {"command": "/bin/x"},
	"exec":               {"command": "/bin/touch /srv/x$A", "path": "/bin"},
	"file":               {"path": "/srv/x", "content": "x"},
	"group":              {"ensure": "present"},
	"host":               {"ip": "10.0.0.1"},
	"mailalias":          {"recipient": "x"},
	"mount":              {"ensure": "mounted", "device": "/dev/x", "fstype": "ext4"},
	"notify":             {},
	"package":            {"ensure": "present"},
	"resources":          {"purge": true},
	"selboolean":         {"value": "on"},
	"selmodule":          {},
	"service":            {"ensure": "running"},
	"ssh_authorized_key": {"user": "root", "key": "AAAA", "type": "ssh-rsa"},
	"sshkey":             {"key": "AAAA", "type": "ssh-rsa"},
	"tidy":               {"path": "/srv/x"},
	"user":               {"ensure": "present"},
	"yumrepo":            {"baseurl": "http://x"},
	"zfs":                {}, "zone": {}, "zpool": {},
}

// more are values that show what an attribute does where those that its type declares, or plain words, do not.
var more = map[string][]any{
	"source": {"/srv/a", "/srv/b"}, "target": {"/srv/a", "/srv/b"}, "path": {"/srv/a", "/srv/b"},
	"recurse": {true, "remote", "2"}, "ignore": {"*.a", "*.b"},
	"purge": {true, false}, "user": {"kim", "lee"}, "owner": {"kim", "lee"}, "cwd": {"/srv/a", "/srv/b"},
	"creates": {"/srv/a", "/srv/b"}, "matches": {"*.a", "*.b"},
	"mode": {"0600", "0640"}, "force": {true, false}, "refreshonly": {true, false}, "replace": {true, false},
	"managehome": {true, false}, "home": {"/srv/a", "/srv/b"},
	"environment": {"A=1", "A=2"}, "returns": {"1", "2"}, "command": {"/bin/touch /srv/a", "/bin/touch /srv/b"},
	"unless": {"/bin/test -e /srv/a", "/bin/x"},
	"onlyif": {"/bin/test -e /srv/a", "/bin/x"}, "purge_ssh_keys": {true, "/srv/a"}, "enable": {true, "mask", "x"},
	"rmdirs": {true, false}, "recurselimit": {"1", "2"},
	"group": {"kim", "lee"}, "membership": {"minimum", "inclusive"}, "context": {"/files/etc/a", "/files/etc/b"},
}

// An attribute of a modelled type is modelled (the program depends on it), reported (a note names it) or written down
// as harmless with a reason. Nothing is ignored.
func TestEveryAttribute(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "it"), []byte("/etc/it.conf\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := listing.Open("", dir)
	if err != nil {
		t.Fatal(err)
	}
	// A file and a package below what is swept, and some of everything that attributes speak about.
	around := []map[string]any{
		{"type": "File", "title": "/srv/x/y", "parameters": map[string]any{"content": "y"}},
		{"type": "Exec", "title": "/bin/touch /srv/x/z.a /srv/a/z.a /srv/x/d/e/z.b", "parameters": map[string]any{}},
		{"type": "File", "title": "/etc/it.conf", "parameters": map[string]any{"content": "x"}},
		{"type": "User", "title": "kim", "parameters": map[string]any{"ensure": "present"}},
		{"type": "User", "title": "lee", "parameters": map[string]any{"ensure": "present", "managehome": true}},
		{"type": "Group", "title": "kim", "parameters": map[string]any{"ensure": "present"}},
	}
	for _, typ := range append(resource.Types(),
		resource.Type{Name: "concat_file", Properties: resource.Known("file").Properties,
			Params: resource.Known("file").Params}) {
		base, ok := basis[typ.Name]
		if !ok {
			continue
		}
		kind := strings.ToUpper(typ.Name[:1]) + typ.Name[1:]
		describe := func(params map[string]any) string {
			all := append(slices.Clone(around), map[string]any{"type": kind, "title": "it", "parameters": params})
			return outcome(t, all, set)
		}
		if typ.Name == "file" {
			base = map[string]any{"path": "/srv/x", "ensure": "directory", "recurse": true}
		}
		bases := []map[string]any{base}
		if typ.Name == "file" {
			bases = append(bases, basis["file"], map[string]any{"path": "/srv/x", "ensure": "link", "target": "/srv/q"})
		}
		if typ.Name == "group" {
			bases = append(bases, map[string]any{"ensure": "present", "members": []string{"kim"}})
		}
		if typ.Name == "tidy" {
			bases = append(bases, map[string]any{"path": "/srv/x", "recurse": true})
		}
		for _, attr := range append(slices.Clone(typ.Properties), typ.Params...) {
			seen := map[string]bool{}
			for _, base := range bases {
				seen[describe(base)] = true
				for _, v := range samples(attr) {
					params := map[string]any{attr.Name: v}
					for k, x := range base {
						if k != attr.Name {
							params[k] = x
						}
					}
					seen[describe(params)] = true
				}
			}
			modelled := len(seen) > len(bases)
			if why := recordOf(kind).harmlessBecause(attr.Name); (why != "") == modelled {
				if modelled {
					t.Errorf("%s: %s is called harmless (%s) and changes the model", typ.Name, attr.Name, why)
				} else {
					t.Errorf("%s: %s is ignored", typ.Name, attr.Name)
				}
			}
		}
	}
}

func samples(a resource.Attribute) []any {
	if vs := more[a.Name]; vs != nil {
		return vs
	}
	var out []any
	for _, v := range a.Values {
		if !strings.HasPrefix(v, "/") {
			out = append(out, v)
		}
	}
	return append(out, "p", "q")
}

// outcome spells what a model says of the last resource.
func outcome(t *testing.T, resources []map[string]any, set *listing.Set) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"name": "node", "version": 1, "environment": "production",
		"resources": resources, "edges": []any{}, "classes": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(catalog.NewGraph(c, Types{}), Options{Platform: "debian-12", Listing: set})
	if err != nil {
		t.Fatal(err)
	}
	last := len(resources) - 1
	r := m.Graph.Resources[last]
	out := fmt.Sprintf("%s %#v %#v %v", r.Name, r.Program, r.Post, m.Graph.Init.Transient)
	for _, n := range m.Notes {
		if n.Resource == m.Resources[last] {
			out += "\n" + n.Text
		}
	}
	return out
}
