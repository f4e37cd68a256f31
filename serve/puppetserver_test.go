//go:build unix

package serve_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bunraku/internal/live"
)

// A rival is puppetserver, with the same CA, environments and rules as a server of ours.
type rival struct {
	*running // to ask it: the same, with another url
	cmd      *exec.Cmd
	took     time.Duration // until it answered
	log      *bytes.Buffer
}

const rivalJar = "/usr/share/puppetserver/puppetserver.jar"

// startRival starts Debian's puppetserver. It is a JVM of a gigabyte and takes half a minute. The settings are lines of
// puppet.conf; more files may follow them, as in an archive.
func startRival(t testing.TB, r *running, basemodulepath string, settings ...string) *rival {
	t.Helper()
	live.PathOf(t, rivalJar, "puppetserver")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const packaged = "/etc/puppet/puppetserver/"
	services := read(packaged + "services.d/bootstrap.cfg")
	for _, drop := range []string{"puppetlabs.services.analytics.analytics-service/analytics-service"} {
		services = strings.ReplaceAll(services, drop, "")
	}
	services += "\npuppetlabs.services.ca.certificate-authority-disabled-service/" +
		"certificate-authority-disabled-service\n" +
		"puppetlabs.trapperkeeper.services.watcher.filesystem-watch-service/filesystem-watch-service\n"
	auth := read(packaged + "conf.d/auth.conf")
	if r.opt.Auth != "" {
		auth = read(r.opt.Auth)
	}
	if !slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, "storeconfigs") }) {
		settings = append([]string{"storeconfigs = false"}, settings...)
	}
	code := ""
	if r.opt.CodeID != "" {
		code = fmt.Sprintf("versioned-code: { code-id-command: %q, code-content-command: %q }", r.opt.CodeID,
			r.opt.CodeContent)
	}
	unpack(t, dir, fmt.Sprintf(`
-- conf/puppet.conf --
[main]
certname = puppet.example
environmentpath = %s
basemodulepath = %s
[server]
%s
-- services.d/bootstrap.cfg --
%s
-- conf.d/auth.conf --
%s
-- conf.d/global.conf --
global: { logging-config: %s/logback.xml }
-- conf.d/product.conf --
product: { check-for-updates: false }
-- conf.d/metrics.conf --
metrics: { server-id: localhost }
-- conf.d/puppetserver.conf --
jruby-puppet: {
  ruby-load-path: [/usr/lib/puppetserver/ruby/vendor_ruby]
  gem-home: %[6]s/gems
  gem-path: [%[6]s/gems, "/usr/lib/puppetserver/vendored-jruby-gems"]
  server-conf-dir: %[6]s/conf
  server-code-dir: %[6]s/code
  server-var-dir: %[6]s/var
  server-run-dir: %[6]s/run
  server-log-dir: %[6]s/log
  max-active-instances: 1
}
%[13]s
-- conf.d/web-routes.conf --
%[7]s
-- conf.d/webserver.conf --
webserver: {
  client-auth: want
  ssl-host: 127.0.0.1
  ssl-port: %[8]d
  ssl-cert: %[9]s
  ssl-key: %[10]s
  ssl-ca-cert: %[11]s
  ssl-crl-path: %[12]s
}
-- logback.xml --
<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%%d %%-5p [%%c{2}] %%m%%n</pattern></encoder>
  </appender>
  <root level="warn"><appender-ref ref="STDOUT" /></root>
</configuration>
`, strings.Join(r.opt.Environments, ":"), basemodulepath, strings.Join(settings, "\n"), services, auth, dir,
		read(packaged+"conf.d/web-routes.conf"), port, r.opt.Cert, r.opt.Key, r.opt.CA, r.opt.CRL, code))
	for _, d := range []string{"gems", "code", "var", "run", "log"} {
		if err := os.MkdirAll(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	x := &rival{log: &bytes.Buffer{}, cmd: exec.Command("java", "-Xms512m", "-Xmx1g",
		"-Djruby.logger.class=com.puppetlabs.jruby_utils.jruby.Slf4jLogger", "-Djruby.lib=/usr/share/jruby/lib", "-jar",
		rivalJar, "--config", at("conf.d"), "--bootstrap-config", at("services.d"), "--restart-file", at("restart"))}
	x.cmd.Stdout, x.cmd.Stderr = x.log, x.log
	x.cmd.Env = append(live.Env(), "HOME="+dir)
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- x.cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-x.cmd.Process.Pid, syscall.SIGKILL) // the group that we have made
		<-ended
		if t.Failed() {
			t.Log(x.log.String())
		}
	})
	same := *r
	same.url = fmt.Sprintf("https://127.0.0.1:%d", port)
	x.running = &same
	c := r.client()
	for {
		a, err := x.try(c, http.MethodGet, "/status/v1/simple", "", "")
		if err == nil && a.status == 200 && a.body == "running" {
			x.took = time.Since(began)
			return x
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("puppetserver ends: %v\n%s", err, x.log)
		case <-time.After(200 * time.Millisecond):
		}
		if time.Since(began) > 12*time.Minute {
			t.Fatalf("puppetserver does not answer\n%s", x.log)
		}
	}
}
