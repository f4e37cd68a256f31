package lsp_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"bunraku/internal/live"
	"bunraku/lsp"
)

// Random edits, as people and programs make them: words, brackets and lines come and go, several at once, some with
// positions behind the end of a line; most of the time the text is no program, and now and then it is put right again.
// After each of them the server has the text that the client has. At every thousandth, what it says of every file is
// what `bunraku check` says of the same texts.

// editTrees are the trees that are edited, by name: the example, and control repos of other people if they are there.
func editTrees(t *testing.T) map[string]map[string]string {
	t.Helper()
	trees := map[string]map[string]string{"shop": filesOf(t, "../examples/shop")}
	for _, name := range []string{"site_joeypiccola", "site_mergwyn", "site_tragiccode"} {
		dir := filepath.Join(os.Getenv("BUNRAKU_FETCHED"), name)
		if _, err := os.Stat(filepath.Join(dir, "environment.conf")); err == nil && os.Getenv("BUNRAKU_FETCHED") != "" {
			trees[name] = filesOf(t, dir)
			maps.DeleteFunc(trees[name], func(p, _ string) bool { return strings.HasPrefix(p, ".git/") })
		}
	}
	return trees
}

// TestRandomEdits makes a few hundred edits.
func TestRandomEdits(t *testing.T) {
	trees := map[string]map[string]string{"shop": filesOf(t, "../examples/shop"), "named": named, "helped": helped,
		"site": site}
	built := program(t)
	for i, name := range slices.Sorted(maps.Keys(trees)) {
		randomEdits(t, built, trees[name], uint64(i), 240, 120, encodings[i%3])
	}
}

var encodings = []string{"utf-8", "utf-16", "utf-32"}

// TestAcceptEdits makes 10,000 edits for each of the seeds that BUNRAKU_EDITS names, such as 0-99: those are a million.
// The seeds of one run are logged, so that the next can go on behind them.
func TestAcceptEdits(t *testing.T) {
	live.Accept(t)
	from, to := 0, 99
	if s := os.Getenv("BUNRAKU_EDITS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatalf("BUNRAKU_EDITS=%s: %v", s, err)
		}
	}
	trees := editTrees(t)
	all := slices.Sorted(maps.Keys(trees))
	if len(all) < 4 {
		t.Skipf("three sites are not in $BUNRAKU_FETCHED: %q", all)
	}
	built := program(t)
	done := 0
	for seed := from; seed <= to && !t.Failed(); seed++ {
		randomEdits(t, built, trees[all[seed%len(all)]], uint64(seed), 10_000, 1000, encodings[seed/len(all)%3])
		done++
		fmt.Fprintf(os.Stderr, "seed %d of %d-%d\n", seed, from, to)
	}
	t.Logf("%d edits (bar 1,000,000), seeds %d-%d on %s: each text is the client's, and at every 1,000th all diagnostics "+
		"are those of a fresh check", done*10_000, from, from+done-1, strings.Join(all, ", "))
}

// pieces are what is written.
var pieces = []string{" ", "\n", "{", "}", "(", ")", "[", "]", "'", "\"", "$", ",", ":", "::", "=>", "#", "|", "ä", "𝄞",
	"é\u0301",
	"class x {\n}\n", "include nothing\n", "$port", "${port}", "notify { 'new': }\n", "file { '/x': mode => '0644' }\n",
	"  # 𝄞 comment ü\n", "undef",
	"if true { } else { }\n", "- a\n", "key: value\n", "\"%{facts.os.name}\"", "<%= @port %>", "\r\n", "8080", "->",
	"@@notify { 'e': }\n"}

// A writing is a tree that somebody edits in a session.
type writing struct {
	*nav
	r        *rand.Rand
	encoding string
	files    map[string]string // as they were
	names    []string          // of those that are edited
	texts    map[string]string // of those that are open
	versions map[string]int
	order    []string // the open ones, the one that was last written at being the last

	program, disk string            // what is asked, and of which tree
	saved         map[string]string // that tree's files
}

