package datafile

import (
	"errors"
	"strconv"
	"strings"

	"bunraku/puppet/value"
	"bunraku/source"
)

// Set is the text of a data file in which a key of the top level, or a dotted path to an entry that is there, has
// another value, given as YAML. The rest of the text stays as it is.
func Set(f *source.File, key, text string) (string, error) {
	n, err := ReadYAML(source.NewFile("the value", text))
	if err != nil {
		return "", err
	}
	var v value.Value = value.Undef{}
	if n != nil {
		v = n.Value
	}
	flow, err := Flow(v)
	if err != nil {
		return "", err
	}
	json := strings.HasSuffix(f.Name, ".json")
	root, err := ReadYAML(f)
	if json {
		root, err = ReadJSON(f)
	}
	if err != nil {
		return "", err
	}
	if root != nil {
		at := root.Entry(key)
		if at == nil && strings.Contains(key, ".") {
			at = root
			for _, step := range strings.Split(key, ".") {
				at = at.Step(step)
			}
		}
		if at != nil {
			if at.shared || at.Span.Start >= at.Span.End {
				return "", errors.New("the value is an alias, or empty: it cannot be put in its place")
			}
			end := ""
			if strings.HasSuffix(f.Slice(at.Span), "\n") {
				end = "\n"
			}
			return f.Text[:at.Span.Start] + flow + end + f.Text[at.Span.End:], nil
		}
	}
	entry := strconv.Quote(key) + ": " + flow
	trimmed := strings.TrimRight(f.Text, " \n")
	if body, is := strings.CutSuffix(trimmed, "}"); is && (json ||
		strings.HasPrefix(strings.TrimLeft(trimmed, "- \n"), "{")) {
		body = strings.TrimRight(body, " \n")
		if !strings.HasSuffix(body, "{") {
			body += ","
		}
		return body + " " + entry + "}\n", nil
	}
	if trimmed != "" {
		trimmed += "\n"
	}
	return trimmed + entry + "\n", nil
}

// Flow writes a value in YAML's flow style, which JSON reads as well.
func Flow(v value.Value) (string, error) {
	switch v := v.(type) {
	case value.String:
		var b strings.Builder
		b.WriteByte('"')
		for _, r := range string(v) {
			switch {
			case r == '"' || r == '\\':
				b.WriteByte('\\')
				b.WriteRune(r)
			case r < 0x20 || r == 0x7f:
				b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(r), 16)[1:])
			default:
				b.WriteRune(r)
			}
		}
		return b.String() + `"`, nil
	case *value.Array:
		parts := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			var err error
			if parts[i], err = Flow(e); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	case *value.Hash:
		parts := make([]string, 0, v.Len())
		for _, e := range v.Entries() {
			key, err := Flow(value.String(value.ToString(e.Key)))
			if err != nil {
				return "", err
			}
			val, err := Flow(e.Value)
			if err != nil {
				return "", err
			}
			parts = append(parts, key+": "+val)
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	case value.Bool, value.Int, value.Float:
		return value.ToString(v), nil
	case value.Undef:
		return "null", nil
	}
	return "", errors.New("the value is none that data can have")
}
