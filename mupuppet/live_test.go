package mupuppet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/source"
)

// µPuppet against the installed Puppet, strict variables on, on random programs.

type puppetAnswer struct {
	File      string           `json:"file"`
	OK        bool             `json:"ok"`
	Error     string           `json:"error"`
	Resources []puppetResource `json:"resources"`
}

// askPuppet compiles manifests with real Puppet, all in one Ruby process.
func askPuppet(t testing.TB, sources []string) []puppetAnswer {
	t.Helper()
	script := filepath.Join("testdata", "compile_files.rb")
	dir := t.TempDir()
	var names bytes.Buffer
	for i, src := range sources {
		name := filepath.Join(dir, fmt.Sprintf("%05d.pp", i))
		if err := os.WriteFile(name, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&names, name)
	}
	out := live.Ruby(t, script, names.String(), "--set", "strict_variables=true", "-")
	var answers []puppetAnswer
	lines := bufio.NewScanner(strings.NewReader(out))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var a puppetAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if a.File != "" {
			answers = append(answers, a)
		}
	}
	if len(answers) != len(sources) {
		t.Fatalf("asked about %d manifests, got %d answers", len(sources), len(answers))
	}
	return answers
}

// verdictOn compares µPuppet and Puppet on one program; "" when both fail or both give the same catalog up to order.
func verdictOn(src string, a puppetAnswer) string {
	r, ds := Compile(source.NewFile("random.pp", src), Options{Bound: testBound})
	switch {
	case r == nil && !a.OK:
		return ""
	case r == nil:
		return "Puppet compiles it, µPuppet does not:\n" + ds[0].String()
	case !a.OK:
		return "µPuppet compiles it, Puppet does not: " + a.Error
	}
	want, got := native(a.Resources, r.Definitions), r.Fingerprint()
	slices.Sort(want)
	slices.Sort(got)
	if slices.Equal(want, got) {
		return ""
	}
	return "catalogs differ:\nPuppet  " + strings.Join(want, "\n        ") + "\nµPuppet " + strings.Join(got, "\n        ")
}

type liveScore struct {
	programs, agree, bothFail int
	exposed, explained        map[Difference]int // how many use the construct, and how many differ
	unexplained               []string
}

func compareLive(t testing.TB, n int, seed uint64, opt GenerateOptions) liveScore {
	t.Helper()
	programs := make([]Program, n)
	sources := make([]string, n)
	for i := range programs {
		programs[i] = Generate(rand.New(rand.NewPCG(seed, uint64(i))), opt)
		sources[i] = programs[i].Source
	}
	s := liveScore{programs: n, exposed: map[Difference]int{}, explained: map[Difference]int{}}
	for i, a := range askPuppet(t, sources) {
		s.exposed[programs[i].Risk]++
		switch diff := verdictOn(sources[i], a); {
		case diff == "":
			s.agree++
			if !a.OK {
				s.bothFail++
			}
		case programs[i].Risk != "":
			s.explained[programs[i].Risk]++
		default:
			s.unexplained = append(s.unexplained, fmt.Sprintf("program %d/%d: %s\n%s", seed, i, diff, sources[i]))
		}
	}
	return s
}

func TestAgreesWithPuppet(t *testing.T) {
	s := compareLive(t, 60, 7, GenerateOptions{})
	t.Logf("%d programs: %d agree (%d fail in both), %d differ", s.programs, s.agree, s.bothFail, len(s.unexplained))
	for i, u := range s.unexplained {
		if i == 5 {
			break
		}
		t.Error(u)
	}
}

// With the risky constructs on, only programs that use one may differ.
func TestDiffersFromPuppetAsListed(t *testing.T) {
	s := compareLive(t, 60, 8, GenerateOptions{Risky: true})
	var kinds []string
	n := 0
	for _, d := range Differences() {
		kinds = append(kinds, fmt.Sprintf("%-16s %d of %d", d, s.explained[d], s.exposed[d]))
		n += s.explained[d]
	}
	t.Logf("%d programs: %d agree (%d fail in both), %d differ as listed, %d otherwise\n%s",
		s.programs, s.agree, s.bothFail, n, len(s.unexplained), strings.Join(kinds, "\n"))
	for i, u := range s.unexplained {
		if i == 5 {
			break
		}
		t.Error(u)
	}
}
