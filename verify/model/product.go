package model

import (
	"path"
	"slices"
	"strings"

	"bunraku/verify/fs"
)

// fresh is a file that comes out different every time: a key, a password.
func (s *shell) fresh(p fs.Path, text string) action {
	ok := fs.And{fs.Is{Path: p.Parent(), Kind: fs.Dir}, fs.Not{P: fs.Is{Path: p, Kind: fs.Dir}}}
	return action{ok: ok, do: s.put(p, fs.Apply{Func: text, Args: []fs.Term{fs.ContentOf{Path: p}}})}
}

// produces reads commands that make one or two files that they name.
func (s *shell) produces(name string, words []string, text string) (action, bool) {
	value := func(flags ...string) (fs.Path, bool) {
		for i, w := range words[:max(len(words)-1, 0)] {
			if slices.Contains(flags, w) {
				return s.absolute(words[i+1])
			}
		}
		return "", false
	}
	out := action{do: fs.Act{}}
	made := false
	put := func(p fs.Path, ok, random bool) {
		switch {
		case !ok:
			return
		case random:
			out = both(out, s.fresh(p, text))
		default:
			out = both(out, s.store(p, "output of "+text, false))
		}
		made = true
	}
	switch name {
	case "openssl":
		if len(words) == 0 {
			return action{}, false
		}
		random := slices.Contains([]string{"genrsa", "genpkey", "rand", "dhparam", "gendsa", "ecparam", "req", "pkcs12"},
			words[0])
		key, hasKey := value("-keyout")
		file, hasFile := value("-out")
		put(key, hasKey, true)
		put(file, hasFile, random)
		return out, made || slices.Contains([]string{"verify", "version", "x509", "s_client", "md5", "dgst"}, words[0])
	case "ssh-keygen":
		key, ok := value("-f")
		if !ok || slices.ContainsFunc(words, func(w string) bool {
			return w == "-R" || w == "-l" || w == "-y" ||
				w == "-A"
		}) {
			return action{}, false
		}
		put(key, true, true)
		put(key+".pub", true, true)
	case "rndc-confgen":
		key, ok := value("-c")
		if !ok && slices.Contains(words, "-a") {
			key, ok = "/etc/bind/rndc.key", !s.b.redHat()
		}
		put(key, ok, true)
	case "gpg":
		file, ok := value("-o", "--output")
		put(file, ok, false)
		if !ok {
			s.note("gpg changes a key ring that nobody else looks after")
			return out, true
		}
	case "keytool":
		file, ok := value("-keystore")
		put(file, ok, true)
	case "certtool":
		file, ok := value("--outfile")
		put(file, ok, true)
	case "dd":
		for _, w := range words {
			if of, ok := strings.CutPrefix(w, "of="); ok {
				p, ok := s.absolute(of)
				put(p, ok, false)
			}
		}
	case "truncate", "fallocate":
		_, rest := options(words, "slo", "--size", "--length")
		_, args := split(rest)
		if len(args) == 1 {
			p, ok := s.absolute(args[0])
			put(p, ok, false)
		}
	case "postmap":
		_, args := split(words)
		if len(args) == 1 {
			kind, file, typed := strings.Cut(args[0], ":")
			if !typed {
				kind, file = "hash", kind
			}
			p, ok := s.absolute(file)
			if !ok {
				return action{}, false
			}
			return both(s.reads(p), action{do: s.put(p+".db",
				fs.Apply{Func: "postmap " + kind, Args: []fs.Term{fs.ContentOf{Path: p}}})}), true
		}
	case "htpasswd":
		_, args := split(words)
		if len(args) > 0 {
			p, ok := s.absolute(args[0])
			put(p, ok, true)
		}
	case "a2enmod", "a2dismod", "a2ensite", "a2dissite", "a2enconf", "a2disconf":
		return s.apacheSwitch(name, words)
	case "update-alternatives":
		return s.alternatives(words)
	}
	return out, made
}

// apacheSwitch is Debian's a2enmod and its kin: links from what is enabled to what is available.
func (s *shell) apacheSwitch(name string, words []string) (action, bool) {
	_, args := split(words)
	kind, ends := "mods", []string{".load", ".conf"}
	switch {
	case strings.HasSuffix(name, "site"):
		kind, ends = "sites", []string{".conf"}
	case strings.HasSuffix(name, "conf"):
		kind, ends = "conf", []string{".conf"}
	}
	out := action{do: fs.Act{}}
	for _, a := range args {
		a = strings.TrimSuffix(a, ".conf")
		for i, end := range ends {
			at := s.b.path("/etc/apache2/" + kind + "-enabled/" + a + end)
			from := s.b.path("/etc/apache2/" + kind + "-available/" + a + end)
			link := fs.Or{fs.Is{Path: at, Kind: fs.File}, fs.Is{Path: at, Kind: fs.Link}}
			if strings.HasPrefix(name, "a2dis") {
				out = both(out, action{do: fs.If{Cond: link, Then: s.b.remove(at)}})
				continue
			}
			enable := fs.If{Cond: link, Else: fs.Ln{Path: at, Target: fs.Str("../" + kind + "-available/" + a + end)}}
			if i > 0 { // only some modules have a .conf
				out = both(out, action{do: fs.If{Cond: fs.Is{Path: from, Kind: fs.None}, Else: enable}})
				continue
			}
			if !s.b.made(from) {
				s.b.sources = append(s.b.sources, from)
			}
			there := exists(from)
			out = both(out, action{ok: there, do: fs.If{Cond: there, Then: enable, Else: fs.Fail{Why: path.Base(string(from)) +
				" is not available"}}})
		}
	}
	if kind == "mods" {
		s.note("what other modules a module needs is not modelled")
	}
	return out, len(args) > 0
}

// alternatives is update-alternatives --install LINK NAME PATH PRIORITY and --set NAME PATH.
func (s *shell) alternatives(words []string) (action, bool) {
	point := func(at fs.Path, to string) fs.Expr {
		return fs.Seq{fs.If{Cond: fs.Or{fs.Is{Path: at, Kind: fs.File}, fs.Is{Path: at, Kind: fs.Link}},
			Then: s.b.remove(at)}, fs.Ln{Path: at, Target: fs.Str(to)}}
	}
	switch {
	case len(words) == 5 && words[0] == "--install":
		link, ok := s.absolute(words[1])
		s.note("which of several alternatives wins is not modelled")
		return action{do: fs.Seq{fs.EnsureDir("/etc/alternatives"), point(s.b.path("/etc/alternatives/"+words[2]), words[3]),
			point(link, "/etc/alternatives/"+words[2])}}, ok
	case len(words) == 3 && words[0] == "--set":
		return action{do: fs.Seq{fs.EnsureDir("/etc/alternatives"), point(s.b.path("/etc/alternatives/"+words[1]),
			words[2])}}, true
	}
	return action{}, false
}
