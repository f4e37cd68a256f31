package environment

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bunraku/internal/live"

	"bunraku/source"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// environments are directories that Puppet and we must understand alike.
const environments = `
-- plain/manifests/site.pp --
-- plain/modules/mod/manifests/init.pp --
class mod {}
-- plain/modules/mod/manifests/a.pp --
class mod::a {}
-- plain/modules/mod/manifests/b/c.pp --
class mod::b::c {}
-- plain/modules/mod/functions/one.pp --
function mod::one() { 1 }
-- plain/modules/mod/functions/deep/two.pp --
function mod::deep::two() { 2 }
-- plain/modules/mod/types/port.pp --
type Mod::Port = Integer
-- plain/modules/mod/types/deep/port.pp --
type Mod::Deep::Port = Integer
-- plain/modules/mod/templates/t.epp --
-- plain/modules/mod/templates/sub/t.erb --
-- plain/modules/mod/x --
-- plain/modules/Bad/manifests/init.pp --
-- plain/modules/with-dash/manifests/init.pp --
-- plain/modules/1st/manifests/init.pp --
-- plain/modules/file_only --
-- plain/functions/plain.pp --
function plain() { 1 }
-- plain/functions/environment/e.pp --
function environment::e() { 1 }
-- plain/functions/e.pp --
function environment::e() { 2 }
-- plain/types/plain.pp --
type Plain = Integer
-- plain/types/environment/e.pp --
type Environment::E = Integer
-- conf/environment.conf --
# a comment
modulepath = site-modules:modules:$basemodulepath:/nonexistent/$environment
manifest = site
environment_timeout = 0
environment_data_provider = hiera
-- conf/site/b.pp --
-- conf/site/a.pp --
-- conf/site/a/z.pp --
-- conf/site/.hidden.pp --
-- conf/site-modules/mod/templates/t.epp --
-- conf/modules/mod/manifests/init.pp --
-- conf/modules/other/metadata.json --
{"name":"me-other","version":"1.0.0","author":"me","license":"x","source":"s","dependencies":[{"name":"puppetlabs-stdlib","version_requirement":">= 1.0.0"},{"name":"a/b"}]}
-- single/environment.conf --
manifest=manifests/one.pp
modulepath = ./modules
-- single/manifests/one.pp --
-- single/manifests/two.pp --
-- single/modules/broken/metadata.json --
{"name":"me-broken","version":"1.0.0"}
-- single/modules/unparsable/metadata.json --
{"name"
-- single/modules/nolist/metadata.json --
{"name":"me-nolist","version":"1","author":"m","license":"x","source":"s","dependencies":{}}
-- single/modules/empty/metadata.json --
{}
-- globbed/environment.conf --
modulepath = mods/*:$codedir/shared:$basemodulepath
manifest = $codedir/site.pp
-- globbed/mods/one/mod/manifests/a.pp --
-- globbed/mods/two/mod/manifests/b/c.pp --
-- globbed/mods/two/other/manifests/init.pp --
-- sections/environment.conf --
modulepath = first
modulepath = second
[other]
manifest = x.pp
bogus = 1
-- sections/first/mod/manifests/init.pp --
-- nothing/readme --
-- badline/environment.conf --
modulepath
-- base/basemod/manifests/init.pp --
-- base/mod/manifests/a.pp --
-- code/shared/shared/manifests/init.pp --
-- code/site.pp --
`

type view struct {
	ModulePath   []string            `json:"modulepath"`
	Manifest     string              `json:"manifest"`
	Files        []string            `json:"files"`
	Modules      [][]string          `json:"modules"`
	Dependencies [][]map[string]any  `json:"dependencies"`
	Functions    map[string]*string  `json:"functions"`
	Types        map[string]*string  `json:"types"`
	Templates    map[string]*string  `json:"templates"`
	Manifests    map[string][]string `json:"manifests"`
	Provider     *string             `json:"provider"`
	Error        string              `json:"error"`
}

