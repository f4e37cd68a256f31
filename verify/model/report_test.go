package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/source"
	"bunraku/verify"
	"bunraku/verify/model"
)

// findings verifies a graph and gives one line per finding of a code: the resources, and the fix with a + if it was
// verified.
func findings(t *testing.T, g *catalog.Graph, opt model.Options, code string) (lines []string, r *model.Report) {
	t.Helper()
	m, err := model.Build(g, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = m.Verify(context.Background(), verify.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Code != code {
			continue
		}
		var words []string
		if f.About != "" {
			words = append(words, f.About+":")
		}
		for _, x := range f.Resources {
			words = append(words, x.Ref())
		}
		if f.Fix != nil {
			fix := f.Fix.String()
			if f.Fix.Verified {
				fix += " +"
			}
			words = append(words, fix)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines, r
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestMissingNotify(t *testing.T) {
	set := small(t, map[string]string{
		"nginx":          "/etc/nginx/nginx.conf\n/etc/nginx/conf.d/\n/lib/systemd/system/nginx.service\n/etc/logrotate.d/nginx\n",
		"mariadb-server": "/etc/mysql/mariadb.conf.d/50-server.cnf\n/lib/systemd/system/mariadb.service\n",
		"openssh-server": "/etc/default/ssh\n/lib/systemd/system/ssh.service\n",
		"openssh-client": "/etc/ssh/ssh_config\n",
		"postfix":        "/etc/postfix/\n/lib/systemd/system/postfix.service\n",
		"squid":          "/etc/squid.conf\n/etc/default/squid\n/lib/systemd/system/squid.service\n",
	})
	const nginx = `package { 'nginx': } -> service { 'nginx': ensure => running } `
	for _, x := range []struct {
		name, site string
		want       []string
	}{
		{"a configuration file of the package", nginx + `file { '/etc/nginx/nginx.conf': content => 'x' }`,
			[]string{"File[/etc/nginx/nginx.conf] Service[nginx] notify => Service['nginx'], +"}},
		{"a file in the package's directory", nginx +
			`file { '/etc/nginx/conf.d/a.conf': content => 'x', require => Package['nginx'] }`,
			[]string{"File[/etc/nginx/conf.d/a.conf] Service[nginx] notify => Service['nginx'], +"}},
		{"the package has another name",
			`package { 'mariadb-server': } -> file { '/etc/mysql/mariadb.conf.d/a.cnf': content => 'x' } service { 'mariadb': ensure => running, require => Package['mariadb-server'] }`,
			[]string{"File[/etc/mysql/mariadb.conf.d/a.cnf] Service[mariadb] notify => Service['mariadb'], +"}},
		{"no list: a name is no evidence",
			`service { 'shop': ensure => running } file { '/etc/shop.conf': content => 'x' } file { '/etc/default/shop': content => 'x' }`, nil},
		{"several of them",
			`package { 'squid': } service { 'squid': require => Package['squid'], ensure => running } file { '/etc/squid.conf': content => 'x' } file { '/etc/default/squid': content => 'x' } file { '/etc/motd': content => 'x' }`,
			[]string{"File[/etc/squid.conf] Service[squid] notify => Service['squid'], +",
				"File[/etc/default/squid] Service[squid] notify => Service['squid'], +"}},
		{"its unit", `service { 'shop': ensure => running } file { '/etc/systemd/system/shop.service': content => 'x' }`,
			[]string{"File[/etc/systemd/system/shop.service] Service[shop] notify => Service['shop'], +"}},
		{"the service waits for it",
			`service { 'shop': ensure => running, require => File['/etc/settings'] } file { '/etc/settings': content => 'x' }`,
			[]string{"File[/etc/settings] Service[shop] notify => Service['shop'], +"}},
		{"a neighbour restarts it", `service { 'shop': ensure => running, subscribe => File['/etc/sale.d/a.conf'] }
			file { '/etc/sale.d': ensure => directory } file { ['/etc/sale.d/a.conf', '/etc/sale.d/b.conf', '/etc/sale.d/notes']: content => 'x' }`,
			[]string{"File[/etc/sale.d/b.conf] Service[shop] notify => Service['shop'], +"}},
		{"lines of a file",
			`package { 'squid': } service { 'squid': require => Package['squid'], ensure => running } augeas { 'a': incl => '/etc/squid.conf', lens => 'Squid.lns', changes => 'set a b' }`,
			[]string{"Augeas[a] Service[squid] notify => Service['squid'], +"}},
		{"declared by the same words",
			`package { 'squid': } service { 'squid': require => Package['squid'], ensure => running } file { ['/etc/squid.conf', '/etc/default/squid']: content => 'x' }`,
			[]string{"File[/etc/squid.conf] Service[squid] notify => Service['squid'], +"}},

		{"notify", nginx + `file { '/etc/nginx/nginx.conf': content => 'x', notify => Service['nginx'] }`, nil},
		{"subscribe",
			`package { 'nginx': } service { 'nginx': ensure => running, require => Package['nginx'], subscribe => File['/etc/nginx/nginx.conf'] } file { '/etc/nginx/nginx.conf': content => 'x' }`, nil},
		{"through classes",
			`class c { file { '/etc/squid.conf': content => 'x' } } class s { package { 'squid': } service { 'squid': require => Package['squid'], ensure => running } } include c, s Class['c'] ~> Class['s']`, nil},
		{"through a define",
			`define d { file { "/etc/${title}": content => 'x' } } d { 'squid.conf': notify => Service['squid'] } package { 'squid': } service { 'squid': require => Package['squid'], ensure => running }`, nil},
		{"through a class that only requires",
			`class c { file { '/etc/squid.conf': content => 'x' } } class s { package { 'squid': } service { 'squid': require => Package['squid'], ensure => running } } include c, s Class['c'] -> Class['s']`,
			[]string{"File[/etc/squid.conf] Service[squid] notify => Service['squid'], +"}},
		{"through a command",
			`file { '/etc/squid.conf': content => 'x' } ~> exec { '/usr/sbin/squid -k reconfigure': refreshonly => true } package { 'squid': } service { 'squid': require => Package['squid'], ensure => running }`, nil},
		{"through a command that reloads units", nginx +
			`file { '/etc/systemd/system/nginx.service': content => 'x' } ~> exec { '/bin/systemctl daemon-reload': refreshonly => true } ~> Service['nginx']`, nil},
		{"a command that reloads units, and nobody else", nginx +
			`file { '/etc/systemd/system/nginx.service': content => 'x' } ~> exec { '/bin/systemctl daemon-reload': refreshonly => true } -> Service['nginx']`,
			[]string{"File[/etc/systemd/system/nginx.service] Service[nginx] notify => Service['nginx'], +"}},
		{"tables that are looked up",
			`package { 'postfix': } -> service { 'postfix': ensure => running } file { '/etc/postfix/main.cf': content => 'x', require => Package['postfix'] } file { '/etc/postfix/virtual': content => 'x', require => Package['postfix'] }`,
			[]string{"File[/etc/postfix/main.cf] Service[postfix] notify => Service['postfix'], +"}},
		{"events do not pass a file",
			`file { '/etc/squid.conf': content => 'x' } ~> file { '/etc/squid.d': ensure => directory } ~> package { 'squid': } service { 'squid': require => Package['squid'], ensure => running }`,
			[]string{"File[/etc/squid.conf] Service[squid] notify => Service['squid'], +"}},
		{"not kept running", `service { 'squid': enable => true } file { '/etc/squid.conf': content => 'x' }`, nil},
		{"log rotation", nginx + `file { '/etc/logrotate.d/nginx': content => 'x' }`, nil},
		{"written once", nginx + `file { '/etc/nginx/nginx.conf': content => 'x', replace => false }`, nil},
		{"only its mode", nginx + `file { '/etc/nginx/nginx.conf': mode => '0600' }`, nil},
		{"a hook", nginx + `file { '/etc/nginx/conf.d/hook': content => 'x', mode => '0755', require => Package['nginx'] }`,
			nil},
		{"of a client",
			`package { ['openssh-server', 'openssh-client']: } -> service { 'ssh': ensure => running } file { '/etc/ssh/ssh_config': content => 'x' }`, nil},
		{"after the service",
			`package { 'squid': } service { 'squid': require => Package['squid'], ensure => running } -> file { '/etc/squid.conf': content => 'x' }`, nil},
		{"cron sees for itself", `service { 'cron': ensure => running } file { '/etc/default/cron': content => 'x' }`, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, r := findings(t, site(t, x.site), model.Options{Listing: set, Platform: "debian-12"}, "V203")
			same(t, got, x.want)
			for _, f := range r.Findings {
				if f.Code == "V203" && (!f.Warning || len(f.Runs) != 1 || f.Note == "") {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

func TestGuards(t *testing.T) {
	for _, x := range []struct {
		name, site string
		want       []string
	}{
		{"mkdir", `exec { '/bin/mkdir /srv/a': }`, []string{"Exec[/bin/mkdir /srv/a] creates => '/srv/a', +"}},
		{"two of them", `exec { '/bin/mkdir /srv/a': } exec { '/bin/mkdir /srv/b': }`,
			[]string{"Exec[/bin/mkdir /srv/a] creates => '/srv/a', +", "Exec[/bin/mkdir /srv/b] creates => '/srv/b', +"}},
		{"declared together", `exec { ['/bin/mkdir /srv/a', '/bin/mkdir /srv/b']: }`, []string{"Exec[/bin/mkdir /srv/a]"}},
		{"guarded", `exec { '/bin/mkdir /srv/a': creates => '/srv/a' }`, nil},
		{"no guard helps", `file { '/srv/b': source => '/srv/a' } -> exec { '/bin/rm /srv/a': }`,
			[]string{"File[/srv/b]", "Exec[/bin/rm /srv/a]"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, _ := findings(t, site(t, x.site), model.Options{Platform: "debian-12"}, "V201")
			same(t, got, x.want)
		})
	}
}

// An edit changes every resource that its words declare: one that would make a cycle for another of them is not
// offered.
func TestFixesHoldForAllThatIsDeclaredThere(t *testing.T) {
	set := small(t, map[string]string{"nginx": "/etc/nginx/conf.d/\n"})
	got, _ := findings(t,
		site(t,
			`package { 'nginx': require => File['/srv/first'] } $all = ['/srv/first', '/etc/nginx/conf.d/a'] file { $all: content => 'x' }`),
		model.Options{Listing: set, Platform: "debian-12"}, "V101")
	same(t, got, []string{"Package[nginx] File[/etc/nginx/conf.d/a]"})
	set = small(t, map[string]string{"squid": "/etc/squid.conf\n/lib/systemd/system/squid.service\n"})
	got, _ = findings(t,
		site(t,
			`package { 'squid': } -> service { 'squid': ensure => running, before => File['/srv/late'] } file { ['/etc/squid.conf', '/srv/late']: content => 'x' }`),
		model.Options{Listing: set, Platform: "debian-12"}, "V203")
	same(t, got, []string{"File[/etc/squid.conf] Service[squid]"})
}

// fussy are Puppet's own types, but which packages a file requires cannot be read.
type fussy struct{ resource.Core }

func (fussy) Type(name string) *resource.Type {
	t := resource.Core{}.Type(name)
	if name == "file" {
		own := *t
		own.Autos = append(own.Autos[:len(own.Autos):len(own.Autos)], resource.Auto{Relation: resource.Require,
			Target: "package",
			Ask: func(resource.Instance, resource.Instances) ([]resource.Named, error) {
				return nil, errors.New("refused")
			}})
		return &own
	}
	return t
}

// A missing order has a note where a relation that could not be read may give it.
func TestOrderThatAnAgentMayHave(t *testing.T) {
	set := small(t, map[string]string{"nginx": "/etc/nginx/conf.d/\n"})
	g := site(t, `package { 'nginx': } file { '/etc/nginx/conf.d/a': content => 'x' }`)
	for _, types := range []model.Types{{}, {Lookup: fussy{}}} {
		_, r := findings(t, catalog.NewGraph(g.Catalog, types), model.Options{Listing: set, Platform: "debian-12",
			Types: types}, "V101")
		if len(r.Findings) != 1 || (r.Findings[0].Note != "") != (types.Lookup != nil) {
			t.Errorf("%+v", r.Findings)
		}
	}
}

func TestAssertions(t *testing.T) {
	const manifest = `
		file { '/srv/key': content => 'x', mode => '0600', owner => 'root' }
		file { '/srv/open': content => 'x' }
		file { '/srv/words': content => 'x', mode => 'u=rw,g=r,o=' }
		file { '/srv/more': ensure => file, mode => 'g+w' }
		file { '/srv/gone': ensure => absent, force => true }
		file { '/srv/l': ensure => link, target => '/srv/key' }
		file { '/srv/twice': content => 'x', mode => '0600' } exec { '/bin/chmod 0644 /srv/twice': }
		service { 'sshd': ensure => running } user { 'kim': ensure => present }`
	for _, x := range []struct {
		assert string
		want   []string
	}{
		{"file /srv/key exists with mode 0600 and owner root", nil},
		{"file /srv/key never world-readable", nil},
		{"file /srv/words mode 0640, not world-readable", nil},
		{"path /srv/gone absent", nil},
		{"link /srv/l to /srv/key", nil},
		{"service sshd running", nil},
		{"user kim exists", nil},
		{"[other*]\nfile /srv/none exists", nil},
		{"[other* nod?] # this one\nfile /srv/none exists", []string{"file /srv/none exists:"}},
		{"file /srv/open not world-readable", []string{"file /srv/open not world-readable: File[/srv/open]"}},
		// it may have been there, somebody else's
		{"file /srv/open owner root", []string{"file /srv/open owner root: File[/srv/open]"}},
		{"directory /srv/key exists", []string{"directory /srv/key exists: File[/srv/key]"}},
		{"file /srv/twice mode 0600",
			[]string{"file /srv/twice mode 0600: File[/srv/twice] Exec[/bin/chmod 0644 /srv/twice]"}},
		{"package nginx installed", []string{"package nginx installed:"}},
		{"path '/etc/shadow' not group-writable", []string{"path '/etc/shadow' not group-writable:"}},
	} {
		list, trouble := model.ParseAssertions(source.NewFile("bunraku.assert", x.assert+"\n"))
		if len(trouble) > 0 {
			t.Errorf("%s: %v", x.assert, trouble[0])
			continue
		}
		got, r := findings(t, site(t, manifest), model.Options{Assert: list, Platform: "debian-12"}, "V204")
		if strings.Join(got, "\n") != strings.Join(x.want, "\n") {
			t.Errorf("%s: got %q, want %q", x.assert, got, x.want)
		}
		for _, f := range r.Findings {
			if f.Code == "V204" && (f.Warning || !f.At.Known() || len(f.Runs) != 1) {
				t.Errorf("%+v", f)
			}
		}
	}
	// What the mode is depends on what was there.
	list, _ := model.ParseAssertions(source.NewFile("bunraku.assert", "file /srv/more not world-writable"))
	if got, r := findings(t, site(t, manifest), model.Options{Assert: list}, "V204"); len(got) > 0 ||
		len(r.Unknown) != 1 || len(r.Open) != 1 {
		t.Errorf("%q %q", got, r.Unknown)
	}
}

// A command that nobody can read keeps an assertion from being proved, but not from holding as far as there are models.
func TestAssertionsBesideTheUnknown(t *testing.T) {
	list, _ := model.ParseAssertions(source.NewFile("bunraku.assert", "file /srv/key mode 0600"))
	got, r := findings(t,
		site(t, `file { '/srv/key': content => 'x', mode => '0600' } exec { '/opt/setup': creates => '/opt/done' }`),
		model.Options{Assert: list}, "V204")
	if len(got) > 0 || len(r.Open) > 0 || !strings.Contains(strings.Join(r.Unknown, "\n"),
		"assertion bunraku.assert:1:1 (file /srv/key mode 0600)") {
		t.Errorf("%q %q %q", got, r.Open, r.Unknown)
	}
}

// An assertion is about every order, not the one that the agent happens to take.
func TestAssertionsInEveryOrder(t *testing.T) {
	const racing = `exec { '/bin/chmod 0644 /srv/key': } exec { '/bin/chmod 0600 /srv/key': }`
	list, _ := model.ParseAssertions(source.NewFile("bunraku.assert", "file /srv/key not world-readable"))
	got, _ := findings(t, site(t, racing), model.Options{Assert: list}, "V204")
	same(t, got,
		[]string{"file /srv/key not world-readable: Exec[/bin/chmod 0600 /srv/key] Exec[/bin/chmod 0644 /srv/key]"})
}

func TestAssertionsThatCannotBeRead(t *testing.T) {
	for _, x := range []struct{ text, place, summary, help string }{
		{"fil /etc/x exists", "1:1", `"fil" is nothing that can be asserted about`, "did you mean file?"},
		{"# all\n\nfile /etc/x exsists", "3:13", `"exsists" cannot be said of a file`, "did you mean exists?"},
		{"file etc/x exists", "1:6", `the path "etc/x" is not absolute`, ""},
		{"file /etc/x mode", "1:13", "mode needs a value", ""},
		{"file /etc/x mode 0999", "1:18", `"0999" is no mode`, "octal"},
		{"file /etc/x", "1:1", "an assertion says what, its name, and what holds of it", "file NAME"},
		{"[web*\nfile /etc/x exists", "1:1", "the list of nodes is never closed", ""},
		{"[a[]\n", "1:1", `"a[" is no pattern of node names`, ""},
		{"service x not running", "1:11", `"not running" cannot be said of a service`, "running"},
	} {
		_, trouble := model.ParseAssertions(source.NewFile("f", x.text))
		if len(trouble) != 1 || trouble[0].Summary != x.summary || trouble[0].Place.String() != "f:"+x.place ||
			!strings.Contains(trouble[0].Help, x.help) {
			t.Errorf("%q: %v", x.text, trouble)
		}
	}
}