func randomEdits(t *testing.T, program string, files map[string]string, seed uint64, rounds, every int,
	encoding string) {
	t.Helper()
	dir := tree(t, files)
	w := &writing{nav: editSession(t, dir, encoding, 30*time.Millisecond), r: rand.New(rand.NewPCG(seed, 77)),
		encoding: encoding, files: files, texts: map[string]string{}, versions: map[string]int{},
		program: program, disk: tree(t, files), saved: maps.Clone(files)}
	w.quick = rounds > 1000 // otherwise the shape of every message is looked at
	for name := range files {
		if ext := filepath.Ext(name); ext == ".pp" || ext == ".epp" || ext == ".erb" || ext == ".yaml" {
			w.names = append(w.names, name)
		}
	}
	slices.Sort(w.names)
	for i := 1; i <= rounds && !t.Failed(); i++ {
		name := w.names[w.r.IntN(len(w.names))]
		w.write(name)
		if i%7 == 0 { // a question in between, about whatever is there
			text := w.texts[name]
			w.answer(w.send("textDocument/"+[]string{"hover", "completion", "definition", "documentHighlight"}[w.r.IntN(4)],
				map[string]any{"textDocument": map[string]any{"uri": w.uri(name)},
					"position": positionIn(text, boundary(text, w.r.IntN(len(text)+1)), encoding)}))
		} else {
			w.taken()
		}
		if got, _ := w.to.TextOf(w.uri(name)); got != w.texts[name] {
			t.Fatalf("seed %d: after %d edits the server has of %s\n%q\nand the client\n%q", seed, i, name, got, w.texts[name])
		}
		if i%every == 0 {
			w.compare(seed, i)
		}
	}
	w.bye()
}

// write makes an edit or a few.
func (w *writing) write(name string) {
	w.order = append(slices.DeleteFunc(w.order, func(s string) bool { return s == name }), name)
	if w.versions[name] == 0 {
		w.texts[name], w.versions[name] = w.files[name], 1
		w.open(filepath.Join(w.dir, name), w.texts[name])
	}
	if len(w.order) > 30 { // somebody closes what was not looked at for long
		old := w.order[0]
		w.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": w.uri(old)}})
		w.order = w.order[1:]
		delete(w.texts, old)
		delete(w.versions, old)
	}
	var changes []any
	for more := true; more; more = w.r.IntN(8) == 0 {
		text := w.texts[name]
		from, to, by := w.piece(text, w.files[name])
		where := map[string]any{"start": positionIn(text, from, w.encoding), "end": positionIn(text, to, w.encoding)}
		if end := where["end"].(map[string]any); w.r.IntN(20) == 0 && (to == len(text) || strings.ContainsRune("\r\n",
			rune(text[to]))) {
			end["character"] = end["character"].(int) + w.r.IntN(1000) // behind the end of a line is its end
		}
		change := map[string]any{"text": by, "range": where}
		if w.texts[name] = text[:from] + by + text[to:]; len(w.texts[name]) > 20_000 {
			w.texts[name] = w.files[name]
			change = map[string]any{"text": w.files[name]}
		}
		changes = append(changes, change)
	}
	w.versions[name]++
	w.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": w.uri(name),
		"version": w.versions[name]}, "contentChanges": changes})
}

// piece is what one edit does to a text that once was another.
func (w *writing) piece(text, was string) (from, to int, by string) {
	r := w.r
	from = boundary(text, r.IntN(len(text)+1))
	switch k := r.IntN(10); {
	case k < 5:
		to, by = from, pieces[r.IntN(len(pieces))]
	case k < 7:
		to = boundary(text, min(len(text), from+1+r.IntN(12)))
	case k < 8: // a line goes
		from = strings.LastIndexByte(text[:from], '\n') + 1
		if to = len(text); strings.IndexByte(text[from:], '\n') >= 0 {
			to = from + strings.IndexByte(text[from:], '\n') + 1
		}
	case k < 9: // a part comes twice
		to = boundary(text, min(len(text), from+r.IntN(40)))
		by, to = text[from:max(from, to)], from
	default: // as it was
		from, to, by = 0, len(text), was
	}
	return from, max(from, to), by
}

