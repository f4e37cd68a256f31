// Summary reads what `go test -json` prints and tells people what they want to know of it: what failed, with its
// output, how long each package took, what was skipped and why, and the counts. `make test` pipes the tests through it.
//
// A test that was skipped for want of something that can be installed fails by itself under CI (package live); here
// skips are only counted and named.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64
}

type name struct{ pkg, test string }

func main() {
	os.Exit(summarise(os.Stdin, os.Stdout))
}

// summarise returns 1 when something failed, or when nothing ran.
func summarise(in io.Reader, out io.Writer) int {
	output := map[name][]string{}
	reasons := map[string][]string{} // why → which
	var passed, failed, skipped int
	var broken []name
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if line == "" && err != nil {
			break
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			fmt.Fprint(out, line) // the go command itself speaks, for instance of a package that does not build
			continue
		}
		n := name{strings.TrimPrefix(e.Package, "bunraku/"), e.Test}
		switch e.Action {
		case "output", "build-output":
			output[n] = append(output[n], e.Output)
		case "pass":
			if e.Test == "" {
				fmt.Fprintf(out, "ok    %-28s %6.1f s\n", n.pkg, e.Elapsed)
			} else if top(e.Test) {
				passed++
			}
			delete(output, n)
		case "skip":
			if top(e.Test) {
				skipped++
			}
			if e.Test != "" {
				why := reason(output[n])
				reasons[why] = append(reasons[why], n.pkg+" "+e.Test)
			}
			delete(output, n)
		case "fail", "build-fail":
			if e.Test == "" {
				fmt.Fprintf(out, "FAIL  %-28s %6.1f s\n", n.pkg, e.Elapsed)
			} else if top(e.Test) {
				failed++
			}
			broken = append(broken, n)
		}
	}
	for _, n := range broken {
		fmt.Fprintf(out, "\n--- %s %s\n%s", n.pkg, n.test, strings.Join(output[n], ""))
	}
	tellSkips(out, reasons)
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if len(broken) > 0 || passed == 0 {
		return 1
	}
	return 0
}

func tellSkips(out io.Writer, reasons map[string][]string) {
	var all []string
	for why := range reasons {
		all = append(all, why)
	}
	slices.Sort(all)
	for _, why := range all {
		which := reasons[why]
		slices.Sort(which)
		fmt.Fprintf(out, "\nskipped (%d): %s\n", len(which), why)
		for i, w := range which {
			if i == 12 && len(which) > 14 {
				fmt.Fprintf(out, "    and %d more\n", len(which)-i)
				break
			}
			fmt.Fprintf(out, "    %s\n", w)
		}
	}
	if len(all) > 0 {
		fmt.Fprintln(out)
	}
}

// top reports whether a test is no part of another, so that it counts.
func top(test string) bool { return test != "" && !strings.Contains(test, "/") }

var place = regexp.MustCompile(`^\s*\w+\.go:\d+: `)

// reason is the last thing that a skipped test said.
func reason(lines []string) string {
	for _, l := range slices.Backward(lines) {
		if place.MatchString(l) {
			return strings.TrimSpace(place.ReplaceAllString(l, ""))
		}
	}
	return "no reason given"
}
