package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bunraku/puppet/value"
)

// A store that does not keep a compile, since a secret is in what it asked, changes nothing in the answer.
func TestDiffSecretAsked(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", "$secret = Sensitive('tops3cret')\nnotice($facts[\"x_${secret.unwrap}\"])\n")
	s.commit("asks for a fact by a secret name")
	s.edit("site-modules/role/manifests/db.pp", "class role::db {\n", "class role::db {\n  notify { 'db': }\n")
	_, want := s.diff("--from", "HEAD")
	dir := filepath.Join(t.TempDir(), "store")
	for _, time := range []string{"first", "second"} {
		if _, out := s.diff("--from", "HEAD", "--store", dir); out != want || !strings.Contains(out, "2 cannot change, 1 chang") {
			t.Errorf("the %s time:\n%s--- want\n%s", time, out, want)
		}
	}
}

func TestDiffSecrets(t *testing.T) {
	s := newRepository(t)
	s.edit("data/common.yaml", "not-a-real-password", "another-false-one")
	for _, args := range [][]string{nil, {"--full"}, {"--by", "node"}} {
		code, out := s.diff(args...)
		if code != 2 || !strings.Contains(out, "changes, Sensitive") || strings.Contains(out, "false-one") ||
			strings.Contains(out, "not-a-real") {
			t.Errorf("%d\n%s", code, out)
		}
	}
}

// What functions make of a secret that was unwrapped is a secret, too.
func TestDiffRemadeSecrets(t *testing.T) {
	s := newRepository(t)
	code := `
$pw = Sensitive('first-false-one')
$up = $pw.unwrap.upcase
file { '/tmp/up': content => "password = ${up}\n" }
notify { 'parts': message => join(regsubst($pw.unwrap, 'first', 'und').split('-'), '_') }
`
	s.edit("manifests/site.pp", "", code)
	s.git("commit", "-qam", "a secret")
	s.edit("manifests/site.pp", "first-false-one", "other-false-one")
	for _, args := range [][]string{nil, {"--full"}, {"--format", "json"}, {"--format", "markdown"}} {
		code, out := s.diff(args...)
		if code != 2 || !strings.Contains(out, "/tmp/up") {
			t.Errorf("%d\n%s", code, out)
		}
		for _, secret := range []string{"FALSE-ONE", "FIRST", "und-false", "und_false", "false_one"} {
			if strings.Contains(out, secret) {
				t.Errorf("%q is shown with %q:\n%s", secret, args, out)
			}
		}
	}
}

// What is made of the pieces of a secret is one as well, however it was cut, though no piece can be told by itself.
func TestDiffSecretsInPieces(t *testing.T) {
	for name, code := range map[string]string{
		"backwards": "$p.reverse_each.map |$c| { $c }.join('-')", "split": "$p.split('').map |$c| { $c }.join('-')",
		"every second one": "$p.step(2).map |$c| { $c }.join('-')",
		"slices":           "$p.slice(3).map |$c| { $c.join('') }.join('-')",
		"flat":             "$p.slice(3).map |$c| { $c }.flatten.join('-')", "chosen": "$p.split('').filter |$c| { $c != 'x' }.join('-')",
		"by and by": "$p.split('').reduce |$m, $c| { \"${m}-${c}\" }", "added": "($p.split('') + ['x']).join('-')",
		"among others": "[$p.split(''), 'x'].flatten.join('-')", "as an array": "Array($p.slice(3)).flatten.join('-')",
		"in ERB": "inline_template('<%= @p.chars.join(\"-\") %>')", "each": "$p.map |$c| { \"${c}\" }.join('-')",
	} {
		t.Run(name, func(t *testing.T) {
			s := newRepository(t)
			s.edit("manifests/site.pp", "", "$pw = Sensitive('zqxjkv-first')\n$p = $pw.unwrap\nnotify { 'x': message => "+code+" }\n")
			s.git("commit", "-qam", "a secret")
			s.edit("manifests/site.pp", "zqxjkv-first", "wvkjxq-other")
			code, out := s.diff()
			if code != 2 || !strings.Contains(out, "Notify[x]") {
				t.Errorf("%d\n%s", code, out)
			}
			if m := regexp.MustCompile(`(?i)[zqxjkvw]{1,3}-[zqxjkvw]`).FindString(out); m != "" {
				t.Errorf("%q is shown:\n%s", m, out)
			}
		})
	}
}

// What templates put together of the pieces or the bytes of a secret, what is drawn with it as a seed, and how bytes
// are shown, tell it to who knows the rest, or tries.
func TestDiffSecretsPutTogether(t *testing.T) {
	shown := func(word string, as func(i int, c byte) string) (out string) {
		for i := range len(word) {
			out += as(i, word[i])
		}
		return out
	}
	each := func(format string) func(string) string {
		return func(word string) string {
			return shown(word, func(_ int, c byte) string { return fmt.Sprintf(format, c) })
		}
	}
	first := func(format string) func(string) string {
		return func(word string) string { return each(format)(word[:5]) }
	}
	begin := func(w string) string { return w[:5] }
	listed := func(w string) string { return strings.TrimSuffix(each("%d, ")(w), ", ") }
	for code, told := range map[string]func(string) string{
		"inline_template('<% @p.each_char do |c| %><%= c %>_<% end %>')":                       each("%c_"),
		"inline_template('<% @p.chars.each do |c| %>(<%= c %>)<% end %>')":                     each("(%c)"),
		"inline_template('<%= @p[0] %>.<%= @p[1] %>.<%= @p[2] %>.<%= @p[3] %>.<%= @p[4] %>.')": first("%c."),
		"inline_template('<%= @p.bytes.join(\" \") %> ')":                                      each("%d "),
		"inline_template('<% @p.bytes.each do |b| %><%= b %>,<% end %>')":                      each("%d,"),
		"inline_template('<% @p.each_byte do |b| %><%= b.to_s(16) %>:<% end %>')":              each("%x:"),
		"inline_template('<% @p.bytes.each do |b| %><%= \"#{b};\" %><% end %>')":               each("%d;"),
		"inline_template('<%= @p.unpack(\"C*\").inspect %>')":                                  listed,
		"inline_template('<%= @p.chars.map(&:ord).inspect %>')":                                listed,
		"inline_epp('<% $p.split(\"\").each |$c| { %><%= $c %>/<% } %>', { 'p' => $p })":       each("%c/"),
		"\"${p[0]}-${p[1]}-${p[2]}-${p[3]}-${p[4]}-\"":                                         first("%c-"),
		"\"${p[0]}${p[1]}${p[2]}${p[3]}${p[4]}\"":                                              begin,
		"Binary($p, '%s')":                     func(w string) string { return value.DigestText(w) },
		"{ 'of' => Binary(\"a${p}b\", '%s') }": func(w string) string { return value.DigestText("a" + w + "b") },
		"sprintf('%p', [$p])":                  func(w string) string { return w },
	} {
		s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "$p = Sensitive('zqxjkv-first').unwrap\n" +
			"notify { 'x': message => " + code + " }\n"})
		s.edit("manifests/site.pp", "zqxjkv-first", "wvbnmc-other")
		for _, format := range []string{"text", "json", "octocatalog"} {
			code2, out := s.diff("--from", "HEAD", "--full", "--format", format)
			if code2 != 2 || !strings.Contains(out, "message") {
				t.Errorf("%s: exit %d\n%s", code, code2, out)
			}
			for _, word := range []string{"zqxjkv-first", "wvbnmc-other"} {
				if strings.Contains(out, told(word)) {
					t.Errorf("%s: %q is shown as %s\n%s", code, told(word), format, out)
				}
			}
		}
	}
	// Numbers and texts that are drawn: they are the same each time, so no digit of them may be shown.
	s := newTree(t, 1, 0, map[string]string{"manifests/site.pp": "$p = Sensitive('zqxjkv-first').unwrap\n" +
		"notify { 'x': message => fqdn_rand(1000000000, $p) }\n"})
	s.edit("manifests/site.pp", "zqxjkv-first", "wvbnmc-other")
	if code, out := s.diff("--from", "HEAD"); code != 2 || !strings.Contains(out, "Notify[x] message") ||
		regexp.MustCompile(`\d{5}`).MatchString(strings.SplitN(out, "message", 2)[1]) {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// A number that Ruby makes of a secret is one as well, and what is made of that.
func TestDiffSecretSums(t *testing.T) {
	s := newRepository(t)
	s.edit("site-modules/profile/lib/puppet/functions/profile/count.rb", "", `
Puppet::Functions.create_function(:'profile::count') do
  dispatch :count do
    param 'Sensitive', :secret
  end
  def count(secret)
    n = secret.unwrap.to_i
    [n + 1, n * 2 + 1, "pin #{n - 7}", n.to_s(16), secret.unwrap.to_f / 8, secret.unwrap.length]
  end
end
`)
	s.edit("manifests/site.pp", "", "notify { 'n': message => profile::count(Sensitive('12345678')) }\n")
	s.git("add", "-A")
	s.git("commit", "-qam", "a secret")
	s.edit("manifests/site.pp", "12345678", "87654320")
	var secrets []string
	for _, n := range []int{12345678, 87654320} {
		secrets = append(secrets, fmt.Sprint(n), fmt.Sprint(n+1), fmt.Sprint(n*2+1), fmt.Sprint(n-7), fmt.Sprintf("%x", n),
			fmt.Sprint(n/8))
	}
	s.nowhere("Notify", secrets, "--from", "HEAD")
}

// The same of what templates, Ruby functions and operators make of it, in every format and in the store.
func TestDiffSecretsInRuby(t *testing.T) {
	s := newRepository(t)
	s.edit("site-modules/profile/templates/secret.erb", "", `upcase <%= @pw.unwrap.upcase %>
reverse <%= @pw.unwrap.reverse %>
part <%= @pw.unwrap[0, 4] %> and <%= @pw.unwrap[5..-1] %>
twice <%= "<#{@pw.unwrap.upcase}>".tr('<>', '()') %>
packed <%= [@pw.unwrap].pack('m0') %> <%= @pw.unwrap.unpack('H*')[0] %>
digest <% require 'digest' %><%= Digest::SHA256.hexdigest(@pw.unwrap) %>
spaced <%= @pw.unwrap.chars.join(' ') %>
scanned <%= @pw.unwrap.scan(/../).join(':') %>
turned <%= @pw.unwrap.each_char.map { |c| c.upcase }.reverse.join('.') %>
matched <% @pw.unwrap =~ /\A(\w+)-(.*)/ %><%= $1.capitalize %>/<%= $2.swapcase %>
added <% all = '' %><% @pw.unwrap.each_char { |c| all << c.next } %><%= all %>
variable <%= @up.reverse %> <%= @plain.tr('a-z', 'b-za') %>
`)
	s.edit("site-modules/profile/templates/secret.epp", "", `<%- | Sensitive $pw | -%>
epp <%= $pw.unwrap.upcase %> <%= $pw.unwrap[2, 5] %> <%= $pw.unwrap.split('').join('_') %>
`)
	s.edit("site-modules/profile/lib/puppet/functions/profile/turn.rb", "", `
Puppet::Functions.create_function(:'profile::turn') do
  dispatch :turn do
    param 'Any', :secret
  end
  def turn(secret)
    secret = secret.unwrap if secret.respond_to?(:unwrap)
    secret.reverse + '=' + secret.sub('-', '#')
  end
end
`)
	s.edit("manifests/site.pp", "", `
$pw = Sensitive('alpha-oneword')
$up = $pw.unwrap.upcase
$plain = $pw.unwrap
file { '/tmp/erb': content => template('profile/secret.erb') }
file { '/tmp/epp': content => epp('profile/secret.epp', { 'pw' => $pw }) }
file { '/tmp/inline': content => inline_template("a <%= @pw.unwrap.sub('-', '') %>\n") }
file { '/tmp/turned': content => "b ${profile::turn($pw)}\nc ${profile::turn($plain)}\n" }
if $plain =~ /^(.{6})(.*)$/ { notify { 'm': message => "${2} ${1}${plain[3, 4]}" } }
notify { 'p': message => "${$plain.split('').map |$c| { upcase($c) }}" }
`)
	s.git("add", "-A")
	s.git("commit", "-qam", "a secret")
	s.edit("manifests/site.pp", "alpha-oneword", "omega-twowords")
	var secrets []string
	for _, word := range []string{"alpha-oneword", "omega-twowords"} {
		first, second, _ := strings.Cut(word, "-")
		up := strings.ToUpper(word)
		secrets = append(secrets, first, second, up, strings.ToUpper(second), turn(word), turn(up),
			fmt.Sprintf("%x", word), base64.StdEncoding.EncodeToString([]byte(word)),
			strings.Join(strings.Split(word, ""), " "), strings.Join(strings.Split(word, ""), "_"),
			strings.Join(strings.Split(turn(up), ""), "."), strings.Join(strings.Split(up, ""), ", "), word[3:7], word[2:7],
			strings.ToUpper(first[:1])+first[1:], word[:4])
	}
	s.nowhere("/tmp/e", secrets, "--from", "HEAD")
}

// nowhere looks for secrets in every format, which must name something, and in the store.
func (s *repository) nowhere(named string, secrets []string, sides ...string) {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "store")
	for _, format := range []string{"text", "json", "octocatalog", "markdown", "html", "github", "gitlab", "sarif", "junit"} {
		for _, more := range [][]string{{"--full"}, {"--store", dir}} {
			code, out := s.diff(slices.Concat(more, []string{"--format", format}, sides)...)
			if code != 2 || !strings.Contains(out, named) {
				s.t.Errorf("%s: %d\n%s", format, code, out)
			}
			for _, secret := range secrets {
				if i := strings.Index(out, secret); i >= 0 {
					s.t.Errorf("%q is shown in %s:\n%s", secret, format, out[max(0, i-200):min(len(out), i+100)])
				}
			}
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, "store.db"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, secret := range secrets {
		if bytes.Contains(content, []byte(secret)) {
			s.t.Errorf("the store has %q", secret)
		}
	}
}

// What Hiera decrypts is a secret though it is not Sensitive, and so is what code makes of it.
func TestDiffDecryptedSecrets(t *testing.T) {
	s := newRepository(t)
	keys := t.TempDir()
	level := func(keys string) string {
		return "hierarchy:\n  - name: Closed\n    path: closed.yaml\n    lookup_key: eyaml_lookup_key\n    options: " +
			"{pkcs7_private_key: " + keys + "/private.pem, pkcs7_public_key: " + keys + "/public.pem}\n"
	}
	one, two := filepath.Join(keys, "one"), filepath.Join(keys, "two")
	s.edit("hiera.yaml", "hierarchy:\n", level(one))
	old, new := eyaml(t, one, "alpha-oneword"), eyaml(t, two, "omega-twowords")
	s.edit("data/closed.yaml", "", "pw: "+old+"\n")
	s.edit("manifests/site.pp", "", `
$p = lookup('pw')
notify { 'upcase': message => "u ${p.upcase}" }
notify { 'erb': message => inline_template('<%= @p.reverse %>') }
notify { 'dotted': message => $p.split('').reduce('') |$a, $x| { "${a}.${x}" } }
exec { "/bin/x ${p[0, 6]}": }
`)
	s.commit("a secret")
	s.edit("hiera.yaml", level(one), level(two))
	s.edit("data/closed.yaml", old, new)
	var secrets []string
	for _, word := range []string{"alpha-oneword", "omega-twowords"} {
		secrets = append(secrets, word, strings.ToUpper(word), turn(word), word[:6],
			strings.Join(strings.Split(word, ""), "."))
	}
	s.nowhere("/bin/x", secrets, "--from", "HEAD", "--with", keys)
}

// The same of a secret that nobody has handed to a Ruby function: it asks for it, or makes it.
func TestDiffSecretsThatRubyFetches(t *testing.T) {
	s := newRepository(t)
	for name, body := range map[string]string{
		"asked":    `call_function('lookup', 'pw').unwrap.upcase`,
		"called":   `call_function('capitalize', call_function('lookup', 'pw').unwrap)`,
		"variable": `closure_scope['s'].unwrap.reverse`,
		"made":     `Puppet::Pops::Types::PSensitiveType::Sensitive.new(call_function('file', 'profile/pw')).unwrap.swapcase`,
	} {
		s.edit("site-modules/profile/lib/puppet/functions/profile/"+name+".rb", "",
			"Puppet::Functions.create_function(:'profile::"+name+"') do\n  def "+name+"\n    "+body+"\n  end\nend\n")
	}
	s.edit("data/common.yaml", "", "\npw: alpha-oneword\nlookup_options:\n  pw: {convert_to: Sensitive}\n")
	s.edit("site-modules/profile/files/pw", "", "gamma-ONEword\n")
	s.edit("manifests/site.pp", "", `
$s = lookup('pw')
notify { 'asked': message => profile::asked() }
notify { 'called': message => profile::called() }
notify { 'variable': message => profile::variable() }
notify { 'made': message => profile::made() }
`)
	s.commit("a secret")
	s.edit("data/common.yaml", "alpha-oneword", "omega-twowords")
	s.edit("site-modules/profile/files/pw", "gamma-ONEword", "delta-TWOwords")
	secrets := []string{"alpha-oneword", "omega-twowords", "ALPHA-ONEWORD", "OMEGA-TWOWORDS", "Alpha-oneword",
		"Omega-twowords", turn("alpha-oneword"), turn("omega-twowords"), "GAMMA-oneWORD", "DELTA-twoWORDS"}
	s.nowhere("made", secrets, "--from", "HEAD")
}

// Digits are a secret as well, and so is what is computed of them.
func TestDiffSecretNumbers(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", `
$pin = Sensitive(7381926450)
notify { 'bare': message => $pin.unwrap }
notify { 'sum': message => "n ${$pin.unwrap + 1}" }
notify { 'number': message => $pin.unwrap + 2 }
notify { 'twice': message => -(-$pin.unwrap) }
notify { 'negative': message => -($pin.unwrap - 3) }
notify { 'abs': message => abs($pin.unwrap) }
notify { 'most': message => [max($pin.unwrap * 3, 1)] }
notify { 'list': message => { 'a' => $pin.unwrap + 4 } }
notify { 'half': message => $pin.unwrap / 2.0 }
notify { 'hex': message => sprintf('%x', $pin.unwrap) }
notify { 'converted': message => Integer("${$pin.unwrap}") + 6 }
`)
	s.commit("a secret")
	s.edit("manifests/site.pp", "7381926450", "9283746510")
	var secrets []string
	for _, n := range []int{7381926450, 9283746510} {
		for _, of := range []int{n, n + 1, n + 2, n - 3, 3 * n, n + 4, n + 6, n / 2} {
			secrets = append(secrets, fmt.Sprint(of))
		}
		secrets = append(secrets, fmt.Sprintf("%x", n))
	}
	s.nowhere("Notify", secrets, "--from", "HEAD")
}

// A secret may be in a value that is no text: a reference, a type, a regular expression, bytes.
func TestDiffSecretsInRichValues(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", `
$pw = Sensitive('hunter-alpha77')
exec { "/bin/x ${pw.unwrap}": }
file { '/etc/one': notify => Exec["/bin/x ${pw.unwrap}"] }
file { '/etc/many': before => [File['/etc/one'], Exec["/bin/x ${pw.unwrap}"]] }
notify { 'pattern': message => Regexp($pw.unwrap) }
notify { 'type': message => Variant[Integer, Enum[$pw.unwrap]] }
notify { 'bytes': message => { 'of' => Binary($pw.unwrap, '%s') } }
notify { 'address': message => URI("http://u:${pw.unwrap}@h/") }
notify { 'version': message => SemVer("1.0.0-${pw.unwrap}") }
notify { 'later': message => Deferred(regsubst($pw.unwrap, '-', '_'), [Enum[$pw.unwrap]]) }
`)
	s.commit("a secret")
	s.edit("manifests/site.pp", "hunter-alpha77", "hunter-omega88")
	var secrets []string
	for _, word := range []string{"hunter-alpha77", "hunter-omega88"} {
		secrets = append(secrets, word, strings.Replace(word, "-", "_", 1), base64.StdEncoding.EncodeToString([]byte(word)))
	}
	s.nowhere("Exec", secrets, "--from", "HEAD")
}

// A secret may be spelt, and what is spelt so is spelt once more when it is shown: nothing of it is left over.
func TestDiffSecretsWithQuotes(t *testing.T) {
	s := newRepository(t)
	s.edit("manifests/site.pp", "", `
$pw = Sensitive('a"b\\c<d&e\'fgh1')
notify { 'plain': message => $pw.unwrap }
notify { 'string': message => String($pw.unwrap, '%p') }
notify { 'array': message => "${[$pw.unwrap]}" }
notify { 'hash': message => { 'a' => $pw.unwrap } }
notify { 'hash as text': message => String({ 'a' => $pw.unwrap }) }
notify { 'two lines': message => "first\n${pw.unwrap}" }
notify { 'json': message => inline_template("<%= require 'json'; @pw.unwrap.to_json %>") }
notify { 'inspect': message => inline_template("<%= @pw.unwrap.inspect %>") }
notify { 'shell': message => shellquote('x', $pw.unwrap) }
`)
	s.commit("a secret")
	s.edit("manifests/site.pp", "fgh1", "fgh2")
	s.nowhere("Notify", []string{"fgh1", "fgh2", "c<d", "c&lt;d", `c\u003cd`}, "--from", "HEAD")
}

// A fingerprint is of what is shown: whoever knows all but the secret cannot find that by trying. Parts of a diff,
// which have no secrets, have the same.
func TestDiffSecretFingerprints(t *testing.T) {
	prints := regexp.MustCompile(`"(?:fingerprint|bunraku/v1)": "(\w+)"`)
	for _, code := range []string{"notify { $pw.unwrap: }", "notify { 'a': message => $pw.unwrap }",
		"exec { \"/bin/x ${pw.unwrap}\": }\nfile { '/etc/q': content => 'a', notify => Exec[\"/bin/x ${pw.unwrap}\"] }",
		"file { '/q': content => $pw }", "if $pw.unwrap =~ /new/ { fail(\"no ${pw.unwrap}\") }"} {
		said := map[string][]string{}
		for _, secret := range []string{"hunter-omega88", "hunter-other99"} {
			s := newRepository(t)
			s.edit("manifests/site.pp", "", "$pw = Sensitive('old-"+secret+"')\n"+code+"\n")
			s.commit("a secret")
			s.edit("manifests/site.pp", "old-", "new-")
			dir := s.shards(2)
			for _, format := range []string{"gitlab", "sarif"} {
				_, whole := s.diff("--from", "HEAD", "--format", format)
				_, merged, _ := call("diff", "merge", dir, "--env", s.dir, "--from", "HEAD", "--format", format)
				for _, out := range []string{whole, merged} {
					found := ""
					for _, m := range prints.FindAllStringSubmatch(out, -1) {
						found += m[1] + " "
					}
					if found == "" {
						t.Errorf("%s: no fingerprint in %s:\n%s", code, format, out)
					}
					said[format] = append(said[format], found)
				}
			}
		}
		for format, all := range said {
			if len(slices.Compact(slices.Clone(all))) != 1 {
				t.Errorf("%s: different fingerprints in %s: %q", code, format, all)
			}
		}
	}
}

func turn(text string) string {
	r := []rune(text)
	slices.Reverse(r)
	return string(r)
}
