package compiler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/budget"
	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/facts"
	"bunraku/source"
)

// largeSite writes a site in the manner of real ones: roles and profiles of many classes, each with parameters from
// Hiera, branches that are not taken, defines, defaults, collectors with overrides and arrows. A node of it has nine
// resources for each class.
func largeSite(t *testing.T, dir string, classes int) {
	site, data := &strings.Builder{}, &strings.Builder{}
	site.WriteString("File { owner => 'root' }\nnode default {\n")
	for i := range classes {
		fmt.Fprintf(site, "  include m::c%d\n", i)
		fmt.Fprintf(data, "m::c%d::port: %d\nm::c%d::users: [ann, bob]\n", i, 8000+i, i)
		write(t, dir, map[string]string{fmt.Sprintf("modules/m/manifests/c%d.pp", i): largeClass(i)})
	}
	site.WriteString("}\nFile<| tag == 'web' |> { mode => '0600' }\n")
	write(t, dir, map[string]string{
		"manifests/site.pp": site.String(), "data/common.yaml": data.String(),
		"hiera.yaml":                  "version: 5\nhierarchy:\n  - name: all\n    path: common.yaml\n",
		"modules/m/manifests/init.pp": "class m {}\n",
		"modules/m/manifests/tls.pp": `class m::tls {
  file { '/etc/tls': ensure => directory }
  File['/etc/tls'] -> Service<| |>
}
`,
		"modules/m/manifests/unit.pp": `define m::unit(Integer $port, $ensure = present, String $mode = '0644') {
  if $ensure == 'absent' {
    file { "/etc/unit/${title}": ensure => absent, before => File["/etc/c/${title}"] }
  } else {
    file { "/etc/unit/${title}": content => "port ${port} of ${facts['networking']['hostname']}\n", mode => $mode }
  }
  exec { "reload ${title}":
    command => "/bin/true ${port}", refreshonly => true, subscribe => File["/etc/unit/${title}"],
  }
}
`,
		"facts.json": `{"name": "n.example.com", "values": {"networking": {"hostname": "n"}, "os": {"family": "Debian"}}}`,
	})
}

func largeClass(i int) string {
	return fmt.Sprintf(`class m::c%[1]d (Integer $port, Array[String] $users = [], Boolean $tls = false) {
  if $tls {
    include m::tls
    File<| title == '/etc/c/%[1]d' |> { group => 'tls' }
  }
  case $facts['os']['family'] {
    'RedHat': { package { 'httpd%[1]d': ensure => latest } }
    default: { package { 'apache%[1]d': ensure => installed } }
  }
  file { '/etc/c/%[1]d': content => "listen ${port}\n", tag => 'web' }
  $users.each |$u| {
    file { "/home/%[1]d/${u}": ensure => directory, owner => $u }
  }
  m::unit { '%[1]d': port => $port + 1 }
  service { 'apache%[1]d': ensure => running }
  Package['apache%[1]d'] -> File['/etc/c/%[1]d'] ~> Service['apache%[1]d']
}
`, i)
}

// TestAcceptProvenance4500 is about a large catalog: what is asked about each resource must not grow with their number.
func TestAcceptProvenance4500(t *testing.T) {
	live.Accept(t)
	provenanceOfLarge(t, 500, 2)
}

func TestProvenanceOfLarge(t *testing.T) { provenanceOfLarge(t, 60, 4) }

func provenanceOfLarge(t *testing.T, classes int, bar float64) {
	defer budget.TuneMemory()()
	dir := filepath.Join(t.TempDir(), "production")
	largeSite(t, dir, classes)
	open := func(trace bool) *site {
		c, err := compiler.NewWorkspace(dir, compiler.Options{Trace: trace}).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "facts.json")
		f, err := facts.Read(source.NewDir(source.DirOptions{Roots: []string{file}}), file)
		if err != nil {
			t.Fatal(err)
		}
		return &site{"large", c, f}
	}
	plain, tracing := open(false), open(true)
	res, err := plain.c.Compile(context.Background(), compiler.Node{Facts: plain.f})
	if err != nil || res.Failure != nil {
		t.Fatal(err, res.Failure)
	}
	tracing.compile(t)
	var a, b []float64
	for range 10 {
		a, b = append(a, plain.seconds(t)), append(b, tracing.seconds(t))
	}
	cost := slices.Min(b) / slices.Min(a)
	t.Logf("%d resources: plain %.1f ms, with provenance %.1f ms: %.2f times (bar %.0f)", len(res.Catalog.Resources),
		1e3*slices.Min(a), 1e3*slices.Min(b), cost, bar)
	if cost > bar {
		t.Error("provenance costs too much")
	}
}
