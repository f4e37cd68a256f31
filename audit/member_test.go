package audit_test

import (
	"maps"
	"strings"
	"testing"
)

// What stands behind a dot may be an attribute or a function of an object, of Puppet's own or of one that the tree
// defines: no function is missing then.
func TestMembers(t *testing.T) {
	t.Parallel()
	provider := "function web::data(String $key, Hash $options, Puppet::LookupContext $context) {\n" +
		"  if $key == 'web::none' { $context.cached_value('x') } else { $context.not_found }\n}\n"
	for what, files := range map[string]map[string]string{
		"a context": {"modules/web/functions/data.pp": provider},
		"a URI and an error": {"modules/web/functions/of.pp": "function web::of(URI $u, Error $e) {\n" +
			"  \"${u.host} ${e.msg} ${e.message}\"\n}\n"},
		"an object of the tree": {"modules/web/types/car.pp": "type Web::Car = Object[attributes => {wheels => Integer}]\n",
			"modules/web/functions/wheels.pp": "function web::wheels(Web::Car $c) { $c.wheels }\n"},
	} {
		tree := maps.Clone(site)
		maps.Copy(tree, files)
		for _, said := range check(t, tree) {
			if strings.HasPrefix(said, "U0104") {
				t.Errorf("%s: %s", what, said)
			}
		}
	}
}
