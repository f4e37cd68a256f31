package serve_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"bunraku/internal/live"
)

// A machine is this one, seen through an overlay: what is written there stays aside. Services, cron and a shell that
// are not here are stood in for, and packages come from a repository of their own.
type machine struct{ upper, work, root, extra string }

// newMachine makes one, with empty packages of the names.
func newMachine(t testing.TB, packages ...string) *machine {
	t.Helper()
	dir, err := os.MkdirTemp("", "machine") // unlike the test's own, a name without what mount takes for options
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // apt reads as somebody else
		t.Fatal(err)
	}
	m := &machine{filepath.Join(dir, "upper"), filepath.Join(dir, "work"), filepath.Join(dir, "root"),
		filepath.Join(dir, "extra")}
	for _, d := range []string{m.upper, m.work, m.root, filepath.Join(m.extra, "repository")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	unpack(t, m.extra, `
-- comm --
systemd
-- crontab --
#!/bin/sh
# crontab [-u USER] -l | -r | FILE | -
user=root
if [ "$1" = -u ]; then user=$2; shift 2; fi
file=/var/spool/cron/crontabs/$user
mkdir -p /var/spool/cron/crontabs
case $1 in
-l) if [ -e "$file" ]; then cat "$file"; else echo "no crontab for $user" >&2; exit 1; fi ;;
-r) rm -f "$file" ;;
-) cat >"$file" ;;
*) cat "$1" >"$file" ;;
esac
-- enter.sh --
set -e
extra=$1 upper=$2 work=$3 root=$4
shift 4
mount -t overlay overlay -o "lowerdir=/,upperdir=$upper,workdir=$work" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$extra/comm" "$root/proc/1/comm"
exec chroot "$root" "$@"
-- prepare.sh --
set -e
extra=$1 standin=$2
cp "$standin" /usr/bin/systemctl
cp "$extra/crontab" /usr/bin/crontab
cp /bin/sh /usr/bin/zsh
chmod 755 /usr/bin/systemctl /usr/bin/crontab /usr/bin/zsh
mkdir -p /var/lib/standin/active /var/lib/standin/enabled
rm -rf /etc/apt/sources.list.d /etc/apt/preferences.d
mkdir /etc/apt/sources.list.d /etc/apt/preferences.d
echo "deb [trusted=yes] file:$extra/repository ./" >/etc/apt/sources.list
apt-get -qq update
`)
	for _, name := range packages {
		tree := filepath.Join(m.extra, "packages", name)
		files := fmt.Sprintf("-- DEBIAN/control --\nPackage: %s\nVersion: 1.0\nArchitecture: all\n"+
			"Maintainer: nobody <nobody@invalid>\nDescription: stands in for one\n", name)
		if name == "nginx" {
			files += "-- DEBIAN/conffiles --\n/etc/nginx/nginx.conf\n-- etc/nginx/nginx.conf --\n# packaged\n" +
				"-- etc/nginx/conf.d/README --\nx\n-- etc/nginx/sites-enabled/default --\nx\n" +
				"-- lib/systemd/system/nginx.service --\n[Service]\nExecStart=/usr/sbin/nginx\n"
		}
		unpack(t, tree, files)
		deb := filepath.Join(m.extra, "repository", name+".deb")
		out, err := exec.Command(live.Tool(t, "dpkg-deb"), "--root-owner-group", "-b", tree, deb).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	list := exec.Command("sh", "-c", "apt-ftparchive packages . >Packages 2>/dev/null || dpkg-scanpackages -m . >Packages")
	list.Dir = filepath.Join(m.extra, "repository")
	if out, err := list.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	standin := filepath.Join(live.Root(), "verify/model/testdata/agent/systemctl")
	prepare := m.command("sh", filepath.Join(m.extra, "prepare.sh"), m.extra, standin)
	if out, err := exec.Command(prepare[0], prepare[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return m
}

// command runs a program on the machine.
func (m *machine) command(program ...string) []string {
	return append([]string{"unshare", "--mount", "--propagation", "private", "sh", filepath.Join(m.extra, "enter.sh"),
		m.extra, m.upper, m.work, m.root}, program...)
}
