package diff

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Texts that hold data are told apart by what a program reads from them: each value has a name, and equal values have
// equal names, whatever the order of keys and however a number is written. To Ruby 1 is 1.0.

// textName, numberName and so on are the names of values.
func textName(s string) string { return "s" + s }

func listName(items []string) string { return digested("[", items) }

func mapName(entries map[string]string) string {
	pairs := make([]string, 0, len(entries))
	for k, v := range entries {
		pairs = append(pairs, digested(":", []string{k, v}))
	}
	slices.Sort(pairs)
	return digested("{", pairs)
}

// digested is a name that is not longer for what is in it.
func digested(kind string, items []string) string {
	var k key
	for _, i := range items {
		k.part(i)
	}
	sum := sha256.Sum256([]byte(k.String()))
	return kind + string(sum[:])
}

// numberName is that of a number in decimal digits; false if it is none, or none that a machine has.
func numberName(text string) (string, bool) {
	text = strings.TrimPrefix(text, "+")
	if i, ok := new(big.Int).SetString(text, 10); ok {
		return "n" + i.String(), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", false
	}
	return "n" + new(big.Rat).SetFloat64(f).RatString(), true
}

// jsonComments are what Ruby's JSON reads over; texts come first, so that what looks like one in them is none.
var jsonComments = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/`)

// jsonData names what a text of JSON holds.
func jsonData(text string) (string, error) {
	d := json.NewDecoder(strings.NewReader(jsonComments.ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '"' {
			return s
		}
		return " "
	})))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		return "", err
	}
	return jsonName(v)
}

func jsonName(v any) (name string, err error) {
	switch v := v.(type) {
	case string:
		return textName(v), nil
	case json.Number:
		name, ok := numberName(v.String())
		if !ok {
			err = errors.New("no such number")
		}
		return name, err
	case []any:
		items := make([]string, len(v))
		for i, e := range v {
			if items[i], err = jsonName(e); err != nil {
				return "", err
			}
		}
		return listName(items), nil
	case map[string]any:
		entries := make(map[string]string, len(v))
		for k, e := range v {
			if entries[textName(k)], err = jsonName(e); err != nil {
				return "", err
			}
		}
		return mapName(entries), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "null", nil
}

// yamlData names what a text of YAML holds, all of its documents.
func yamlData(text string) (string, error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	r := yamlNames{}
	var docs []string
	for {
		var n yaml.Node
		if err := d.Decode(&n); err == io.EOF {
			return listName(docs), nil
		} else if err != nil {
			return "", err
		}
		name, err := r.name(&n)
		if err != nil {
			return "", err
		}
		docs = append(docs, name)
	}
}

// yamlNames are the names of nodes that have one: an alias is the node that it stands for.
type yamlNames map[*yaml.Node]string

func (r yamlNames) name(n *yaml.Node) (string, error) {
	if name, known := r[n]; known {
		if name == "" {
			return "", errors.New("it holds itself")
		}
		return name, nil
	}
	r[n] = ""
	name, err := r.read(n)
	r[n] = name
	return name, err
}

func (r yamlNames) read(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.AliasNode:
		return r.name(n.Alias)
	case yaml.ScalarNode:
		if n.Style&yaml.TaggedStyle != 0 {
			return digested("!", []string{n.Tag, n.Value}), nil
		}
		if n.Style != 0 { // in quotes, or a block
			return textName(n.Value), nil
		}
		return plainName(n.Value), nil
	}
	items := make([]string, len(n.Content))
	for i, c := range n.Content {
		name, err := r.name(c)
		if err != nil {
			return "", err
		}
		items[i] = name
	}
	if n.Style&yaml.TaggedStyle != 0 {
		return digested("!"+n.Tag, items), nil
	}
	if n.Kind != yaml.MappingNode {
		return listName(items), nil
	}
	entries := make(map[string]string, len(items)/2)
	for i := 0; i < len(items); i += 2 {
		entries[items[i]] = items[i+1]
	}
	return mapName(entries), nil
}

var (
	yamlNull    = regexp.MustCompile(`^(~|null|Null|NULL|)$`)
	yamlTrue    = regexp.MustCompile(`(?i)^(yes|true|on)$`)
	yamlFalse   = regexp.MustCompile(`(?i)^(no|false|off)$`)
	yamlDecimal = regexp.MustCompile(`^[-+]?(0|[1-9]([0-9]|[,_][0-9])*)(\.[0-9]+([eE][-+]?[0-9]+)?)?$`)
	yamlBased   = regexp.MustCompile(`^[-+]?0(b[01_,]+|x[0-9a-fA-F_,]+|[0-7_,]+)$`)
	yamlOther   = regexp.MustCompile(`^([-+]?\.?[0-9]|:|[-+]?\.[a-zA-Z]|<<$|=$)`)
)

// plainName is the name of what stands without quotes, as Ruby reads it. What is a date, a symbol or a rare sort of
// number is equal only to what is written the same.
func plainName(text string) string {
	digits := strings.NewReplacer("_", "", ",", "").Replace(text)
	switch {
	case yamlNull.MatchString(text):
		return "null"
	case yamlTrue.MatchString(text):
		return "true"
	case yamlFalse.MatchString(text):
		return "false"
	case yamlDecimal.MatchString(text):
		if name, ok := numberName(digits); ok {
			return name
		}
	case yamlBased.MatchString(text):
		if i, ok := new(big.Int).SetString(digits, 0); ok {
			return "n" + i.String()
		}
	case !yamlOther.MatchString(text):
		return textName(text)
	}
	return "plain " + text
}
