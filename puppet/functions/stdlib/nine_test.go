package stdlib_test

import (
	"os"
	"path/filepath"
	"testing"

	"bunraku/internal/ask"
)

// shapes9 are the functions of stdlib 9.x whose calls are generated.
var shapes9 = map[string]shape{
	"stdlib::batch_escape": of(one, join(texts, anything)),
	"stdlib::crc32":        of(one, join(scalars, rich, nothing)),
	"stdlib::end_with":     of(two, texts, join(texts, strArrays)),
	"stdlib::extname":      of(one, paths),
	"stdlib::fqdn_rand_string": of([]int{1, 1, 2, 3}, []string{"4", "12", "0", "1"},
		[]string{"''", "'abc'", "undef", "'é日x'"}, scalars),
	"stdlib::fqdn_rotate": of([]int{1, 1, 2, 3}, join(arrays, texts), join(ints, texts)),
	"stdlib::has_function": of(one, []string{"'pick'", "'md5'", "'nope'", "'stdlib::to_json'",
		"'stdlib::ensure'", "''", "'has_key'"}),
	"stdlib::has_interface_with": of(oneTwo, []string{"'eth0'", "'lo'", "'ipaddress'", "'mac'", "'network'", "'nope'"},
		[]string{"'192.0.2.10'", "'00:53:00:00:00:01'", "'192.0.2.0'", "'x'"}),
	"stdlib::has_ip_address": of(one, []string{"'192.0.2.10'", "'127.0.0.1'", "'10.0.0.1'"}),
	"stdlib::has_ip_network": of(one, []string{"'192.0.2.0'", "'10.0.0.0'"}),
	"stdlib::ip_in_range": of(two, addresses,
		join(addresses, []string{"['10.0.0.0/8','::/0']", "['x']", "[]"})),
	"stdlib::merge": of([]int{0, 1, 2, 2, 3}, join(hashes, hashes, nothing, []string{"''"}),
		join(hashes, []string{"undef"})).With(none, none, none, none, blocks2, blocks3),
	"stdlib::nested_values": of(one, hashes),
	"stdlib::os_version_gte": of(two, []string{"'Debian'", "'RedHat'", "''"},
		[]string{"'10'", "'11'", "'12'", "'9'"}),
	"stdlib::parsehocon":        of(oneTwo, hocons, scalars),
	"stdlib::powershell_escape": of(one, join(texts, words, anything)),
	"stdlib::rewrap_sensitive_data": of(one, join(rich, anything, []string{"[Sensitive('a'),{'b'=>Sensitive('c')}]",
		"Sensitive(Sensitive('x'))", "{Sensitive('k')=>1}"})).With(none, none, blocks1),
	"stdlib::seeded_rand": of(two, []string{"100", "10", "0", "1", "4294967296"}, texts),
	"stdlib::seeded_rand_string": of([]int{2, 2, 3}, []string{"5", "12", "1", "0"}, texts,
		[]string{"'abc'", "'é日'", "'a'"}),
	"stdlib::sha256":       of(one, join(scalars, rich, nothing)),
	"stdlib::shell_escape": of(one, join(words, texts, anything)),
	"stdlib::sort_by": of(one, join(arrays, hashes, texts)).With(blocks1,
		[]string{"|$k, $v| { $v }", "|$x| { -$x }"}),
	"stdlib::start_with": of(two, texts, join(texts, strArrays)),
	"stdlib::to_json":    of(one, join(data, data, rich, []string{"{'a'=>Sensitive('x')}"}, anything)),
	"stdlib::to_json_pretty": of([]int{1, 1, 2, 3}, join(data, collections, []string{"{'a'=>Sensitive('x')}"}),
		[]string{"true", "false", "undef"}, []string{"{'indent'=>'    '}", "{'max_nesting'=>-1}", "{}"}),
	"stdlib::to_python": of(one, join(data, anything)),
	"stdlib::to_ruby":   of(one, join(data, anything)),
	"stdlib::to_toml":   of(one, join(data, hashes, []string{"{'a'=>Sensitive('x')}"})),
	"stdlib::to_yaml": of(oneTwo, join(data, data, collections, texts, []string{"[Sensitive('a')]"}),
		[]string{"{'line_width'=>20}", "{'indentation'=>4}", "{}"}).Odd(scalars, collections, nothing),
	"stdlib::type_of":                of(one, anything),
	"stdlib::validate_domain_name":   of([]int{0, 1, 2}, domains),
	"stdlib::validate_email_address": of([]int{0, 1, 2}, domains),
	"stdlib::xml_encode": of(oneTwo, join(texts, []string{"'<a b=\"c\">&</a>'"}),
		[]string{"'text'", "'attr'", "'x'"}),
	"batch_escape":       of(one, texts),
	"fqdn_rotate":        of([]int{1, 2}, join(arrays, texts), join(ints, texts)),
	"has_interface_with": of(oneTwo, []string{"'eth0'", "'ipaddress'"}, []string{"'192.0.2.10'", "'x'"}),
	"has_ip_address":     of(one, []string{"'192.0.2.10'", "'10.0.0.1'"}),
	"merge":              of([]int{1, 2, 2}, hashes, hashes).With(none, none, none, blocks2),
	"seeded_rand":        of(two, []string{"100", "0", "1"}, texts),
	"to_json":            of(one, data),
	"to_yaml":            of(one, data).Odd(scalars),
	"validate_legacy": of([]int{3, 4}, typeVals, []string{"'validate_re'", "'x'"}, join(scalars, arrays),
		patterns),
	"deprecation": of([]int{2, 3}, []string{"'k'"}, texts, bools),
	"has_key":     of(two, hashes, texts),
	"is_array":    of(one, arrays),
}

