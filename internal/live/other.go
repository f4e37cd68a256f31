package live

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An Oracle is a Puppet that is asked. The installed one is 7.23; others are clones below $BUNRAKU_FETCHED, which
// bench/fetched.txt names, and are run with Debian's Ruby and libraries (other.rb). They can't be installed everywhere,
// so that a test which needs one is skipped where it is not: what they answered is recorded.
type Oracle struct {
	Name string   // as the language is called: 7, 8, openvox8, openvox9
	dirs []string // whose lib comes before Debian's; nil for the installed Puppet
}

// Fetched returns the path of a clone that bench/fetched.txt names.
func Fetched(t testing.TB, name string) string {
	t.Helper()
	NotShort(t, "reads fetched repositories")
	dir := os.Getenv("BUNRAKU_FETCHED")
	if dir == "" {
		dir = filepath.Join(filepath.Dir(Root()), "fetched")
	}
	path := filepath.Join(dir, name)
	if !isThere(path) {
		t.Skipf("%s is not fetched: set BUNRAKU_FETCHED (bench/fetched.txt says what belongs there)", name)
	}
	return path
}

// Installed is the installed Puppet.
func Installed(t testing.TB) *Oracle {
	t.Helper()
	Puppet(t)
	return &Oracle{Name: "7"}
}

// Other is a Puppet that was fetched, by the name of its language.
func Other(t testing.TB, language string) *Oracle {
	t.Helper()
	Puppet(t)
	clone := map[string]string{"8": "puppet8", "openvox8": "openvox8", "openvox9": "OpenVoxProject_openvox"}[language]
	return &Oracle{Name: language, dirs: []string{Fetched(t, clone), Fetched(t, "ruby_scanf"),
		Fetched(t, "puppetlabs_puppet-resource_api")}}
}

// Program is how this Puppet's own program is run, and what it needs in its surroundings besides.
func (o *Oracle) Program() (command, env []string) {
	if o.dirs == nil {
		return []string{"puppet"}, nil
	}
	return []string{"ruby", "-r", filepath.Join(Root(), "internal", "live", "other.rb"),
			filepath.Join(o.dirs[0], "bin", "puppet")},
		[]string{"BUNRAKU_ORACLE=" + strings.Join(o.dirs, ":")}
}

// Ruby runs a Ruby script that asks this Puppet, with arguments and standard input, and returns what it printed.
func (o *Oracle) Ruby(t testing.TB, script string, stdin string, args ...string) string {
	t.Helper()
	command := append([]string{script}, args...)
	if o.dirs != nil {
		command = append([]string{"-r", filepath.Join(Root(), "internal", "live", "other.rb")}, command...)
	}
	cmd := Command("ruby", command...)
	cmd.Env = append(cmd.Env, "BUNRAKU_ORACLE="+strings.Join(o.dirs, ":"))
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ruby %s, Puppet %s: %v\n%s", filepath.Base(script), o.Name, err, stderr.String())
	}
	return string(out)
}
