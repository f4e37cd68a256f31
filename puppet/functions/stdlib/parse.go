package stdlib

import (
	"errors"

	"bunraku/puppet/eval"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A reader makes data of a text.
type reader func(string) (value.Value, error)

// parsers are the 3.x functions that read data: anything wrong gives the default, if there is one.
func parsers() []old {
	return []old{
		{"parsejson", "Reads JSON.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) { return parseOld(c, readJSON) }},
		{"parseyaml", "Reads YAML.", eval.Pure, -1, func(c *eval.Call) (value.Value, error) { return parseOld(c, readYAML) }},
	}
}

func parseOld(c *eval.Call, read reader) (value.Value, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("Wrong number of arguments. 1 or 2 arguments should be provided.")
	}
	s, is := c.Args[0].(value.String)
	if !is {
		return orDefault(c, nil, noConversion(c.Args[0], "String"))
	}
	v, err := read(string(s))
	return orDefault(c, v, err)
}

// orDefault is Ruby's `v || default`, and the default in place of an error.
func orDefault(c *eval.Call, v value.Value, err error) (value.Value, error) {
	switch {
	case err != nil && !truthy(c, 1):
		return nil, err
	case err != nil || !value.Truthy(value.OrUndef(v)):
		return c.Arg(1), nil
	}
	return v, nil
}

// wording is an error's message without the file that we gave it.
func wording(err error) error {
	var d *source.Diagnostic
	if errors.As(err, &d) {
		return errors.New(d.Summary)
	}
	return err
}

func readNode(n *datafile.Node, err error) (value.Value, error) {
	if err != nil {
		return nil, wording(err)
	}
	if n == nil {
		return value.Bool(false), nil // Psych's answer to a text without a document
	}
	return n.Value, nil
}

func textFile(s string) *source.File { return source.NewFile("<unknown>", s) }

func readJSON(s string) (value.Value, error) { return readNode(datafile.ReadJSON(textFile(s))) }
func readYAML(s string) (value.Value, error) { return readNode(datafile.ReadYAML(textFile(s))) }

// A hoconFault is an error of Ruby's HOCON library that it does not count among those of the text: no default helps.
type hoconFault string

func (e hoconFault) Error() string { return string(e) }

func readHOCON(s string) (value.Value, error) {
	n, err := datafile.ReadHOCON(textFile(s))
	var d *source.Diagnostic
	if errors.As(err, &d) && d.Code == datafile.HOCONFault {
		return nil, hoconFault(d.Summary)
	}
	return readNode(n, err)
}

// newParsers are the 4.x ones.
func newParsers(prefix string) []*eval.Function {
	parse := func(name, doc, signature, first string, read reader) *eval.Function {
		return new4(name, doc, eval.Pure, signature, []string{first, "default"}, func(c *eval.Call) (value.Value, error) {
			v, err := read(text(c.Args[0]))
			var odd hoconFault
			if err != nil && len(c.Args) > 1 && !errors.As(err, &odd) {
				return c.Args[1], nil
			}
			return v, err
		})
	}
	out := []*eval.Function{
		parse(prefix+"parsehocon", "Reads HOCON.", "Callable[String, Any, 1, 2]", "hocon_string", readHOCON),
	}
	if prefix == "" {
		out = append(out, parse("parsepson", "Reads PSON, Puppet's JSON.", "Callable[String[1], Any, 1, 2]", "pson_string",
			readPSON))
	}
	return out
}
