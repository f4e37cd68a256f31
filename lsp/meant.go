package lsp

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
	"bunraku/puppet/value"
	"bunraku/report/redact"
	"bunraku/source"
)

// A parameter whose type has Sensitive in it says what it is given is meant to be a secret. That may stand in code or
// data as a plain text: no node may come there, the type may take both, or it is a mistake. Such texts are not shown
// in answers, either.

// A meaning keeps what an index has found out of that.
type meaning struct {
	once     sync.Once
	found    atomic.Bool
	declared map[string]bool // parameters whose types have Sensitive, OWNER::NAME
	shared   map[string]bool // keys that are Sensitive by options, and those of which secret ones have something
	hide     *strings.Replacer
	wraps    *wraps // what makes something Sensitive of what it is given
	was      *wraps // those of the files as they were
}

// secretly is what is meant to be Sensitive, found once.
func (x *index) secretly() *meaning {
	x.meant.once.Do(func() {
		defer x.meant.found.Store(true)
		x.meant.wraps = x.wrapping()
		if was := x.meant.was; was != nil && reflect.DeepEqual(was, x.meant.wraps) {
			x.meant.wraps = was // what was hidden by it stays so
		}
		x.meant.declared = x.declaredSecrets(x.meant.wraps.types)
		keys := x.convertedKeys(x.meant.wraps.types)
		if len(x.meant.declared)+len(keys) == 0 {
			return
		}
		maps.Copy(keys, x.meant.declared)
		texts, quoted := x.dataOf(keys)
		maps.Copy(keys, quoted)
		x.meant.shared = x.sharedWith(keys)
		for key := range keys {
			x.meant.shared[key] = x.meant.shared[key] || !x.meant.declared[key]
		}
		texts = slices.Concat(x.givenIn(x.meant.declared), texts)
		slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
		var pairs []string
		for _, text := range texts {
			if text = strings.TrimSpace(text); len(text) < leastMeant {
				continue
			}
			for _, quote := range []string{"'", "\""} {
				pairs = append(pairs, quote+text+quote, redact.Blot)
			}
			if len(text) >= unlikely {
				pairs = append(pairs, text, redact.Blot)
			}
		}
		x.meant.hide = strings.NewReplacer(pairs...)
	})
	return x.meant
}

// meaningAfter is the meaning when a file has become another: the same, unless the file has something to say of it.
func (x *index) meaningAfter(old, e *entry) *meaning {
	m := x.meant
	if !m.found.Load() {
		return &meaning{was: m.was}
	}
	anew := &meaning{was: m.wraps}
	if old.isData || e.isData || rubyFunction(e) != "" || rubyType(e) != "" || !slices.Equal(old.typed(), e.typed()) {
		return anew
	}
	for _, e := range []*entry{old, e, old.before, e.before} {
		if e == nil {
			continue
		}
		if e.secretive || len(e.givesTo(m.declared)) > 0 {
			return anew
		}
		for d := range e.definitions() {
			owner, params := parametersOf(d)
			if slices.ContainsFunc(params, func(p *syntax.Param) bool { return m.declared[owner+"::"+p.Name] }) {
				return anew
			}
		}
	}
	for _, before := range []*entry{old.before, e.before} {
		if before != nil && m.wraps.concern(before) {
			return anew
		}
	}
	if (m.wraps.concern(old) || m.wraps.concern(e)) &&
		!reflect.DeepEqual(x.wrappedBy(old, m.wraps), x.wrappedBy(e, m.wraps)) {
		return anew
	}
	return m
}

// meaningOf is the meaning of a new index: the same if the entries are, which stay as long as their files have the same
// text.
func (x *index) meaningOf(entries []*entry) *meaning {
	switch m := x.meant; {
	case slices.Equal(x.entries, entries):
		return m
	case m.found.Load():
		return &meaning{was: m.wraps}
	default:
		return &meaning{was: m.was}
	}
}

