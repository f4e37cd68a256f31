package lint

import (
	"regexp"
	"strings"
)

// Checks of the attributes of resources.

func selectorInsideResource(f *file) {
	for _, r := range f.indexResources() {
		r.within(f, func(t *token) bool {
			if t.kind == farrow && t.nextCode.is(variable) && t.nextCode.nextCode.is(qmark) {
				f.warn(t, "selector inside resource block")
			}
			return true
		})
	}
}

func duplicateParams(f *file) {
	for _, r := range f.indexResources() {
		seen := map[int]map[string]bool{}
		level := 0
		r.within(f, func(t *token) bool {
			switch t.kind {
			case lbrace:
				level++
			case rbrace:
				delete(seen, level)
				level--
			case farrow:
				p := t.prevCode
				if !p.is(name) {
					break
				}
				if seen[level] == nil {
					seen[level] = map[string]bool{}
				}
				if seen[level][p.value] {
					f.fail(p, "duplicate parameter found in resource")
				}
				seen[level][p.value] = true
			}
			return true
		})
	}
}

func ensureFirstParam(f *file) {
	for _, r := range f.indexResources() {
		if r.of.is(wordClass) {
			continue
		}
		for i, p := range r.params {
			if p.value != "ensure" {
				continue
			}
			if i > 0 {
				f.warn(p, "ensure found on line but it's not the first attribute").fix = func() bool {
					return f.ensureFirst(r.params[0])
				}
			}
			break
		}
	}
}

// ensureFirst swaps the first attribute, up to its comma, with ensure.
func (f *file) ensureFirst(first *token) bool {
	firstComma := f.after(first, comma)
	var ensure *token
	for ensure = f.after(firstComma, name); ensure != nil && ensure.value != "ensure"; {
		ensure = f.after(ensure, name)
	}
	ensureComma := f.after(ensure, comma, semic)
	if firstComma == nil || ensure == nil || ensureComma == nil {
		return false
	}
	a, b := f.indexOf(first), f.indexOf(firstComma)
	c, d := f.indexOf(ensure), f.indexOf(ensureComma)
	if a < 0 || b < a || c < b || d < c {
		return false
	}
	first.prev, ensure.prev = ensure.prev, first.prev
	first.prevCode, ensure.prevCode = ensure.prevCode, first.prevCode
	next := firstComma.next
	moved := ensureComma.next
	ensureComma.next = next
	if moved != nil {
		ensureComma.nextCode = moved.nextCode
	}
	var out []*token
	out = append(out, f.tokens[:a]...)
	out = append(out, f.tokens[c:d]...)
	out = append(out, f.tokens[b:c]...)
	out = append(out, f.tokens[a:b]...)
	f.tokens = append(out, f.tokens[d:]...)
	return true
}

// valueOf is what stands behind the arrow of an attribute.
func valueOf(param *token) *token {
	if param.nextCode == nil {
		return nil
	}
	return param.nextCode.nextCode
}

func ensureNotSymlinkTarget(f *file) {
	for _, r := range f.indexResources() {
		if r.of.text() != "file" {
			continue
		}
		for _, p := range r.params {
			v := valueOf(p)
			if p.value != "ensure" || !strings.HasPrefix(v.text(), "/") {
				continue
			}
			f.warn(v, "symlink target specified in ensure attr").fix = func() bool {
				i := f.indexOf(v)
				if i < 0 || p.prev == nil {
					return false
				}
				for _, t := range []*token{
					{kind: whitespace, value: " "}, {kind: farrow, value: "=>"}, {kind: whitespace, value: " "},
					{kind: name, value: "target"}, {kind: indent, value: p.prev.value}, {kind: newline, value: "\n"},
					{kind: comma, value: ","}, {kind: name, value: "symlink"},
				} {
					f.slip(i, t)
				}
				return true
			}
		}
	}
}

var (
	fileMode    = regexp.MustCompile(`\A([0-7]{4}|([ugoa]*[-=+][-=+rstwxXugo]*)(,[ugoa]*[-=+][-=+rstwxXugo]*)*)\n?\z`)
	threeDigits = regexp.MustCompile(`\A[0-7]{3}\n?\z`)
)

// modes visits what the modes of files are set to. visit returns false to leave out the rest of a resource.
func (f *file) modes(visit func(v *token) bool) {
	for _, r := range f.indexResources() {
		if of := r.of.text(); of != "file" && of != "concat" {
			continue
		}
		for _, p := range r.params {
			if v := valueOf(p); p.value == "mode" && v != nil && !visit(v) {
				break
			}
		}
	}
}

