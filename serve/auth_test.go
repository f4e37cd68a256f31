package serve_test

import (
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/serve"
)

const rules = `authorization: {
  version: 1
  rules: [
    {
      match-request: { path: "^/puppet/v3/catalog/([^/]+)$", type: regex, method: [get, post] }
      allow: ["$1", { extensions: { pp_role: [king, queen] } }, "/^mon\\d+\\.example$/", "*.admin.example"]
      sort-order: 500
      name: "catalogs"
    },
    {
      match-request: { path: "/puppet/v3/environments", type: path, query-params: { secret: ["yes"] } }
      allow-unauthenticated: true
      sort-order: 400
      name: "open"
    },
    {
      match-request: { path: "/puppet/v3/environments", type: path }
      allow: "*"
      deny: "bad.example"
      sort-order: 500
      name: "environments"
    },
    {
      match-request: { path: "/puppet/v3/catalog/free.example", type: path }
      allow-unauthenticated: true
      sort-order: 300
      name: "careless"
    },
    {
      match-request: { path: "/puppet/v3/file_content/modules/hidden", type: path, method: [GET, post] }
      deny: "*"
      sort-order: 300
      name: "hidden"
    },
    {
      match-request: { path: "/puppet/v3/file_content", type: path }
      allow: { extensions: { "1.3.6.1.4.1.34380.1.1.13": [king, ""] } }
      sort-order: 500
      name: "files"
    },
    {
      match-request: { path: "/puppet-admin-api/", type: path, method: delete }
      allow: { certname: "boss.example" }
      sort-order: 500
      name: "admin"
    }
  ]
}
`