// typed are the parameters and types of a file with the types by which they are spelled, but for those of the language.
func (e *entry) typed() (out []string) {
	names := func(owner, name string, typ syntax.Expr) {
		if typ == nil {
			return
		}
		syntax.Walk(typ, func(n syntax.Node) bool {
			if _, ref := n.(*syntax.Ref); ref {
				if is := e.file.Slice(n.Span()); !slices.Contains(plainTypes, is) {
					out = append(out, owner+" "+name+" "+is)
				}
			}
			return true
		})
	}
	for d := range e.definitions() {
		owner, params := parametersOf(d)
		for _, p := range params {
			names(owner, p.Name, p.Type)
		}
		if a, is := d.(*syntax.TypeAlias); is {
			names("", a.Name, a.X)
		}
	}
	return out
}

// givesTo is where a file of code gives something to one of some parameters.
func (e *entry) givesTo(to map[string]bool) map[source.Span]bool {
	var given map[source.Span]bool
	if e.tree == nil || len(to) == 0 {
		return nil
	}
	for i := range e.names {
		if n := &e.names[i]; n.Kind == outline.VariableName && n.Param && !n.Defines && to[n.Name] {
			if given == nil {
				given = map[source.Span]bool{}
			}
			given[n.Span] = true
		}
	}
	return given
}

// A text of fewer letters than these is not hidden at all, or only where it stands in quotes: it may be an ordinary
// word.
const (
	leastMeant = 4
	unlikely   = 8
)

// unmeant is an answer without what is meant to be Sensitive.
func (x *index) unmeant(answer string) string {
	if hide := x.secretly().hide; hide != nil {
		return hide.Replace(answer)
	}
	return answer
}

// secretTypes are the names of types that have Sensitive in them: its own, and those of types that are made with it.
func (x *index) secretTypes() typeNames {
	secret := typeNames{"sensitive": true}
	for known := 0; known < len(secret); {
		known = len(secret)
		for e := range x.andBefore() {
			for d := range e.definitions() {
				a, is := d.(*syntax.TypeAlias)
				if is && (known > 1 || e.secretive) && !secret[outline.Class(a.Name)] && secret.in(e, a.X) {
					secret[outline.Class(a.Name)] = true
				}
			}
		}
	}
	return secret
}

// declaredSecrets are the parameters of classes and defines whose types have Sensitive, also by other names, and the
// attributes of which resource types say that they are.
func (x *index) declaredSecrets(secret typeNames) map[string]bool {
	out := x.sensitiveAttributes()
	x.handedOn(out)
	for e := range x.andBefore() {
		if e.neverRead() && e.secretive {
			maps.Copy(out, perhapsBy(e).vars)
		}
		if len(secret) == 1 && !e.secretive {
			continue
		}
		for d := range e.definitions() {
			owner, params := parametersOf(d)
			for _, p := range params {
				if p.Type != nil && secret.in(e, p.Type) {
					out[owner+"::"+p.Name] = true
				}
			}
		}
	}
	return out
}

// definitions are those of a file of code.
func (e *entry) definitions() func(yield func(syntax.Definition) bool) {
	return func(yield func(syntax.Definition) bool) {
		if e.tree == nil {
			return
		}
		for _, d := range e.tree.Defs {
			if !yield(d) {
				return
			}
		}
	}
}

// parametersOf are the parameters of a class or define, with its name.
func parametersOf(d syntax.Definition) (owner string, params []*syntax.Param) {
	switch d := d.(type) {
	case *syntax.Class:
		return outline.Class(d.Name), d.Params
	case *syntax.Define:
		return outline.Class(d.Name), d.Params
	}
	return "", nil
}