// hidden stands for a secret.
const hidden = "[value redacted]"

// compare asks check of the same texts on a disk.
func (w *writing) compare(seed uint64, after int) {
	t := w.t
	t.Helper()
	w.rest()
	for name := range w.files {
		text := w.files[name]
		if open, is := w.texts[name]; is {
			text = open
		}
		if w.saved[name] != text {
			if err := os.WriteFile(filepath.Join(w.disk, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			w.saved[name] = text
		}
	}
	want, err := checked(t, w.program, w.disk, w.encoding)
	if err != nil {
		t.Errorf("seed %d: after %d edits it says\n%s\nbut check\n%v", seed, after, lines(w.saysOf(w.dir)), err)
		return
	}
	open := func(file string) bool { return slices.Contains(w.order, file) }
	if more, less := differing(w.saysOf(w.dir), want, open); len(more)+len(less) > 0 {
		t.Errorf("seed %d: after %d edits it says\n%s\nbut check\n%s", seed, after, lines(more), lines(less))
	}
	w.compareShapes(seed, after)
	for _, l := range w.logs {
		if strings.Contains(l, "bug") {
			t.Errorf("seed %d: %s", seed, l)
			break
		}
	}
}

// compareShapes asks a server that is started now and has seen no edit what check does not tell: the outline, the kinds
// of words and what may be folded.
func (w *writing) compareShapes(seed uint64, after int) {
	t := w.t
	t.Helper()
	fresh := editSession(t, w.dir, w.encoding, time.Hour)
	fresh.quick = w.quick
	for _, name := range w.order {
		fresh.open(filepath.Join(w.dir, name), w.texts[name])
		for _, method := range []string{"documentSymbol", "semanticTokens/full", "foldingRange"} {
			ask := map[string]any{"textDocument": map[string]any{"uri": w.uri(name)}}
			a, b := w.ask("textDocument/"+method, ask), fresh.ask("textDocument/"+method, ask)
			if !reflect.DeepEqual(a, b) && !strings.Contains(fmt.Sprint(a), hidden) {
				t.Errorf("seed %d: after %d edits %s of %s is %.300v and a fresh server's %.300v", seed, after, method, name, a, b)
			}
		}
	}
	fresh.bye()
}

func editSession(t *testing.T, dir, encoding string, idle time.Duration) *nav {
	t.Helper()
	n := &nav{dial(t, func(o *lsp.Options) { o.Idle = idle }), dir}
	n.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir,
		"initializationOptions": map[string]any{"nodes": []string{"*"}},
		"capabilities":          map[string]any{"general": map[string]any{"positionEncodings": []string{encoding}}}})
	n.notify("initialized", map[string]any{})
	return n
}

// boundary is the beginning of the character that an offset lies in. \r\n is one: no position lies within it.
func boundary(text string, at int) int {
	for at > 0 && at < len(text) && (!utf8.RuneStart(text[at]) || text[at] == '\n' && text[at-1] == '\r') {
		at--
	}
	return at
}

// positionIn is the position of an offset, counted as a client would. \r\n, \n and \r end lines.
func positionIn(text string, at int, encoding string) map[string]any {
	line, start := 0, 0
	for i := 0; i < at; i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 >= len(text) || text[i+1] != '\n') {
			line, start = line+1, i+1
		}
	}
	n := at - start
	switch encoding {
	case "utf-16":
		n = len(utf16.Encode([]rune(text[start:at])))
	case "utf-32":
		n = utf8.RuneCountInString(text[start:at])
	}
	return map[string]any{"line": line, "character": n}
}
