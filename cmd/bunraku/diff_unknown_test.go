package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// What is not known on both sides is never equal, and decides the exit code if nothing else does.
func TestDiffUnknown(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "file { '/u': content => generate('/bin/date') }\n")
	s.commit("asks the world")
	s.edit("manifests/site.pp", "", "file { '/v': ensure => absent }\n")
	code, out := s.diff("--from", "HEAD")
	if code != 2 || !strings.Contains(out, "not known on 3 nodes   File[/u] content: ") {
		t.Errorf("%d\n%s", code, out)
	}
	s.edit("manifests/site.pp", "file { '/v': ensure => absent }\n", "if false { notice('x') }\n")
	code, out = s.diff("--from", "HEAD")
	if code != 3 || !strings.Contains(out, "3 not known") || strings.Contains(out, "No differences") {
		t.Errorf("%d\n%s", code, out)
	}
}

// Where decisions, names and files hang on what is not known, nothing is proved by what a node asked: neither that it
// cannot change, nor that a hunk has no effect.
func TestDiffOpen(t *testing.T) {
	const function, branch = "site-modules/profile/lib/puppet/functions/profile/world.rb",
		"site-modules/profile/manifests/far.pp"
	for _, use := range []string{
		"if profile::world() == 'far' { include profile::far }\n",
		"case profile::world() { 'far': { include profile::far } default: { } }\n",
		"include \"profile::${profile::world()}\"\n",
		"profile::world().split(',').each |$x| { include \"profile::${x}\" }\n",
		"$l = lookup(\"k_${profile::world()}\", { 'default_value' => 1 })\n",
		"$l = generate('/bin/cat', \"${module_directory('profile')}/manifests/far.pp\")\n",
		"notify { 'e': message => inline_template('<%= ERB.new(\"a\").result(binding) %>') }\n",
	} {
		s := newRepository(t)
		s.edit(function, "", "Puppet::Functions.create_function(:'profile::world') { def world(); `echo far`.strip; end }\n")
		s.edit(branch, "", "class profile::far { notify { 'far': message => '1' } }\n")
		s.edit("manifests/site.pp", "", use)
		s.commit("asks the world")
		s.edit(branch, "'1'", "'2'")
		for _, store := range []string{"", filepath.Join(t.TempDir(), "store")} {
			args := []string{"--from", "HEAD"}
			if store != "" {
				args = append(args, "--store", store)
			}
			for range 2 {
				code, out := s.diff(args...)
				if code != 3 || !strings.Contains(out, "3 nodes: 3 not known") || strings.Contains(out, "without effect") ||
					!strings.Contains(out, "no effect seen   "+branch) {
					t.Errorf("%s%d\n%s", use, code, out)
				}
			}
		}
		if code, out, err := call("impact", s.dir, "--from", "HEAD"); code != 2 || strings.Contains(out, "0 of 3") {
			t.Errorf("%simpact: %d\n%s%s", use, code, out, err)
		}
		if code, out := s.diff("--from", "HEAD", "--assert", "none"); code == 0 {
			t.Errorf("%snothing is sure, and it passes:\n%s", use, out)
		}
	}
}

// A function that is not run, since a secret that it is given cannot be opened, may read anything, too; to hand such a
// secret on is no reason for doubt, as long as its ciphertext is the same.
func TestDiffSealed(t *testing.T) {
	for use, code := range map[string]int{"notify { 'x': message => profile::reads(lookup('sealed')) }\n": 3,
		"notify { 'x': message => lookup('sealed') }\n": 0} {
		s := newRepository(t)
		s.edit("hiera.yaml", "hierarchy:\n", "hierarchy:\n  - name: sealed\n    lookup_key: eyaml_lookup_key\n"+
			"    path: sealed.yaml\n    options: {pkcs7_private_key: none.pem, pkcs7_public_key: none.pem}\n")
		s.edit("data/sealed.yaml", "", "sealed: ENC[PKCS7,MIIB]\n")
		const dir = "site-modules/profile/lib/puppet/functions/profile/"
		s.edit(dir+"reads.rb", "", "Puppet::Functions.create_function(:'profile::reads') do\n"+
			"  def reads(x) x + File.read(File.join(__dir__, 'd.txt')) end\nend\n")
		s.edit(dir+"d.txt", "", "one\n")
		s.edit("manifests/site.pp", "", use)
		s.commit("sealed")
		s.edit(dir+"d.txt", "one", "two")
		if got, out := s.diff("--from", "HEAD"); got != code {
			t.Errorf("%s%d, not %d\n%s", use, got, code, out)
		}
	}
}