func fileModes(f *file) {
	f.modes(func(v *token) bool {
		if v.is(variable, wordUndef, functionName) || fileMode.MatchString(v.value) {
			return false // what follows in this resource is not looked at
		}
		f.warn(v, "mode should be represented as a 4 digit octal value or symbolic mode").fix = func() bool {
			if !threeDigits.MatchString(v.value) {
				return false
			}
			v.kind, v.value = sstring, "0"+v.value
			return true
		}
		return true
	})
}

func unquotedFileMode(f *file) {
	f.modes(func(v *token) bool {
		if v.is(name, number) {
			f.warn(v, "unquoted file mode").fix = becomes(v, sstring)
		}
		return true
	})
}

func unquotedResourceTitle(f *file) {
	for _, t := range f.titles() {
		if t.kind == name {
			f.warn(t, "unquoted resource title").fix = becomes(t, sstring)
		}
	}
}

// Checks of Vox Pupuli's plugins.

func anchorResource(f *file) {
	for _, r := range f.indexResources() {
		if r.of.text() == "anchor" {
			f.warn(r.of, "manifest includes anchor resource")
		}
	}
}

func execIdempotency(f *file) {
	for _, r := range f.indexResources() {
		if r.of.text() != "exec" {
			continue
		}
		found := false
		for n := f.after(r.colon, name, wordUnless); r.has(f, n) && !found; n = f.after(n, name, wordUnless) {
			if n.nextCode.is(farrow) {
				switch n.value {
				case "onlyif", "unless", "creates", "refreshonly":
					found = true
				}
			}
		}
		if !found {
			f.warn(r.colon, "exec without idempotency. set at least one of the attributes: onlyif, unless, creates, refreshonly")
		}
	}
}

// ensures visits what the first ensure of each resource of a type is set to, if that is a plain word.
func (f *file) ensures(of, is string, visit func(r *resource, v *token)) {
	for _, r := range f.indexResources() {
		if r.of.text() != of {
			continue
		}
		r.within(f, func(t *token) bool {
			if t.kind != name || t.value != "ensure" || !t.nextCode.is(farrow) {
				return true
			}
			if v := valueOf(t); v.is(name, str, sstring) && v.value == is {
				visit(&r, v)
			}
			return false
		})
	}
}

func fileEnsure(f *file) {
	f.ensures("file", "present", func(r *resource, v *token) {
		link := false
		r.within(f, func(t *token) bool {
			link = link || t.kind == name && t.value == "target" && t.nextCode.is(farrow)
			return !link
		})
		f.warn(v, "ensure set to present on file resource").fix = func() bool {
			if v.value = "file"; link {
				v.value = "link"
			}
			return true
		}
	})
}

func packageEnsure(f *file) {
	f.ensures("package", "latest", func(_ *resource, v *token) {
		f.warn(v, "ensure set to latest on a package resource").fix = func() bool {
			v.value = "installed"
			return true
		}
	})
}

// references visits the first token in the brackets of each reference in the metaparameters of resources.
func (f *file) references(visit func(t *token)) {
	for _, r := range f.indexResources() {
		params := map[*token]bool{}
		for _, p := range r.params {
			params[p] = true
		}
		for _, p := range r.params {
			switch p.value {
			case "require", "subscribe", "notify", "before", "consume", "export":
			default:
				continue
			}
			for t := p.nextCode.next; r.has(f, t) && !params[t]; t = t.next {
				f.spend(1)
				if t.kind == classRef && t.next.is(lbrack) && t.next.next != nil {
					visit(t.next.next)
				}
			}
		}
	}
}

func referenceWithUnquotedTitle(f *file) {
	f.references(func(t *token) {
		if t.kind == name {
			f.fail(t, "unquoted title in resource reference").fix = becomes(t, sstring)
		}
	})
}

func referenceWithoutTitleCapital(f *file) {
	f.references(func(t *token) {
		if t.kind == classRef {
			f.fail(t, "resource reference with title with capital letter")
		}
	})
}

func (f *file) spacedReferences(k kind) {
	for _, t := range f.tokens {
		if t.kind == k && t.next.is(whitespace) && t.nextCode.is(lbrack) {
			f.fail(t, "whitespce between reference type and title")
		}
	}
}

// referenceWithoutWhitespace is about files that declare a resource.
func referenceWithoutWhitespace(f *file) {
	if len(f.indexResources()) > 0 {
		f.spacedReferences(classRef)
	}
}

func referenceChainWithoutWhitespace(f *file) { f.spacedReferences(typeName) }
