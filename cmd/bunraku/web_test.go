package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bunraku/internal/live"
	"bunraku/internal/manynodes"
)

// What a real browser makes of `bunraku web`: Debian's Chromium, driven by playwright-core, looks at every page of the
// example with a change in its work tree, and of a fleet. testdata/web/browser.mjs is the driver.

// A webJob is what the driver is to do.
type webJob struct {
	Room     string       `json:"room"`
	Chromium string       `json:"chromium"`
	Base     string       `json:"base"`
	URL      string       `json:"url"`
	Do       []string     `json:"do"`
	Pages    []webPage    `json:"pages"`
	From     []string     `json:"from"`  // pages whose links are followed first, after those of the first page
	Most     int          `json:"most"`  // links that are followed
	Each     int          `json:"each"`  // of one kind of page
	Click    bool         `json:"click"` // they are followed without loading each page anew
	Tasks    []webTask    `json:"tasks"`
	Search   webSearch    `json:"search"`
	Measure  []webMeasure `json:"measure"`
	Reports  []webReport  `json:"reports"`
	Edit     webEdit      `json:"edit"`
	Again    []string     `json:"again"`    // starts the server again
	PID      int          `json:"pid"`      // of the server
	Pictures string       `json:"pictures"` // where they go; "" for none
	Shown    []string     `json:"shown"`    // the pictures that the page about it shows
}

// A webEdit is a text that is added to a file, and what pages show then.
type webEdit struct {
	File  string `json:"file"`
	Text  string `json:"text"`
	Shows string `json:"shows"`
}

// A webReport is a page that is one file.
type webReport struct {
	Name   string   `json:"name"`
	File   string   `json:"file"`
	Has    []string `json:"has"`
	Narrow string   `json:"narrow"` // leaves one part
}

type webPage struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	Has    []string `json:"has"`
	Height int      `json:"height,omitempty"` // of its picture
}

type webTask struct {
	Task  string    `json:"task"`
	Steps []webStep `json:"steps"`
	Shows []string  `json:"shows"`
	Hides string    `json:"hides,omitempty"`
}

type webStep struct {
	Type  string `json:"type,omitempty"`
	Found string `json:"found,omitempty"`
	Click string `json:"click,omitempty"`
	Role  string `json:"role,omitempty"`
	Check string `json:"check,omitempty"`
}

type webSearch struct {
	Type  string `json:"type"`
	Shows string `json:"shows"`
}

type webMeasure struct {
	Name  string `json:"name"`
	From  string `json:"from"`
	To    string `json:"to"`
	Ready string `json:"ready"`
}

type webResult struct {
	Failures []string
	Figures  map[string]json.RawMessage
}

// browserTools finds what the driver needs, or skips.
func browserTools(t *testing.T) (node, chromium, room string) {
	t.Helper()
	live.NotShort(t, "starts a browser")
	node, chromium = live.Tool(t, "node"), live.Tool(t, "chromium")
	live.Tool(t, "npm")
	cmd := exec.Command("sh", "../../web/ui/build.sh", "--room")
	var trouble strings.Builder
	cmd.Stderr = &trouble
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("npm cannot bring playwright-core and axe-core: %v\n%s", err, trouble.String())
	}
	return node, chromium, strings.TrimSpace(string(out))
}

