package lsp

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/outline"
	"bunraku/puppet/syntax"
)

// What makes something Sensitive of what it is given may do so by way of another: a define hands its parameter to a
// function, that to one in Ruby. Each file is read with what is known of the others, until none has more to say. Files
// only add to what is known, so that an end comes, whoever calls whom.

// wraps are what makes something Sensitive of what it is given.
type wraps struct {
	types     typeNames
	functions map[string]*wrapper
	results   map[string]bool // functions of whose results something Sensitive is made
	vars      map[string]bool // parameters and variables, OWNER::NAME; what a template is given, TEMPLATE NAME
	keys      map[string]bool // of Hiera's, of whose data something Sensitive is made where they are looked up
	called    map[string]bool // lastNames, once all are known
}

func newWraps(types typeNames) *wraps {
	return &wraps{types: types, functions: map[string]*wrapper{}, results: map[string]bool{}, vars: map[string]bool{},
		keys: map[string]bool{}}
}

// A wrapper says of which arguments a function makes something Sensitive.
type wrapper struct {
	all bool
	at  []bool
}

// of reports whether it does of one of them; what there are more than parameters is the last one's.
func (w *wrapper) of(i int) bool { return w.all || len(w.at) > 0 && w.at[min(i, len(w.at)-1)] }

// typeNames are types that have Sensitive in them.
type typeNames map[string]bool

// in reports whether a type that stands in a file has one of them.
func (t typeNames) in(e *entry, typ syntax.Expr) (is bool) {
	syntax.Walk(typ, func(n syntax.Node) bool {
		if _, ref := n.(*syntax.Ref); ref {
			is = is || t[outline.Class(e.file.Slice(n.Span()))]
		}
		return !is
	})
	return is
}

// given reports whether a name is that of something which is given and made Sensitive.
func (w *wraps) given(n *outline.Name) bool {
	switch {
	case n.Kind == outline.VariableName:
		return n.Param && !n.Defines && w.vars[n.Name]
	case n.Kind == outline.LocalName:
		return n.Of != "" && w.vars[n.Of+" "+n.Name]
	}
	return false
}

// takesSecrets reports whether code gives attributes that it does not name to something of whose parameters something
// Sensitive is made: web::own { 'x': * => $hash }.
func (w *wraps) takesSecrets(n outline.Name) bool {
	if n.Kind != outline.VariableName || !strings.HasSuffix(n.Name, "::") {
		return false
	}
	for name := range w.vars {
		if name == n.Name+lastPart(name) {
			return true
		}
	}
	return false
}

// concern reports whether code of a file may make something Sensitive, or have what others make so.
func (w *wraps) concern(e *entry) bool {
	if e.tree == nil || e.secretive {
		return e.tree != nil
	}
	if slices.ContainsFunc(e.open, w.takesSecrets) {
		return true
	}
	for i := range e.names {
		n := &e.names[i]
		switch n.Kind {
		case outline.FunctionName:
			if w.functions[outline.Class(n.Name)] != nil || n.Defines && w.results[n.Name] {
				return true
			}
		case outline.VariableName:
			if (n.Defines || n.Param) && w.vars[n.Name] {
				return true
			}
		case outline.LocalName:
			if w.given(n) {
				return true
			}
		case outline.TypeName:
			if w.types[n.Name] {
				return true
			}
		}
	}
	return false
}

// add takes over what a file says, and reports whether that is news.
func (w *wraps) add(o *wraps) (news bool) {
	for name, is := range o.functions {
		was := w.functions[name]
		if was == nil {
			was = &wrapper{}
			w.functions[name], news = was, true
		}
		for i, wrapped := range is.at {
			if wrapped && !(i < len(was.at) && was.at[i]) {
				was.at = append(was.at, make([]bool, max(0, len(is.at)-len(was.at)))...)
				was.at[i], news = true, true
			}
		}
		if is.all && !was.all {
			was.all, news = true, true
		}
	}
	for _, x := range []struct{ to, from map[string]bool }{{w.results, o.results}, {w.vars, o.vars},
		{w.keys, o.keys}} {
		for name := range x.from {
			if !x.to[name] {
				x.to[name], news = true, true
			}
		}
	}
	return news
}

