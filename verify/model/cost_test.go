package model_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/verify"
	"bunraku/verify/model"
)

// mixed is a site of about n resources of the kinds that catalogs have: per application a class with a package, its
// configuration, a service, an account, a directory with files, commands behind guards, lines and cron jobs. A number
// of applications lack an order that they need.
func mixed(n, faults int) string {
	const each = 20 // resources of an application
	apps := n / each
	listed := []string{"nginx", "openssh-server", "rsync", "ntp", "postgresql", "redis-server", "haproxy", "memcached",
		"apache2", "vim"}
	var b strings.Builder
	b.WriteString("file { '/srv/apps': ensure => directory }\nfile { '/etc/apps': ensure => directory, owner => 'root', " +
		"mode => '0755' }\n")
	b.WriteString("exec { '/bin/systemctl daemon-reload': refreshonly => true }\n")
	for i := range apps {
		name := fmt.Sprintf("app%d", i)
		pkg := name
		if i < len(listed) {
			pkg = listed[i]
		}
		need := fmt.Sprintf("require => File['/srv/apps/%s']", name)
		if i%max(1, apps/max(1, faults)) == 0 && i/max(1, apps/max(1, faults)) < faults {
			need = "tag => 'fault'"
		}
		fmt.Fprintf(&b, `class %[1]s {
  package { '%[2]s': ensure => installed }
  file { '/etc/apps/%[1]s': ensure => directory, mode => '0755', require => Package['%[2]s'] }
  Integer[1, 6].each |$k| {
    file { "/etc/apps/%[1]s/conf${k}": content => "setting ${k}", owner => 'root', mode => '0644', notify => Service['%[1]s'] }
  }
  file { '/etc/systemd/system/%[1]s.service': content => "[Service]\nExecStart=/usr/bin/%[1]s", notify => [Exec['/bin/systemctl daemon-reload'], Service['%[1]s']] }
  service { '%[1]s': ensure => running, enable => true, require => Exec['/bin/systemctl daemon-reload'] }
  group { '%[1]s': ensure => present }
  user { '%[1]s': ensure => present, gid => '%[1]s', home => '/srv/apps/%[1]s' }
  file { '/srv/apps/%[1]s': ensure => directory, owner => '%[1]s' }
  exec { '/usr/bin/touch /srv/apps/%[1]s/done': creates => '/srv/apps/%[1]s/done', %[3]s }
  exec { '/bin/mkdir /srv/apps/%[1]s/data': unless => '/usr/bin/test -d /srv/apps/%[1]s/data', require => File['/srv/apps/%[1]s'] }
  cron { '%[1]s': command => '/usr/bin/%[1]s --tidy', user => 'root', minute => 5 }
  file { '/etc/logrotate.d/%[1]s': content => "/var/log/%[1]s {}" }
  host { '%[1]s.example.org': ip => '10.0.0.1' }
}
include %[1]s
`, name, pkg, need)
	}
	return b.String()
}

// appends is n commands that put one line each into the same file, each behind a guard.
func appends(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b,
			"exec { '/bin/sh -c \"echo line%[1]d >> /etc/app.conf\"': unless => '/bin/grep -q line%[1]d /etc/app.conf' }\n", i)
	}
	return b.String()
}

// cost is what verifying takes: time, the most memory in use, units of the budget.
func cost(t *testing.T, g *catalog.Graph) (took time.Duration, peak uint64, units float64, r *model.Report) {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	stop, done := make(chan bool), make(chan uint64)
	go func() {
		var most uint64
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	began := live.Begin()
	opt, search := model.Options{Platform: "debian-12", Listing: lists(t, "debian-12")}, verify.DefaultOptions()
	model.Within(context.Background(), model.DefaultUnits, &opt, &search)
	r, err := model.Verify(context.Background(), g, opt, search)
	took = began.Took()
	if err != nil {
		t.Fatal(err)
	}
	close(stop)
	steps, _ := opt.Budget.Spent()
	return took, <-done, float64(steps) / 1e6, r
}

// The cost of verifying, figure beside bar.
func TestAcceptCost(t *testing.T) {
	long(t)
	for _, c := range []struct {
		name   string
		text   string
		faults int
		time   time.Duration
		memory uint64
	}{
		{"1k clean", mixed(1000, 0), 0, 300 * time.Millisecond, 600 << 20},
		{"5k clean", mixed(5000, 0), 0, 1500 * time.Millisecond, 600 << 20},
		{"20k clean", mixed(20000, 0), 0, 7 * time.Second, 600 << 20},
		{"1k, 1 fault", mixed(1000, 1), 1, time.Second, 600 << 20},
		{"5k, 5 faults", mixed(5000, 5), 5, 4 * time.Second, 1 << 30},
		{"20k, 20 faults", mixed(20000, 20), 20, 15 * time.Second, 1 << 30},
		{"20 appends", appends(20), -1, time.Second, 600 << 20},
		{"50 appends", appends(50), -1, time.Second, 600 << 20},
		{"200 appends", appends(200), -1, 2 * time.Second, 600 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := site(t, c.text)
			took, peak, units, r := cost(t, g)
			n := 0
			for _, f := range r.Findings {
				if f.Code == "V101" {
					n++
				}
			}
			t.Logf("score: %s: %d resources, %.2f s (bar %.1f s), %d MB (bar %d MB), %.0f units, %d findings of order, %d in "+
				"all, unknown %v",
				c.name, len(g.Catalog.Resources), took.Seconds(), c.time.Seconds(), peak>>20, c.memory>>20, units, n,
				len(r.Findings), r.Unknown)
			if took > c.time || peak > c.memory {
				t.Errorf("%s: %v and %d MB, the bar is %v and %d MB", c.name, took, peak>>20, c.time, c.memory>>20)
			}
			if c.faults >= 0 && n != c.faults {
				t.Errorf("%s: %d findings", c.name, n)
			}
		})
	}
}

// Every node of real control repos, as Puppet compiled it (see realsites_test.go of puppet/compiler), is verified
// within 10 s of processor time and 1 GB, and within the budget.
func TestAcceptNodeCost(t *testing.T) {
	long(t)
	files, err := filepath.Glob(filepath.Join(live.Fetched(t, "sites"), "heldout", "*", "expected.json"))
	if err != nil || len(files) == 0 {
		t.Skip("no nodes of real sites are here")
	}
	const bar, room = 10 * time.Second, 1 << 30
	var longest time.Duration
	var most uint64
	spent := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		g := catalog.NewGraph(c, model.Types{})
		if len(g.Cycles()) > 0 {
			continue
		}
		took, peak, units, r := cost(t, g)
		longest, most = max(longest, took), max(most, peak)
		if r.TooLong {
			spent++
		}
		if name := filepath.Base(filepath.Dir(file)); took > bar || peak > room || r.TooLong {
			t.Errorf("%s: %d resources, %.1f s, %d MB, %.0f units, unknown %v", name, len(c.Resources), took.Seconds(),
				peak>>20, units, r.Unknown)
		}
	}
	t.Logf("score: %d nodes of real sites: the longest %.1f s (bar 10 s), at most %d MB (bar 1024 MB), %d end by the budget "+
		"(bar 0)", len(files), longest.Seconds(), most>>20, spent)
}