// TestRules: rules of one's own decide, in puppetserver's words.
func TestRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "auth.conf")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, small, func(o *serve.Options) { o.Auth = file })
	unpack(t, r.code, "-- production/modules/hidden/files/x --\nthe secret\n")
	for _, x := range []struct {
		name, role, method, path string
		status                   int
	}{
		{"agent.example", "", "GET", "/puppet/v3/environments", 200},
		{"bad.example", "", "GET", "/puppet/v3/environments", 403},
		{"bad.example", "", "GET", "/puppet/v3/environments?secret=yes", 200},
		{"bad.example", "", "GET", "/puppet/v3/environments?secret=no", 403},
		{"agent.example", "", "DELETE", "/puppet-admin-api/v1/environment-cache", 403},
		{"boss.example", "", "DELETE", "/puppet-admin-api/v1/environment-cache?environment=production", 204},
		{"boss.example", "", "POST", "/puppet-admin-api/v1/environment-cache", 403},
		{"agent.example", "", "GET", "/puppet/v3/catalog/other.example?environment=production", 403},
		{"agent.example", "king", "GET", "/puppet/v3/catalog/other.example?environment=production", 500}, // has no facts
		{"agent.example", "knave", "GET", "/puppet/v3/catalog/other.example?environment=production", 403},
		{"mon12.example", "", "GET", "/puppet/v3/catalog/other.example?environment=production", 500},
		{"mon.example", "", "GET", "/puppet/v3/catalog/other.example?environment=production", 403},
		{"x.admin.example", "", "GET", "/puppet/v3/catalog/other.example?environment=production", 500},
		{"admin.example", "", "GET", "/puppet/v3/catalog/other.example?environment=production", 500}, // as with puppetserver
		{"xadmin.example", "", "GET", "/puppet/v3/catalog/other.example?environment=production", 403},
		{"alias of bad.example", "", "GET", "/puppet/v3/environments", 403},
		{"alias of boss.example", "", "DELETE", "/puppet-admin-api/v1/environment-cache", 403},
		{"agent.example", "", "GET", "/puppet/v3//environments", 200},
		{"bad.example", "", "GET", "/puppet//v3/environments", 403},
		{"agent.example", "", "GET", "/puppet/v3/file_content/modules/demo/one?environment=production", 200},
		{"agent.example", "", "GET", "/puppet/v3/file_content/modules/hidden/x?environment=production", 403},
		{"agent.example", "", "GET", "/puppet/v3/file_content/modules//hidden/x?environment=production", 403},
		{"agent.example", "", "GET", "/puppet/v3/file_content//modules/hidden/x?environment=production", 403},
		{"agent.example", "", "GET", "/puppet/v3/file_content/modules/%68idden/x?environment=production", 403},
		{"agent.example", "", "GET", "/puppet/v3/file_content/modules/./hidden/x?environment=production", 400},
		{"agent.example", "", "GET", "/puppet/v3/file_content/modules/demo/../hidden/x?environment=production", 400},
		{"agent.example", "", "GET", "/puppet/v3/node/agent.example?environment=production", 403}, // no rule
	} {
		name, other, alias := strings.Cut(x.name, " of ")
		c := r.client(r.sign(name, extension(x.role, 1, 13), func(c *x509.Certificate) {
			if alias {
				c.DNSNames = append(c.DNSNames, other)
			}
		}))
		if a := r.do(c, x.method, x.path, "", "", "Accept", accept); a.status != x.status {
			t.Errorf("%v: %d %s", x, a.status, a.body)
		}
	}
	if a := r.do(r.client(), "POST", "/puppet/v3/catalog/free.example?environment=production", formType,
		catalogForm("free.example", "production", nil), "Accept", accept); a.status != 403 {
		t.Errorf("without a certificate: %d %s", a.status, a.body)
	}
	for old, bad := range map[string]string{
		"{\n  version: 1":                       "{\n  version: 2",
		"sort-order: 400":                       "sort-order: 4000",
		"type: path, method":                    "type: prefix, method",
		`name: "admin"`:                         "",
		"allow: \"*\"":                          "permit: \"*\"",
		`allow: { certname: "boss.example" }`:   `allow: { rbac: { permission: "x:y:z" } }`,
		"([^/]+)":                               "(?<!x)",
		"([^/]+)$\", type: regex, method: [get": "([a-z&&[^b]]+)$\", type: regex, method: [get",
		"mon\\\\d+":                             "mon[a[bc]]+",
		"^/puppet/v3/catalog/(":                 "(?U)^/puppet/v3/catalog/(",
		`"/^mon\\d+\\.example$/"`:               `"/(/"`,
		"rules: [":                              "allow-header-cert-info: true\n rules: [",
		"*.admin.example":                       "a*.example",
		"secret: [\"yes\"]":                     "secret: { a: 1 }",
		"method: [GET, post]":                   "method: [gett]",
		"method: [get, post]":                   "method: any",
		"method: delete":                        "method: []",
		"allow: [\"$1\"":                        "allow: [\"$2\"",
		`deny: "bad.example"`:                   `deny: "$1"`,
		`name: "hidden"`:                        `name: "admin"`,
		"version: 1":                            "",
		"allow-unauthenticated: true":           `allow-unauthenticated: "true"`,
		"deny: \"*\"":                           "deny: {}",
		`{ extensions: { pp_role`:               `{ certname: "x", extensions: { pp_role`,
		`certname: "boss.example"`:              `extensions: {}`,
		`{ certname: "boss.example" }`:          `{ extensions: { subject-alt-name: { dns-name: "x" } } }`,
	} {
		text := strings.Replace(rules, old, bad, 1)
		if text == rules {
			t.Fatalf("%s is not there", old)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		opt := r.opt
		opt.Auth = file
		if _, err := serve.New(opt); err == nil {
			t.Errorf("%s: the server starts", bad)
		}
	}
}

// TestPackagedRules: puppetserver's own file is understood, and says what is in force without one.
func TestPackagedRules(t *testing.T) {
	const packaged = "/etc/puppet/puppetserver/conf.d/auth.conf"
	live.NotShort(t, "it reads what a package brings")
	live.PathOf(t, packaged, "puppetserver")
	with := start(t, small, func(o *serve.Options) { o.Auth = packaged })
	without := start(t, small)
	for _, path := range []string{"/puppet/v3/catalog/agent.example", "/puppet/v3/catalog/x",
		"/puppet/v3/node/agent.example",
		"/puppet/v3/report/agent.example", "/puppet/v3/report/x", "/puppet/v3/facts/agent.example", "/puppet/v3/environments",
		"/puppet/v3/environment_classes", "/puppet/v3/environment_modules", "/puppet/v3/file_metadatas/plugins",
		"/puppet/v3/file_content/modules/demo/one", "/puppet/v3/file_bucket_file/md5/x", "/puppet/v3/static_file_content/x",
		"/puppet/v4/catalog", "/puppet-admin-api/v1/environment-cache", "/status/v1/simple", "/status/v1/services", "/",
		"/x"} {
		for _, method := range []string{"GET", "PUT", "POST", "DELETE", "HEAD"} {
			for _, known := range []bool{true, false} {
				var status [2]int
				for i, r := range []*running{with, without} {
					c := r.client()
					if known {
						c = r.client(r.sign("agent.example"))
					}
					status[i] = r.do(c, method, path+"?environment=production", "", "").status
				}
				if (status[0] == 403) != (status[1] == 403) {
					t.Errorf("%s %s, a certificate: %v: %v", method, path, known, status)
				}
			}
		}
	}
}

