package fleet

import (
	"slices"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/puppet/facts"
	"bunraku/puppet/outline"
)

// words are those by which code shows what system it is written for.
var words = []struct {
	system string
	words  []string
}{
	{"debian-12", []string{"debian", "apt::", "apt-get", "/etc/apt"}},
	{"ubuntu-24.04", []string{"ubuntu"}},
	{"redhat-9", []string{"redhat", "centos", "fedora", "rocky", "almalinux", "yumrepo", "/etc/yum"}},
	{"sles-15", []string{"suse", "opensuse", "zypp"}},
	{"freebsd-14", []string{"freebsd"}},
	{"macos-14", []string{"darwin", "macos", "/library/", "/users/"}},
	{"windows-2022", []string{"windows", "win_", "powershell", "c:\\\\", "c:/", "registry_key", "registry_value"}},
}

// signs is what the modules of a tree speak of: how often, for each system.
type signs struct {
	total  []int
	system facts.System // the likeliest of all
}

// count is how often a text speaks of each system.
func count(text string) []int {
	text = strings.ToLower(text)
	out := make([]int, len(words))
	for i, w := range words {
		for _, word := range w.words {
			out[i] += countWord(text, word)
		}
	}
	return out
}

// countWord counts where a text has a word, or one that begins with it: jbossuser does not speak of SuSE.
func countWord(text, word string) (n int) {
	letter := func(c byte) bool { return 'a' <= c && c <= 'z' }
	for at := 0; ; at += len(word) {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return n
		}
		if at += i; at == 0 || !letter(text[at-1]) || !letter(word[0]) {
			n++
		}
	}
}

// newSigns reads the manifests of modules. Debian is the likeliest system of a tree that says nothing.
func newSigns(env *environment.Environment, modules []*environment.Module) *signs {
	s := &signs{total: make([]int, len(words))}
	s.total[0] = 1
	for _, m := range modules {
		for _, path := range manifestsOf(env, m) {
			text, err := env.Read(path)
			if err != nil {
				continue
			}
			for i, n := range count(text) {
				s.total[i] += n
			}
		}
	}
	s.system = systemAt(mostOf(s.total, 0))
	return s
}

// mostOf is the place of the largest count; otherwise what is said if none is larger than the rest.
func mostOf(counts []int, otherwise int) int {
	best := otherwise
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return best
}

func systemAt(i int) facts.System {
	s, _ := facts.FindSystem(words[i].system)
	return s
}

// of is the system that a class speaks of most, in its name above all; that of the tree if it speaks of none.
func (s *signs) of(d public) facts.System {
	counts := count(d.file.Source.Text[d.def.Span().Start:d.def.Span().End])
	name := strings.ReplaceAll(outline.Class(d.name)+" ", "rhel", "redhat") // in texts it stands beside others
	for i, n := range count(name) {
		counts[i] += 5 * n
	}
	home := slices.IndexFunc(words, func(w struct {
		system string
		words  []string
	}) bool {
		return w.system == s.system.ID
	})
	if best := mostOf(counts, home); counts[best] > 1 { // a word in passing decides nothing
		return systemAt(best)
	}
	return s.system
}

// others are the systems that the tree speaks of besides one, the likeliest first.
func (s *signs) others(one facts.System) (out []facts.System) {
	left := slices.Clone(s.total)
	for {
		i := mostOf(left, 0)
		if left[i] == 0 {
			return out
		}
		if left[i] = 0; words[i].system != one.ID {
			out = append(out, systemAt(i))
		}
	}
}
