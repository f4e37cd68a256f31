package git

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
)

// program runs the git program, which these tests hold this package against, in an environment of their own.
type program struct {
	t    testing.TB
	home string
}

func newProgram(t testing.TB) *program {
	live.Tool(t, "git")
	return &program{t, t.TempDir()}
}

func (p *program) env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "LC_ALL=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=core.autocrlf", "GIT_CONFIG_VALUE_0=false",
		"GIT_CONFIG_KEY_1=protocol.file.allow", "GIT_CONFIG_VALUE_1=always",
		"GIT_CONFIG_KEY_2=safe.directory", "GIT_CONFIG_VALUE_2=*",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_COMMITTER_DATE=1700000000 +0000",
	}
}

func (p *program) try(dir string, stdin []byte, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, p.env(), bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %v: %v: %s", args, err, errs.String())
	}
	return out.String(), nil
}

func (p *program) run(dir string, args ...string) string {
	p.t.Helper()
	out, err := p.try(dir, nil, args...)
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimRight(out, "\n")
}

// A genFile is a file of a generated revision.
type genFile struct {
	mode string // 100644, 100755, 120000, 160000
	data string
}

type genCommit struct {
	parents []int
	files   map[string]genFile
}

// generate makes a repository with a random history: edits, moves, copies, links, modes, attributes, submodules,
// merges.
func generate(p *program, dir string, seed uint64, commits int, extra ...string) []string {
	p.t.Helper()
	g := &generator{rand.New(rand.NewPCG(seed, 7))}
	p.run(filepath.Dir(dir), append(append([]string{"init", "-q", "-b", "main"}, extra...), dir)...)
	var all []genCommit
	var stream bytes.Buffer
	width := 40
	if slices.Contains(extra, "--object-format=sha256") {
		width = 64
	}
	for i := range commits {
		c := genCommit{files: map[string]genFile{}}
		switch {
		case i == 0:
		case i > 2 && g.IntN(4) == 0:
			a, b := max(0, i-1-g.IntN(2)), g.IntN(i)
			if a == b {
				b = a - 1
			}
			c = g.merge(all, a, b)
		default:
			from := i - 1
			if g.IntN(5) == 0 {
				from = g.IntN(i)
			}
			c.parents = []int{from}
			for k, v := range all[from].files {
				c.files[k] = v
			}
		}
		for range 1 + g.IntN(4) {
			g.edit(c.files, width)
		}
		g.tidy(c.files)
		all = append(all, c)
		author := []string{"Ada <ada@example.com>", "Bob <bob@example.com>", "Çelik <c@example.com>"}[g.IntN(3)]
		when := 1700000000 + 60*i + g.IntN(50)
		fmt.Fprintf(&stream, "commit refs/heads/c%d\nmark :%d\nauthor %s %d +0200\ncommitter %s %d +0000\n", i, i+1, author,
			when-g.IntN(9), author, when)
		message := fmt.Sprintf("Change %d\n\nMore words.\n", i)
		fmt.Fprintf(&stream, "data %d\n%s\n", len(message), message)
		for n, parent := range c.parents {
			fmt.Fprintf(&stream, "%s :%d\n", []string{"from", "merge"}[min(n, 1)], parent+1)
		}
		stream.WriteString("deleteall\n")
		var names []string
		for name := range c.files {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			f := c.files[name]
			if f.mode == "160000" {
				fmt.Fprintf(&stream, "M 160000 %s %s\n", f.data, name)
				continue
			}
			fmt.Fprintf(&stream, "M %s inline %s\ndata %d\n%s\n", f.mode, name, len(f.data), f.data)
		}
		if g.IntN(6) == 0 {
			fmt.Fprintf(&stream, "tag v%d\nfrom :%d\ntagger %s %d +0000\ndata 4\ntag\n\n", i, i+1, author, when)
		}
	}
	fmt.Fprintf(&stream, "reset refs/heads/main\nfrom :%d\n\ndone\n", commits)
	if _, err := p.try(dir, stream.Bytes(), "fast-import", "--quiet", "--done", "--force"); err != nil {
		p.t.Fatal(err)
	}
	var revs []string
	for i := range commits {
		revs = append(revs, fmt.Sprintf("c%d", i))
	}
	return revs
}

type generator struct{ *rand.Rand }

var genDirs = []string{"", "manifests/", "data/", "data/nodes/", "files/deep/er/"}

func (g *generator) name() string {
	return genDirs[g.IntN(len(genDirs))] + fmt.Sprintf("f%d", g.IntN(12)) + []string{".pp", ".yaml", ".txt",
		".bin"}[g.IntN(4)]
}

