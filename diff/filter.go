package diff

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Filter leaves out entries that make no difference to some machines, as octocatalog-diff's filters do. It is given
// all that is left when its turn comes.
type Filter func(left []*entry) (out func(e *entry) bool)

var filters = map[string]Filter{
	"AbsentFile":                 absentFile,
	"EquivalentArrayNoDatatypes": each(equivalentArray),
	"JSON":                       each(sameData(regexp.MustCompile(`(?i)\.json$`), jsonData)),
	"SingleItemArray":            each(singleItem),
	"YAML":                       each(sameData(regexp.MustCompile(`\.ya?ml$`), yamlData)),
}

// each is a filter that looks at values, at one entry at a time.
func each(out func(e *entry) bool) Filter {
	return func([]*entry) func(*entry) bool {
		return func(e *entry) bool { return (e.c.Kind == Attribute || e.c.Kind == ModuleFile) && out(e) }
	}
}

// ParseFilters finds filters by their names, which may be separated by commas.
func ParseFilters(names []string) (out []Filter, err error) {
	for _, text := range names {
		for name := range strings.SplitSeq(text, ",") {
			f := filters[strings.TrimSpace(name)]
			if f == nil {
				known := keys(filters)
				near := source.Nearest(name, known)
				if near == "" {
					near = strings.Join(known, ", ")
				} else {
					near = "did you mean " + near + "?"
				}
				return nil, fmt.Errorf("there is no filter %s: %s", name, near)
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// absentFile leaves out what else changes of a file that is to be removed.
func absentFile(left []*entry) func(e *entry) bool {
	isFile := func(e *entry) bool {
		return e.name.Type == "File" && len(e.path) > 1 && (e.c.Kind == Attribute || e.c.Kind == ModuleFile)
	}
	removed := map[catalog.Name]bool{}
	for _, e := range left {
		if isFile(e) && len(e.path) == 2 && e.path[1] == "ensure" {
			switch e.new {
			case value.String("absent"), value.String("false"), value.Bool(false):
				removed[e.name] = true
			}
		}
	}
	return func(e *entry) bool {
		return isFile(e) && removed[e.name] &&
			!slices.Contains([]string{"ensure", "backup", "force", "provider"}, e.path[len(e.path)-1])
	}
}

// singleItem leaves out a value that became a list of only itself, or the other way round.
func singleItem(e *entry) bool {
	one := func(list, v value.Value) bool {
		a, is := list.(*value.Array)
		_, both := v.(*value.Array)
		if !is || both || a.Len() != 1 {
			return false
		}
		x, y := number(a.Elems[0]), number(v)
		return x != nil && y != nil && x.Cmp(y) == 0 || missing(a.Elems[0]) && missing(v) || same("", a.Elems[0], v)
	}
	return one(e.old, e.new) || one(e.new, e.old)
}

// equivalentArray leaves out lists whose elements are the same numbers and texts, however they are written.
func equivalentArray(e *entry) bool {
	equal := func(x, y value.Value) bool {
		m, n := rational(x), rational(y)
		return m != nil && n != nil && m.Cmp(n) == 0 || same("", x, y)
	}
	old, new := e.old, e.new
	if n := len(e.steps); n > 0 && e.steps[n-1].list { // the elements of the list are told one by one
		old, new = dig(e.c.Old, e.steps[:n-1], 0), dig(e.c.New, e.steps[:n-1], 1)
	}
	a, isA := old.(*value.Array)
	b, isB := new.(*value.Array)
	return isA && isB && slices.EqualFunc(a.Elems, b.Elems, equal)
}

var numeral = regexp.MustCompile(`^-?(\d*\.)?\d+$`)

// rational is the number that a value is, or is written as; nil for others.
func rational(v value.Value) *big.Rat {
	if s, text := v.(value.String); text && numeral.MatchString(string(s)) {
		r, _ := new(big.Rat).SetString(string(s))
		return r
	}
	return number(v)
}

// number is the number that a value is; nil for others.
func number(v value.Value) *big.Rat {
	switch v := v.(type) {
	case value.Int:
		return new(big.Rat).SetInt64(int64(v))
	case value.Float:
		return new(big.Rat).SetFloat64(float64(v))
	}
	return nil
}

// sameData leaves out a change of a file's text after which it holds the same data.
func sameData(name *regexp.Regexp, read func(string) (string, error)) func(e *entry) bool {
	return func(e *entry) bool {
		c := e.c
		if e.name.Type != "File" || len(e.path) != 2 || e.path[1] != "content" || c.Secret {
			return false
		}
		old, isOld := e.old.(value.String)
		new, isNew := e.new.(value.String)
		if !isOld || !isNew || !name.MatchString(c.fileName()) {
			return false
		}
		x, err := read(string(old))
		if err != nil {
			return false
		}
		y, err := read(string(new))
		return err == nil && x == y
	}
}

// fileName is the name of the file that a change is about.
func (c *Change) fileName() string {
	if c.File != "" {
		return c.File
	}
	if path := pathOf(c.new); path != "" {
		return path
	}
	return c.Name.Title
}
