package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Exchange is a random environment whose nodes export resources to each other, and the names of the nodes. Titles are
// mostly the nodes' own, so that most sites compile; some are not.
func Exchange(seed int) (files map[string]string, nodes []string) {
	g := &exchange{generator{Rand: rand.New(rand.NewPCG(uint64(seed), 47))}}
	for i := range 2 + g.IntN(3) {
		nodes = append(nodes, fmt.Sprintf("n%d.example.com", i+1))
	}
	g.line("define d($a = 1, $b = undef, $list = []) {")
	g.line("  notify { \"d ${title}\": message => [$a, $b, $list] }")
	if g.chance(40) {
		g.line("  @@notify { \"from d ${title} on ${trusted['certname']}\": tag => 'chain' }")
	}
	g.line("}")
	g.line("class c($x = 'c') {")
	if g.chance(50) {
		g.line("  Notify { loglevel => 'warning' }")
	}
	if g.chance(30) {
		g.line("  Host { ensure => present }")
	}
	g.some("  ")
	g.line("}")
	for _, n := range nodes {
		if g.chance(60) {
			g.line("node '%s' {", n)
			g.some("  ")
			if g.chance(60) {
				g.line("  include c")
			}
			g.line("}")
		}
	}
	g.line("node default {")
	g.some("  ")
	g.line("  include c")
	g.line("}")
	if g.chance(50) {
		g.export("")
	}
	if g.chance(50) {
		g.collect("")
	}
	return map[string]string{"environment.conf": "modulepath = modules:/usr/share/puppet/modules\nmanifest = site.pp\n",
		"site.pp": g.b.String()}, nodes
}

type exchange struct{ generator }

// some is a few exports and collectors.
func (g *exchange) some(indent string) {
	for range 1 + g.IntN(3) {
		if g.chance(55) {
			g.export(indent)
		} else {
			g.collect(indent)
		}
	}
}

var exchangeTags = []string{"'a'", "'b'", "'Web'", "\"t${trusted['hostname']}\"", "['a', 'b']"}

// export declares a resource for others, now and then one that is only virtual.
func (g *exchange) export(indent string) {
	g.titles++
	title := fmt.Sprintf("r%d %s", g.titles, "${trusted['hostname']}")
	if g.chance(4) {
		title = "same"
	}
	form := "@@"
	if g.chance(10) {
		form = "@"
	}
	typ := pick(&g.generator, []string{"sshkey", "host", "notify", "notify", "file", "d", "user"})
	var attrs []string
	add := func(percent int, name string, values ...string) {
		if g.chance(percent) {
			attrs = append(attrs, name+" => "+pick(&g.generator, values))
		}
	}
	switch typ {
	case "sshkey":
		add(90, "key", "'AAAA'", "\"k${trusted['certname']}\"")
		add(90, "type", "'rsa'", "'ed25519'")
		add(40, "host_aliases", "['x', 'y']", "\"a${trusted['hostname']}\"")
		add(20, "ensure", "present", "absent")
	case "host":
		title = strings.ReplaceAll(title, " ", "-")
		add(90, "ip", "'192.0.2.1'", "'192.0.2.2'")
		add(40, "host_aliases", "['x', 'y']", "[]")
		add(20, "comment", "'its'", "undef")
	case "notify":
		add(70, "message", "'m'", "7", "[1, 'two', 3.5]", "undef", "true", "{'a' => 1, 'b' => [undef, 2]}",
			"$trusted['certname']",
			"Sensitive('secret')", "/re/", "Integer")
		add(20, "name", "\"other name ${trusted['hostname']}\"", "\"nm${trusted['hostname']}\"")
		add(15, "withpath", "true")
	case "file":
		title = "/tmp/" + strings.ReplaceAll(title, " ", "-")
		if g.chance(20) {
			title += "/"
		}
		add(60, "ensure", "file", "directory", "absent")
		add(50, "mode", "'0644'", "'0600'")
		add(40, "content", "'x'", "\"${trusted['certname']}\\n\"", "Sensitive('pw')")
		if g.chance(15) {
			attrs = append(attrs, "path => \"/var/"+strings.ReplaceAll(strings.Trim(title, "/"), "/", "-")+"\"")
		}
	case "d":
		add(60, "a", "2", "'two'", "3.25", "[1, [2]]", "{'k' => 'v'}")
		add(40, "b", "true", "undef", "default")
		add(40, "list", "['z', 'y']", "[]")
	case "user":
		title = strings.ReplaceAll(title, " ", "")
		add(50, "uid", "1001", "'1001'")
		add(40, "groups", "['adm', 'audio']", "'adm'")
		add(30, "managehome", "true", "false")
	}
	add(50, "tag", exchangeTags...)
	add(10, "alias", fmt.Sprintf("\"al%d${trusted['hostname']}\"", g.titles))
	add(8, "noop", "true")
	add(6, "require", "Class['settings']", "[Class['main']]")
	g.line("%s%s%s { \"%s\": %s }", indent, form, typ, title, strings.Join(attrs, ", "))
}

// collect is a collector of exported resources, or of virtual ones.
func (g *exchange) collect(indent string) {
	typ := pick(&g.generator, []string{"Sshkey", "Host", "Notify", "Notify", "File", "D", "User"})
	open, end := "<<|", "|>>"
	if g.chance(12) {
		open, end = "<|", "|>"
	}
	query := ""
	if g.chance(70) {
		query = g.query(typ, 2)
	}
	over := ""
	if g.chance(25) {
		over = " { " + map[string][]string{"Sshkey": {"ensure => absent", "target => '/k'"}, "Host": {"comment => 'over'"},
			"Notify": {"message => 'over'", "tag => 'late'"}, "File": {"mode => '0777'", "owner => 'root'"},
			"D": {"a => 'over'"}, "User": {"comment => 'over'"}}[typ][0] + " }"
	}
	g.line("%s%s %s %s %s%s", indent, typ, open, query, end, over)
}

// query is what a collector asks for.
func (g *exchange) query(typ string, deep int) string {
	if deep > 0 && g.chance(30) {
		return fmt.Sprintf("(%s %s %s)", g.query(typ, deep-1), pick(&g.generator, []string{"and", "or"}),
			g.query(typ, deep-1))
	}
	op := pick(&g.generator, []string{"==", "==", "==", "!="})
	field := pick(&g.generator, []string{"tag", "tag", "tag", "title", "own", "own"})
	switch field {
	case "tag":
		return fmt.Sprintf("tag %s %s", op, pick(&g.generator,
			[]string{"'a'", "'b'", "'web'", "'WEB'", "'chain'", "\"tn1\"", "'d'", "'c'"}))
	case "title":
		return fmt.Sprintf("title %s %s", op, pick(&g.generator, []string{"'r1 n1'", "'r2 n2'", "'same'", "\"r3 n1\""}))
	}
	own := map[string][]string{"Sshkey": {"key == 'AAAA'", "host_aliases == 'x'", "ensure != absent"},
		"Host": {"ip == '192.0.2.1'", "ip != '192.0.2.2'", "host_aliases == 'x'"},
		"Notify": {"message == 'm'", "message == 7", "message == '7'", "message != 'm'", "message == true",
			"loglevel == 'warning'", "message == 'two'"},
		"File": {"mode == '0644'", "ensure == file", "ensure != 'absent'"},
		"D":    {"a == 2", "a == '2'", "a != 'two'", "list == 'z'", "b == true"},
		"User": {"uid == 1001", "uid == '1001'", "groups == 'adm'", "managehome == true"}}[typ]
	return pick(&g.generator, own)
}
