package lsp_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"bunraku/internal/live"
)

// Random edits, as people and programs make them: words, brackets and lines come and go, most of the time the text is
// no program, and in the end it is put right again. The server that has lived through all of them must say of every
// file what one says that is started now, and must have the same text.

// editTrees are the trees that are edited, by name.
func editTrees(t *testing.T) map[string]map[string]string {
	t.Helper()
	shop := map[string]string{}
	err := filepath.WalkDir("../examples/shop", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		shop[strings.TrimPrefix(filepath.ToSlash(p), "../examples/shop/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]map[string]string{"shop": shop, "named": named, "helped": helped, "site": site}
}

// TestRandomEdits makes a few hundred edits.
func TestRandomEdits(t *testing.T) {
	trees := editTrees(t)
	for i, name := range slices.Sorted(maps.Keys(trees)) {
		randomEdits(t, trees[name], uint64(i), 120, []string{"utf-8", "utf-16", "utf-32"}[i%3])
	}
}

// TestAcceptEdits makes 1,000 edits for each of the seeds that BUNRAKU_EDITS names, such as 0-999: all of them together
// are a million. The seeds of one run are logged, so that the next can go on behind them.
func TestAcceptEdits(t *testing.T) {
	live.Accept(t)
	from, to := 0, 49
	if s := os.Getenv("BUNRAKU_EDITS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatalf("BUNRAKU_EDITS=%s: %v", s, err)
		}
	}
	trees := editTrees(t)
	all := slices.Sorted(maps.Keys(trees))
	done := 0
	for seed := from; seed <= to && !t.Failed(); seed++ {
		randomEdits(t, trees[all[seed%len(all)]], uint64(seed), 1000, []string{"utf-8", "utf-16", "utf-32"}[seed%3])
		done++
	}
	t.Logf("%d edits, seeds %d-%d: the text and all diagnostics are those of a fresh server", done*1000, from, from+done-1)
}

// pieces are what is written.
var pieces = []string{" ", "\n", "{", "}", "(", ")", "[", "]", "'", "\"", "$", ",", ":", "::", "=>", "#", "|", "ä", "𝄞",
	"é\u0301",
	"class x {\n}\n", "include nothing\n", "$port", "${port}", "notify { 'new': }\n", "file { '/x': mode => '0644' }\n",
	"  # 𝄞 comment ü\n", "undef",
	"if true { } else { }\n", "- a\n", "key: value\n", "\"%{facts.os.name}\"", "<%= @port %>", "\r\n", "8080", "->",
	"@@notify { 'e': }\n"}

func randomEdits(t *testing.T, files map[string]string, seed uint64, rounds int, encoding string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 77))
	dir := tree(t, files)
	n := editSession(t, dir, encoding)
	var names []string
	for name := range files {
		if ext := filepath.Ext(name); ext == ".pp" || ext == ".epp" || ext == ".erb" || ext == ".yaml" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	texts, versions, order := map[string]string{}, map[string]int{}, []string{}
	for i := range rounds {
		name := names[r.IntN(len(names))]
		path := filepath.Join(dir, name)
		order = append(slices.DeleteFunc(order, func(s string) bool { return s == name }), name)
		if versions[name] == 0 {
			texts[name], versions[name] = files[name], 1
			n.open(path, texts[name])
		}
		text := texts[name]
		from, to := boundary(text, r.IntN(len(text)+1)), 0
		by := ""
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
			from, to, by = 0, len(text), files[name]
		}
		to = max(from, to)
		texts[name] = text[:from] + by + text[to:]
		versions[name]++
		n.edit(path, versions[name], map[string]any{"start": positionIn(text, from, encoding),
			"end": positionIn(text, to, encoding)}, by)
		if len(texts[name]) > 20_000 {
			texts[name] = files[name]
			versions[name]++
			n.edit(path, versions[name], nil, texts[name])
		}
		if i%7 == 0 { // a question in between, about whatever is there
			n.answer(n.send("textDocument/"+[]string{"hover", "completion", "definition", "documentHighlight"}[r.IntN(4)],
				map[string]any{
					"textDocument": map[string]any{"uri": "file://" + path}, "position": positionIn(texts[name],
						boundary(texts[name], r.IntN(len(texts[name])+1)), encoding)}))
		}
	}
	// A server that is started now, with the same files open, the one that was last written at being the last.
	fresh := editSession(t, dir, encoding)
	for _, name := range order {
		fresh.open(filepath.Join(dir, name), texts[name])
	}
	var was, is string
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if was, is = n.everything(), fresh.everything(); was == is && time.Since(began) > time.Second {
			break
		}
		if time.Since(began) > 90*time.Second {
			t.Fatalf("seed %d: after %d edits it says\n%s\nbut a fresh one\n%s", seed, rounds, onlyIn(was, is), onlyIn(is, was))
		}
	}
	for _, name := range order {
		for _, method := range []string{"documentSymbol", "semanticTokens/full", "foldingRange"} {
			ask := map[string]any{"textDocument": map[string]any{"uri": "file://" + filepath.Join(dir, name)}}
			a, b := n.answer(n.send("textDocument/"+method, ask))["result"], fresh.answer(
				fresh.send("textDocument/"+method, ask))["result"]
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			if string(x) != string(y) {
				t.Errorf("seed %d: %s of %s differs from a fresh server's", seed, method, name)
			}
		}
	}
	for _, c := range []*nav{n, fresh} {
		for _, l := range c.logs {
			if strings.Contains(l, "bug") {
				t.Errorf("seed %d: %s", seed, l)
				break
			}
		}
		c.bye()
	}
}

func editSession(t *testing.T, dir, encoding string) *nav {
	t.Helper()
	n := &nav{dial(t, nil), dir}
	n.ask("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir,
		"initializationOptions": map[string]any{"nodes": []string{"*"}},
		"capabilities":          map[string]any{"general": map[string]any{"positionEncodings": []string{encoding}}}})
	n.notify("initialized", map[string]any{})
	return n
}

// everything is what was said of all files.
func (c *client) everything() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for uri := range c.shown {
		for _, line := range c.told(strings.TrimPrefix(uri, "file://")) {
			out = append(out, filepath.Base(uri)+" "+line)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// onlyIn are the lines of one text that another lacks.
func onlyIn(a, b string) (out string) {
	have := map[string]int{}
	for _, l := range strings.Split(b, "\n") {
		have[l]++
	}
	for _, l := range strings.Split(a, "\n") {
		if have[l]--; have[l] < 0 {
			out += l + "\n"
		}
	}
	return out
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
