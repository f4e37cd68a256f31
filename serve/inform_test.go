package serve_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/serve"
)

// classSite has parameters of all kinds.
const classSite = `
-- production/environment.conf --
modulepath = modules
-- production/manifests/site.pp --
class site_class { }
node default { }
-- production/modules/m/manifests/init.pp --
class m(
  String $a = 'x',
  Integer[1, 10] $b = 3,
  Optional[Hash[String, Array]] $c = { 'a' => [1, 2] },
  $d = "in ${a} the middle",
  $e = undef,
  $f,
  Enum['a', 'b'] $g = a,
  Boolean $h = true,
  $i = $a,
  $j = [1, 'two', { 'three' => 3 }],
  $k = -5,
  $l = 1.5,
  $m = /x/,
  $n = m::x,
  $o = Integer,
  $p = default,
  $q = "plain",
  $r = { 'a' => $b },
  Foo::Bar $s = 0x1F,
  Optional['x'] $t = [undef, a],
  Stdlib::Port $u = { 1 => 2 },
  $v = {},
  $w = '',
  Variant[Enum[a,  b],Integer] $x = 017,
  Pattern[/a\/b/] $y = {a => undef},
  $z = 1e3,
) inherits m::params { }
-- production/modules/m/manifests/params.pp --
class m::params { $x = 1 }
-- production/modules/m/manifests/broken.pp --
class m::broken { notify { 'x' }
-- production/modules/m/manifests/define.pp --
define m::define($a = 1) { }
`

// classInfo prints what Puppet's own service says of files.
const classInfo = `require 'puppet'; require 'puppet/info_service'; require 'json'
Puppet.initialize_settings
env = Puppet::Node::Environment.create(:production, [])
Puppet.override(current_environment: env, loaders: Puppet::Pops::Loaders.new(env)) do
  all = Puppet::InfoService::ClassInformationService.new.classes_per_environment('production' => ARGV)['production']
  puts JSON.generate(all.map { |path, info| info.merge('path' => path) })
end
`

// TestEnvironmentClasses: the classes of an environment are told as puppetserver tells them, of which Foreman makes
// forms: types, defaults and what they are as literals, and files that cannot be read.
func TestEnvironmentClasses(t *testing.T) {
	live.NotShort(t, "it runs Puppet")
	live.PathOf(t, "/usr/lib/ruby/vendor_ruby/puppet/info_service.rb", "puppet")
	dir := t.TempDir()
	unpack(t, dir, moreAuth+"-- info.rb --\n"+classInfo)
	r := start(t, classSite, func(o *serve.Options) { o.Auth = filepath.Join(dir, "auth.conf") })
	a := r.get(r.client(r.sign("foreman.example")), "/puppet/v3/environment_classes?environment=production")
	var ours struct {
		Name  string
		Files []map[string]any
	}
	if err := json.Unmarshal([]byte(a.body), &ours); err != nil || ours.Name != "production" || len(ours.Files) != 5 {
		t.Fatalf("%v %d %s", err, a.status, a.body)
	}
	args := []string{filepath.Join(dir, "info.rb")}
	for _, f := range ours.Files {
		args = append(args, fmt.Sprint(f["path"]))
	}
	cmd := exec.Command("ruby", args...)
	cmd.Env, cmd.Stderr = live.Env(), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs []map[string]any
	if err := json.Unmarshal(text, &theirs); err != nil {
		t.Fatal(err)
	}
	for i, f := range ours.Files {
		is, was := f, theirs[i]
		const says = "Syntax error at '}'"
		if text, fails := is["error"].(string); fails && strings.HasPrefix(text, says) &&
			strings.HasPrefix(fmt.Sprint(was["error"]), says) {
			continue
		}
		if !reflect.DeepEqual(is, was) {
			a, _ := json.MarshalIndent(is, "", " ")
			b, _ := json.MarshalIndent(was, "", " ")
			t.Errorf("ours %s\ntheirs %s", a, b)
		}
	}
}
