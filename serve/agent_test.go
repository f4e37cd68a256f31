package serve_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"bunraku/internal/live"
	"bunraku/serve"
	"bunraku/source"
)

// An agent is a real one, unmodified, with directories of its own. What it applies must stay in them: manifests name
// files below $facts['playground'] only.
type agent struct {
	t       testing.TB
	r       *running
	name    string
	dir     string
	puppet  *live.Oracle // whose agent it is
	machine *machine     // that it runs on; nil for this one
	env     []string     // besides
}

// newAgent gives an agent its certificate, so that it asks no CA.
func newAgent(t testing.TB, r *running, name string) *agent {
	t.Helper()
	return newAgentAt(t, r, name, t.TempDir())
}

// newAgentAt is one whose files are in a directory.
func newAgentAt(t testing.TB, r *running, name, dir string) *agent {
	t.Helper()
	a := &agent{t: t, r: r, name: name, dir: dir, puppet: live.Installed(t)}
	r.sign(name, extension("agent of the test", 1, 13))
	for from, to := range map[string]string{name + ".pem": "certs/" + name + ".pem",
		name + ".key": "private_keys/" + name + ".pem", "ca.pem": "certs/ca.pem", "crl.pem": "crl.pem"} {
		text, err := os.ReadFile(r.path(from))
		if err != nil {
			t.Fatal(err)
		}
		a.write("ssl/"+to, string(text))
	}
	if err := os.MkdirAll(a.path("playground"), 0o755); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *agent) path(name string) string { return filepath.Join(a.dir, name) }

// left is where a file is that the agent has written.
func (a *agent) left(name string) string {
	if a.machine != nil {
		return filepath.Join(a.machine.upper, a.path(name))
	}
	return a.path(name)
}

