package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// What --base names is there before the first run, and what a whole image does not have is not.
func TestVerifyBase(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, map[string]string{
		"golden/etc/passwd":                     "root:x:0:0::/root:/bin/sh\ndeploy:x:1000:1000::/home/deploy:/bin/sh\n",
		"golden/etc/group":                      "root:x:0:\ndeploy:x:1000:\n",
		"golden/etc/vendor/vendor.conf":         "a = 1\n",
		"golden/srv/app/README":                 "",
		"golden/opt/tool/bin/tool":              "",
		"golden/etc/systemd/system/app.service": "[Service]\n",
		"golden/var/lib/dpkg/status": "Package: vendor\nStatus: install ok installed\nArchitecture: all\nVersion: 1\n" +
			"Conffiles:\n /etc/vendor/vendor.conf 0\n\n" +
			"Package: bash\nEssential: yes\nStatus: install ok installed\nPriority: required\nArchitecture: all\nVersion: 1\n",
		"golden/var/lib/dpkg/info/vendor.list": "/.\n/etc\n/etc/vendor\n/etc/vendor/vendor.conf\n",
		"golden/var/lib/dpkg/info/bash.list":   "/.\n/bin\n/bin/bash\n",
	})
	writeFiles(t, map[string]string{
		"list":   "vendor\n/srv/app/\nuser deploy\n",
		"facts":  `{"os":{"name":"Debian","family":"Debian","release":{"major":"12","full":"12.1"}}}`,
		"mounts": `{"os":{"name":"Debian","release":{"major":"12"}},"mountpoints":{"/":{},"/data":{}},"aio_agent_version":"8.1.0"}`,
	})
	image, list := []string{"--base", "golden"}, []string{"--base", "list"}
	both := append(append([]string{}, image...), list...)
	for _, x := range []struct {
		text string
		args []string
		code int
		want string
	}{
		{"file { '/srv/app/x': content => 'x' }", nil, exitNo, "V102 cannot succeed from a fresh machine"},
		{"file { '/srv/app/x': content => 'x' }", image, exitFine, "can succeed from a fresh debian-12 with what --base has"},
		{"file { '/srv/app/x': content => 'x' }", list, exitFine, "can succeed"},
		{"file { '/srv/x': content => 'x', owner => 'deploy' }", nil, exitNo, "user deploy"},
		{"file { '/srv/x': content => 'x', owner => 'deploy' }", image, exitFine, "can succeed"},
		{"file { '/srv/x': content => 'x', owner => 'deploy' }", list, exitFine, "can succeed"},
		{"file { '/srv/x': content => 'x', group => 'deploy' }", list, exitUnknown, "whether group deploy is there"},
		{"file { '/srv/x': content => 'x', owner => 'www-data' }", image, exitNo, "user www-data"},
		// The package is there, so that nothing needs to be ordered after it.
		{"package { 'vendor': }\nfile { '/etc/vendor/x': content => 'x' }", image, exitFine, "can succeed"},
		{"package { 'vendor': }", nil, exitNo, "there is no package vendor"},
		{"package { 'vendor': }\nfile { '/etc/vendor/x': content => 'x' }", list, exitUnknown,
			"whether /etc/vendor is there"},
		{"package { 'vendor': ensure => purged }", image, exitFine, "can succeed"},
		// The base system of the platform is not that of the image.
		{"file { '/etc/security/limits.d/x': content => 'x' }", nil, exitFine, "can succeed"},
		{"file { '/etc/security/limits.d/x': content => 'x' }", image, exitNo, "/etc/security/limits.d does not exist"},
		{"service { 'app': ensure => running }", nil, exitNo, "there is no service app"},
		{"service { 'app': ensure => running }", image, exitFine, "can succeed"},
		{"exec { '/bin/touch /srv/app/done': creates => '/srv/app/README' }", image, exitFine, "can succeed"},
		{"file { '/srv/y': source => '/opt/tool/bin/tool' }", image, exitFine, "can succeed"},
		{"file { '/srv/y': source => '/opt/tool/bin/other' }", image, exitNo, "/opt/tool/bin/other"},
		{"file { '/srv/y': source => '/opt/tool/bin/other' }", nil, exitUnknown, "whether /opt/tool/bin/other is there"},
		{"file { '/srv/app/x': content => 'x' }", both, exitFine, "can succeed"},
		{"file { '/srv/app/x': content => 'x' }", []string{"--base", "none"}, exitFailed, "--base"},
		// What facts show is there too.
		{"file { '/data/x': content => 'x' }", nil, exitNo, "/data does not exist"},
		{"file { ['/data/x', '/etc/puppetlabs/puppet/x']: content => 'x' }",
			[]string{"--facts", "mounts"}, exitFine, "can succeed"},
	} {
		writeFiles(t, map[string]string{"env/manifests/site.pp": x.text})
		args := append([]string{"verify", "env", "--facts", "facts"}, x.args...)
		if code, out, err := call(args...); code != x.code || !strings.Contains(out+err, x.want) {
			t.Errorf("%s\n%q: exit %d, want %d and %q\n%s%s", x.text, x.args, code, x.code, x.want, out, err)
		}
	}
	writeFiles(t, map[string]string{"env/manifests/site.pp": "file { '/srv/app/x': content => 'x' }"})
	_, out, _ := call("verify", "env", "--facts", "facts", "--base", "golden",
		"--format", "json")
	var doc verifyJSON
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Base) != 1 || doc.Base[0] != "golden" {
		t.Errorf("%v\n%s", err, out)
	}
	// check has it, too.
	writeFiles(t, map[string]string{"env/facts/web.json": `{"os":{"name":"Debian","release":{"major":"12"}}}`})
	if code, out, err := call("check", "env", "--base", "golden"); code != exitFine {
		t.Errorf("check: exit %d\n%s%s", code, out, err)
	}
	if code, _, _ := call("check", "env"); code != exitNo {
		t.Errorf("check without it: exit %d", code)
	}
}
