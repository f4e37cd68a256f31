package main

import (
	"strings"
	"testing"
)

// Of tags a template has those of the catalog; a scope has none. (The answers are Puppet 7.23's.)
func TestTemplateTags(t *testing.T) {
	for text, want := range map[string]string{
		"<%= all_tags.to_a.join(',') %>":           `"message": "settings,node,default,class,a::b,a,b,m"`,
		"<%= scope.catalog.tags.to_a.join(',') %>": `"message": "settings,node,default,class,a::b,a,b,m"`,
		"<%= scope.tags %>":                        "undefined method `tags' for Scope(Class[M])",
	} {
		s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "node default {\n  include a::b\n  include m\n}\n",
			"modules/a/manifests/b.pp": "class a::b {}\n", "modules/m/templates/t.erb": text,
			"modules/m/manifests/init.pp": "class m { notify { 'n': message => template('m/t.erb') } }\n"})
		_, out, errs := call("compile", s.dir, "--node", "n000", "--language", "7", "--format", "json")
		if !strings.Contains(out+errs, want) {
			t.Errorf("%s:\n%s%s", text, out, errs)
		}
	}
}
