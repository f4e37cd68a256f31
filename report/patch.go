package report

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/source"
)

// Statements are the verified fixes that are no edits: of code that is not the user's own. Each one comes once.
func (run *Run) Statements() (out []*Problem) {
	for _, p := range run.Problems {
		if r := p.Remedy; p.Suppressed.By == "" && r != nil && r.Statement != "" && p.Finding.Fix.Verified &&
			!slices.ContainsFunc(out, func(x *Problem) bool { return x.Remedy.Statement == r.Statement }) {
			out = append(out, p)
		}
	}
	return out
}

// Mend makes all verified edits of the problems that count, file by file: the new texts by file name.
func (run *Run) Mend() (files []*source.File, texts []string) {
	type change struct {
		at        spot
		attr, val string
		declares  string // statements, each on a line
	}
	order := []string{}
	original := map[string]*source.File{}
	changes := map[string][]change{}
	for _, p := range run.Problems {
		if p.Suppressed.By != "" || len(p.Fixes) == 0 || p.Finding == nil {
			continue
		}
		fix := p.Finding.Fix
		s, ok := findSpot(fix.Resource)
		if !ok {
			continue
		}
		f := fix.Resource.Place.File
		if original[f.Name] == nil {
			original[f.Name] = f
			order = append(order, f.Name)
		}
		if c := (change{s, fix.Attr, fix.Value, strings.Join(fix.Declarations(), "\n")}); !slices.Contains(
			changes[f.Name], c) {
			changes[f.Name] = append(changes[f.Name], c)
		}
	}
	slices.Sort(order)
	for _, name := range order {
		now := original[name]
		// What is declared moves the numbers of what is behind: attributes come first, then declarations from the end.
		slices.SortStableFunc(changes[name], func(a, b change) int {
			switch {
			case a.declares == "" && b.declares == "":
				return 0
			case a.declares == "" || b.declares == "":
				return strings.Compare(a.declares, b.declares)
			}
			return b.at.number - a.at.number
		})
		for _, c := range changes[name] {
			// The bytes have moved with every edit before, so each one is looked for in the text as it is by then.
			e, ok := source.Edit{}, false
			if c.declares != "" {
				e, ok = c.at.declare(now, strings.Split(c.declares, "\n"))
			} else {
				e, ok = c.at.edit(now, c.attr, c.val)
			}
			if ok {
				now = source.NewFile(name, apply(now.Text, e))
			}
		}
		files, texts = append(files, original[name]), append(texts, now.Text)
	}
	return files, texts
}

// Patch prints the edits as a unified diff, for `git apply` or `patch -p1`, and says how many files it changes. Files
// are named from base, or as they are if it is "". A patch must hold the lines of a file as they are. So no hunk
// reaches as far as a line that fit says no to, since it holds a secret or would be obeyed by a terminal or a log;
// the files where that cannot be helped are returned as left out.
func (run *Run) Patch(w io.Writer, base string, fit func(line string) bool) (n int, left []string) {
	files, texts := run.Mend()
	return Patch(w, base, fit, files, texts)
}

// Patch prints what turns files into new texts, as Run.Patch does. Files that stay as they are have no part in it.
func Patch(w io.Writer, base string, fit func(string) bool, files []*source.File, texts []string) (n int,
	left []string) {
	for i, f := range files {
		name := f.Name
		if f.Text == texts[i] {
			continue
		}
		var body bytes.Buffer
		if !unified(&body, lines(f.Text), lines(texts[i]), fit) {
			left = append(left, name)
			continue
		}
		n++
		if base != "" {
			if rel, err := filepath.Rel(base, name); err == nil {
				name = filepath.ToSlash(rel)
			}
		}
		fmt.Fprintf(w, "--- %s\n+++ %s\n%s", prefixed("a", name), prefixed("b", name), body.Bytes())
	}
	return n, left
}