// What is made of a sealed secret and of something else changes with that.
func TestDiffSealedAndMore(t *testing.T) {
	for _, made := range []string{
		"\"${lookup('sealed')}${lookup('x')}\"",
		"\"${lookup('x')}${lookup('sealed')}\"",
		"inline_epp('<%= lookup(\"sealed\") %><%= lookup(\"x\") %>')",
		"inline_template('<%= call_function(\"lookup\", [\"sealed\"]) %><%= call_function(\"lookup\", [\"x\"]) %>')",
		"lookup('both')",
		"lookup('h', Hash, 'deep')",
		"lookup('h', Hash, 'hash')",
		"lookup('l', Array, 'unique')",
		"[lookup('sealed'), lookup('x')].join(',')",
		"lookup('sealed')[0, lookup('n')]",
		"lookup('sealed')[lookup('n')]",
		"lookup('sealed') ? { lookup('x') => 1, default => 2 }",
		"lookup('sealed') == lookup('x')",
		"lookup('sealed') =~ lookup('x')",
		"lookup('sealed') in [lookup('x')]",
		"[lookup('sealed')] + lookup('x')",
		"{ a => lookup('sealed') } + { b => lookup('x') }",
		"sprintf('%s%s', lookup('sealed'), lookup('x'))",
		"lookup('sealed').then |$s| { \"${s}${lookup('x')}\" }",
		"with(lookup('sealed'), lookup('x')) |$a, $b| { \"${a}${b}\" }",
		"[lookup('sealed')].map |$a| { \"${a}${lookup('x')}\" }",
		"Sensitive(lookup('sealed')).unwrap |$a| { \"${a}${lookup('x')}\" }",
		"String(lookup('sealed'), lookup('x'))",
		"if lookup('sealed') { lookup('x') } else { 1 }",
		"case lookup('sealed') { lookup('x'): { 1 } default: { 2 } }",
		"lookup('sealed') and lookup('x')",
		"!lookup('sealed') or lookup('x')",
		"lookup('default', { default_value => lookup('sealed') }) + lookup('x')",
		"lookup(lookup('sealed'), { default_value => lookup('x') })",
		"getvar(lookup('sealed'), lookup('x'))",
		"defined(lookup('sealed'))",
	} {
		s := newRepository(t)
		s.edit("hiera.yaml", "hierarchy:\n", "hierarchy:\n  - name: sealed\n    lookup_key: eyaml_lookup_key\n"+
			"    path: sealed.yaml\n    options: {pkcs7_private_key: none.pem, pkcs7_public_key: none.pem}\n")
		s.edit("data/sealed.yaml", "", "sealed: ENC[PKCS7,MIIB]\nboth: \"%{lookup('sealed')}%{lookup('x')}\"\n"+
			"h: {a: 'ENC[PKCS7,MIIB]'}\nl: ['ENC[PKCS7,MIIB]']\n")
		s.edit("data/common.yaml", "", "x: one\nn: 1\nh: {b: one}\nl: [one]\ndefault: d\n")
		s.edit("manifests/site.pp", "", "notify { 'x': message => "+made+" }\n")
		s.commit("sealed")
		s.edit("data/common.yaml", "x: one\nn: 1\nh: {b: one}\nl: [one]", "x: two\nn: 2\nh: {b: two}\nl: [two]")
		if _, out := s.diff("--from", "HEAD"); strings.Contains(out, "cannot change") || strings.Contains(out, " unchanged") {
			t.Errorf("%s\n%s", made, out)
		}
	}
}