// startWeb starts the program for a tree and returns the address that lets a browser in.
func startWeb(t *testing.T, args ...string) (cmd *exec.Cmd, url string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "bunraku")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd = exec.Command(program, append([]string{"web", "--no-open"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err == nil {
			if err := cmd.Wait(); err != nil {
				t.Errorf("the server ended with %v", err)
			}
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if at := strings.TrimSpace(lines.Text()); strings.HasPrefix(at, "http://") {
			return cmd, at
		}
	}
	t.Fatal("the program prints no link")
	return nil, ""
}

// browse lets the driver do a job.
func browse(t *testing.T, job webJob, at string) webResult {
	t.Helper()
	node, chromium, room := browserTools(t)
	job.Room, job.Chromium, job.URL = room, chromium, at
	job.Base, _, _ = strings.Cut(at, "/open")
	text, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "job.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/web/browser.mjs", file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var r webResult
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("the driver: %v %s", err, out)
	}
	for _, f := range r.Failures {
		t.Error(f)
	}
	return r
}

func (r webResult) number(name string) (n float64) {
	_ = json.Unmarshal(r.Figures[name], &n) // 0 if it was not measured
	return n
}

// webShop is the example with a change that is not committed.
func webShop(t *testing.T) *repository {
	t.Helper()
	s := newRepository(t)
	s.edit("data/role/web.yaml", "app1.shop.example:8080", "app1.shop.example:8081")
	s.edit("site-modules/profile/manifests/nginx.pp", "mode    => '0644'", "mode    => '0640'")
	must(t, os.WriteFile(filepath.Join(s.dir, "servers.sf"), []byte(webSpecification), 0o644))
	return s
}

// webSpecification is one of SmartFrog, to step through.
const webSpecification = `Machine extends {
  dns "ns.foo";
}
Service extends {
  running true;
  port 80;
}
sfConfig extends {
  s1 extends Machine, {
    web extends Service
  }
  s2 extends s1, {
    web:running false;
  }
}
`

// webPages are all pages, as the example has them.
func webPages(t *testing.T, s *repository) []webPage {
	t.Helper()
	_, out, _ := call("check", "--format", "json", s.dir)
	var found struct {
		Findings []struct{ Code, Fingerprint string }
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, f := range found.Findings {
		ids[f.Code] = f.Fingerprint
	}
	at := func(page string, pairs ...string) string {
		q := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			q.Set(pairs[i], pairs[i+1])
		}
		return "/" + page + "?" + q.Encode()
	}
	const web2, conf = "web2.shop.example", "File[/etc/nginx/conf.d/shop.example.conf]"
	return []webPage{
		{Name: "overview", Path: "/", Has: []string{"Findings on 2 of 3 nodes", "2 nodes change", "V101"}},
		{Name: "fleet", Path: "/fleet", Has: []string{"web1.shop.example", "AlmaLinux 9"}, Height: 560},
		{Name: "node", Path: at("node", "name", web2, "ref", conf), Has: []string{"Profile::Admin[ada]", "level “Role”",
			"idempotent: no"}},
		{Name: "facts", Path: at("node", "name", web2), Has: []string{"Facts that were used", "os.family"}},
		{Name: "value", Path: at("value", "node", web2, "ref", conf, "attribute", "mode"), Height: 900,
			Has: []string{"'0640'", "hidden, level “Common”", "What decides it", "On other nodes"}},
		{Name: "finding", Path: at("finding", "id", ids["V101"]), Height: 1000,
			Has: []string{"file, then package", "/etc/nginx does not exist", "require => Package['nginx']", "verified"}},
		{Name: "rerun", Path: at("finding", "id", ids["V201"]), Has: []string{"second run",
			"/var/lib/baskets is there already"}},
		{Name: "findings", Path: "/findings", Has: []string{"V101", "V203"}, Height: 480},
		{Name: "diff", Path: "/diff", Has: []string{"restarts Service[nginx]", "app1.shop.example:8081",
			"confirmed by compiling"}, Height: 820},
		{Name: "file", Path: at("file", "node", web2, "ref", conf), Has: []string{"Made of", "listen *:8443;",
			"profile::nginx::port"}},
		{Name: "hiera", Path: at("hiera", "node", web2, "key", "profile::nginx::conf_mode"), Height: 900,
			Has: []string{"Where it stands", "What nodes make of it", "Level by level", "profile::base::motd"}},
		{Name: "order", Path: at("order", "node", web2, "a", "Package[nginx]", "b", "Service[nginx]"), Height: 820,
			Has: []string{"Package[nginx] comes before Service[nginx]", "As an agent applies them"}},
		{Name: "files", Path: "/code", Has: []string{"site-modules/profile/manifests/nginx.pp"}, Height: 560},
		{Name: "code", Path: at("code", "file", s.dir+"/site-modules/profile/manifests/nginx.pp"),
			Has: []string{"package { 'nginx':"}},
		{Name: "specifications", Path: "/smartfrog", Has: []string{"servers.sf"}},
		{Name: "smartfrog", Path: at("smartfrog", "file", s.dir+"/servers.sf", "ref", "s2:web:port"), Height: 900,
			Has: []string{"Where s2:web:port comes from", "Step 1: Definition 24 V", "7 statements decide it",
				"What it comes to"}},
		{Name: "mupuppet", Path: at("mupuppet", "file", s.dir+"/site-modules/role/manifests/web.pp"),
			Has: []string{"Step 1", "class role::web"}},
	}
}

// webTasks are what people want to know, with the way to the answer.
var webTasks = []webTask{
	{Task: "Why is this port 8443 on web2?", Steps: []webStep{{Type: "8443 web2"}, {Found: "Class[Profile::Nginx] port"}},
		Shows: []string{"data/nodes/web2.shop.example.yaml:3", "level “Node”"}},
	{Task: "Which nodes restart nginx if I merge this?", Steps: []webStep{{Click: "Change"}},
		Shows: []string{"restarts Service[nginx] web1.shop.example, web2.shop.example"}},
	{Task: "Who else has this mode?", Steps: []webStep{{Type: "shop.example.conf mode"},
		{Found: "shop.example.conf] mode"}},
		Shows: []string{"On other nodes", "web1.shop.example"}},
	{Task: "Why does this fail on the second run?", Steps: []webStep{{Click: "not idempotent: Exec[basket store]"}},
		Shows: []string{"second run", "fails: /var/lib/baskets is there already"}},
	{Task: "What mends the missing order?", Steps: []webStep{{Click: "V101"}},
		Shows: []string{"file, then package", "require => Package['nginx'],", "verified"}},
	{Task: "Which level of Hiera lost?", Steps: []webStep{{Type: "conf_mode"}, {Found: "profile::nginx::conf_mode"}},
		Shows: []string{"'0640'", "'0644'", "hidden by a level further up"}},
	{Task: "What orders these two?", Steps: []webStep{{Click: "V101"}, {Click: "order of the two"}},
		Shows: []string{"Nothing orders Package[nginx] and File[/etc/nginx/conf.d/status.conf]"}},
	{Task: "Which facts does db1 hang on?", Steps: []webStep{{Type: "db1"}, {Found: "db1.shop.example"}},
		Shows: []string{"Facts that were used", "os.family"}},
	{Task: "Where does this line of the file come from?", Steps: []webStep{{Type: "shop.example.conf content"},
		{Found: "shop.example.conf] content"}, {Click: "Coloured by source"}},
		Shows: []string{"profile::web::shop::backends.app1", "data/role/web.yaml:8"}},
	{Task: "Which code does no node come to?", Steps: []webStep{{Click: "branches"}}, Shows: []string{"never"}},
	{Task: "Which nodes are of the family RedHat?", Steps: []webStep{{Click: "Fleet"}, {Check: "RedHat"}},
		Shows: []string{"1 of 3 nodes", "db1.shop.example"}, Hides: "web1.shop.example"},
	{Task: "Which nodes does the change reach?", Steps: []webStep{{Click: "Change"}, {Click: "2 changed"}},
		Shows: []string{"2 of 3 nodes", "web2.shop.example"}, Hides: "db1.shop.example"},
	{Task: "Which values of Hiera never count?",
		Steps: []webStep{{Click: "Hiera"}, {Click: "with values that never count", Role: "button"}},
		Shows: []string{"profile::nginx::conf_mode", "never counted"}},
	{Task: "Who wrote the line that changes web1?", Steps: []webStep{{Click: "Change"}},
		Shows: []string{"because of data/role/web.yaml:8", "confirmed by compiling"}},
	// The last: what is acknowledged is folded.
	{Task: "Have I looked at this already?", Steps: []webStep{{Click: "Change"}, {Click: "Acknowledge A", Role: "button"}},
		Shows: []string{"1 group acknowledged", "✓ acknowledged"}},
}

// webReports writes the reports of the example.
func webReports(t *testing.T, s *repository) []webReport {
	t.Helper()
	dir := t.TempDir()
	check, diff := filepath.Join(dir, "check.html"), filepath.Join(dir, "diff.html")
	_, out, _ := call("check", "--format", "html", s.dir)
	must(t, os.WriteFile(check, []byte(out), 0o644))
	if code, _, errText := call("diff", "--format", "html", "--out", diff, s.dir); code != exitNo {
		t.Fatal(errText)
	}
	for _, file := range []string{check, diff} {
		text, err := os.ReadFile(file)
		must(t, err)
		if strings.Contains(string(text), s.dir) {
			t.Errorf("%s says where the tree lies", filepath.Base(file))
		}
	}
	return []webReport{
		{"report-check", check, []string{"V101", "file, then package", "fails: /etc/nginx does not exist",
			"web1.shop.example"}, "idempotent"},
		{"report-diff", diff, []string{"restarts", "Service[nginx]", "confirmed by compiling", "app1.shop.example:8081"},
			"gzip"},
	}
}

// TestScoreWeb: every page in both themes, the links, the keyboard and the tasks, on the example.
func TestScoreWeb(t *testing.T) {
	browserTools(t)
	s := webShop(t)
	pages := webPages(t, s)
	cmd, at := startWeb(t, s.dir)
	job := webJob{Do: []string{"pages", "links", "keyboard", "tabs", "tasks", "reports", "weight", "restart"},
		PID: cmd.Process.Pid, Again: []string{cmd.Path, "web", "--no-open", "--listen", address(t, at), s.dir},
		Reports: webReports(t, s), Pages: pages, Tasks: webTasks, Most: 80, Each: 8,
		From: []string{"/value?node=web1.shop.example&ref=fact:os.family", "/value?node=db1.shop.example&ref=fact:os.family",
			"/value?node=web1.shop.example&ref=" + url.QueryEscape("Class[Profile::Base] -> Package[rsync]"),
			"/value?node=web1.shop.example&ref=hiera:profile::nginx::conf_mode"},
		Edit:   webEdit{filepath.Join(s.dir, "manifests", "site.pp"), "\nnode broken {", "nodes do not compile"},
		Search: webSearch{"8443 web2", "data/nodes/web2.shop.example.yaml:3"}}
	if os.Getenv("BUNRAKU_ACCEPT") != "" {
		job.Most, job.Each = 5000, 0
	}
	if *write {
		job.Pictures, job.Shown = "../../docs/images", webPictures(t)
	}
	if job.Each == 0 {
		job.Each = job.Most
	}
	r := browse(t, job, at)
	clicks := map[string]int{}
	if err := json.Unmarshal(r.Figures["tasks"], &clicks); err != nil {
		t.Fatal(err)
	}
	few := 0
	for task, n := range clicks {
		if n <= 3 {
			few++
		}
		t.Logf("%d clicks: %s", n, task)
	}
	bad := 0
	for _, f := range r.Failures {
		if strings.HasPrefix(f, "task: ") {
			bad++
		}
	}
	t.Logf("score: tasks in the browser in at most 3 clicks %d/%d", few-bad, len(webTasks))
	t.Logf("score: pages of the browser without a violation of axe, light and dark %d/%d",
		len(pages)-pagesWith(r.Failures, pages), len(pages))
	t.Logf("milliseconds: %s", r.Figures["took"])
	t.Logf("%v links followed, first load %.0f KB (bar 250)", r.number("links"), r.number("weight")/1024)
	if w := r.number("weight"); w == 0 || w > 250<<10 {
		t.Errorf("the first load is %.0f bytes", w)
	}
}

// address is where a server listens, by its link.
func address(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// webPictures are those that docs/web.md shows.
func webPictures(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/web.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\]\(images/([^)]+)\)`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names
}

// TestWebPictures: the pictures of docs/web.md are there, and no others.
func TestWebPictures(t *testing.T) {
	want := webPictures(t)
	entries, err := os.ReadDir("../../docs/images")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "editor-") { // those are TestEditorPictures'
			have = append(have, e.Name())
		}
	}
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("there are %v\nbut docs/web.md shows %v", have, want)
	}
}

// pagesWith counts the pages that something is wrong with.
func pagesWith(failures []string, pages []webPage) (n int) {
	for _, p := range pages {
		for _, f := range failures {
			if strings.HasPrefix(f, p.Path+" ") || strings.HasPrefix(f, p.Path+":") {
				n++
				break
			}
		}
	}
	return n
}

// TestAcceptWeb: a fleet, a large catalog and 100,000 rows, with times.
func TestAcceptWeb(t *testing.T) {
	live.Accept(t)
	browserTools(t)
	dir := t.TempDir()
	const nodes = 300
	if err := manynodes.Write(dir, nodes, manynodes.None); err != nil {
		t.Fatal(err)
	}
	// One node has a catalog of 4,500 resources.
	big := "node 'big.example' {\n  $n = 4500\n  range(1, $n).each |$i| { file { \"/srv/big/${i}\": ensure => file, " +
		"mode => '0644' } }\n}\n"
	site := filepath.Join(dir, "manifests", "site.pp")
	text, err := os.ReadFile(site)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(site, append([]byte(big), text...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "facts", "big.example.json"),
		[]byte(`{"fqdn": "big.example", "role": "r00"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	cmd, at := startWeb(t, dir)
	t.Logf("%d nodes were checked after %v", nodes+1, time.Since(began).Round(time.Millisecond))
	first := manynodes.Name(0)
	r := browse(t, webJob{Do: []string{"links", "times"}, Most: 400, Each: 40, Measure: []webMeasure{
		{"node", "/fleet", "/node?name=big.example", "[role=tree] .row .ref"},
		{"value", "/node?name=" + first, "/value?node=" + first + "&ref=Class%5BProfile::Base%5D&attribute=level",
			".graph .box"},
	}}, at)
	for name, bar := range map[string]float64{"node": 300, "value": 150} {
		var got struct{ Median, Worst float64 }
		if err := json.Unmarshal(r.Figures[name], &got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s page: %.0f ms, at worst %.0f (bar %.0f)", name, got.Median, got.Worst, bar)
		if got.Median > bar {
			t.Errorf("%s: the bar is missed", name)
		}
	}
	t.Logf("the server holds %d MB (bar 300, beside snapshots)", resident(t, cmd, "VmRSS"))
}

// TestAcceptWebLinks: of a generated fleet of a few nodes every link is followed that the first page leads to.
func TestAcceptWebLinks(t *testing.T) {
	live.Accept(t)
	browserTools(t)
	dir := t.TempDir()
	if err := manynodes.Write(dir, 2, manynodes.None); err != nil {
		t.Fatal(err)
	}
	_, at := startWeb(t, dir)
	r := browse(t, webJob{Do: []string{"links"}, Most: 20000, Each: 20000, Click: true}, at)
	t.Logf("%v links followed, %v left; of each kind: %s", r.number("links"), r.number("left"), r.Figures["kinds"])
	if r.number("left") != 0 || r.number("links") < 100 {
		t.Error("these are not all of them")
	}
}

// TestAcceptWebMemory: what the program holds while somebody goes through pages of many nodes is below the bar,
// snapshots and all, and hangs little on how many nodes there are. A look itself takes what check takes; that is over
// when the pages are there, and told beside.
func TestAcceptWebMemory(t *testing.T) {
	live.Accept(t)
	for _, nodes := range []int{300, 1000} {
		dir := t.TempDir()
		if err := manynodes.Write(dir, nodes, manynodes.None); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		cmd, at := startWeb(t, dir)
		looked := time.Since(began).Round(time.Second)
		first, peak := resident(t, cmd, "VmRSS"), resident(t, cmd, "VmHWM")
		get := letIn(t, at)
		base, _, _ := strings.Cut(at, "/open")
		most := first
		for i := range 150 {
			name := manynodes.Name(i * nodes / 150)
			for _, path := range []string{"overview", "fleet?facets=1&q=" + fmt.Sprint(i), "node?name=" + name,
				"facts?node=" + name, "search?q=" + name, "search?q=etc+" + fmt.Sprint(i), "order?node=" + name, "code", "findings",
				"value?" + url.Values{"node": {name}, "ref": {"Class[Profile::Base]"}, "attribute": {"level"}}.Encode(),
				"file?" + url.Values{"node": {name}, "ref": {"File[/etc/motd]"}}.Encode(),
				"hiera?key=profile::base::level&node=" + name} {
				get(base + "/api/" + path)
			}
			most = max(most, resident(t, cmd, "VmRSS"))
		}
		t.Logf("%d nodes: %d MB after a look of %v (which took %d MB), at most %d MB while pages of 150 nodes were looked at "+
			"(bar 300, beside snapshots)", nodes, first, looked, peak, most)
		if most > 300 {
			t.Error("the bar is missed")
		}
	}
}

// resident is what the kernel says of a process's memory, in megabytes.
func resident(t *testing.T, cmd *exec.Cmd, field string) (mb int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Skip("there is no /proc")
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if rest, is := strings.CutPrefix(line, field+":"); is {
			if _, err := fmt.Sscan(rest, &mb); err != nil {
				t.Fatal(err)
			}
		}
	}
	return mb >> 10
}

// TestHostileChange: commit texts, authors, diffs, paths and lines of ten megabytes are text on the page of the change
// and in the reports, of a length that can be shown; and secrets of neither state are in any of them.
func TestHostileChange(t *testing.T) {
	live.NotShort(t, "writes lines of ten megabytes")
	const evil = `</script><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}`
	orders := "\u202egnp.exe\u2066\x1b[31m\u200b"
	long := strings.Repeat("<b>long</b> ", 10<<20/12)
	secrets := []string{"old-s3cret-of-hiera", "new-s3cret-of-hiera", "old-s3cret-in-code", "new-s3cret-in-code"}
	tree := func(v, mode, text string) map[string]string {
		return map[string]string{
			"manifests/site.pp": "file { '/tmp/" + evil + "': mode => '" + mode + "', content => lookup('text') }\n" +
				"notify { 'plain': message => 'version " + v + "' }\n" +
				"file { '/secret': content => Sensitive('" + v + "-s3cret-in-code'), mode => '" + mode + "' }\n" +
				"file { '/data': content => lookup('word') }\nexec { \"/bin/login ${lookup('word').unwrap}\": }\n",
			"hiera.yaml": "version: 5\ndefaults: { datadir: data, data_hash: yaml_data }\n" +
				"hierarchy:\n  - { name: '<b>" + orders[:3] + "</b>', path: 'common.yaml' }\n",
			"data/common.yaml": "lookup_options:\n  word: { convert_to: Sensitive }\nword: " + v + "-s3cret-of-hiera\n" +
				"text: |\n  " + strings.ReplaceAll(evil, "\n", "") + text + "\n  same\n  " + v + " " + orders[:3] + evil + "\n",
			"facts/n.json": `{"fqdn": "n.example", "os": {"family": "Debian"}}`,
		}
	}
	s := &repository{t, filepath.Join(t.TempDir(), "hostile")}
	put := func(files map[string]string) {
		for name, text := range files {
			at := filepath.Join(s.dir, name)
			must(t, os.MkdirAll(filepath.Dir(at), 0o755))
			must(t, os.WriteFile(at, []byte(text), 0o644))
		}
	}
	live.Tool(t, "git")
	put(tree("old", "0644", long))
	s.git("init", "-q", "-b", "main")
	s.commit("begin")
	s.git("checkout", "-q", "-b", "feature")
	put(tree("new", "0600", long+"!"))
	s.git("add", "-A")
	message := filepath.Join(t.TempDir(), "message")
	must(t, os.WriteFile(message, []byte("Subject "+evil+orders+strings.Repeat(" very", 50_000)), 0o644))
	s.git("commit", "-q", "--author", `Eve" onclick=alert(8) `+orders+` <e@example>`, "-F", message)

	dir := t.TempDir()
	check, diff := filepath.Join(dir, "check.html"), filepath.Join(dir, "diff.html")
	_, out, _ := call("check", "--format", "html", s.dir)
	must(t, os.WriteFile(check, []byte(out), 0o644))
	if code, _, errText := call("diff", "--format", "html", "--out", diff, s.dir); code != exitNo {
		t.Fatalf("diff: %d %.300s", code, errText)
	}
	_, at := startWeb(t, s.dir)
	base, _, _ := strings.Cut(at, "/open")
	client := letIn(t, at)
	harmless := func(name, text string) {
		t.Helper()
		for _, bad := range append(slices.Clone(secrets), "<img", "alert(2)</script>", "\u202e", "\u2066", "\x1b", "\u200b") {
			if strings.Contains(text, bad) {
				at := strings.Index(text, bad)
				t.Errorf("%s holds %q: …%s…", name, bad, text[max(0, at-60):min(len(text), at+60)])
			}
		}
		t.Logf("%s has %d KB (bar 1024)", name, len(text)>>10)
		if len(text) > 1<<20 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
	for _, file := range []string{check, diff} {
		text, err := os.ReadFile(file)
		must(t, err)
		harmless(filepath.Base(file), string(text))
	}
	for range 6000 { // ten minutes: a busy machine is no reason to fail
		if text := client(base + "/api/diff"); !strings.Contains(text, `"state":"pending"`) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	change := client(base + "/api/diff")
	for _, want := range []string{`"state":"done"`, `onclick=alert(8)`, `Subject \u003c/script\u003e`, `0600`, `\\u202e`} {
		if !strings.Contains(change, want) {
			t.Errorf("the change lacks %s: %.3000s", want, change)
		}
	}
	for group, want := range map[string]string{"A": `"total":1,"count":1,`, "QQ": `"total":1,"count":0,`} {
		if page := client(base + "/api/fleet?group=" + group); !strings.Contains(page, want) {
			t.Errorf("the nodes of group %s: %.300s", group, page)
		}
	}
	const ref = "File[/tmp/" + evil + "]"
	for _, path := range []string{"diff", "overview", "fleet?facets=1", "findings", "code", "hiera", "hiera?key=text",
		"search?q=long", "search?q=s3cret", "node?name=n.example", "order?node=n.example",
		"value?" + url.Values{"node": {"n.example"}, "ref": {ref}, "attribute": {"content"}}.Encode(),
		"file?" + url.Values{"node": {"n.example"}, "ref": {ref}}.Encode(),
		"code?" + url.Values{"file": {s.dir + "/manifests/site.pp"}}.Encode(),
		"code?" + url.Values{"file": {s.dir + "/data/common.yaml"}}.Encode()} {
		harmless("/api/"+path, client(base+"/api/"+path))
	}
}

// letIn opens the link, and returns what gets a page then.
func letIn(t *testing.T, at string) (get func(address string) string) {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	c := &http.Client{Jar: jar}
	get = func(address string) string {
		t.Helper()
		res, err := c.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %.300s %v", address, res.Status, text, err)
		}
		return string(text)
	}
	get(at)
	return get
}

// TestHostileWeb: names and values that are markup, scripts and orders are shown as they are and do nothing: a dialog,
// or something that the policy had to stop, is a failure.
func TestHostileWeb(t *testing.T) {
	browserTools(t)
	const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}${alert(3)}`
	dir := writeRepo(t, map[string]string{
		"manifests/site.pp": "file { '/tmp/" + evil + "': content => '" + evil + "\n" + evil + "\n', mode => '0644' }\n" +
			"notify { '" + evil + "': message => \"\\u{202e}" + strings.ReplaceAll(evil, `"`, `\"`) + "\" }\n" +
			"# " + evil + "\nfile { '/a/b': content => 'x' }\n",
		"data/common.yaml": "'" + evil + "': 1\n",
		"hiera.yaml": "version: 5\ndefaults: { datadir: data, data_hash: yaml_data }\nhierarchy:\n  - { name: " +
			"'<b>Common</b>', path: common.yaml }\n",
		"facts/n.json": `{"fqdn": "n.example", "role": "<img src=x onerror=alert(4)>", "os": {"family": "javascript:alert(5)"}}`,
		"facts/m.json": `{"fqdn": "m.example", "role": "db", "os": {"family": "Debian"}}`,
		"facts/l.json": `{"fqdn": "` + strings.Repeat("long-", 40) + `.example", "role": "db"}`})
	_, at := startWeb(t, dir)
	r := browse(t, webJob{Do: []string{"links", "pages"}, Most: 40, Each: 6,
		Pages: []webPage{{Path: "/hiera"}, {Path: "/fleet"}, {Path: "/"}}}, at)
	if r.number("links") < 10 {
		t.Errorf("only %v pages were seen", r.number("links"))
	}
}

// TestWebNothing: in the wrong directory the command says so, as check does; and of a repository without a commit it is
// told why nothing is compared.
func TestWebNothing(t *testing.T) {
	empty := t.TempDir()
	code, out, errText := call("web", "--no-open", empty)
	if code != exitFailed || out != "" || !strings.Contains(errText, "holds no .pp and no .epp file") {
		t.Errorf("an empty directory: %d %q %q", code, out, errText)
	}
	s := &repository{t, writeRepo(t, map[string]string{"manifests/site.pp": "notify { 'a': }\n",
		"facts/n.json": `{"fqdn": "n.example"}`})}
	live.Tool(t, "git")
	s.git("init", "-q", "-b", "main")
	if code, _, errText := call("diff", s.dir); code != exitFailed || !strings.Contains(errText, "nothing is committed") {
		t.Errorf("a new repository: %d %q", code, errText)
	}
}