func prefixed(side, name string) string {
	if !strings.HasPrefix(name, "/") {
		name = side + "/" + path.Clean(name)
	}
	if source.Harmless(name) && !strings.ContainsAny(name, "\n\t\"\\") {
		return name
	}
	quoted := []byte{'"'} // as git and patch read it
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '#' {
			quoted = fmt.Appendf(quoted, `\%03o`, c)
		} else {
			quoted = append(quoted, c)
		}
	}
	return string(append(quoted, '"'))
}

// lines cuts a text into lines, each with its end.
func lines(s string) []string {
	all := strings.SplitAfter(s, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// around is how many unchanged lines a diff shows beside changes.
const around = 3

// unified prints the hunks that turn a into b. It reports whether all their lines fit.
func unified(w io.Writer, a, b []string, fit func(string) bool) bool {
	ops := compare(a, b)
	for i := 0; i < len(ops); {
		if ops[i].kind == ' ' {
			i++
			continue
		}
		from := max(0, i-around)
		to := i
		for k, quiet := i, 0; k < len(ops) && quiet <= 2*around; k++ {
			if ops[k].kind == ' ' {
				quiet++
			} else {
				quiet, to = 0, k+1
			}
		}
		end := min(len(ops), to+around)
		for k := i - 1; k >= from; k-- {
			if !fit(" " + ops[k].text) {
				from = k + 1
			}
		}
		for k := end - 1; k >= to; k-- {
			if !fit(" " + ops[k].text) {
				end = k
			}
		}
		if end == to && to < len(ops) {
			return false // without a line behind it git looks for the hunk at the end of the file only
		}
		for _, o := range ops[i:to] {
			if !fit(string(o.kind) + o.text) {
				return false
			}
		}
		hunk(w, ops[from:end])
		i = end
	}
	return true
}

func hunk(w io.Writer, ops []lineOp) {
	left, right := 0, 0
	for _, o := range ops {
		if o.kind != '+' {
			left++
		}
		if o.kind != '-' {
			right++
		}
	}
	start := func(n, count int) int {
		if count == 0 {
			return n
		}
		return n + 1
	}
	fmt.Fprintf(w, "@@ -%d,%d +%d,%d @@\n", start(ops[0].a, left), left, start(ops[0].b, right), right)
	for _, o := range ops {
		fmt.Fprintf(w, "%c%s", o.kind, o.text)
		if !strings.HasSuffix(o.text, "\n") {
			fmt.Fprint(w, "\n\\ No newline at end of file\n")
		}
	}
}

// A lineOp is one line of a diff: kept, taken away or put in; a and b count the lines before it on either side.
type lineOp struct {
	kind byte
	text string
	a, b int
}

// maxCompared bounds the table that compare makes.
const maxCompared = 8 << 20

// compare finds a longest common subsequence. Edits are few and local, so all but a small middle falls away first.
func compare(a, b []string) []lineOp {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x)*len(y) > maxCompared { // everything between is replaced
		x, y = nil, nil
	}
	common := make([][]int, len(x)+1)
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []lineOp
	i, j := 0, 0
	put := func(kind byte, text string) {
		out = append(out, lineOp{kind, text, i, j})
		if kind != '+' {
			i++
		}
		if kind != '-' {
			j++
		}
	}
	for _, l := range a[:head] {
		put(' ', l)
	}
	if x == nil && y == nil {
		for _, l := range a[head : len(a)-tail] {
			put('-', l)
		}
		for _, l := range b[head : len(b)-tail] {
			put('+', l)
		}
	}
	for i-head < len(x) || j-head < len(y) {
		p, q := i-head, j-head
		switch {
		case p < len(x) && q < len(y) && x[p] == y[q]:
			put(' ', x[p])
		case p < len(x) && (q == len(y) || common[p+1][q] >= common[p][q+1]):
			put('-', x[p])
		default:
			put('+', y[q])
		}
	}
	for _, l := range a[len(a)-tail:] {
		put(' ', l)
	}
	return out
}