func (a *agent) write(name, text string) {
	a.t.Helper()
	if err := os.MkdirAll(filepath.Dir(a.path(name)), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(a.path(name), []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// run is one run of the agent: what it said, and its exit code.
func (a *agent) run(args ...string) (string, int) {
	a.t.Helper()
	host, port, _ := strings.Cut(strings.TrimPrefix(a.r.url, "https://"), ":")
	if host != "127.0.0.1" {
		a.t.Fatal(a.r.url)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	all := append([]string{"agent", "--test", "--server", "localhost", "--serverport", port, "--certname", a.name,
		"--confdir", a.path("conf"), "--vardir", a.path("var"), "--ssldir", a.path("ssl"), "--rundir", a.path("run"),
		"--logdir", a.path("log"), "--codedir", a.path("code"), "--publicdir", a.path("public"), "--color", "false",
		"--environment", "production"}, args...)
	program, env := a.puppet.Program()
	all = append(program[:len(program):len(program)], all...)
	if a.machine != nil {
		all = a.machine.command(all...)
	}
	cmd := exec.CommandContext(ctx, all[0], all[1:]...)
	cmd.Env = append(append(append(live.Env(), env...), "FACTER_playground="+a.path("playground")), a.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		a.t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// report reads what the agent says of its last run: the events of every resource, the state of each, and the counts.
func (a *agent) report(t testing.TB, said string) (events map[string]any, transaction string) {
	t.Helper()
	text, err := os.ReadFile(a.left("var/state/last_run_report.yaml"))
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var all struct {
		Transaction string `yaml:"transaction_uuid"`
		Status      string
		Resources   map[string]map[string]any `yaml:"resource_statuses"`
		Metrics     map[string]struct{ Values [][]any }
	}
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	events = map[string]any{"status": all.Status}
	for _, m := range []string{"resources", "changes", "events"} {
		events[m] = all.Metrics[m].Values
	}
	for name, r := range all.Resources {
		list, _ := r["events"].([]any)
		for _, e := range list {
			delete(e.(map[string]any), "time")
		}
		for _, drop := range []string{"time", "evaluation_time"} {
			delete(r, drop)
		}
		events[name] = r
	}
	return events, all.Transaction
}

const agentSite = `
-- production/environment.conf --
modulepath = modules
-- production/manifests/site.pp --
node default { include demo }
-- production/modules/demo/manifests/init.pp --
class demo(String $motd = lookup('motd')) {
  $at = $facts['playground']
  file { "$at/motd": content => "$motd\n" }
  file { "$at/one": source => 'puppet:///modules/demo/one', mode => '0640' }
  file { "$at/tree": ensure => directory, recurse => true, source => 'puppet:///modules/demo/tree' }
  file { "$at/first": source => ['puppet:///modules/demo/none', 'puppet:///modules/demo/one'] }
  file { "$at/secret": content => Sensitive("pass${word()}"), mode => '0600' }
  file { "$at/later": content => Deferred('sprintf', ['%s later', 'resolved']) }
  file { "$at/erb": content => template('demo/erb.erb') }
  file { "$at/epp": content => epp('demo/epp.epp', { 'x' => [1, 2] }) }
  file { "$at/mount": source => 'puppet:///extra/file' }
  demo_line { "$at/typed": line => "custom ${facts['demo_fact']} ${trusted['extensions']['pp_role']}" }
  file { "$at/binary": content => binary_file('demo/bytes') }
  exec { "/bin/sh -c 'echo ran >$at/ran'": creates => "$at/ran", require => File["$at/one"] }
}
-- production/modules/demo/functions/nothing.pp --
function demo::nothing() { '' }
-- production/functions/word.pp --
function word() { 'word' }
-- production/hiera.yaml --
version: 5
hierarchy:
  - name: common
    path: common.yaml
-- production/data/common.yaml --
motd: hello %{facts.demo_fact}
-- production/modules/demo/files/one --
first
-- production/modules/demo/files/bytes --
bytes
-- production/modules/demo/files/tree/a/b --
b
-- production/modules/demo/files/tree/c d --
with a blank
-- production/modules/demo/templates/erb.erb --
<% [1, 2].each do |i| -%>
line <%= i %> of <%= @facts['demo_fact'] %>
<% end -%>
-- production/modules/demo/templates/epp.epp --
<%- | Array $x | -%>
<% $x.each |$i| { %>epp <%= $i %>
<% } %>
-- production/modules/demo/lib/facter/demo_fact.rb --
Facter.add(:demo_fact) { setcode { 'synced' } }
-- production/modules/demo/lib/puppet/type/demo_line.rb --
Puppet::Type.newtype(:demo_line) do
  @doc = 'one line in a file'
  ensurable { defaultvalues; defaultto :present }
  newparam(:path, namevar: true)
  newparam(:line)
end
-- production/modules/demo/lib/puppet/provider/demo_line/ruby.rb --
Puppet::Type.type(:demo_line).provide(:ruby) do
  def exists?
    File.exist?(resource[:path]) && File.read(resource[:path]) == resource[:line]
  end

  def create
    File.write(resource[:path], resource[:line])
  end

  def destroy
    File.delete(resource[:path])
  end
end
`

// TestScoreServeAgent lets a real agent run against the server: the first run makes what the catalog says and exits
// with 2, the second finds nothing to do.
func TestScoreServeAgent(t *testing.T) {
	live.NotShort(t, "it runs a real agent")
	serveAgent(t, live.Installed(t), source.Puppet7)
}

// TestScoreServeAgent8 is the same with the agent of OpenVox 8, run from its sources.
func TestScoreServeAgent8(t *testing.T) {
	live.NotShort(t, "it runs a real agent")
	serveAgent(t, live.Other(t, "openvox8"), source.OpenVox8)
}

func serveAgent(t *testing.T, puppet *live.Oracle, language source.Language) {
	t.Helper()
	extra := t.TempDir()
	unpack(t, extra, "-- file --\nof a mount\n-- fileserver.conf --\n[extra]\n  path "+extra+"\n")
	r := start(t, agentSite, func(o *serve.Options) {
		o.FileServer = filepath.Join(extra, "fileserver.conf")
		o.Compile.Language = language
	})
	a := newAgent(t, r, "agent.example")
	a.puppet = puppet
	good := 0
	out, code := a.run()
	if code != 2 {
		t.Fatalf("the first run: exit %d\n%s", code, out)
	}
	for name, want := range map[string]string{"motd": "hello synced\n", "one": "first\n", "tree/a/b": "b\n",
		"tree/c d": "with a blank\n", "first": "first\n", "secret": "password", "later": "resolved later",
		"erb": "line 1 of synced\nline 2 of synced\n", "epp": "epp 1\nepp 2\n\n", "mount": "of a mount\n",
		"typed": "custom synced agent of the test", "binary": "bytes\n", "ran": "ran\n"} {
		text, err := os.ReadFile(a.path("playground/" + name))
		if err != nil || string(text) != want {
			t.Errorf("%s: %q %v, not %q", name, text, err, want)
		} else {
			good++
		}
	}
	if strings.Contains(out, "password") {
		t.Errorf("the secret is shown:\n%s", out)
	}
	if out, code = a.run(); code != 0 {
		t.Errorf("the second run: exit %d\n%s", code, out)
	} else {
		good++
	}
	for _, kind := range []string{"reports/agent.example/*.json", "facts/agent.example.json"} {
		files, _ := filepath.Glob(filepath.Join(r.opt.State, kind))
		if len(files) == 0 {
			t.Errorf("no %s", kind)
			continue
		}
		for _, f := range files {
			if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", f, info.Mode(), err)
			}
		}
		good++
	}
	if t.Failed() {
		t.Log(out)
	}
	t.Logf("score: a real agent (%s) served %d/%d", puppet.Name, good, 16)
}
