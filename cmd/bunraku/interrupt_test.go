package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bunraku/report/redact"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"
)

// A counting context ends after it was asked some number of times.
type counting struct {
	context.Context
	cancel context.CancelFunc
	left   *atomic.Int64
}

func (c counting) Err() error {
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// Whoever ends a check sees what was finished by then.
func TestInterruptedCheck(t *testing.T) {
	files := map[string]string{"manifests/site.pp": "node default { exec { \"m ${facts['networking']['fqdn']}\": " +
		"command => '/bin/mkdir /srv/x' } }\nnode 'n3' { fail('no') }\n"}
	const nodes = 8
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		files["facts/"+name+".json"] = strings.Replace(facts12, "NAME", name, 1)
	}
	repo := writeRepo(t, files)
	partly := 0
	for asked := int64(2); asked < 400; asked += 1 + asked/8 {
		var out, errText bytes.Buffer
		hidden := &redact.Secrets{}
		a := &app{in: strings.NewReader(""), out: redact.NewScreen(&out, hidden, false),
			err: redact.NewScreen(&errText, hidden, false), secrets: hidden}
		ctx, cancel := context.WithCancel(context.Background())
		left := &atomic.Int64{}
		left.Store(asked)
		flags, cmd := &checkFlags{}, &cobra.Command{}
		flags.compileFlags.add(cmd)
		flags.judgeFlags.add(cmd)
		err := a.check(counting{ctx, cancel, left}, cmd, repo, flags)
		cancel()
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			break // it got to the end
		}
		var done int
		if _, scanErr := fmt.Sscanf(err.Error(), "interrupted: %d of 8 nodes", &done); scanErr != nil {
			if !strings.Contains(err.Error(), "files were read") {
				t.Errorf("after %d: %v", asked, err)
			}
			continue
		}
		shown := 0
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "  n") {
				shown++
			}
		}
		if shown != done || done > 0 && strings.Contains(out.String(), "Every node is") {
			t.Errorf("after %d: %d nodes shown, %v\n%s", asked, shown, err, &out)
		}
		if done > 1 && done < nodes {
			partly++
		}
	}
	if partly == 0 {
		t.Error("no run was ended in the middle")
	}
}

// A damaged side file is told from a good one, and never a bug.
func TestDamagedSideFiles(t *testing.T) {
	repo := writeRepo(t,
		map[string]string{"manifests/site.pp": "$x = $facts['os']['name'] ? { 'Debian' => 1, default => 2 }\nfile { '/a': " +
			"mode => \"0${x}\" }\nif $x == 2 { notify { 'n': } }\n",
			"facts/a.json": strings.Replace(facts12, "NAME", "a", 1)})
	t.Chdir(repo)
	if code, _, errText := call("compile", ".", "--provenance", "side.json"); code != exitFine {
		t.Fatal(errText)
	}
	good, err := os.ReadFile("side.json")
	must(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 600 {
		bad := damaged(t, random, good, i)
		must(t, os.WriteFile("bad.json", bad, 0o644))
		for _, question := range [][]string{{"File[/a]", "mode"}, {"$x"}, {"--why-not", "Notify[n]"},
			{"--reaches", "fact:os"}, {"File[/a]", "--dependency"}, {"fact:os", "--format", "json"}} {
			_, _, errText := call(append([]string{"explain", ".", "--from", "bad.json"}, question...)...)
			if strings.Contains(errText, "This is a fault of bunraku") {
				t.Fatalf("%d %v: %s", i, question, errText)
			}
		}
	}
}

// damaged changes some byte of a side file, or of what one of its pages holds, or some value there; of the head, too.
func damaged(t *testing.T, random *rand.Rand, good []byte, i int) []byte {
	odd := func(text []byte) []byte {
		bad := bytes.Clone(text)
		bad[random.IntN(len(bad))] = "0123456789nulx\"{}[],"[random.IntN(20)]
		return bad
	}
	if i%4 == 0 {
		return odd(good)
	}
	unzip, err := zstd.NewReader(nil)
	must(t, err)
	defer unzip.Close()
	zip, err := zstd.NewWriter(nil)
	must(t, err)
	at := int(binary.LittleEndian.Uint64(good[len(good)-8:]))
	text, err := unzip.DecodeAll(good[at:len(good)-8], nil)
	must(t, err)
	var head struct {
		Pages map[string]*struct {
			At, Per int
			Sizes   []int
		}
		Index map[string]int
	}
	must(t, json.Unmarshal(text, &head))
	var fields map[string]any
	must(t, json.Unmarshal(text, &fields))
	kinds := slices.Sorted(maps.Keys(head.Pages))
	hurt := random.IntN(len(kinds) + 2)
	out := bytes.Clone(good[:bytes.IndexByte(good, '\n')+1])
	pages := map[string]any{}
	for k, kind := range kinds {
		from, sizes := head.Pages[kind].At, []int{}
		start := len(out)
		for _, size := range head.Pages[kind].Sizes {
			page, err := unzip.DecodeAll(good[from:from+size], nil)
			must(t, err)
			from += size
			switch {
			case k != hurt:
			case kind == "nodes":
				page = odd(page)
			default:
				page = otherValue(t, random, page)
			}
			before := len(out)
			out = zip.EncodeAll(page, out)
			sizes = append(sizes, len(out)-before)
		}
		pages[kind] = map[string]any{"at": start, "per": head.Pages[kind].Per, "sizes": sizes}
	}
	index, err := unzip.DecodeAll(good[head.Index["at"]:head.Index["at"]+head.Index["size"]], nil)
	must(t, err)
	if hurt == len(kinds) && len(index) > 0 {
		index = odd(index)
	}
	start := len(out)
	out = zip.EncodeAll(index, out)
	fields["pages"], fields["index"] = pages, map[string]any{"at": start, "size": len(out) - start}
	text, err = json.Marshal(fields)
	must(t, err)
	if hurt == len(kinds)+1 {
		text = otherValue(t, random, text)
	}
	end := len(out)
	return binary.LittleEndian.AppendUint64(zip.EncodeAll(text, out), uint64(end))
}

// otherValue changes some value of a JSON document.
func otherValue(t *testing.T, random *rand.Rand, good []byte) []byte {
	var doc any
	must(t, json.Unmarshal(good, &doc))
	left := 1 + random.IntN(60)
	var change func(v any) any
	change = func(v any) any {
		if left--; left == 0 {
			return []any{nil, -1.0, 99999.0, json.Number("9223372036854775807"), "x", []any{}, map[string]any{},
				true}[random.IntN(8)]
		}
		switch v := v.(type) {
		case []any:
			for k := range v {
				v[k] = change(v[k])
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				v[k] = change(v[k])
			}
		}
		return v
	}
	bad, err := json.Marshal(change(doc))
	must(t, err)
	return bad
}
