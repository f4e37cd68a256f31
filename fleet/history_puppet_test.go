package fleet_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"bunraku/internal/live"
)

// What Puppet answers about a real history: asked once for each state of the tree, kept beside the clones as digests of
// all attributes; and recorded here as what two answers come to, errors and changed attributes, with what the world was
// asked. A run that finds a pair recorded asks nobody; -record adds those that it had to ask for.

// A historic is what Puppet made of a node in one state.
type historic struct {
	Node      string                       `json:"node"`
	Error     string                       `json:"error,omitempty"`
	Resources map[string]map[string]string `json:"resources,omitempty"`
	Calls     []json.RawMessage            `json:"calls,omitempty"`
	Inputs    string                       `json:"inputs,omitempty"`
}

// An outcome is what Puppet's answers about a node in two states come to.
type outcome struct {
	Old     string   `json:"old,omitempty"` // the error
	New     string   `json:"new,omitempty"`
	Changes []string `json:"changes,omitempty"`
}

// A recordedHistory is what is known of all pairs.
type recordedHistory struct {
	Script string                         `json:"script"` // digest of what asked
	World  []json.RawMessage              `json:"world"`
	Pairs  map[string]map[string]*outcome `json:"pairs"`
}

func (h *history) recordFile() string { return filepath.Join("testdata", "history", h.name+".json") }

func scriptDigest(h *history) string {
	sum := sha256.Sum256([]byte(h.read("testdata/history.rb")))
	return hex.EncodeToString(sum[:8])
}

// replay reads what is recorded. Nothing is, of what another script asked.
func (h *history) replay() {
	h.known = recordedHistory{Script: scriptDigest(h), Pairs: map[string]map[string]*outcome{}}
	text, err := os.ReadFile(h.recordFile())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		h.t.Fatal(err)
	}
	var was recordedHistory
	if err := json.Unmarshal(text, &was); err != nil {
		h.t.Fatal(err)
	}
	if was.Script == h.known.Script {
		h.known = was
	}
}

// record writes what is known, a pair in a line.
func (h *history) record() {
	h.t.Helper()
	if !*record {
		return
	}
	line := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			h.t.Fatal(err)
		}
		return string(text)
	}
	var b strings.Builder
	b.WriteString("{\"script\": " + line(h.known.Script) + ",\n\"world\": [\n")
	calls := map[string]bool{}
	for _, c := range h.known.World {
		calls[line(h.forget(c))] = true
	}
	b.WriteString(strings.Join(slices.Sorted(maps.Keys(calls)), ",\n") + "],\n\"pairs\": {\n")
	var pairs []string
	for _, commit := range slices.Sorted(maps.Keys(h.known.Pairs)) {
		pairs = append(pairs, line(commit)+": "+line(h.known.Pairs[commit]))
	}
	b.WriteString(strings.Join(pairs, ",\n") + "}}\n")
	if strings.Contains(b.String(), h.work) {
		h.t.Fatal("what would be recorded names a directory of this machine")
	}
	h.write(h.recordFile(), b.String())
}

// A worldCall is a call of a function that asks the world.
type worldCall struct {
	Function  string          `json:"function"`
	Arguments []any           `json:"arguments"`
	Result    json.RawMessage `json:"result,omitempty"`
}

func (h *history) worldCall(c json.RawMessage) (w worldCall) {
	if err := json.Unmarshal(c, &w); err != nil {
		h.t.Fatal(err)
	}
	return w
}

func (w worldCall) secret() bool { return w.Function == "secret" || w.Function == "wmflib::secret" }

// forget leaves out what stands in files of somebody else's.
func (h *history) forget(c json.RawMessage) worldCall {
	w := h.worldCall(c)
	if w.secret() {
		w.Result = nil
	}
	return w
}

// remember puts it back, as history.rb reads it.
func (h *history) remember(c json.RawMessage) json.RawMessage {
	w := h.worldCall(c)
	if !w.secret() {
		return c
	}
	name, _ := w.Arguments[0].(string)
	answer := "dummy secret " + name + "\n"
	if text, err := os.ReadFile(filepath.Join(h.secrets, name)); err == nil {
		answer = scrub(string(text))
	}
	var err error
	if w.Result, err = json.Marshal(answer); err != nil {
		h.t.Fatal(err)
	}
	text, err := json.Marshal(w)
	if err != nil {
		h.t.Fatal(err)
	}
	return text
}

