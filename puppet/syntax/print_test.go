package syntax

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"bunraku/source"
)

// checkPrint says what is wrong with the print of a file that parses: it must parse to the same tree, have the same
// comments, and print to itself.
func checkPrint(path string, f *File) string {
	text := Print(f)
	again, diags := parseText(path, text)
	if diags.HasErrors() {
		return "the print does not parse: " + diags[0].String()
	}
	if got, want := string(AppendPN(nil, again)), string(AppendPN(nil, f)); got != want {
		return "the print means something else:\n" + difference(got, want)
	}
	if got, want := commentTexts(again), commentTexts(f); !slices.Equal(got, want) {
		return "comments were lost or changed:\n" + difference(strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if twice := Print(again); twice != text {
		return "the print prints differently:\n" + difference(twice, text)
	}
	return ""
}

// commentTexts sorts, because a comment may move to the other side of a mark.
func commentTexts(f *File) []string {
	var texts []string
	for _, c := range f.Comments {
		texts = append(texts, strings.TrimRight(f.Source.Slice(c.Where), " \t\r"))
	}
	sort.Strings(texts)
	return texts
}

func TestScorePrint(t *testing.T) {
	files := realFiles()
	if len(files) == 0 {
		t.Skipf("no Puppet modules in %s and no corpus in %s", modules, shared())
	}
	good, total, shown := 0, 0, 0
	for _, path := range files {
		f, diags := parseFile(t, path)
		if diags.HasErrors() {
			continue
		}
		total++
		if wrong := checkPrint(path, f); wrong == "" {
			good++
		} else if shown++; shown <= 10 {
			t.Errorf("%s: %s", path, wrong)
		}
	}
	t.Logf("score: print %d/%d", good, total)
}

// disturb puts comments, blanks and line ends between tokens. What comes out may mean something else, or nothing.
func disturb(f *File, r *rand.Rand, every int) string {
	text := f.Source.Text
	inside := make([]bool, len(text)+1) // of a leaf or a comment
	cover := func(s source.Span) {
		for i := s.Start + 1; i < s.End; i++ {
			inside[i] = true
		}
	}
	for _, c := range f.Comments {
		cover(c.Where)
	}
	for _, s := range f.Body.Stmts {
		Walk(s, func(n Node) bool {
			switch n := n.(type) {
			case *Interpolated:
				cover(n.Where)
			case *Heredoc:
				cover(n.Where)
				cover(source.Span{Start: n.Lines.Start - 1, End: n.Lines.End})
				return false
			case *Str, *Regexp, *Name, *Ref, *Var, *Int, *Float:
				cover(n.Span())
			}
			return true
		})
	}
	additions := []string{"\n", " ", " # c\n", "\n# c\n", " /* c */ ", "\n\n", "/* a\n b */", "\n\n  # c\n\n",
		"\n# c\n# d\n", " /* c */ # d\n", ",", ";"}
	var b strings.Builder
	last := 0
	for at := range len(text) {
		if inside[at] || at > 0 && wordByte(text[at-1]) && wordByte(text[at]) || r.IntN(every) > 0 {
			continue
		}
		b.WriteString(text[last:at])
		b.WriteString(additions[r.IntN(len(additions))])
		last = at
	}
	b.WriteString(text[last:])
	return b.String()
}

func wordByte(c byte) bool {
	return c == '_' || c == ':' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// entangled reports a comment that reaches from a heredoc's line into its text: Puppet takes those characters for both.
func entangled(f *File) bool {
	found := false
	for _, s := range f.Body.Stmts {
		Walk(s, func(n Node) bool {
			if h, ok := n.(*Heredoc); ok {
				for _, c := range f.Comments {
					found = found || c.Where.Start < h.Lines.Start && h.Lines.Start < c.Where.End
				}
			}
			return true
		})
	}
	return found
}

// TestPrintDisturbed prints texts that nobody would write: comments and line ends wherever the grammar lets them stand.
func TestPrintDisturbed(t *testing.T) {
	checked, shown := 0, 0
	try := func(where string, f *File, rounds, sparse int) {
		for round := range rounds {
			r := rand.New(rand.NewPCG(uint64(round), uint64(len(f.Source.Text))))
			text := disturb(f, r, 1+r.IntN(sparse))
			g, diags := parseText(f.Source.Name, text)
			if diags.HasErrors() || entangled(g) {
				continue
			}
			checked++
			if wrong := checkPrint(f.Source.Name, g); wrong != "" {
				if shown++; shown <= 15 {
					t.Errorf("%s: %s\n%s", where, wrong, text)
				}
			}
		}
	}
	for _, c := range pnCases(t) {
		path, text := c.input()
		if f, diags := parseText(path, text); !diags.HasErrors() && f.Epp == nil {
			try(c.archive+" "+path, f, 100, 20)
		}
	}
	for _, path := range realFiles() {
		if f, diags := parseFile(t, path); !diags.HasErrors() && f.Epp == nil {
			try(path, f, 2, 600)
		}
	}
	t.Logf("%d texts, %d wrong", checked, shown)
}

func TestPrintCases(t *testing.T) {
	for _, c := range pnCases(t) {
		path, text := c.input()
		f, diags := parseText(path, text)
		if diags.HasErrors() {
			continue
		}
		if wrong := checkPrint(path, f); wrong != "" {
			t.Errorf("%s %s: %s\n%s", c.archive, path, wrong, text)
		}
	}
}

func FuzzPrint(f *testing.F) {
	for _, c := range pnCases(f) {
		_, text := c.input()
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, diags := parseText("fuzz.pp", text)
		if diags.HasErrors() || entangled(file) {
			return
		}
		if wrong := checkPrint("fuzz.pp", file); wrong != "" {
			t.Error(wrong)
		}
	})
}

// TestPrintStyle shows the style by example. An input without an output is printed as it is.
func TestPrintStyle(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"class a($x,$y=\"z\")inherits b{}", "class a ($x, $y = 'z') inherits b {}\n"},
		{"class a(\n$x,\nInteger $y = 1) {\n\n  notice(1)\n\n}",
			"class a (\n  $x,\n  Integer $y = 1,\n) {\n\n  notice(1)\n}\n"},
		{"class a (\n  String            $x = 'y',\n  Optional[Integer] $zz = undef,\n) {}",
			"class a (\n  String            $x = 'y',\n  Optional[Integer] $zz = undef,\n) {}\n"},
		{"class a (\n  $x  = 'y',\n  Integer $zz = undef,\n) {}",
			"class a (\n  $x          = 'y',\n  Integer $zz = undef,\n) {}\n"},
		{"file{'/a':ensure=>file,mode=>'1'}", "file { '/a': ensure => file, mode => '1' }\n"},
		{"file{'/a':\nensure=>file,mode=>'1'}", "file { '/a':\n  ensure => file,\n  mode   => '1',\n}\n"},
		{"file {\n  '/a':\n    mode => '1'\n}", "file { '/a':\n  mode => '1',\n}\n"},
		{"file { '/a': mode => '1'; '/bb': mode => '2' }", "file {\n  '/a': mode => '1';\n  '/bb': mode => '2';\n}\n"},
		{"file {\n  '/a':   mode => '1';\n  '/bb':  mode => '2' }",
			"file {\n  '/a':  mode => '1';\n  '/bb': mode => '2';\n}\n"},
		{"file {\n  default:\n    ensure => file,\n    mode   => '1';\n\n  '/a':;\n}\n", ""},
		{"$a = {'x'=>1,'yy'=>2}", "$a = { 'x' => 1, 'yy' => 2 }\n"},
		{"$a = {'x'=>1,\n'yy'=>[1,\n2]}", "$a = {\n  'x'  => 1,\n  'yy' => [\n    1,\n    2,\n  ],\n}\n"},
		{"foo({\n  a => 1,\n  b => 2,\n})\n", ""},
		{"foo($a,\n  $b)", "foo(\n  $a,\n  $b\n)\n"},
		{"$a=1\n$bb=2", "$a = 1\n$bb = 2\n"},
		{"$a   =1\n$bb=2\n\n$ccc=3", "$a  = 1\n$bb = 2\n\n$ccc = 3\n"},
		{"if($a){1}else{2}", "if ($a) { 1 } else { 2 }\n"},
		{"if $a {\n1}\nelse\n{2\n}", "if $a {\n  1\n} else {\n  2\n}\n"},
		{"case $a{1:{2}default:{3 4}}", "case $a {\n  1: { 2 }\n  default: {\n    3\n    4\n  }\n}\n"},
		{"$a?{1=>2,\ndefault=>3}", "$a ? {\n  1       => 2,\n  default => 3,\n}\n"},
		{"A['a']->\nB['b']~>C['c']", "A['a']\n-> B['b'] ~> C['c']\n"},
		{"File<|title=='a'|>{mode=>'1'}", "File <| title == 'a' |> { mode => '1' }\n"},
		{"File<<||>>", "File <<| |>>\n"},
		{"$a.map|$x|{$x+1}", "$a.map |$x| { $x + 1 }\n"},
		{"$a\n.map|$x|{\n$x}.foo", "$a\n  .map |$x| {\n    $x\n  }.foo\n"},
		{"$a = $b and\n$c", "$a = $b and\n  $c\n"},
		{"notice\n(1)", "notice\n  (1)\n"},
		{"$a=1;-1", "$a = 1;\n-1\n"},
		{"function f($x,)>>Integer{$x}", "function f($x) >> Integer { $x }\n"},
		{"type A={a=>1}", "type A = { a => 1 }\n"},
		{"type A=B{a=>1}", "type A = B { a => 1 }\n"},
		{"\"it's\" + \"a\\n\" + \"$\" + \"b\"", "\"it's\" + \"a\\n\" + '$' + 'b'\n"},
		{"foo(@(A),\n  x\n  | A\n2)", "foo(\n  @(A),\n  x\n  | A\n  2\n)\n"},
		{"\n\n# a\n\n\n$b = 1   # c\n# d\n", "# a\n\n$b = 1 # c\n# d\n"},
		{"if $a { # b\n}", "if $a { # b\n}\n"},
		{"if $a {\n  1\n} # b\n# c\nelse {\n  2\n}\n", ""},
		{"$a = [ # b\n1, # c\n2 # d\n]", "$a = [ # b\n  1, # c\n  2, # d\n]\n"},
	} {
		if c.out == "" {
			c.out = c.in
		}
		f, diags := parseText("style.pp", c.in)
		if diags.HasErrors() {
			t.Errorf("%q: %v", c.in, diags[0])
			continue
		}
		if got := Print(f); got != c.out {
			t.Errorf("%q\n got %q\nwant %q", c.in, got, c.out)
		}
	}
}

func TestPrintTasks(t *testing.T) {
	parse := func(text string) *File {
		f, diags := Parse(source.NewFile("plan.pp", text), Options{Tasks: true})
		if diags.HasErrors() {
			t.Fatal(diags[0])
		}
		return f
	}
	f := parse("plan a::b($x,Integer $y=1){apply($x,_noop=>true){file{'/a':}} apply('z') { 1 2 }}")
	text := Print(f)
	want := "plan a::b($x, Integer $y = 1) {\n  apply($x, _noop => true) { file { '/a': } }\n  apply('z') {\n    1\n    " +
		"2\n  }\n}\n"
	if text != want {
		t.Errorf("got %s", text)
	}
	if got, want := string(AppendPN(nil, parse(text))), string(AppendPN(nil, f)); got != want {
		t.Errorf("the print means something else:\n%s", difference(got, want))
	}
}

// FuzzDump wants no answer, only an end: trees of broken programs have holes.
func FuzzDump(f *testing.F) {
	for _, c := range pnCases(f) {
		_, text := c.input()
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"fuzz.pp", "fuzz.epp"} {
			file, _ := parseText(name, text)
			AppendPN(nil, file)
			AppendJSON(nil, file)
			Print(file)
		}
	})
}