// What decides something by looking into a value that holds a sealed secret proves nothing.
func TestDiffSealedDecides(t *testing.T) {
	const far = "site-modules/profile/manifests/far.pp"
	for _, code := range []string{
		"if 'x' in [$s, 'b'] { include profile::far }",
		"if [$s] == ['x'] { include profile::far }",
		"include profile::base, lookup('l')",
		"contain(['profile::base', $s])",
		"if { a => $s } == { a => 'x' } { include profile::far }",
		"if { a => [{ b => $s }] } != { a => [{ b => 'x' }] } { } else { include profile::far }",
		"if lookup('none', { default_value => [$s] }) == ['x'] { include profile::far }",
		"if 'x' in lookup('l', Array, 'unique') { include profile::far }",
		"if index([$s], 'x') == 0 { include profile::far }",
		"if ['x'] - [$s] == [] { include profile::far }",
		"if { $s => 1 }['x'] { include profile::far }",
		"if 'x' in { $s => 1 } { include profile::far }",
		"if ({ 'x' => 1 } + { $s => 2 }).length == 1 { include profile::far }",
		"if 'x' in flatten([[$s]]) { include profile::far }",
		"if 'x' in values({ a => $s }) { include profile::far }",
		"if 'x' in keys({ $s => 1 }) { include profile::far }",
		"if [$s] =~ Array[Enum['x']] { include profile::far }",
		"case { a => $s } { Struct[{ a => Enum['x'] }]: { include profile::far } default: { } }",
		"$v = [$s] ? { ['x'] => 'far', default => 'base' } include \"profile::${v}\"",
		"create_resources('notify', { $s => { } }) if defined(Notify['x']) { include profile::far }",
		"$v = profile::looks([$s])",
		"@notify { 'v': message => $s } Notify <| message == 'x' |> { loglevel => $l } include profile::far",
		"@notify { 'v': tag => $s } Notify <| tag == 'x' |> { message => file('profile/x.txt') }",
		"@notify { 'v': message => 'x' } Notify <| message == $s |> { loglevel => $l } include profile::far",
		"$v = lookup(['none', \"k_${s}\", 'far'], { default_value => 1 })",
		"file { '/v': source => \"puppet:///modules/profile/${s}.txt\" }",
		"assert_type(Array[Enum['y']], [$s]) |$a, $b| { include profile::far }",
	} {
		s := newRepository(t)
		s.edit("hiera.yaml", "hierarchy:\n", "hierarchy:\n  - name: sealed\n    lookup_key: eyaml_lookup_key\n"+
			"    path: sealed.yaml\n    options: {pkcs7_private_key: none.pem, pkcs7_public_key: none.pem}\n"+
			"  - {name: tier, path: \"tier_%{tier}.yaml\"}\n")
		s.edit("data/sealed.yaml", "", "sealed: ENC[PKCS7,MIIB]\nl: ['ENC[PKCS7,MIIB]']\n")
		s.edit("data/tier_x.yaml", "", "far: one\n")
		s.edit("site-modules/profile/lib/puppet/functions/profile/looks.rb", "",
			"Puppet::Functions.create_function(:'profile::looks') do\n"+
				"  def looks(x) x.include?('x') ? call_function('lookup', 'far') : 1 end\nend\n")
		s.edit("site-modules/profile/files/x.txt", "", "one\n")
		s.edit(far, "", "class profile::far { notify { 'far': message => 'one' } }\n")
		s.edit("manifests/site.pp", "", "$s = lookup('sealed')\n$l = 'info'\n"+code+"\n")
		s.commit("sealed")
		for _, file := range []string{far, "data/tier_x.yaml", "site-modules/profile/files/x.txt"} {
			s.edit(file, "one", "two")
		}
		if _, out := s.diff("--from", "HEAD"); strings.Contains(out, "cannot change") || strings.Contains(out, "equal") ||
			strings.Contains(out, "without effect") || strings.Contains(out, "failing") {
			t.Errorf("%s\n%s", code, out)
		}
	}
	// A level of Hiera that is named by it.
	s := newRepository(t)
	s.edit("hiera.yaml", "hierarchy:\n", "hierarchy:\n  - name: sealed\n    lookup_key: eyaml_lookup_key\n"+
		"    path: sealed.yaml\n    options: {pkcs7_private_key: none.pem, pkcs7_public_key: none.pem}\n"+
		"  - {name: tier, path: \"tier_%{tier}.yaml\"}\n")
	s.edit("data/sealed.yaml", "", "sealed: ENC[PKCS7,MIIB]\n")
	s.edit("data/tier_x.yaml", "", "far: one\n")
	s.edit("manifests/site.pp", "", "$tier = lookup('sealed')\nnotify { lookup('far', { default_value => 'none' }): }\n")
	s.commit("sealed")
	s.edit("data/tier_x.yaml", "one", "two")
	if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, "3 not known") {
		t.Error(out)
	}
}

