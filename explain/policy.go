package explain

import (
	"slices"
	"strings"

	"bunraku/source"
)

// A policy says which data may reach what, and who may decide what. Two flows are told apart: a place flows into a slot
// explicitly when its datum is part of the value, of the title or of the resource's name; it decides a slot when a
// change there can alter it. A file of rules, one a line, with # comments:
//
//	let NAME = PLACE …
//	declassify FUNCTION …
//	PLACE … may reach SLOT … | nothing
//	SLOT … decided only by PLACE … [or absences] [or code]
//	PLACE … never decide SLOT …
//
// A PLACE is a glob of paths below the environment, hiera:KEY, fact:PATH, owner:@TEAM (the files that CODEOWNERS gives
// to a team), secret (what a Sensitive value was made of), or a name that let gave. A SLOT is Type[GLOB], alone or with
// the glob of an attribute behind a dot (File[/etc/*].content), title, name, exported (a resource for other nodes),
// clear (any slot that is not Sensitive) or world-readable (the content of a file that everybody may read). Functions
// keep the flow: nothing is laundered but by those that declassify names.
//
// What decides a slot is data, and also the code that brought it there: its files count as places of `decided only by`,
// unless the rule says `or code`; so do files in which something was looked for in vain, unless it says `or absences`.

// A Policy is a file of rules.
type Policy struct {
	File *source.File
	// Root is the environment as files are named in it; paths of the rules begin there.
	Root string
	// Owners says who owns a file, by its path below Root; nil when nobody is known to own anything.
	Owners func(path string) []string

	rules        []rule
	declassified map[string]bool
}

type rule struct {
	line               int
	text               string
	verb               string // may reach, decided only by, never decide
	places             []string
	slots              []slotPattern
	absencesOK, codeOK bool
}

const (
	mayReach    = "may reach"
	decidedOnly = "decided only by"
	neverDecide = "never decide"
)

type slotPattern struct{ typ, title, attr, word string }

// PolicyFile is looked for in every environment.
const PolicyFile = "bunraku.policy"

