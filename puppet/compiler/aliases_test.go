package compiler_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/compiler"
	"bunraku/puppet/functions/stdlib"
	"bunraku/puppet/value"
)

// values are texts at the borders of stdlib's types, and some beyond.
var aliasValues = strings.Fields(`
	/ /a /a/b /a/b/ /a//b a/b a . .. /a.b c:/x c:\x C:/ c: \\h\s \\h\s\x //h/s //?/x \\?\x \h\s cc:/x
	a0 AAAA aaaa= aaaa======= AAAA==== MFRGG=== mfrgg1 YWJj YWJj= YWJj== YWJj=== a+/b a-b
	1 10k 10K 10kb 10KB 10m 5gb 5tB 5b 5B 5kB 5kib k 10x 1.5g
	example.com. com. . .. a.b. -a.b. a-.b. a.b a_b. example.com EXAMPLE a a-b a-b-c a- -a a..b a.b.c.d.e x.1 1.2
	a@b a@b.c a.b@c.d @b a@ a@b. a@-b a@b- a+b@c.d a@b_c a'b@c a@b.c.d.e
	present absent file directory link running stopped installed latest purged disabled held 1.2.3-1
	0 7 07 0644 00644 644 8 888 u=rw u=rw,g=r a+x +x -w =r u+s,g-w, ug=rwX u=g u=go 0+x =0644 +0644 u+7
	http://a https://a HTTP://A ftp://a http:// http:/a xhttp://a http://a/b?c=d
	file:///a file:///a/b file:// file:///a/ puppet:///modules/a/b puppet://h/modules/a puppet://h.x/a puppet:///a puppet:// puppet:///a//b
	1.2.3.4 0.0.0.0 255.255.255.255 256.1.1.1 1.2.3 1.2.3.4.5 01.2.3.4 1.2.3.4/0 1.2.3.4/8 1.2.3.4/32 1.2.3.4/33 1.2.3.4/ 1.2.3.4/08 99.199.209.249
	:: ::1 1:: 1::1 fe80::1 2001:db8::8:800:200c:417a 1:2:3:4:5:6:7:8 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1::2::3 :1 1: 12345:: g:: ABCD:: 1:2:3:4:5:6:7::
	::2:3:4:5:6:7:8 1:2:3:4:5:6::8 1:2:3:4:5:6:7::8 ::ffff:1.2.3.4 1:2:3:4:5:6:1.2.3.4 ::1.2.3.4 1::1.2.3.4 1:2::3:1.2.3.4 1:2:3:4:5::1.2.3.4 1:2:3:4:5:6::1.2.3.4
	::/0 ::1/64 ::1/128 ::1/129 fe80::/10 1:2:3:4:5:6:7:8/64 ::ffff:1.2.3.4/96 2001:db8::/32 ::/ 1::/ ::1/ 1:2:3:4:5:6:7:8/ ::1.2.3.4/ ::/64 1:2:3:4:5:6:7::/64
	00:11:22:33:44:55 00-11-22-33-44-55 00:11:22:33:44 001122334455 00:11:22:33:44:5g AA:BB:CC:DD:EE:FF 00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33
	gs://b s3://b/k gs:/b S3://b s3:// kern local0 local8 user solaris-cron yes no YES No maybe`)

var aliasNumbers = []string{"0", "1", "80", "99", "100", "200", "599", "600", "1023", "1024", "49151", "49152", "65535",
	"65536", "-1", "1.5", "true", "undef",
	"{'a' => {'b' => 1}}", "{'a' => 1}", "{}", "['a']", "''", "\"/a\\n\"", "\"a b\"", "\"/a b\"", "\"http://a\\nb\""}

// What is built in of stdlib's types accepts what those accept that the module defines.
func TestAliases(t *testing.T) {
	homes := map[string]string{"Debian's": live.ModulesDir}
	if dir := os.Getenv("BUNRAKU_FETCHED"); dir != "" {
		homes["the newest"] = filepath.Join(dir, "stdlib-newest")
	}
	for who, home := range homes {
		if _, err := os.Stat(filepath.Join(home, "stdlib", "types")); err != nil {
			t.Logf("%s stdlib is not there: not compared", who)
			continue
		}
		compareAliases(t, who, home)
	}
}

func compareAliases(t *testing.T, who, home string) {
	var names []string
	for _, n := range stdlib.AliasNames() {
		path := filepath.Join(append([]string{home, "stdlib", "types"}, strings.Split(strings.ToLower(n), "::")[1:]...)...)
		if n == "Stdlib::Host" && who == "Debian's" {
			continue // that of 8.5 is laxer
		}
		if _, err := os.Stat(path + ".pp"); err == nil {
			names = append(names, n)
		}
	}
	if len(names) < 40 {
		t.Fatalf("%s: only %d types in common", who, len(names))
	}
	var b strings.Builder
	var values []string
	for _, v := range aliasValues {
		values = append(values, "'"+strings.ReplaceAll(strings.ReplaceAll(v, `\`, `\\`), "'", `\'`)+"'")
	}
	values = append(values, aliasNumbers...)
	fmt.Fprintf(&b, "$all = [%s]\n", strings.Join(values, ", "))
	for _, n := range names {
		fmt.Fprintf(&b, "notify { '%s': message => $all.map |$v| { if $v =~ %s { 'y' } else { 'n' } }.join('') }\n", n, n)
	}
	answers := func(opt compiler.Options) map[string]string {
		dir := t.TempDir()
		write(t, dir, map[string]string{"environment.conf": "modulepath = modules\n", "manifests/site.pp": b.String()})
		opt.Language = 8
		c, err := compiler.NewWorkspace(dir, opt).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Compile(context.Background(), compiler.Node{Name: "n"})
		if err != nil {
			t.Fatal(err)
		}
		if res.Failure != nil {
			t.Fatal(res.Failure)
		}
		out := map[string]string{}
		for _, r := range res.Catalog.Resources {
			for _, p := range r.Params {
				if p.Name == "message" {
					out[r.Title] = value.ToString(p.Value)
				}
			}
		}
		return out
	}
	theirs := answers(compiler.Options{ModulePath: []string{home}})
	ours := answers(compiler.Options{StandIn: true})
	bad := 0
	for _, n := range names {
		for i := range values {
			if a, o := theirs[n][i], ours[n][i]; a != o {
				if bad++; bad < 30 {
					t.Errorf("%s %s accepts %s: %c, built in %c", who, n, values[i], a, o)
				}
			}
		}
	}
	sort.Strings(names)
	t.Logf("score: types of stdlib, %s %d/%d (answers of %d types on %d values)", who, len(names)*len(values)-bad,
		len(names)*len(values), len(names), len(values))
}
