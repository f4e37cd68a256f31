package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A slotAt is a word of real code that completion should offer where it stands.
type slotAt struct {
	kind, file, word string
	at               int // where it begins
}

// slotsOf finds the words of a manifest, by kind. It asks the front end, and not what the server knows of files.
func slotsOf(file, text string) (out []slotAt) {
	f := source.NewFile(file, text)
	tree, list := syntax.Parse(f, syntax.Options{Language: source.Puppet8})
	if list.HasErrors() {
		return nil
	}
	add := func(kind, word string, at uint32) {
		word = strings.TrimPrefix(word, "::")
		if i := strings.Index(text[at:min(int(at)+len(word)+4, len(text))], word); i >= 0 && word != "" {
			out = append(out, slotAt{kind, file, word, int(at) + i})
		}
	}
	sets := map[syntax.Node]bool{} // variables that get their name here: nobody can know it before
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			syntax.Walk(n.Left, func(v syntax.Node) bool {
				sets[v] = true
				return true
			})
		case *syntax.Resource:
			if name, is := n.Type.(*syntax.Name); is && name.Value != "class" {
				add("type", name.Value, name.Span().Start)
			}
			for _, b := range n.Bodies {
				for _, o := range b.Ops {
					if o.Name != "" {
						add("attribute", o.Name, o.Span().Start)
					}
				}
			}
		case *syntax.Call:
			name, is := n.Functor.(*syntax.Name)
			if !is {
				break
			}
			switch name.Value {
			case "include", "contain", "require":
				for _, a := range n.Args {
					switch a := a.(type) {
					case *syntax.Name:
						add("class", a.Value, a.Span().Start)
					case *syntax.Str:
						add("class", a.Value, a.Span().Start+1)
					}
				}
			default:
				add("function", name.Value, name.Span().Start)
			}
		case *syntax.Var:
			if n.Name != "" && text[n.Span().Start] == '$' && !sets[n] {
				add("variable", n.Name, n.Span().Start+1)
			}
		}
		return true
	}
	for _, s := range tree.Body.Stmts {
		syntax.Walk(s, visit)
	}
	return out
}

// TestAcceptCompletion: at random places of Wikimedia's code, the word that stands there is offered when nothing or
// three letters of it are written, and after three letters among the first five. The text behind the cursor is as it
// is.
func TestAcceptCompletion(t *testing.T) {
	dir, _ := wikimedia(t)
	each := 1000
	if s := os.Getenv("BUNRAKU_EACH"); s != "" { // fewer, for a look
		each, _ = strconv.Atoi(s)
	}
	n := looking(t, dir, 10*time.Second)
	defer n.bye()
	completion(t, n, each)
}

// TestCompletionOffers is the same for the example, a few of each kind.
func TestCompletionOffers(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("../examples/shop")); err != nil {
		t.Fatal(err)
	}
	n := &nav{dial(t, nil), dir}
	n.start([]string{"utf-8"}, dir)
	defer n.bye()
	completion(t, n, 40)
}