// ParsePolicy reads a policy. What cannot be read is told with its line.
func ParsePolicy(f *source.File) (*Policy, source.Diagnostics) {
	p := &Policy{File: f, declassified: map[string]bool{}}
	var trouble source.Diagnostics
	sets := map[string][]string{}
	for n := 1; n <= f.LineCount(); n++ {
		text, _, _ := strings.Cut(f.Line(n), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		bad := func(why, help string) {
			trouble = append(trouble, &source.Diagnostic{Code: "A0101", Summary: why, Place: p.place(n), Help: help})
		}
		switch words[0] {
		case "let":
			if len(words) < 4 || words[2] != "=" {
				bad("a set has a name and places", "write let NAME = PLACE …")
			} else if list, wrong := places(words[3:], sets); wrong != "" {
				bad(wrong+" is no place", placeHelp)
			} else {
				sets[words[1]] = list
			}
			continue
		case "declassify":
			if len(words) < 2 {
				bad("declassify names functions", "write declassify FUNCTION …")
			}
			for _, w := range words[1:] {
				p.declassified[strings.TrimSuffix(w, ",")] = true
			}
			continue
		}
		r := rule{line: n, text: strings.Join(words, " ")}
		var left, right []string
		for _, verb := range []string{mayReach, decidedOnly, neverDecide} {
			if a, b, ok := strings.Cut(" "+r.text+" ", " "+verb+" "); ok {
				r.verb, left, right = verb, strings.Fields(a), strings.Fields(b)
			}
		}
		if r.verb == "" || len(left) == 0 || len(right) == 0 {
			bad("no rule is written like this", "a rule says `may reach`, `decided only by` or `never decide`, with something "+
				"on both sides")
			continue
		}
		from, to := left, right
		if r.verb == decidedOnly {
			for k := len(right); k > 2 && right[k-2] == "or"; k = len(right) {
				switch right[k-1] {
				case "absences":
					r.absencesOK = true
				case "code":
					r.codeOK = true
				}
				right = right[:k-2]
			}
			from, to = right, left
		}
		var wrong string
		if r.places, wrong = places(from, sets); wrong != "" {
			bad(wrong+" is no place", placeHelp)
			continue
		}
		if r.slots, wrong = slotsOf(to); wrong != "" {
			bad(wrong+" is no slot", "a slot is Type[GLOB], Type[GLOB].attribute, title, name, exported, clear, "+
				"world-readable or nothing")
			continue
		}
		p.rules = append(p.rules, r)
	}
	return p, trouble
}

const placeHelp = "a place is a path, hiera:KEY, fact:NAME, owner:@TEAM, secret, or a name that let gives"

// place is a line of the policy.
func (p *Policy) place(line int) source.Place {
	start := p.File.Offset(source.Position{Line: line, Column: 1})
	return source.Place{File: p.File, Span: source.Span{Start: start, End: start + uint32(len(p.File.Line(line)))}}
}

// NeedsOwners reports whether a rule asks who owns a file.
func (p *Policy) NeedsOwners() bool {
	return slices.ContainsFunc(p.rules, func(r rule) bool {
		return slices.ContainsFunc(r.places, func(w string) bool { return strings.HasPrefix(w, "owner:") })
	})
}

// places expands names that let gave.
func places(words []string, sets map[string][]string) (out []string, wrong string) {
	for _, w := range words {
		w = strings.TrimSuffix(w, ",")
		if list, ok := sets[w]; ok {
			out = append(out, list...)
			continue
		}
		kind, rest, _ := strings.Cut(w, ":")
		named := (kind == "hiera" || kind == "fact" || kind == "owner") && rest != ""
		if w != "secret" && !named && !strings.ContainsAny(w, "/.*") {
			return nil, w
		}
		out = append(out, w)
	}
	return out, ""
}

func slotsOf(words []string) (out []slotPattern, wrong string) {
	for _, w := range words {
		w = strings.TrimSuffix(w, ",")
		switch w {
		case "nothing":
			continue
		case "title", "name", "clear", "world-readable", "exported":
			out = append(out, slotPattern{word: w})
			continue
		}
		head, attr, _ := cutLast(w, "].")
		n, ok := parseRef(strings.TrimSuffix(head, "]") + "]")
		if !ok {
			return nil, w
		}
		if attr == "" {
			attr = "*"
		}
		out = append(out, slotPattern{typ: n.Type, title: n.Title, attr: attr})
	}
	return out, ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// CODEOWNERS, as GitHub and GitLab read it: a pattern and its owners on each line, the last that matches counts. A
// pattern is one of git's: with a slash in it, other than at its end, it begins at the root, else it fits anywhere; it
// means all that is below a directory, too. * is anything but a slash, ** anything.

// OwnersFiles are the places where CODEOWNERS is looked for, the first one that is there counts.
var OwnersFiles = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}

// ParseOwners reads CODEOWNERS.
func ParseOwners(text string) func(path string) []string {
	type line struct {
		pattern string
		owners  []string
	}
	var lines []line
	for row := range strings.Lines(text) {
		row, _, _ = strings.Cut(strings.TrimSpace(row), " #")
		words := strings.Fields(row)
		if len(words) == 0 || words[0][0] == '#' || words[0][0] == '[' || words[0][0] == '^' {
			continue
		}
		lines = append(lines, line{words[0], words[1:]})
	}
	return func(path string) []string {
		for i := len(lines) - 1; i >= 0; i-- {
			if owned(lines[i].pattern, path) {
				return lines[i].owners
			}
		}
		return nil
	}
}

func owned(pattern, path string) bool {
	below := strings.HasSuffix(pattern, "/")
	pattern = strings.TrimSuffix(pattern, "/")
	rooted := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	segments := strings.Split(path, "/")
	want := strings.Split(pattern, "/")
	for from := 0; from < len(segments); from++ {
		if rooted && from > 0 {
			break
		}
		for to := from + 1; to <= len(segments); to++ {
			if below && to == len(segments) { // only what is in a directory
				continue
			}
			// `docs/*` means the files of a directory, not those further down
			if to < len(segments) && rooted && want[len(want)-1] == "*" {
				continue
			}
			if segmentsFit(want, segments[from:to]) {
				return true
			}
		}
	}
	return false
}

func segmentsFit(want, have []string) bool {
	switch {
	case len(want) == 0:
		return len(have) == 0
	case want[0] == "**":
		for i := 0; i <= len(have); i++ {
			if segmentsFit(want[1:], have[i:]) {
				return true
			}
		}
		return false
	}
	return len(have) > 0 && fits(want[0], have[0]) && segmentsFit(want[1:], have[1:])
}
