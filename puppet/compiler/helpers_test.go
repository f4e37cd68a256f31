package compiler_test

import (
	"path/filepath"
	"strings"
	"testing"

	"bunraku/puppet/compiler"
)

// What a template defines are methods of all templates in Puppet, which compiles this. We have them only where they are
// defined, and say so.
func TestMethodsOfOtherTemplates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "production")
	write(t, dir, map[string]string{
		"environment.conf": "modulepath = modules\nmanifest = site.pp\n", "facts.json": `{"fqdn": "n.example.com"}`,
		"site.pp":                      "notify { 'n': message => template('m/outer.erb') }\nnotify { 'own': message => template('m/own.erb') }\n",
		"modules/m/templates/help.erb": "<% def shout(x) x.upcase + '!' end %>",
		"modules/m/templates/outer.erb": "<% scope.function_template(['m/help.erb']) %><%= shout('a') %>" +
			"<%= respond_to?(:whisper) %>",
		"modules/m/templates/own.erb": "<% def whisper(x) x.downcase end %><%= whisper('B') %>",
	})
	res, err := compileWith(t, dir, compiler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Failure != nil {
		t.Fatal(res.Failure)
	}
	if u := res.Unknowns(); len(u) != 1 || !strings.Contains(u[0].Why, "the method shout of another template") {
		t.Errorf("%v", u)
	}
}