// scrub has a question mark for each byte that is no character's.
func scrub(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			r = '?'
		}
		b.WriteRune(r)
		text = text[n:]
	}
	return b.String()
}

// puppet is what Puppet makes of nodes in a commit and its parent, and what the world answered it.
func (h *history) puppet(commit string, names []string) (map[string]*outcome, []json.RawMessage) {
	h.t.Helper()
	if all := h.known.Pairs[commit]; all != nil {
		if !slices.ContainsFunc(names, func(n string) bool { return all[n] == nil }) {
			var world []json.RawMessage
			for _, c := range h.known.World {
				world = append(world, h.remember(c))
			}
			return all, world
		}
	}
	was, is := h.answers(commit+"^", names), h.answers(commit, names)
	out := map[string]*outcome{}
	for _, n := range names {
		o := &outcome{Old: h.nowhere(was[n].Error), New: h.nowhere(is[n].Error)}
		if o.Old == "" && o.New == "" {
			o.Changes = historicDiff(was[n], is[n])
		}
		out[n] = o
	}
	var world []json.RawMessage
	for _, side := range []map[string]*historic{was, is} {
		for _, a := range side {
			world = append(world, a.Calls...)
		}
	}
	slices.SortFunc(world, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	world = slices.CompactFunc(world, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	h.known.Pairs[commit] = out
	h.known.World = append(h.known.World, world...)
	h.record()
	return out, world
}

// nowhere is an error without the directory that it was made in.
func (h *history) nowhere(text string) string { return strings.ReplaceAll(text, h.work+"/", "") }

// calls are answers that are written here.
func (h *history) calls(text string) (out []json.RawMessage) {
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		h.t.Fatal(err)
	}
	return out
}

// answers are Puppet's of some nodes in the state of a commit; those that are not kept are asked for.
func (h *history) answers(commit string, names []string) map[string]*historic {
	h.t.Helper()
	tree := h.git(h.work, "rev-parse", commit+"^{tree}")
	file := filepath.Join(h.kept, tree+".jsonl")
	known := map[string]*historic{}
	take := func(text string) {
		for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
			var a historic
			if json.Unmarshal([]byte(line), &a) == nil && a.Inputs == h.inputs { // the last line may be cut off
				known[a.Node] = &a
			}
		}
	}
	if text, err := os.ReadFile(file); err == nil {
		take(string(text))
	}
	var nodes [][2]string
	for _, n := range names {
		if known[n] == nil {
			nodes = append(nodes, [2]string{n, h.facts[n]})
		}
	}
	if len(nodes) == 0 {
		return known
	}
	live.Puppet(h.t)
	h.checkout(commit)
	if h.modules != nil { // what we are told by an option Puppet reads in the file
		if err := os.Remove(filepath.Join(h.work, "environment.conf")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.t.Fatal(err)
		}
	}
	if err := os.CopyFS(h.work, os.DirFS(h.over)); err != nil { // it fails if the tree has such a file itself
		h.t.Fatal(err)
	}
	question, err := json.Marshal(map[string]any{"dir": h.work, "secrets": h.secrets, "nodes": nodes})
	if err != nil {
		h.t.Fatal(err)
	}
	out := live.Ruby(h.t, "testdata/history.rb", string(question))
	var lines strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var a historic
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			h.t.Fatal(err, line)
		}
		a.Inputs = h.inputs
		text, err := json.Marshal(a)
		if err != nil {
			h.t.Fatal(err)
		}
		lines.WriteString(string(text) + "\n")
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(lines.String()); err != nil {
		h.t.Fatal(err)
	}
	take(lines.String())
	return known
}

// historicDiff is in what two of Puppet's answers differ.
func historicDiff(old, new *historic) (out []string) {
	for ref, was := range old.Resources {
		is, stays := new.Resources[ref]
		if !stays {
			out = append(out, "- "+ref)
			continue
		}
		for name := range was {
			if was[name] != is[name] {
				out = append(out, ref+" "+name)
			}
		}
		for name := range is {
			if was[name] == "" {
				out = append(out, ref+" "+name)
			}
		}
	}
	for ref := range new.Resources {
		if old.Resources[ref] == nil {
			out = append(out, "+ "+ref)
		}
	}
	slices.Sort(out)
	return out
}
