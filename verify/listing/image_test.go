package listing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An image is looked at as the machine itself would see it: no link leads out of it.
func TestImage(t *testing.T) {
	root := t.TempDir()
	write(t, root+"/etc/passwd", "root:x:0:0::/root:/bin/sh\ndeploy:x:1000:1000::/home/deploy:/bin/sh\n")
	write(t, root+"/etc/group", "root:x:0:\nops:x:50:deploy\n")
	write(t, root+"/var/lib/dpkg/status",
		"Package: ntp\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n\n"+
			"Package: gone\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1\n")
	write(t, root+"/var/lib/dpkg/info/ntp.list", "/.\n/etc\n/etc/ntp.conf\n")
	write(t, root+"/data/app/x", "x")
	write(t, root+"/etc/apt/sources.list", "deb http://mirror.example/debian bookworm main\n")
	for name, to := range map[string]string{"srv": "/data", "loop": "loop", "out": "../../../../../../../etc",
		"far": "hop", "hop": "/data"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	im, err := OpenImage(root)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]Thing{"/": Directory, "/etc": Directory, "/etc/passwd": Plain, "/nothing": Nothing,
		"/srv": Link, "/srv/app": Directory, "/srv/app/x": Plain, "/srv/app/x/y": Nothing, "/loop": Link,
		"/loop/x": Nothing, "/out/passwd": Plain, "/out/hostname": Nothing, "/far/app/x": Plain,
		"/srv/../etc/passwd": Plain} {
		if got := im.At(p); got != want {
			t.Errorf("%s is %d, want %d", p, got, want)
		}
	}
	for p, want := range map[string]string{"/srv": "/data", "/far": "/data", "/loop": "", "/etc": ""} {
		if got, _ := im.Leads(p); got != want {
			t.Errorf("%s leads to %q, want %q", p, got, want)
		}
	}
	if !im.Account("user deploy") || im.Account("group deploy") || !im.Account("group ops") || !im.Whole() {
		t.Error("accounts are those of the machine")
	}
	if names := im.Packages(); len(names) != 1 || names[0] != "ntp" {
		t.Errorf("packages %q", names)
	}
	if p, err := im.Package("ntp"); err != nil || p == nil || len(p.Files) != 1 {
		t.Errorf("%v, %v", p, err)
	}
	if im.OtherSource() != "" {
		t.Errorf("a mirror of the archive is no other source: %s", im.OtherSource())
	}
	write(t, root+"/etc/apt/sources.list.d/vendor.list", "deb http://vendor.example/apt any main\n")
	if im, err = OpenImage(root); err != nil || im.OtherSource() != "/etc/apt/sources.list.d/vendor.list" {
		t.Error(im.OtherSource(), err)
	}
}

// A list adds to what machines have; what it cannot mean is told with its line.
func TestImageList(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/list", "# ours\nntp\nlibc6:amd64\t2.36-9\n/srv/app/\n/opt/x/y # vendor\nuser deploy\ngroup ops\n")
	im, err := OpenImage(dir + "/list")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(im.Packages(), " "); got != "libc6 ntp" {
		t.Errorf("packages %q", got)
	}
	if im.At("/srv/app") != Directory || im.At("/srv") != Directory || im.At("/opt/x/y") != Plain ||
		im.At("/opt/x") != Directory || im.At("/opt/z") != Nothing || im.Whole() || im.Replaces() {
		t.Error("paths of a list")
	}
	if !im.Account("user deploy") || !im.Account("group ops") || im.Account("group deploy") {
		t.Error("accounts of a list")
	}
	write(t, dir+"/root/etc/passwd", "root:x:0:0::/root:/bin/sh\n")
	write(t, dir+"/root/etc/group", "root:x:0:\n")
	write(t, dir+"/bad", "ntp\nuser a b c\n")
	write(t, dir+"/worse", "ntp/../x\n")
	write(t, dir+"/empty/x", "")
	for place, want := range map[string]string{
		"/bad": "bad:2: ", "/worse": "worse:1: ", "/empty": "neither the root of a machine", "/none": "no such file",
		"/root": "nothing says which packages are installed"} {
		if _, err := OpenImage(dir + place); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", place, err, want)
		}
	}
	if im, err := OpenImage(dir+"/root", dir+"/list"); err != nil || !im.Whole() || len(im.Packages()) != 2 {
		t.Error(im, err)
	}
	var none *Image
	if none.At("/etc") != Nothing || none.Whole() || none.Account("user root") || none.Packages() != nil {
		t.Error("no image has nothing")
	}
}