// givenIn are the literals that code gives to parameters: their defaults, and attributes; and sets variables to.
func (x *index) givenIn(to map[string]bool) (texts []string) {
	literals := func(e *entry, v syntax.Expr) {
		syntax.Walk(v, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Hash:
				return false // its words are mostly ordinary ones
			case *syntax.Str:
				texts = append(texts, n.Value)
			case *syntax.Interpolated:
				if text := e.file.Slice(n.Span()); len(text) > 2 {
					texts = append(texts, text[1:len(text)-1])
				}
				return false
			}
			return true
		})
	}
	for e := range x.andBefore() {
		for d := range e.definitions() {
			owner, params := parametersOf(d)
			for _, p := range params {
				if p.Default != nil && to[owner+"::"+p.Name] {
					literals(e, p.Default)
				}
			}
		}
		if e.tree != nil {
			e.setTo(to, literals)
		}
		given := e.givesTo(to)
		if len(given) == 0 {
			continue
		}
		for _, x := range slices.Concat(e.tree.Body.Stmts, eppBody(e.tree)) {
			syntax.Walk(x, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.AttrOp:
					if given[n.NameAt] {
						literals(e, n.Value)
					}
				case *syntax.Hash:
					for _, kid := range n.Entries {
						key := kid.Key.Span()
						if given[key] || key.Len() > 2 && given[source.Span{Start: key.Start + 1, End: key.End - 1}] {
							literals(e, kid.Value)
						}
					}
				}
				return true
			})
		}
	}
	return texts
}

// sharedWith are the keys that have something of the data of some, by an alias or a merge of YAML.
func (x *index) sharedWith(keys map[string]bool) map[string]bool {
	out := map[string]bool{}
	for _, e := range x.entries {
		if !e.isData || e.data == nil || !strings.Contains(e.file.Text, "*") {
			continue
		}
		nodes := map[*datafile.Node]bool{}
		for key, kid := range entries(e.data) {
			if keys[strings.TrimPrefix(key, "::")] {
				kid.Node.Each(func(n *datafile.Node) { nodes[n] = true })
			}
		}
		if len(nodes) == 0 {
			continue
		}
		for key, kid := range entries(e.data) {
			kid.Node.Each(func(n *datafile.Node) {
				if nodes[n] {
					out[key] = true
				}
			})
		}
	}
	return out
}

// convertedKeys are the keys that lookup_options in data make Sensitive, also in data that no node reads.
func (x *index) convertedKeys(secret typeNames) map[string]bool {
	out := map[string]bool{}
	var patterns []*regexp.Regexp
	for _, e := range x.entries {
		if !e.isData || e.data == nil || !strings.Contains(e.file.Text, "lookup_options") {
			continue
		}
		options := e.data.Entry("lookup_options")
		if options == nil {
			continue
		}
		for key, kid := range entries(options) {
			convert := kid.Node.Entry("convert_to")
			if convert == nil || !slices.ContainsFunc(codeWords.FindAllString(e.file.Slice(convert.Span), -1),
				func(word string) bool { return secret[outline.Class(word)] }) {
				continue
			}
			if re, err := regexp.Compile(key); err == nil && strings.HasPrefix(key, "^") {
				patterns = append(patterns, re)
			} else {
				out[key] = true
			}
		}
	}
	for _, e := range x.entries {
		if len(patterns) == 0 || !e.isData || e.data == nil {
			continue
		}
		for key := range entries(e.data) {
			if slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(key) }) {
				out[key] = true
			}
		}
	}
	return out
}

// dataOf are the texts that data have for keys, and for those by which they say so.
func (x *index) dataOf(keys map[string]bool) (texts []string, quoted map[string]bool) {
	want, done := keys, map[string]bool{}
	for len(want) > 0 {
		further := map[string]bool{}
		for _, e := range x.entries {
			if !e.isData || e.data == nil {
				continue
			}
			for key, kid := range entries(e.data) {
				if !want[strings.TrimPrefix(key, "::")] {
					continue
				}
				texts = append(texts, textsOf(kid.Node)...)
				for _, n := range e.names {
					if n = rooted(n); n.Kind == outline.KeyName && !n.Defines && !done[n.Name] && !want[n.Name] &&
						kid.Node.Span.Contains(n.Span) {
						further[n.Name] = true
					}
				}
			}
		}
		for key := range want {
			done[key] = true
		}
		want = further
	}
	return texts, done
}

// textsOf are the texts of a value that is one, or a list of some. The words of a hash are mostly ordinary ones.
func textsOf(n *datafile.Node) (texts []string) {
	switch v := n.Value.(type) {
	case value.String:
		return append(strings.Split(string(v), "\n"), string(v))
	case *value.Array:
		for _, x := range v.Elems {
			if s, is := x.(value.String); is {
				texts = append(texts, string(s))
			}
		}
	}
	return texts
}
