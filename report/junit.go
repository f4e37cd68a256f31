package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"bunraku/source"
)

// JUnit prints a run as JUnit's XML, which every CI server reads: one case per node, and one for what is about files
// alone. Problems that fails says yes to are failures; a node without a catalog is an error; the rest is output.
func (run *Run) JUnit(w io.Writer, fails func(*Problem) bool) error {
	suite := junitSuite{Name: "bunraku " + run.Command + " " + run.Name}
	files := junitCase{Name: "files", Class: run.Name}
	add := func(c junitCase, failed bool, problems []*Problem) {
		var bad, rest []string
		var codes []string
		for _, p := range problems {
			text := p.text()
			if p.Suppressed.By != "" {
				text = "(ignored) " + text
			}
			if p.Suppressed.By == "" && (p.Finding == nil && p.Severity == source.Error || fails(p)) {
				bad = append(bad, text)
				if !strings.Contains(strings.Join(codes, " "), p.Code) {
					codes = append(codes, p.Code)
				}
			} else {
				rest = append(rest, text)
			}
		}
		trouble := &junitTrouble{Type: strings.Join(codes, " "), Message: clean(strings.Join(codes, " ")),
			Text: clean(strings.Join(bad, "\n\n"))}
		if len(bad) == 1 {
			trouble.Message = clean(strings.SplitN(bad[0], "\n", 2)[0])
		}
		if failed || len(bad) > 0 {
			c.Skipped = nil
		}
		switch {
		case failed:
			c.Error = trouble
			suite.Errors++
		case len(bad) > 0:
			c.Failure = trouble
			suite.Failures++
		case c.Skipped != nil:
			suite.Skipped++
		}
		c.Output = clean(strings.Join(append(rest, c.Output), "\n"))
		c.Output = strings.TrimSpace(c.Output)
		suite.Tests++
		suite.Cases = append(suite.Cases, c)
	}
	var about []*Problem
	for _, p := range run.Problems {
		if len(p.Nodes) == 0 {
			about = append(about, p)
		}
	}
	if len(about) > 0 || len(run.Nodes) == 0 {
		add(files, false, about)
	}
	for _, n := range run.Nodes {
		c := junitCase{Name: n.Name, Class: run.Name}
		if len(n.Unknown) > 0 {
			c.Output = "undecided: " + strings.Join(n.Unknown, "\nundecided: ")
		}
		if n.Unverified != "" {
			c.Skipped = &junitSkipped{clean("not verified: " + n.Unverified)}
		}
		add(c, n.Failed, n.Problems)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	all := junitSuites{Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Suites: []junitSuite{suite}}
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// text is a problem with its place, for a log.
func (p *Problem) text() string {
	s := fmt.Sprintf("%s[%s]: %s", p.Severity, p.Code, p.Message())
	if p.Where.File != "" {
		s = fmt.Sprintf("%s:%d: %s", p.Where.File, p.Where.Line, s)
	}
	return s
}

// clean leaves out what XML 1.0 cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, s)
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr,omitempty"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Error   *junitTrouble `xml:"error"`
	Failure *junitTrouble `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitTrouble struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}
