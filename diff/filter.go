package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/value"
	"bunraku/source"

	"go.yaml.in/yaml/v3"
)

// A Filter leaves out changes that make no difference to some machines, as octocatalog-diff's filters do.
type Filter func(c *Change) bool

var filters = map[string]Filter{
	"AbsentFile":                 absentFile,
	"EquivalentArrayNoDatatypes": equivalentArray,
	"JSON":                       sameData(regexp.MustCompile(`(?i)\.json$`), readJSON),
	"SingleItemArray":            singleItem,
	"YAML":                       sameData(regexp.MustCompile(`\.ya?ml$`), readYAML),
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
func absentFile(c *Change) bool {
	if c.Name.Type != "File" || c.Kind != Attribute || c.Attribute == "ensure" {
		return false
	}
	e, _ := c.new.Get("ensure").(value.String)
	return e == "absent"
}

// singleItem leaves out a value that became a list of only itself, or the other way round.
func singleItem(c *Change) bool {
	if c.Kind != Attribute {
		return false
	}
	one := func(list, v value.Value) bool {
		a, is := list.(*value.Array)
		_, both := v.(*value.Array)
		return is && !both && v != nil && a.Len() == 1 && same("", a.Elems[0], v)
	}
	return one(c.Old, c.New) || one(c.New, c.Old)
}

// equivalentArray leaves out lists whose elements are the same numbers and texts, however they are written.
func equivalentArray(c *Change) bool {
	a, isA := c.Old.(*value.Array)
	b, isB := c.New.(*value.Array)
	return c.Kind == Attribute && isA && isB && slices.EqualFunc(a.Elems, b.Elems, func(x, y value.Value) bool {
		if same("", x, y) {
			return true
		}
		m, n := rational(x), rational(y)
		return m != nil && n != nil && m.Cmp(n) == 0
	})
}

var numeral = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// rational is the number that a value is, or is written as; nil for others.
func rational(v value.Value) *big.Rat {
	switch v.(type) {
	case value.Int, value.Float, value.String:
		if text := value.ToString(v); numeral.MatchString(text) {
			r, _ := new(big.Rat).SetString(text)
			return r
		}
	}
	return nil
}

// sameData leaves out a change of a file's text after which it holds the same data.
func sameData(name *regexp.Regexp, read func(string) (any, error)) Filter {
	return func(c *Change) bool {
		if c.Name.Type != "File" || c.Attribute != "content" || c.Kind != Attribute && c.Kind != ModuleFile || c.Secret {
			return false
		}
		old, isOld := c.Old.(value.String)
		new, isNew := c.New.(value.String)
		if !isOld || !isNew || !name.MatchString(c.fileName()) {
			return false
		}
		x, err := read(string(old))
		if err != nil {
			return false
		}
		y, err := read(string(new))
		return err == nil && reflect.DeepEqual(x, y)
	}
}

// fileName is the name of the file that a change is about.
func (c *Change) fileName() string {
	if c.File != "" {
		return c.File
	}
	if p, is := c.new.Get("path").(value.String); is {
		return string(p)
	}
	return c.Name.Title
}

func readJSON(text string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	if err = d.Decode(&v); err == nil && d.More() {
		err = fmt.Errorf("more than one value")
	}
	return v, err
}

func readYAML(text string) (v any, err error) {
	err = yaml.NewDecoder(bytes.NewReader([]byte(text))).Decode(&v)
	return v, err
}