func completion(t *testing.T, n *nav, each int) {
	t.Helper()
	slots := map[string][]slotAt{}
	texts := map[string]string{}
	err := filepath.WalkDir(n.dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".pp") && !strings.Contains(p, "/spec/") &&
			!strings.Contains(p, "/plans/") {
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			texts[p] = string(text)
			for _, s := range slotsOf(p, string(text)) {
				slots[s.kind] = append(slots[s.kind], s)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	open, version := "", 1
	kinds := []string{"type", "attribute", "class", "function", "variable"}
	if s := os.Getenv("BUNRAKU_KIND"); s != "" { // for a look
		kinds = strings.Fields(s)
	}
	for _, kind := range kinds {
		all := slots[kind]
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:min(each, len(all))]
		slices.SortFunc(all, func(a, b slotAt) int {
			return strings.Compare(a.file+fmt.Sprintf("%09d", a.at), b.file+fmt.Sprintf("%09d", b.at))
		})
		offered, early, top := 0, 0, 0
		var missed, late []string
		for _, s := range all {
			if open != s.file {
				if open != "" {
					n.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file://" + open}})
				}
				open, version = s.file, 1
				n.open(open, texts[open])
			}
			for _, letters := range []int{0, min(3, len(s.word))} {
				text := texts[s.file][:s.at+letters] + texts[s.file][s.at+len(s.word):]
				version++
				n.edit(open, version, nil, text)
				before := text[:s.at+letters]
				list, _ := n.ask("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": "file://" + open},
					"position": map[string]any{"line": strings.Count(before, "\n"), "character": len(before) - strings.LastIndexByte(
						before, '\n') - 1}}).(map[string]any)
				at := -1
				for i, x := range list["items"].([]any) {
					if outline.Class(x.(map[string]any)["label"].(string)) == outline.Class(s.word) {
						at = i
						break
					}
				}
				switch {
				case letters == 0:
					if at >= 0 {
						early++
					} else {
						missed = append(missed, fmt.Sprintf("%s:%d before any letter %s", strings.TrimPrefix(s.file, n.dir+"/"),
							strings.Count(before, "\n")+1, s.word))
					}
				case at >= 0:
					offered++
					if at < 5 {
						top++
					} else {
						late = append(late, fmt.Sprintf("%s:%d %s (%d)", strings.TrimPrefix(s.file, n.dir+"/"),
							strings.Count(before, "\n")+1, s.word, at))
					}
				default:
					missed = append(missed, fmt.Sprintf("%s:%d %s", strings.TrimPrefix(s.file, n.dir+"/"), strings.Count(before, "\n")+
						1, s.word))
				}
			}
		}
		t.Logf("%s: of %d words, %d are offered before any letter and %d after three (bar 97 %%), %d among the first five "+
			"(bar 70 %%); not: %q", kind, len(all), early, offered, top, missed[:min(8, len(missed))])
		if os.Getenv("BUNRAKU_LATE") != "" {
			t.Logf("behind the first five: %s", strings.Join(late, "\n"))
		}
		if offered*100 < len(all)*97 || early*100 < len(all)*97 || top*100 < len(all)*70 {
			t.Errorf("%s: the bar is missed", kind)
		}
	}
}

// TestOffersWhatThereIs: what code only reads is not offered, be it what is being written or misspelt somewhere; what
// something sets or defines is, and what several places use of another tree.
func TestOffersWhatThereIs(t *testing.T) {
	const never = "modules/web/manifests/never.pp"
	n := navigate(t, map[string]string{
		"environment.conf":  "modulepath = modules\n",
		"facts/a.json":      `{"fqdn": "a", "port_of_fact": 1}`,
		"hiera.yaml":        "version: 5\nhierarchy:\n  - name: Common\n    path: common.yaml\n",
		"data/common.yaml":  "port_there: 1\nasks: \"%{lookup('port_quoted')} %{port_asked}\"\n",
		"manifests/site.pp": "$port_top = 1\nnotice($port_missing)\nnotice(lookup('port_nowhere'))\n",
		"modules/web/manifests/init.pp": "class web ($port_param = 1) {\n  $port_set = 1\n  notice($port_typo)\n" +
			"  notice($web::port_other)\n  notice($away::port_far)\n  include web::port_clas\n  include port_once\n" +
			"  include port_twice\n  web::port_fun()\n  web::port_ruby()\n  include port_twice::sub\n}\n",
		"modules/web/manifests/port_class.pp":               "class web::port_class {\n  include port_twice\n  include port_twice::sub\n}\n",
		"modules/web/lib/puppet/functions/web/port_ruby.rb": "Puppet::Functions.create_function(:'web::port_ruby') do\nend\n",
		"modules/web/lib/puppet/type/port_type.rb":          "Puppet::Type.newtype(:port_type) do\nend\n",
		"modules/web/templates/a.erb":                       "<%= @port_in_template %>\n",
	})
	n.rest()
	for _, c := range []struct {
		text         string
		want, refuse []string
	}{
		{"class web::never {\n  notice($port_", []string{"port_top", "web::port_param", "web::port_set", "port_of_fact"},
			[]string{"port_missing", "port_typo", "web::port_other", "away::port_far", "port_asked", "port_in_template",
				"port_"}},
		{"class web::never {\n  notice($port_t\n  notice($port_", []string{"port_top"}, []string{"port_t"}},
		{"class web::never {\n  notice(lookup('port_", []string{"port_there"}, []string{"port_nowhere", "port_quoted", "port_"}},
		{"class web::never {\n  include port_", []string{"web::port_class", "port_twice", "port_twice::sub"},
			[]string{"web::port_clas", "port_once", "port_"}},
		{"class web::never {\n  $x = web::port_", []string{"web::port_ruby"}, []string{"web::port_fun", "web::port_"}},
		{"class web::never {\n  port_", []string{"port_type"}, nil},
	} {
		got := n.labels(never, c.text)
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s lacks %s: %q", c.text, want, got)
			}
		}
		for _, refuse := range c.refuse {
			if slices.Contains(got, refuse) {
				t.Errorf("%s offers %s: %q", c.text, refuse, got)
			}
		}
	}
	n.bye()
}
