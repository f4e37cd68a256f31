package resource

import (
	"regexp"
	"strings"
)

var (
	newAttribute = regexp.MustCompile(`^\s*(newparam|newproperty)\s*\(?\s*:(\w+)(.*)$`)
	namesType    = regexp.MustCompile(`:?(?:is)?namevar\b\s*(?:=>|:)\s*:?true`)
	isNamevar    = regexp.MustCompile(`^\s*isnamevar\b`)
)

// ReadRuby reads what a type's Ruby source says plainly: the names of its properties and parameters, and which of them are namevars. The
// source is not run, so there may be more than is seen: the type is Open.
func ReadRuby(name, text string) *Type {
	t := &Type{Name: name, Isomorphic: !strings.Contains(text, "@isomorphic = false"), Open: true}
	last := ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := newAttribute.FindStringSubmatch(line); m != nil {
			last = m[2]
			if m[1] == "newproperty" {
				t.Properties = append(t.Properties, Attribute{Name: last})
			} else {
				t.Params = append(t.Params, Attribute{Name: last})
			}
			if namesType.MatchString(m[3]) {
				t.Namevars = append(t.Namevars, last)
			}
			continue
		}
		if last != "" && isNamevar.MatchString(line) {
			t.Namevars = append(t.Namevars, last)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "ensurable") {
			t.Ensurable = true
		}
	}
	if len(t.Namevars) == 0 {
		t.Namevars = []string{"name"}
	}
	return t
}