// TestNamesInRules: whom a rule names is whom puppetserver's own code finds in it (trapperkeeper-authorization 1.0.0,
// asked for each of these). What finds nobody there, or somebody else than it says, is a reason not to start.
func TestNamesInRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "auth.conf")
	write := func(path, kind, whom string) {
		t.Helper()
		text := fmt.Sprintf("authorization: { version: 1, rules: [ { match-request: { path: %q, type: %s }, %s, "+
			"sort-order: 500, name: x } ] }", path, kind, whom)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const node = "^/puppet/v3/node/([^/]+)$"
	write(node, "regex", `allow: "$1"`)
	r := start(t, small, func(o *serve.Options) { o.Auth = file })
	for _, x := range []struct {
		path, kind, whom, asked, name string
		status                        int
	}{
		{node, "regex", `allow: "$1"`, "a.example", "a.example", 200},
		{node, "regex", `allow: "$1"`, "A.example", "a.example", 200},
		{node, "regex", `allow: "$1"`, "A", "a", 403},
		{node, "regex", `allow: "$1"`, "a", "a", 200},
		{node, "regex", `allow: "$1.Example"`, "a", "a.example", 200},
		{"/", "path", `allow: "MyHost.Example"`, "x", "myhost.example", 200},
		{"/", "path", `allow: "user@host"`, "x", "user@host", 200},
		{"/", "path", `allow: a.b`, "x", "a.b", 200},
	} {
		write(x.path, x.kind, x.whom)
		if err := r.Reload(); err != nil {
			t.Errorf("%v: %v", x, err)
		}
		a := r.do(r.client(r.sign(x.name)), "GET", "/puppet/v3/node/"+x.asked+"?environment=production", "", "")
		if a.status != x.status {
			t.Errorf("%v: %d %s", x, a.status, a.body)
		}
	}
	write("/", "path", "allow: 5")
	if err := r.Reload(); err == nil {
		t.Error("it is read again")
	}
	if status, text := watch(r, "/readyz"); status != 503 || !strings.Contains(text, "rules from before are in force") {
		t.Errorf("%d %s", status, text)
	}
	write("/", "path", `allow: "*"`)
	if err := r.Reload(); err != nil {
		t.Error(err)
	}
	if status, text := watch(r, "/readyz"); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	for _, x := range []struct{ path, kind, whom string }{
		{"/", "path", `allow: "MyHost"`},                                      // finds nobody
		{"/", "path", `allow: "user@host.example"`},                           // nor does this
		{"/", "path", `allow: "a.-b.example"`},                                // nor this
		{"/", "path", `allow: "a.example."`},                                  // nor this
		{"/", "path", `allow: "foo bar"`},                                     // no name
		{"/", "path", `allow: "*.-example"`},                                  // no domain
		{"/", "path", `allow: "/"`},                                           // no pattern
		{node, "regex", `allow: "*", deny: "*.$1"`},                           // a domain of what the client says
		{node, "regex", `allow: "/^$1$/"`},                                    // a pattern of what the client says
		{"/", "path", `allow: "*", deny: { extensions: { "2.5.29.37": a } }`}, // nothing that we would see
		{"/", "path", `allow: { extensions: { pp_role: true } }`},
		{"/", "path", `allow: { extensions: { pp_role: 1 } }`},
		{"/", "path", `allow: { extensions: { 1.3.6.1.4.1.34380.1.1.13: a } }`}, // a hash inside of hashes
		{"/", "path", `allow: 5`},
		{"/", "path", `allow: [[a.b], [c.d]]`},
	} {
		write(x.path, x.kind, x.whom)
		if _, err := serve.New(r.opt); err == nil {
			t.Errorf("%v: the server starts", x)
		}
	}
}