func unpack(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(text)).Files {
		path := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestAgainstPuppet(t *testing.T) {
	live.Puppet(t)
	root := unpack(t, environments)
	names := []string{"plain", "conf", "single", "globbed", "sections", "nothing", "badline"}
	args := []string{filepath.Join(root, "base"), filepath.Join(root, "code")}
	for _, n := range names {
		args = append(args, filepath.Join(root, n))
	}
	lines := strings.Split(strings.TrimSpace(live.Ruby(t, "testdata/environment.rb", "", args...)), "\n")
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			var want view
			if err := json.Unmarshal([]byte(lines[i]), &want); err != nil {
				t.Fatal(err, lines[i])
			}
			e, err := Open(filepath.Join(root, name), Options{BaseModulePath: []string{filepath.Join(root, "base")},
				CodeDir: filepath.Join(root, "code"), Roots: []string{filepath.Join(root, "code")}})
			if err != nil {
				if want.Error == "" || !strings.Contains(want.Error,
					err.(interface{ Error() string }).Error()[strings.Index(err.Error(), "Could"):]) {
					t.Fatalf("%v, Puppet: %s", err, want.Error)
				}
				return
			}
			if diff := cmp.Diff(want, look(t, e)); diff != "" {
				t.Errorf("-puppet +ours\n%s", diff)
			}
		})
	}
}

func look(t *testing.T, e *Environment) view {
	v := view{ModulePath: e.ModulePath, Manifest: e.Manifest, Modules: [][]string{}, Dependencies: [][]map[string]any{},
		Functions: map[string]*string{}, Types: map[string]*string{}, Templates: map[string]*string{},
		Manifests: map[string][]string{}}
	var err error
	if v.Files, err = e.Manifests(); err != nil {
		t.Fatal(err)
	}
	if v.Files == nil {
		v.Files = []string{}
	}
	if e.DataProvider != "" {
		v.Provider = &e.DataProvider
	}
	opt := func(path string, ok bool) *string {
		if !ok {
			return nil
		}
		return &path
	}
	byName := map[string]*Module{}
	for _, m := range e.Modules() {
		v.Modules = append(v.Modules, []string{m.Name, m.Dir})
		byName[m.Name] = m
	}
	sortPairs(v.Modules)
	for _, m := range v.Modules {
		var deps []map[string]any
		for _, d := range byName[m[0]].Dependencies {
			deps = append(deps, map[string]any{"name": d.Name, "version_requirement": d.Requirement})
		}
		v.Dependencies = append(v.Dependencies, deps)
	}
	for _, n := range []string{"mod::one", "mod::deep::two", "environment::e", "plain", "mod::missing"} {
		v.Functions[n] = opt(e.FunctionFile(n))
	}
	for _, n := range []string{"Mod::Port", "Mod::Deep::Port", "Environment::E", "Plain", "Mod::Nope"} {
		v.Types[n] = opt(e.TypeFile(n))
	}
	for _, n := range []string{"mod/t.epp", "mod/sub/t.erb", "mod", "nomod/t", "mod/none"} {
		v.Templates[n] = opt(e.TemplateFile(n))
	}
	for _, n := range []string{"mod", "mod/a", "mod/b/c", "mod/none"} {
		module, rest, _ := strings.Cut(n, "/")
		files := []string{}
		if path, ok := e.ManifestFile(module, ""); ok {
			files = append(files, path)
		}
		if path, ok := e.ManifestFile(module, strings.ReplaceAll(rest, "/", "::")); ok && rest != "" {
			files = append(files, path)
		}
		v.Manifests[n] = files
	}
	return v
}

func sortPairs(p [][]string) {
	for i := range p {
		for j := i; j > 0 && p[j][0] < p[j-1][0]; j-- {
			p[j], p[j-1] = p[j-1], p[j]
		}
	}
}

func TestInside(t *testing.T) {
	root := unpack(t, "-- modules/m/files/ok --\nx\n-- modules/m/files/d/ok --\n-- modules/m/secret --\n-- outside --\n")
	e, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"m/ok": true, "m/d/ok": true, "m/../secret": true, "m/d/../ok": true,
		"m/no/../ok": false, "m/ok/../ok": false, "m/../../../../up": true,
		"m/../../../outside": true, "m//etc/passwd": false, "/etc/passwd": false, "m/": false, "m": false, "../m/ok": false,
		"m/d": true,
		filepath.Join(root, "modules/m/files/ok"): true, filepath.Join(root, "modules/m/files/d"): true, root +
			"/modules/m/../../../" + filepath.Base(root) + "/outside": true,
		filepath.Join(filepath.Dir(root), "nosuch"): false, root + "/../../..": false, os.DevNull: true} {
		if path, ok := e.ContentFile(name); ok != want {
			t.Errorf("%s: %v %s", name, ok, path)
		}
	}
	if _, ok := e.ManifestFile("m", "..::..::outside"); ok {
		t.Error("a class name left the module")
	}
	if _, ok := e.FunctionFile("..::outside"); ok {
		t.Error("a function name left the environment")
	}
}