// What is not computed, but hangs on nothing that was not asked for, keeps no proof away: unless something hangs on it.
func TestDiffSettled(t *testing.T) {
	const dir = "site-modules/profile/lib/puppet/functions/profile/"
	for use, want := range map[string]string{
		"notify { 'x': noop => false }\n$o = profile::object()\n":                           "3 nodes: 3 cannot change",
		"$h = lookup('large')\n":                                                            "3 nodes: 3 cannot change",
		"if profile::object() =~ Hash { include profile::far }\n":                           "3 nodes: 3 not known",
		"if lookup('large') =~ Hash { include profile::far }\n":                             "3 nodes: 3 not known",
		"notify { 'x': message => profile::object(), loglevel => profile::world() }\n":      "3 nodes: 3 not known",
		"notify { 'x': message => \"${profile::object()}${lookup(profile::object())}\" }\n": "3 nodes: 3 not known",
	} {
		s := newRepository(t)
		s.edit(dir+"object.rb", "", "require 'set'\nPuppet::Functions.create_function(:'profile::object') do\n"+
			"  def object() Set.new([1]) end\nend\n")
		s.edit(dir+"world.rb", "", "Puppet::Functions.create_function(:'profile::world') do\n"+
			"  def world() `echo info`.strip end\nend\n")
		s.edit("data/common.yaml", "", "large: 123456789012345678901234567890\n")
		s.edit("site-modules/profile/manifests/far.pp", "", "class profile::far { notify { 'far': message => '1' } }\n")
		s.edit("manifests/site.pp", "", use)
		s.commit("what is not computed")
		s.edit("site-modules/profile/manifests/far.pp", "'1'", "'2'")
		if _, out := s.diff("--from", "HEAD"); !strings.Contains(out, want) {
			t.Errorf("%s%s", use, out)
		}
	}
}

// A new file that supplies what stood in is why nobody knows whether something changes, and not without effect.
func TestDiffSupplied(t *testing.T) {
	s := newRepository(t)
	s.edit("Puppetfile", "", "mod 'x-absent', '1.0.0'\n")
	s.edit("manifests/site.pp", "", "notify { 'supplied': message => absent::f(3) }\n")
	s.commit("asks a module that is not there")
	const function = "modules/absent/functions/f.pp"
	s.edit(function, "", "function absent::f($x) { $x }\n")
	code, out := s.diff("--from", "HEAD")
	if code != 3 || strings.Contains(out, "effect") || !strings.Contains(out, "from "+function) {
		t.Errorf("%d\n%s", code, out)
	}
}

// What is not known on one side only is so because of a hunk, whatever is known on neither side of other nodes.
func TestDiffUnknownOnOneSide(t *testing.T) {
	const old = "$x = $facts['fqdn'] ? { 'n000' => generate('/bin/date'), default => '1' }\n"
	const new = "$x = $facts['fqdn'] ? { 'n001' => '1', default => generate('/bin/date') }\n"
	for _, c := range []struct{ old, new string }{{old, new}, {new, old}} {
		for _, use := range []string{"notify { 'u': message => $x }\n", "if $x == '2' { notify { 'u': } }\n"} {
			s := newTree(t, 4, 1, map[string]string{"manifests/site.pp": c.old + use})
			s.write("manifests/site.pp", c.new+use)
			_, out := s.diff("--from", "HEAD", "--format", "json")
			var told struct {
				Unknown []struct {
					Nodes []string
					Cause struct {
						Hunks []any
						Other string
					}
				} `json:"not_known"`
			}
			if err := json.Unmarshal([]byte(out), &told); err != nil || len(told.Unknown) != 2 {
				t.Fatalf("%s%s%v\n%s", c.new, use, err, out)
			}
			for _, x := range told.Unknown {
				neither := strings.Join(x.Nodes, " ") == "n000"
				if !neither && strings.Join(x.Nodes, " ") != "n002 n003" || neither != (len(x.Cause.Hunks) == 0) {
					t.Errorf("%s%s%v: %d hunks, %q", c.new, use, x.Nodes, len(x.Cause.Hunks), x.Cause.Other)
				}
			}
		}
	}
}
