package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"bunraku/verify/listing"

	"bunraku/internal/live"
)

func TestChoose(t *testing.T) {
	all := []*listing.Package{
		{Name: "libc6"},
		{Name: "nginx", Files: []string{"/usr/sbin/nginx", "/usr/share/doc/nginx/copyright"},
			Depends: []string{"libc6", "nginx-common"}},
		{Name: "nginx-common", Files: []string{"/etc/nginx/nginx.conf", "/lib/systemd/system/nginx.service"},
			Conffiles: []string{"/etc/nginx/nginx.conf"},
			Dirs: []string{"/etc/nginx", "/usr/share/doc", "/usr/share/doc/nginx", "/usr/share/nginx", "/usr/share/nginx/html",
				"/usr/share/nginx/html/deep"}},
		{Name: "pg", Depends: []string{"pg-15"}},
		{Name: "pg-15", Depends: []string{"pg-common"}},
		{Name: "pg-common", Files: []string{"/etc/init.d/pg"}},
		{Name: "web-app", Depends: []string{"nginx-common"}},
		{Name: "unrelated", Depends: []string{"libc6"}},
	}
	for _, p := range all {
		trim(p)
	}
	var names []string
	for _, p := range choose(all) {
		names = append(names, p.Name)
	}
	if want := []string{"nginx", "nginx-common", "pg", "pg-15", "pg-common", "web-app"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if p := all[1]; !slices.Equal(p.Files, []string{"/usr/sbin/nginx"}) ||
		!slices.Equal(p.Depends, []string{"nginx-common"}) || !p.Partial {
		t.Errorf("%+v", p)
	}
	if want := []string{"/etc/nginx", "/usr/share/doc", "/usr/share/nginx",
		"/usr/share/nginx/html"}; !slices.Equal(all[2].Dirs, want) {
		t.Errorf("%v, want %v", all[2].Dirs, want)
	}
}

func TestMade(t *testing.T) {
	script := `#!/bin/sh
# mkdir /etc/comment
if [ -x /usr/bin/ucf ]; then ucf --debconf-ok "$tmp" "/etc/web/web.conf"; ucfr web /etc/web/web.conf; fi
ucf --purge /etc/old.conf
ucf /usr/share/web/$x /etc/$name.conf
mkdir -p -m 0755 /var/lib/web /var/lib/$x && install -d -o web -g web -m 0750 '/var/log/web/' 2>/dev/null
install -m 0644 /usr/share/x /etc/x
	mkdir \
	  /etc/web/conf.d || true
mkdir /var/run/web /tmp/x /etc/../root
`
	cmd := exec.Command(live.Tool(t, "awk"), "-f", "made.awk")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(string(out)), []string{"/etc/web/web.conf", "/var/lib/web/", "/var/log/web/",
		"/etc/web/conf.d/"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
