package serve_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/puppetdb"
	"bunraku/serve"
)

// A fakeDB takes commands, and answers queries about resources with one list.
type fakeDB struct {
	*httptest.Server
	mu        sync.Mutex
	commands  []fakeCommand
	status    int // of commands, if it is not 200
	resources string
	asked     []string
}

type fakeCommand struct {
	name, certname string
	payload        map[string]any
}

func newFakeDB(t testing.TB) *fakeDB {
	d := &fakeDB{resources: "[]"}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if r.URL.Path != "/pdb/cmd/v1" {
			d.asked = append(d.asked, r.URL.Query().Get("query"))
			io.WriteString(w, d.resources)
			return
		}
		if d.status != 0 {
			http.Error(w, "not now", d.status)
			return
		}
		c := fakeCommand{name: r.URL.Query().Get("command"), certname: r.URL.Query().Get("certname")}
		if err := json.NewDecoder(r.Body).Decode(&c.payload); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		d.commands = append(d.commands, c)
		io.WriteString(w, `{"uuid":"u"}`)
	}))
	t.Cleanup(d.Close)
	return d
}

// set changes how it answers.
func (d *fakeDB) set(status int, resources string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.status, d.resources = status, resources
}

// got waits for so many commands.
func (d *fakeDB) got(t testing.TB, n int) []fakeCommand {
	t.Helper()
	for range 1000 {
		d.mu.Lock()
		all := d.commands
		d.mu.Unlock()
		if len(all) >= n {
			return all
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%d commands have not come", n)
	return nil
}

// runReport is the report of a run.
func runReport(node, uuid string) string {
	return fmt.Sprintf(`{"host":%q,"time":"2026-11-16T10:00:00.123456789+01:00","configuration_version":1,"transaction_uuid":%q,
		"report_format":12,"puppet_version":"7.23.0","status":"changed","noop":false,"noop_pending":false,"environment":"production",
		"corrective_change":false,"catalog_uuid":null,"code_id":null,"cached_catalog_status":"not_used","logs":[],
		"metrics":{"time":{"name":"time","label":"Time","values":[["total","Total",1.5]]}},"resource_statuses":{}}`, node,
		uuid)
}

// told asks for a catalog with a transaction and sends the report.
func (r *running) told(c *http.Client, node, uuid string, fact int) (catalog, report answer) {
	r.t.Helper()
	form := strings.Replace(catalogForm(node, "production", map[string]any{"kernel": "Linux", "run": fact}),
		"transaction_uuid=u",
		"transaction_uuid="+uuid, 1)
	catalog = r.do(c, "POST", "/puppet/v3/catalog/"+node+"?environment=production", formType, form, "Accept", accept)
	report = r.do(c, "PUT", "/puppet/v3/report/"+node+"?environment=production", "application/json", runReport(node, uuid))
	return catalog, report
}

// TestPuppetDB: facts, catalogs and reports reach PuppetDB, also when it was away, and nobody waits for it.
func TestPuppetDB(t *testing.T) {
	db := newFakeDB(t)
	with := func(o *serve.Options) { o.PuppetDB = &puppetdb.Config{URL: db.URL} }
	r := start(t, small, with)
	c := r.client(r.sign("agent.example"))
	if a, b := r.told(c, "agent.example", "run-1", 1); a.status != 200 || b.status != 200 ||
		b.body != `["store","puppetdb"]` {
		t.Fatalf("%d %s\n%d %s", a.status, a.body, b.status, b.body)
	}
	got := db.got(t, 3)
	seen := map[string]fakeCommand{}
	for _, x := range got {
		seen[x.name] = x
	}
	facts, catalog, report := seen["replace_facts"].payload, seen["replace_catalog"].payload, seen["store_report"].payload
	if facts["certname"] != "agent.example" || facts["producer"] != "puppet.example" ||
		facts["values"].(map[string]any)["trusted"].(map[string]any)["certname"] != "agent.example" {
		t.Errorf("%v", facts)
	}
	text, _ := json.Marshal(catalog)
	if catalog["transaction_uuid"] != "run-1" || strings.Contains(string(text), "secret") ||
		!strings.Contains(string(text), `"/tmp/demo"`) {
		t.Errorf("%s", text)
	}
	if report["transaction_uuid"] != "run-1" || report["end_time"] != "2026-11-16T09:00:01.623Z" {
		t.Errorf("%v", report)
	}
	// PuppetDB is away: agents do not notice, and the commands are there when the server is started again.
	db.set(503, "[]")
	for i := range 5 {
		if a, b := r.told(c, "agent.example", fmt.Sprint("away-", i), i); a.status != 200 || b.status != 200 {
			t.Errorf("%d %s\n%d %s", a.status, a.body, b.status, b.body)
		}
	}
	stop(t, r)
	if files, _ := filepath.Glob(filepath.Join(r.opt.State, "puppetdb", "*.command")); len(files) != 15 {
		t.Errorf("%d commands are kept", len(files))
	} else if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	db.set(0, "[]")
	start(t, small, with, func(o *serve.Options) { o.State = r.opt.State })
	all := db.got(t, 18)
	uuids := map[string]bool{}
	for _, x := range all {
		if x.name == "store_report" {
			uuids[x.payload["transaction_uuid"].(string)] = true
		}
	}
	if len(uuids) != 6 {
		t.Errorf("reports of %v", uuids)
	}
}

func stop(t testing.TB, r *running) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// TestPuppetDBRefuses: a command that PuppetDB will never take is put aside and counted, and does not hold up others.
func TestPuppetDBRefuses(t *testing.T) {
	db := newFakeDB(t)
	db.set(400, "[]")
	r := start(t, small, func(o *serve.Options) { o.PuppetDB = &puppetdb.Config{URL: db.URL} })
	c := r.client(r.sign("agent.example"))
	r.told(c, "agent.example", "refused", 1)
	for i := 0; !strings.Contains(watched(t, r), "bunraku_puppetdb_refused_total 3"); i++ {
		if i > 500 {
			t.Fatal(watched(t, r))
		}
		time.Sleep(10 * time.Millisecond)
	}
	db.set(0, "[]")
	r.told(c, "agent.example", "taken", 2)
	db.got(t, 3)
	if files, _ := filepath.Glob(filepath.Join(r.opt.State, "puppetdb/refused/*.command")); len(files) != 3 {
		t.Errorf("%d files are put aside", len(files))
	}
}

// watched is what is counted.
func watched(t testing.TB, r *running) string {
	t.Helper()
	_, text := watch(r, "/metrics")
	return text
}

// TestDiskFull: what cannot be kept is a refusal, or a loss that is counted by its name.
func TestDiskFull(t *testing.T) {
	for _, soft := range []bool{false, true} {
		db := newFakeDB(t)
		r := start(t, small, func(o *serve.Options) {
			o.PuppetDB, o.SoftWriteFailure = &puppetdb.Config{URL: db.URL}, soft
		})
		// Nothing can be written where there is no directory.
		for _, dir := range []string{"puppetdb", "reports", "facts"} {
			if err := os.RemoveAll(filepath.Join(r.opt.State, dir)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(r.opt.State, dir), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		a, b := r.told(r.client(r.sign("agent.example")), "agent.example", "full", 1)
		if !soft && (a.status != 500 || b.status != 500 ||
			!strings.Contains(a.body, "facts of agent.example cannot be kept")) {
			t.Errorf("%d %s\n%d %s", a.status, a.body, b.status, b.body)
		}
		text := watched(t, r)
		for _, what := range []string{"replace_facts", "replace_catalog", "store_report", "facts", "report"} {
			if soft != strings.Contains(text, fmt.Sprintf("bunraku_lost_total{what=%q} 1", what)) {
				t.Errorf("soft %v: %s", soft, text)
			}
		}
		if soft && (a.status != 200 || b.status != 200) {
			t.Errorf("%d %s\n%d %s", a.status, a.body, b.status, b.body)
		}
	}
}

// TestPuppetDBAsked: collectors get what PuppetDB has of other nodes, anew for every catalog; one that does not answer
// is an error.
func TestPuppetDBAsked(t *testing.T) {
	db := newFakeDB(t)
	site := "-- production/manifests/site.pp --\n@@notify { 'mine': }\nNotify <<| tag == 'x' |>>\n" +
		"$n = puppetdb_query('nodes[certname]{}').length\nnotify { \"of ${n}\": }\n"
	r := start(t, site, func(o *serve.Options) { o.PuppetDB = &puppetdb.Config{URL: db.URL, Pause: time.Millisecond} })
	c := r.client(r.sign("agent.example"))
	one := func(title string) string {
		return `[{"certname":"other.example","type":"Notify","title":"` + title +
			`","tags":["x"],"parameters":{"message":"m"},"file":"/f","line":1,"exported":true}]`
	}
	for _, title := range []string{"first", "second"} {
		db.set(0, one(title))
		if a := r.catalog(c, "agent.example", "production", nil); a.status != 200 ||
			!strings.Contains(a.body, `"title":"`+title+`"`) ||
			strings.Contains(a.body, `"title":"mine"`) || !strings.Contains(a.body, `"of 1"`) {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	catalog, _ := json.Marshal(db.got(t, 4)[3].payload)
	if !strings.Contains(string(catalog), `"mine"`) && !strings.Contains(fmt.Sprint(db.got(t, 4)), "mine") {
		t.Errorf("what is exported is not told: %s", catalog)
	}
	// Ruby has numbers that we have not: none is made another one.
	for _, row := range []string{strings.Replace(one("third"), `"m"`, tooLarge, 1),
		strings.Replace(one("third"), `"certname"`, `"n":`+tooLarge+`,"certname"`, 1)} {
		db.set(0, row)
		if a := r.catalog(c, "agent.example", "production", nil); a.status != 500 || !strings.Contains(a.body, tooLarge) {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	db.set(0, "[{")
	if a := r.catalog(c, "agent.example", "production", nil); a.status != 500 || !strings.Contains(a.body, "PuppetDB at") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestPuppetDBSlow: whoever asks a PuppetDB that does not answer waits for it, and nobody else does.
func TestPuppetDBSlow(t *testing.T) {
	answers := make(chan bool)
	asked := make(chan bool, 100)
	db := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			io.WriteString(w, `{"uuid":"u"}`)
			return
		}
		asked <- true
		<-answers
		io.WriteString(w, "[]")
	}))
	defer db.Close()
	site := "-- production/manifests/site.pp --\nnode /^imports/ { Notify <<| tag == 'x' |>> }\n" +
		"node /^asks/ { $n = puppetdb_query('nodes[certname]{}').length }\nnode default { notify { 'plain': } }\n"
	r := start(t, site, func(o *serve.Options) { o.PuppetDB = &puppetdb.Config{URL: db.URL} })
	var all sync.WaitGroup
	many := 2 * runtime.GOMAXPROCS(0)
	for i := range many {
		name := fmt.Sprintf("imports%d.example", i)
		if i%2 == 0 {
			name = fmt.Sprintf("asks%d.example", i)
		}
		c := r.client(r.sign(name))
		all.Go(func() {
			if a := r.catalog(c, name, "production", nil); a.status != 200 {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		})
	}
	defer all.Wait()
	defer close(answers)
	for range many { // each has begun
		select {
		case <-asked:
		case <-time.After(20 * time.Second):
			t.Fatal("some wait for others that ask")
		}
	}
	done := make(chan answer, 1)
	c := r.client(r.sign("plain.example"))
	go func() { done <- r.catalog(c, "plain.example", "production", nil) }()
	select {
	case a := <-done:
		if a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	case <-time.After(20 * time.Second):
		t.Error("a node that asks nothing waits, too")
	}
}

// A program is the bunraku program, serving, which is ended and started again.
type program struct {
	t    testing.TB
	args []string
	at   string
	cmd  *exec.Cmd
}

func (p *program) start() {
	p.t.Helper()
	p.cmd = exec.Command(p.args[0], p.args[1:]...)
	p.cmd.Stderr = io.Discard
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	for range 1500 {
		if c, err := net.Dial("tcp", p.at); err == nil {
			c.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.t.Fatal("it does not listen")
}

func (p *program) kill() {
	_ = p.cmd.Process.Kill() // it may be gone
	_ = p.cmd.Wait()         // killed
}

// killed has agents run while the server is killed at random moments, simulated ones and real ones. Each run ends with
// a whole catalog and a report that was taken; it gives the transactions of all, of real agents the last ones.
func killed(t *testing.T, database string, nodes, runs, kills, real int) (done map[string][]string,
	last map[string]string) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bunraku")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/bunraku").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, state := t.TempDir(), t.TempDir()
	unpack(t, code, `
-- production/manifests/site.pp --
node default {
  $at = $facts['playground'] ? { undef => '/tmp', default => $facts['playground'] }
  Integer[1, 40].each |$i| { file { "${at}/f${i}": content => "${facts['run']} ${i}" } }
  @@notify { "from ${trusted['certname']} ${facts['run']}": }
  notify { 'the end': }
}
`)
	ca := newCA(t, "Puppet CA")
	ca.sign("puppet.example")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	p := &program{t: t, at: at, args: []string{bin, "serve", code, "--listen", at, "--hostcert",
		ca.path("puppet.example.pem"),
		"--hostprivkey", ca.path("puppet.example.key"), "--localcacert", ca.path("ca.pem"), "--hostcrl", ca.path("crl.pem"),
		"--state", state, "--puppetdb", database, "--language", "7"}}
	p.start()
	r := &running{testCA: ca, t: t, url: "https://" + at}
	done = map[string][]string{}
	var mu sync.Mutex
	var retried, all int
	var agents sync.WaitGroup
	work := make(chan int, runs)
	for i := range runs {
		work <- i
	}
	close(work)
	certs := make([]tls.Certificate, nodes)
	for i := range certs {
		certs[i] = ca.sign(fmt.Sprintf("n%d.example", i))
	}
	for i := range nodes {
		agents.Go(func() {
			name := fmt.Sprintf("n%d.example", i)
			c := r.client(certs[i])
			c.Timeout = 20 * time.Second
			for run := range work {
				uuid := fmt.Sprintf("00000000-0000-4000-8000-%012d", run)
				form := strings.Replace(catalogForm(name, "production", map[string]any{"run": run}), "transaction_uuid=u",
					"transaction_uuid="+uuid, 1)
				try := func(method, path, kind, body string, whole func(string) bool) {
					for tries := 0; ; tries++ {
						a, err := r.try(c, method, path, kind, body, "Accept", accept)
						if err == nil && a.status == 200 {
							if !whole(a.body) {
								t.Errorf("half an answer: %.200s", a.body)
							}
							return
						}
						if err == nil && a.status != 503 {
							t.Errorf("%d %s", a.status, a.body)
							return
						}
						mu.Lock()
						retried++
						mu.Unlock()
						if tries > 500 {
							t.Error("no answer", err)
							return
						}
						time.Sleep(20 * time.Millisecond)
					}
				}
				try("POST", "/puppet/v3/catalog/"+name+"?environment=production", formType, form, func(text string) bool {
					var got struct{ Resources []struct{ Title string } }
					err := json.Unmarshal([]byte(text), &got)
					return err == nil && len(got.Resources) > 41 && strings.Contains(text, "the end")
				})
				try("PUT", "/puppet/v3/report/"+name+"?environment=production", "application/json", runReport(name, uuid),
					func(text string) bool { return text == `["store","puppetdb"]` })
				mu.Lock()
				done[name] = append(done[name], uuid)
				all++
				mu.Unlock()
			}
		})
	}
	finished := make(chan struct{})
	last = map[string]string{}
	again := 0
	var realOnes sync.WaitGroup
	places := make(chan struct{}, 4) // so many real agents at a time
	for i := range real {
		a := newAgent(t, r, fmt.Sprintf("real%d.example", i))
		a.env = []string{fmt.Sprintf("FACTER_run=%d", i)}
		realOnes.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			for tries := 0; ; tries++ {
				out, code := a.run()
				if (code == 0 || code == 2) && !strings.Contains(out, "Could not send report") {
					_, transaction := a.report(t, out)
					mu.Lock()
					last[a.name] = transaction
					mu.Unlock()
					break
				}
				mu.Lock()
				again++
				mu.Unlock()
				if tries > 30 {
					t.Errorf("%s: exit %d\n%s", a.name, code, out)
					return
				}
			}
			for k := 1; k <= 40; k++ {
				text, err := os.ReadFile(a.path(fmt.Sprintf("playground/f%d", k)))
				if want := fmt.Sprintf("%d %d", i, k); err != nil || string(text) != want {
					t.Errorf("%s: %q %v, not %q", a.name, text, err, want)
				}
			}
		})
	}
	go func() { agents.Wait(); close(finished) }()
	// A moment is between two runs that came to their end, on average as many as there are for each kill.
	random := rand.New(rand.NewPCG(1, 2))
	n, next := 0, 1
	for over := false; !over; {
		select {
		case <-finished:
			over = true
		case <-time.After(time.Duration(random.IntN(5000)) * time.Microsecond):
			mu.Lock()
			now := all
			mu.Unlock()
			if n < kills && now >= next {
				p.kill()
				n++
				p.start()
				next = now + 1 + random.IntN(max(1, 2*(runs-now)/max(1, kills-n)-1))
			}
		}
	}
	for n < kills { // the runs were quicker
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		p.kill()
		n++
		p.start()
	}
	ended := make(chan struct{})
	go func() { realOnes.Wait(); close(ended) }()
	for over := false; !over; { // real agents take longer
		select {
		case <-ended:
			over = true
		case <-time.After(15*time.Second + time.Duration(random.IntN(45_000))*time.Millisecond):
			p.kill()
			n++
			p.start()
		}
	}
	p.kill()
	p.start()
	t.Cleanup(p.kill)
	for range 6000 { // until the queue is empty
		if files, _ := filepath.Glob(filepath.Join(state, "puppetdb", "*.command")); len(files) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("%d runs of %d nodes, the server killed %d times: all have a whole catalog, %d requests were asked again; %d "+
		"real agents have all of theirs, %d of their runs were made again", all, nodes, n+1, retried, len(last), again)
	if refused, _ := filepath.Glob(filepath.Join(state, "puppetdb/refused/*")); len(refused) > 0 {
		t.Errorf("%d commands were refused", len(refused))
	}
	return done, last
}

// TestKilled: no fact, catalog or report is lost, however the server ends.
func TestKilled(t *testing.T) {
	live.NotShort(t, "builds the program and kills it")
	db := newFakeDB(t)
	done, _ := killed(t, db.URL, 6, 60, 8, 0)
	lost(t, db, done)
}

// lost looks for what did not come.
func lost(t *testing.T, db *fakeDB, done map[string][]string) {
	t.Helper()
	db.mu.Lock()
	defer db.mu.Unlock()
	came := map[string]bool{}
	for _, c := range db.commands {
		if run, is := c.payload["values"].(map[string]any); is {
			came[fmt.Sprintf("%s 00000000-0000-4000-8000-%012d", c.name, int(run["run"].(float64)))] = true
		} else {
			came[c.name+" "+c.payload["transaction_uuid"].(string)] = true
		}
	}
	n := 0
	for node, list := range done {
		for _, uuid := range list {
			for _, command := range []string{"replace_facts", "replace_catalog", "store_report"} {
				if n++; !came[command+" "+uuid] {
					t.Errorf("%s of %s, %s, is lost", command, node, uuid)
				}
			}
		}
	}
	t.Logf("%d commands were acknowledged, and all came (%d with those that were sent again)", n, len(db.commands))
}

// TestAcceptServeKilled kills the server 100 times during 1,000 simulated runs and those of 20 real agents; a real
// PuppetDB has all of their reports then, and of each node the last catalog and facts.
func TestAcceptServeKilled(t *testing.T) {
	live.Accept(t)
	db := live.StartPuppetDB(t)
	done, last := killed(t, db.URL, 20, 1000, 100, 20)
	client, err := puppetdb.New(puppetdb.Config{URL: db.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	rows := func(entity, query string) (list []map[string]any) {
		t.Helper()
		err := client.Query(context.Background(), puppetdb.Query{Entity: entity, Text: query},
			func(row json.RawMessage) error {
				var x map[string]any
				err := json.Unmarshal(row, &x)
				list = append(list, x)
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	// PuppetDB takes commands into a queue of its own: what is not there at once may still come.
	missing := func() (list []string) {
		has := map[string]bool{}
		for _, r := range rows("", `reports[transaction_uuid]{}`) {
			has[r["transaction_uuid"].(string)] = true
		}
		for node, runs := range done {
			for _, uuid := range runs {
				if !has[uuid] {
					list = append(list, "the report "+uuid+" of "+node)
				}
			}
			last := runs[len(runs)-1]
			got := rows("catalogs", `["=","certname","`+node+`"]`)
			if len(got) != 1 || got[0]["transaction_uuid"] != last {
				list = append(list, "the catalog "+last+" of "+node)
			}
			facts := rows("facts", `["and",["=","certname","`+node+`"],["=","name","run"]]`)
			if len(facts) != 1 || fmt.Sprintf("00000000-0000-4000-8000-%012v", facts[0]["value"]) != last {
				list = append(list, "the facts "+last+" of "+node)
			}
		}
		for node, uuid := range last {
			if !has[uuid] {
				list = append(list, "the report "+uuid+" of "+node)
			}
			got := rows("catalogs", `["=","certname","`+node+`"]`)
			if len(got) != 1 || got[0]["transaction_uuid"] != uuid {
				list = append(list, "the catalog "+uuid+" of "+node)
			}
		}
		return list
	}
	var lost []string
	for range 120 {
		if lost = missing(); len(lost) == 0 {
			break
		}
		time.Sleep(time.Second)
	}
	for _, what := range lost {
		t.Error(what + " is lost")
	}
	t.Logf("%d of what was acknowledged is not in PuppetDB (bar: nothing)", len(lost))
}
