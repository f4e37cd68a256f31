package eval_test

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"bunraku/internal/live"
	"bunraku/internal/random"
	"bunraku/source"
)

// randomCases are programs by seed.
func randomCases(first, n int) []*testCase {
	var cases []*testCase
	for i := range n {
		cases = append(cases, &testCase{archive: "random", name: strconv.Itoa(first + i), facts: json.RawMessage("{}"),
			enc: json.RawMessage("{}"), settings: map[string]string{}, answers: map[string]*txtar.File{},
			files: []txtar.File{{Name: "site.pp", Data: []byte("# random\n" + random.Program(first+i))}}})
	}
	return cases
}

// compareRandom compiles random programs here and with a real Puppet and reports the differences.
func compareRandom(t *testing.T, o *live.Oracle, language source.Language, first, n int) (equal, failing int) {
	cases := randomCases(first, n)
	shown := 0
	for i, a := range askPuppet(t, o, cases) {
		c := cases[i]
		want := c.wanted(o.Name, a)
		c.answers[o.Name] = &want
		if !a.OK {
			failing++
		}
		why := compareCase(t, c, language, false)
		if why == "" {
			equal++
			continue
		}
		if shown++; shown <= 3 {
			t.Errorf("program %s differs:\n%s\n%s", c.name, why, c.files[0].Data)
		} else {
			t.Errorf("program %s differs", c.name)
		}
	}
	return equal, failing
}

// TestScoreRandom compares a fixed sample of random programs with Puppet 7 and 8; the acceptance run compares 2,000
// with each.
func TestScoreRandom(t *testing.T) {
	n, first := 60, 1
	if os.Getenv("BUNRAKU_ACCEPT") != "" {
		n, first = 2000, 1000
	}
	for _, l := range languages[:2] {
		t.Run(l.name, func(t *testing.T) {
			equal, failing := compareRandom(t, oracle(t, l.name), l.language, first, n)
			t.Logf("score: random programs, %s %d/%d (%d of them fail in both)", l.language.Title(), equal, n, failing)
			if failing > n*6/10 {
				t.Errorf("%d of %d programs do not compile: the generator has lost its way", failing, n)
			}
		})
	}
}
