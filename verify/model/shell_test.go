package model

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/verify/fs"

	"bunraku/internal/live"
)

// empty is a builder without a catalog, for commands alone.
func empty() *builder {
	b := &builder{opt: Options{Platform: "debian-12"}, cg: &catalog.Graph{Catalog: &catalog.Catalog{}}, m: &Model{},
		lines: map[fs.Path][]line{}, links: fs.Links{},
		files: map[fs.Path]*item{}, users: map[string]bool{}, groups: map[string]bool{}, closed: map[string][]fs.Value{},
		events: map[string]fs.Value{}, accounts: map[string][]string{}, fresh: fs.NewState()}
	b.pk = newPackages(b)
	return b
}

// What is read of a command is what a shell does: random scripts run by /bin/sh in a directory, and by the model.
func TestShellAgainstSh(t *testing.T) {
	live.Tool(t, "sh")
	const scripts = 500
	unread := 0
	for seed := range scripts {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		script := randomScript(r, 3)
		dir := t.TempDir()
		state := fs.NewState().Put(fs.Clean(dir), fs.Dir)
		for _, p := range scriptPaths {
			full := filepath.Join(dir, p)
			if state.At(fs.Clean(full).Parent()).Kind != fs.Dir {
				continue
			}
			var err error
			switch r.IntN(4) {
			case 0:
				err = os.Mkdir(full, 0o755)
				state.Put(fs.Clean(full), fs.Dir)
			case 1:
				text := "old " + p + "\n"
				err = os.WriteFile(full, []byte(text), 0o644)
				state.Put(fs.Clean(full), fs.File)
				n := state.Nodes[fs.Clean(full)]
				n.Content = fs.Text(text)
				state.Nodes[fs.Clean(full)] = n
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		before := state.String()
		b := empty()
		s := &shell{b: b, name: "Exec[x]", cwd: dir, env: map[string]string{}}
		program := s.program(script, fail)
		if len(s.unread)+len(s.beside) > 0 {
			unread++
			continue
		}
		for name, vs := range b.closed { // what a search finds at first
			for p, lines := range b.lines {
				for _, l := range lines {
					if l.variable == name {
						state.Vars[name] = vs[0]
						if text, ok := state.At(p).Content.IsText(); ok && l.within(text) {
							state.Vars[name] = fs.Text(l.value)
						}
					}
				}
			}
		}
		cmd := live.Command("sh", "-c", script)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		end, _, ok := fs.Run(program, state)
		if ok != (err == nil) {
			t.Errorf("seed %d: %s\nsh: %v %s\nmodel: success %v, from\n%s", seed, script, err, out, ok, before)
			continue
		}
		if !ok {
			continue
		}
		for _, p := range scriptPaths {
			full := filepath.Join(dir, p)
			want, text := kindOf(full)
			n := end.At(fs.Clean(full))
			if got, known := n.Content.IsText(); n.Kind != want || known && n.Kind == fs.File && got != text {
				t.Errorf("seed %d: %s\n%s: sh has %v %q, the model %v %q, from\n%s", seed, script, p, want, text, n.Kind, got,
					before)
			}
		}
	}
	if t.Logf("%d of %d scripts have a part that is not read or not modelled exactly", unread,
		scripts); unread > scripts/10 {
		t.Errorf("too many")
	}
}

var scriptPaths = []string{"a", "b", "a/x", "a/y", "b/x"}

func kindOf(p string) (fs.Kind, string) {
	info, err := os.Lstat(p)
	switch {
	case err != nil:
		return fs.None, ""
	case info.IsDir():
		return fs.Dir, ""
	case info.Mode()&os.ModeSymlink != 0:
		return fs.Link, ""
	}
	text, _ := os.ReadFile(p)
	return fs.File, string(text)
}

// randomScript makes a script over a few paths. It has no links that lead somewhere: the model follows only those it
// knows.
func randomScript(r *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	p := func() string { return pick(scriptPaths...) }
	if depth > 0 {
		x, y := func() string { return randomScript(r, depth-1) }, func() string { return randomScript(r, depth-2) }
		switch r.IntN(9) {
		case 0:
			return x() + " && " + x()
		case 1:
			return x() + " || " + y()
		case 2:
			return x() + "; " + x()
		case 3:
			return fmt.Sprintf("if %s; then %s; else %s; fi", y(), x(), y())
		case 4:
			return fmt.Sprintf("for f in %s %s; do mkdir -p $f; done", p(), p())
		case 5:
			return "{ " + x() + "; }"
		case 6:
			return "! { " + y() + "; }"
		}
	}
	switch r.IntN(18) {
	case 0:
		return "mkdir " + p()
	case 1:
		return "mkdir -p " + p()
	case 2:
		return "touch " + p()
	case 3:
		return "rm " + p()
	case 4:
		return "rm -f " + p()
	case 5:
		return "rm -rf " + p()
	case 6:
		return "rmdir " + p()
	case 7:
		return "cp a b"
	case 8:
		return fmt.Sprintf("cp %s %s", pick("a/x", "a/y"), pick("b", "b/x", "a"))
	case 9:
		return fmt.Sprintf("echo %s > %s", pick("one", "'two  words'", `"three"`), p())
	case 10:
		return fmt.Sprintf("echo more >> %s", p())
	case 11:
		return fmt.Sprintf("test %s %s", pick("-e", "-f", "-d", "! -e", "-s"), p())
	case 12:
		return fmt.Sprintf("[ %s %s ]", pick("-e", "-f", "-d"), p())
	case 13:
		return pick("true", "false", "[ a = b ]", "[ -n x ]")
	case 14:
		return fmt.Sprintf("printf '%%s\\n' text | tee %s > /dev/null", p())
	case 15:
		return "grep -q more " + p()
	case 16:
		return fmt.Sprintf("install -d %s", p())
	}
	return fmt.Sprintf("cd a && touch %s", pick("x", "y"))
}

// What is not known of a command is said.
func TestUnreadCommandsAreNamed(t *testing.T) {
	for _, x := range []struct{ script, unread, note string }{
		{"/opt/vendor/setup --all", "/opt/vendor/setup --all", ""},
		{"test -e /a || /opt/x", "/opt/x", ""},
		{"while true; do x; done", "while true; do x; done", ""},
		{"tar xzf /tmp/a.tgz -C /opt", "", "what is in the archive is not known"},
		{"mysql -e 'create database x'", "",
			"it is taken to change nothing but its own part of MySQL's data: mysql -e 'create database x'"},
		{"sudo -u postgres psql -c 'select 1'", "",
			"it is taken to change nothing but its own part of PostgreSQL's data: sudo -u postgres psql -c 'select 1'"},
		{"sh -c 'mkdir /a && /opt/x'", "/opt/x", ""},
		{"chmod u+x /a", "", "a mode that depends on the old one is taken for one that does not: u+x"},
		{"rm -rf /var/cache/x/*", "", "rm with a pattern is taken to remove hidden files too"},
		{"touch $UNKNOWN/x", "touch $UNKNOWN/x", ""},
		{"systemctl daemon-reload", "", ""},
		{"apt-get update", "", ""},
		{"curl -fsSL https://example.com/key | gpg --dearmor -o /etc/apt/keyrings/x.gpg", "", ""},
		{"wget -q -O /tmp/x.tgz https://example.com/x.tgz && tar -xf /tmp/x.tgz -C /opt", "",
			"what is in the archive is not known"},
		{"openssl req -x509 -newkey rsa:2048 -nodes -keyout /etc/ssl/k.pem -out /etc/ssl/c.pem", "", ""},
		{"sed -i 's/^PermitRootLogin.*/PermitRootLogin no/' /etc/ssh/sshd_config", "", ""},
		{"ln -sf ../mods-available/x.load /etc/apache2/mods-enabled/x.load", "", ""},
		{"cat <<EOF > /etc/x\nhello\nEOF\n", "", ""},
		{"update-alternatives --set editor /usr/bin/vim", "", ""},
	} {
		s := &shell{b: empty(), name: "Exec[x]", env: map[string]string{}}
		s.program(x.script, fail)
		if got := strings.Join(s.unread, "; "); got != x.unread {
			t.Errorf("%s: unread %q, want %q", x.script, got, x.unread)
		}
		if got := strings.Join(s.beside, "; "); got != x.note {
			t.Errorf("%s: note %q, want %q", x.script, got, x.note)
		}
	}
}