func (g *generator) line() string {
	words := []string{"class a {", "}", "", "  file { 'x':", "    ensure => present,", "\tnotify", "end", "  }", "x",
		"# note"}
	if g.IntN(3) == 0 {
		return fmt.Sprintf("  line %d é", g.IntN(1000))
	}
	return words[g.IntN(len(words))]
}

func (g *generator) text() string {
	end := "\n"
	if g.IntN(6) == 0 {
		end = "\r\n"
	}
	var b strings.Builder
	for range g.IntN(40) {
		b.WriteString(g.line())
		b.WriteString(end)
		if g.IntN(60) == 0 {
			end = "\n"
		}
	}
	switch g.IntN(12) {
	case 0:
		b.WriteString("no end")
	case 1:
		b.WriteString("\x00binary\xff\n")
	case 2:
		b.WriteString("$Id$\n")
	}
	return b.String()
}

func (g *generator) edit(files map[string]genFile, width int) {
	var names []string
	for name, f := range files {
		if f.mode[:3] == "100" && !strings.HasSuffix(name, ".gitattributes") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	pick := func() string { return names[g.IntN(len(names))] }
	n := g.IntN(20)
	switch {
	case len(names) < 4 || n < 3:
		files[g.name()] = genFile{"100644", g.text()}
	case n < 12:
		name := pick()
		f := files[name]
		lines := strings.SplitAfter(f.data, "\n")
		for range 1 + g.IntN(4) {
			at := g.IntN(len(lines))
			switch g.IntN(3) {
			case 0:
				lines = slices.Insert(lines, at, g.line()+"\n")
			case 1:
				lines = slices.Delete(lines, at, at+1)
			default:
				lines[at] = g.line() + "\n"
			}
			if len(lines) == 0 {
				lines = []string{""}
			}
		}
		f.data = strings.Join(lines, "")
		files[name] = f
	case n < 13:
		delete(files, pick())
	case n < 15:
		from, to := pick(), g.name()
		f := files[from]
		delete(files, from)
		if g.IntN(2) == 0 {
			f.data = g.line() + "\n" + f.data
		}
		files[to] = f
	case n < 16:
		name := pick()
		f := files[name]
		f.mode = []string{"100644", "100755"}[g.IntN(2)]
		files[name] = f
	case n < 17:
		target := []string{pick(), "../" + pick(), "/outside/" + pick(), "..", "loop", "data", "nowhere"}[g.IntN(7)]
		files[[]string{"link", "data/link", "loop"}[g.IntN(3)]] = genFile{"120000", target}
	case n < 18:
		files["modules/sub"] = genFile{"160000", strings.Repeat("ab", width/2)}
	default:
		rules := []string{
			"*.txt text", "*.txt text eol=crlf", "*.pp text=auto eol=crlf", "*.bin binary", "f1* -text", "data/** eol=crlf",
			"/f2.* text eol=lf", "*.yaml working-tree-encoding=UTF-16LE text", "[attr]mine text eol=crlf", "f3* mine",
			"f[4-6].pp !eol",
			"*.txt working-tree-encoding=UTF-16", "f?.bin filter=lfs", "*.pp ident", "nodes/*.yaml crlf",
			"\"f7\\056txt\" eol=crlf",
			"f8* working-tree-encoding=ISO-8859-1", "f9* crlf=input", "f10.pp text=auto", "**/er/*.pp text eol=crlf",
			"files/**/f2* eol=crlf",
		}
		var b strings.Builder
		for range 1 + g.IntN(4) {
			b.WriteString(rules[g.IntN(len(rules))] + "\n")
		}
		files[genDirs[g.IntN(3)]+".gitattributes"] = genFile{"100644", b.String()}
	}
}

// merge mixes two revisions, line by line where both have a file.
func (g *generator) merge(all []genCommit, a, b int) genCommit {
	c := genCommit{parents: []int{a, b}, files: map[string]genFile{}}
	for name, f := range all[a].files {
		c.files[name] = f
	}
	var names []string
	for name := range all[b].files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := all[b].files[name]
		mine, both := c.files[name]
		switch {
		case !both:
			if g.IntN(2) == 0 {
				c.files[name] = f
			}
		case mine.mode[:3] == "100" && f.mode[:3] == "100" && g.IntN(2) == 0:
			x, y := strings.SplitAfter(mine.data, "\n"), strings.SplitAfter(f.data, "\n")
			cut := g.IntN(min(len(x), len(y)) + 1)
			mine.data = strings.Join(x[:cut], "") + strings.Join(y[cut:], "")
			c.files[name] = mine
		case g.IntN(2) == 0:
			c.files[name] = f
		}
	}
	return c
}

// tidy removes files where others need a directory.
func (g *generator) tidy(files map[string]genFile) {
	for name := range files {
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			delete(files, dir)
		}
	}
}
