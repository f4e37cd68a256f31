// Package live is for tests: it finds what we compare ourselves with (real Puppet, Debian's modules, the shared
// corpora) and asks it. A test that needs something absent is skipped with the reason; under CI, where all of it can be
// installed, it fails instead.
//
// It imports nothing of this module. No program code may import it.
package live

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
)

// ModulesDir is where Debian's puppet-module-* packages put modules.
const ModulesDir = "/usr/share/puppet/modules"

func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s; `make test` installs it, so this is a failure under CI", what)
	}
	t.Skip(what)
}

// Root is the repository's root.
func Root() string { return root }

// root is found from where a test starts, which is its package's directory, so that it does not hang on how the test
// was built.
var root = func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}()

// Shared returns the path of something in the shared test data ($BUNRAKU_SHARED, by default ../shared beside the
// repository). That data is too large for the repository and cannot be installed, so its absence is a skip everywhere.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	dir := os.Getenv("BUNRAKU_SHARED")
	if dir == "" {
		dir = filepath.Join(filepath.Dir(Root()), "shared")
	}
	NotShort(t, "reads shared test data")
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no shared test data (%s): set BUNRAKU_SHARED", filepath.Join(elem...))
	}
	return path
}

// NotShort skips a test in the short tier, which is hermetic: it replays recordings and needs nothing but Go.
func NotShort(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why + ": not in the short tier")
	}
}

// Puppet makes sure that real Puppet is there.
func Puppet(t testing.TB) {
	t.Helper()
	NotShort(t, "asks real Puppet")
	if _, err := exec.LookPath("puppet"); err != nil {
		missing(t, "real Puppet is not installed (puppet-agent)")
	}
}

// Tool makes sure that a program which every developer's machine can have is there, and returns its path.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed, which is a failure under CI", name)
		}
		t.Skip(name + " is not installed")
	}
	return path
}

// PathOf makes sure that a file or directory is there which comes with a package.
func PathOf(t testing.TB, path, of string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		missing(t, of+" is not installed")
	}
}

// Env is the environment of programs that tests compare us with: the same wherever the tests run.
func Env() []string {
	env := []string{"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC"}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if name != "LANG" && name != "LANGUAGE" && name != "TZ" && !strings.HasPrefix(name, "LC_") && name != "RUBYOPT" {
			env = append(env, kv)
		}
	}
	return env
}

// Command is a program that tests compare us with, in the environment of Env.
func Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = Env()
	return cmd
}

// Ruby runs a Ruby script that asks the installed Puppet, with arguments and standard input, and returns what it
// printed.
func Ruby(t testing.TB, script string, stdin string, args ...string) string {
	t.Helper()
	return Installed(t).Ruby(t, script, stdin, args...)
}

// Modules is for tests that need Debian's modules.
func Modules(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(ModulesDir); err != nil {
		missing(t, "Debian's modules are not installed (puppet-module-*)")
	}
}

// Files lists the files below Debian's modules with one of the given endings, links to modules followed, in a fixed
// order.
func Files(t testing.TB, endings ...string) []string {
	t.Helper()
	NotShort(t, "reads Debian's modules")
	Modules(t)
	var files []string
	for _, f := range modules() {
		for _, e := range endings {
			if strings.HasSuffix(f, e) {
				files = append(files, f)
				break
			}
		}
	}
	return files
}

var modules = sync.OnceValue(func() []string {
	var files []string
	seen := map[string]bool{}
	var walk func(dir string)
	walk = func(dir string) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || seen[real] {
			return
		}
		seen[real] = true
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			info, err := os.Stat(path)
			if err != nil {
				continue
			}
			if info.IsDir() {
				walk(path)
			} else {
				files = append(files, path)
			}
		}
	}
	walk(ModulesDir)
	sort.Strings(files)
	return files
})

// Resident is how many bytes of the machine's memory the process has, as Linux counts them.
func Resident(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// Accept skips a test unless the acceptance bars are being run.
func Accept(t testing.TB) {
	t.Helper()
	if os.Getenv("BUNRAKU_ACCEPT") == "" {
		t.Skip("an acceptance bar: make accept TOPIC=…")
	}
}