// wrapping finds out what makes something Sensitive.
func (x *index) wrapping() *wraps {
	w := newWraps(x.secretTypes())
	w.vars = x.sensitiveAttributes()
	var inRuby []*entry
	for _, e := range x.entries {
		if rubyFunction(e) != "" {
			inRuby = append(inRuby, e)
		}
	}
	for news := true; news; {
		news = false
		for _, e := range inRuby {
			if w.byRuby(e) {
				news = w.add(&wraps{functions: map[string]*wrapper{rubyFunction(e): {all: true}}}) || news
			}
		}
		for e := range x.andBefore() {
			if w.concern(e) {
				news = w.add(x.wrappedBy(e, w)) || news
			}
			if e.neverRead() && w.spokenOf(e.file.Text) {
				news = w.add(perhapsBy(e)) || news
			}
		}
	}
	w.called = w.lastNames()
	return w
}

// wrappedBy is what a file says, as far as others are known.
func (x *index) wrappedBy(e *entry, known *wraps) *wraps {
	out, h := newWraps(nil), e.hiding(known)
	wrapped := func(p *syntax.Param) bool { return h.vars[p.Name] || h.says(p.Type) }
	for d := range e.definitions() {
		if f, is := d.(*syntax.Function); is {
			w := &wrapper{all: h.says(f.Returns)}
			for _, p := range f.Params {
				w.at = append(w.at, wrapped(p))
			}
			if w.all || slices.Contains(w.at, true) {
				out.functions[outline.Class(f.Name)] = w
			}
			continue
		}
		owner, params := parametersOf(d)
		for _, p := range params {
			if wrapped(p) {
				out.vars[owner+"::"+p.Name] = true
			}
		}
	}
	if e.tree.Epp != nil && e.template != "" {
		for name := range h.templateParams() {
			out.vars[e.template+" "+name] = true
		}
	}
	for _, n := range e.names {
		if n.Kind != outline.VariableName || n.Defines || n.Param || n.Pattern {
			continue
		}
		if text := e.file.Slice(n.Span); h.vars[text] || h.vars["::"+text] {
			for _, name := range x.resolve(e, n) {
				out.vars[name] = true
			}
		}
	}
	out.results, out.keys = h.calls, h.keys
	return out
}

// templateParams are what a template makes Sensitive of what it is given: its parameters, or, if it declares none,
// whatever it reads.
func (h *hiding) templateParams() map[string]bool {
	out := map[string]bool{}
	if len(h.tree.Epp.Params) == 0 {
		for name := range h.vars {
			if !strings.Contains(name, "::") {
				out[name] = true
			}
		}
		return out
	}
	for _, p := range h.tree.Epp.Params {
		if h.vars[p.Name] || h.says(p.Type) {
			out[p.Name] = true
		}
	}
	return out
}

// rubyFunction is the function that a file in Ruby defines, by where it lies; "" if it does not.
func rubyFunction(e *entry) string {
	return cmp.Or(inRuby(e, "/lib/puppet/functions/"), inRuby(e, "/lib/puppet/parser/functions/"))
}

// inRuby is what a file in Ruby defines that lies below a directory; "" if it does not.
func inRuby(e *entry, dir string) string {
	i := strings.LastIndex(e.path, dir)
	if i < 0 || path.Ext(e.path) != ".rb" {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(e.path[i+len(dir):], ".rb"), "/", "::")
}

// byRuby reports whether a function in Ruby makes something Sensitive: it speaks of that, or calls one that does so; or
// it encrypts or decrypts, which is done to secrets alone. What it makes it of nobody knows.
func (w *wraps) byRuby(e *entry) bool {
	code := rubyComment.ReplaceAllString(e.file.Text, "")
	if strings.Contains(code, "Sensitive") || rubyCrypts.MatchString(code) {
		return true
	}
	for _, m := range rubyCalls.FindAllStringSubmatch(code, -1) {
		if w.functions[outline.Class(m[1])] != nil {
			return true
		}
	}
	return len(w.types) > 1 && slices.ContainsFunc(rubyTypes.FindAllString(code, -1), func(typ string) bool {
		return w.types[outline.Class(typ)]
	})
}

var (
	rubyComment = regexp.MustCompile(`(?m)^\s*#.*`)
	rubyCalls   = regexp.MustCompile(`\b(?:call_function\s*\(?\s*:?['"]?|function_)((?:\w+::)*\w+)`)
	rubyCrypts  = regexp.MustCompile(`(?i)(?:\b|_)(?:en|de)crypt`)
	rubyTypes   = regexp.MustCompile(`\b[A-Z]\w*(?:::[A-Z]\w*)+`)
)