// modules9 is a directory of modules with stdlib 9.x, which Debian has not: its source, unpacked as DIR/stdlib.
func modules9(t *testing.T) string {
	dir := os.Getenv("BUNRAKU_STDLIB9")
	if dir == "" {
		t.Skip("no stdlib 9: set BUNRAKU_STDLIB9 to a module path with it")
	}
	return dir
}

// environment9 is an environment that has stdlib 9.x and nothing else.
func environment9(t *testing.T, modules string) string {
	dir := filepath.Join(t.TempDir(), "production")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "environment.conf"), []byte("modulepath = "+modules+"\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// manifests9 are the manifests of stdlib::ensure_packages.
var manifests9 = []question{
	"stdlib::ensure_packages('b', {ensure => 'present'})\nstdlib::ensure_packages('b')\nstdlib::ensure_packages(['a', 'b'])",
	"package { 'a': ensure => present }\nstdlib::ensure_packages(['a', 'c'])",
	"package { 'a': ensure => installed }\nensure_packages('a')",
	"stdlib::ensure_packages({'d' => {ensure => 'latest'}, 'e' => {}}, {provider => 'apt'})",
	"stdlib::ensure_packages('a')\nstdlib::ensure_packages('a', {ensure => 'latest'})",
	"notify { 'n': }\nstdlib::ensure_packages('a', {require => Notify['n']})\n" +
		"stdlib::ensure_packages(['a', 'b'], {ensure => present, require => Notify['n']})",
	"stdlib::ensure_packages(1)",
	"stdlib::ensure_packages({'a' => 1})",
}

// TestScoreStdlib9 is TestScoreStdlib for stdlib 9.x.
func TestScoreStdlib9(t *testing.T) {
	modules := modules9(t)
	score(t, shapes9, environment9(t, modules), modules)
}

// TestRecorded9 compares with recorded answers of stdlib 9.7. What needs stdlib's own types is left out where they are
// not.
func TestRecorded9(t *testing.T) {
	const golden = "testdata/golden9.txtar"
	if *record && os.Getenv("BUNRAKU_STDLIB9") != "" {
		modules := modules9(t)
		names, ms := make([]string, len(manifests9)), make([]question, len(manifests9))
		for i, m := range manifests9 {
			names[i], ms[i] = "stdlib::ensure_packages", question(ask.ManifestMark)+m
		}
		write(t, shapes9, names, ms, environment9(t, modules), golden)
	}
	dir := os.Getenv("BUNRAKU_STDLIB9")
	if dir == "" {
		dir = "absent"
	}
	replay(t, golden, dir)
}