func TestKinds(t *testing.T) {
	root := unpack(t, `
-- one.pp --
notify { 'x': }
-- mymod/metadata.json --
{"name":"me-real_name","version":"1.0.0","author":"me","license":"x","source":"s","dependencies":[]}
-- mymod/manifests/init.pp --
class real_name {}
-- mymod/spec/fixtures/modules/dep/manifests/init.pp --
class dep {}
-- code/environments/production/manifests/site.pp --
-- control-repo/Puppetfile --
-- control-repo/environment.conf --
modulepath = site-modules:modules:$basemodulepath
-- control-repo/manifests/site.pp --
-- control-repo/site-modules/role/manifests/init.pp --
class role {}
`)
	open := func(name string) *Environment {
		e, err := Open(filepath.Join(root, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open("one.pp")
	if files, _ := e.Manifests(); len(files) != 1 || e.Name != "production" || e.Dir != "" {
		t.Errorf("file: %v %q", files, e.Name)
	}
	e = open("mymod")
	if e.Module("real_name") == nil || e.Module("dep") == nil {
		t.Error("module: it does not see itself and its fixtures")
	}
	path, ok := e.ManifestFile("real_name", "")
	if m := e.ModuleOf(path); !ok || m == nil || m.Name != "real_name" {
		t.Errorf("module: %v", m)
	}
	e = open("code")
	if e.Name != "production" || !strings.HasSuffix(e.Manifest, "production/manifests") {
		t.Errorf("code: %q %q", e.Name, e.Manifest)
	}
	e = open("control-repo")
	if e.Name != "production" || e.Module("role") == nil {
		t.Errorf("control repo: %q", e.Name)
	}
	if m := e.ModuleOf(e.Module("role").Dir + "/manifests/init.pp"); m == nil || m.Name != "role" {
		t.Errorf("control repo: %v", m)
	}
}

// Many compiles at once get one tree; a changed file is parsed again.
func TestParse(t *testing.T) {
	root := unpack(t,
		"-- manifests/site.pp --\nnotify { 'x': }\n-- modules/m/templates/t.epp --\nhello <%= $x %>\n-- "+
			"modules/m/manifests/init.pp --\nclass m {\n")
	wd, _ := os.Getwd()
	rel, err := filepath.Rel(wd, root)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(rel, Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, _ := e.Manifests()
	first, diags, err := e.Parse(files[0])
	if err != nil || len(diags) > 0 {
		t.Fatal(err, diags)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if tree, _, _ := e.Parse(files[0]); tree != first {
				t.Error("parsed twice")
			}
		}()
	}
	wg.Wait()
	if got, want := first.Source.Name, filepath.ToSlash(filepath.Join(rel, "manifests/site.pp")); got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
	if got := e.Path(first.Source); got != filepath.Join(root, "manifests/site.pp") {
		t.Errorf("Puppet's path: %s", got)
	}
	if err := os.WriteFile(files[0], []byte("notify { 'changed': }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if tree, _, _ := e.Parse(files[0]); tree != first {
		t.Error("one environment shows two states of a file")
	}
	fresh, err := Open(rel, Options{Files: e.Files().(source.Live).Fresh()})
	if err != nil {
		t.Fatal(err)
	}
	if tree, _, err := fresh.Parse(files[0]); err != nil || tree == first {
		t.Error("a changed file was not parsed again", err)
	}
	path, _ := e.TemplateFile("m/t.epp")
	if _, diags, err := e.Parse(path); err != nil || diags.HasErrors() {
		t.Error(err, diags)
	}
	path, _ = e.ManifestFile("m", "")
	if _, diags, err := e.Parse(path); err != nil || !diags.HasErrors() {
		t.Error("a broken manifest has no diagnostics", err)
	}
	if _, _, err := e.Parse(filepath.Join(root, "nowhere.pp")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
