package outline

import (
	"regexp"
	"strings"

	"bunraku/puppet/syntax"
	"bunraku/source"
)

// Names that a function puts together of texts which stand there: join(['web', 'x'], '::').

// Put is the text that a call of such a function comes to, with a Hole for what is computed; "" if that is not known.
func Put(f *syntax.File, function string, args []syntax.Expr) (text string) {
	if function == "join" || function == "sprintf" {
		n := &namer{file: f}
		if !n.puts(function, args, source.Span{}, nil, func(t string, _ source.Span) { text = t }) {
			return ""
		}
	}
	return text
}

// puts calls f for the texts that a call of such a function comes to, which stand nowhere as they are; it reports
// whether these are all.
func (n *namer) puts(function string, args []syntax.Expr, at source.Span, s *scope,
	f func(text string, at source.Span)) (all bool) {
	if len(args) == 0 {
		return false
	}
	known := func(text string) bool {
		is := strings.Trim(text, string(Hole)+":/") != ""
		if is {
			f(text, at)
		}
		return is
	}
	switch function {
	case "sprintf":
		if format, is := args[0].(*syntax.Str); is {
			text := formatted.ReplaceAllString(format.Value, string(Hole))
			if strings.Trim(text, string(Hole)+":/") != "" {
				if strings.IndexByte(text, Hole) < 0 {
					at = n.inside(format, format.Value)
				}
				f(text, at)
				return true
			}
		}
	case "join":
		list, is := args[0].(*syntax.List)
		if v, variable := args[0].(*syntax.Var); variable {
			x, only := s.written(v.Name)
			list, is = x.(*syntax.List)
			is = is && only
		}
		between := ""
		if len(args) > 1 {
			between = n.plainText(args[1], s)
		}
		if is {
			var texts []string
			for _, x := range list.Elems {
				texts = append(texts, n.plainText(x, s))
			}
			return known(strings.Join(texts, between))
		}
	case "regsubst":
		if len(args) < 3 {
			return false
		}
		text, with := n.plainText(args[0], s), n.plainText(args[2], s)
		pattern := n.plainText(args[1], s)
		if re, is := args[1].(*syntax.Regexp); is {
			pattern = re.Source
		}
		re, err := regexp.Compile(pattern)
		if err != nil || strings.ContainsRune(text+with+pattern, Hole) {
			return false
		}
		with = backReference.ReplaceAllString(strings.ReplaceAll(with, "$", "$$"), "$${$1}")
		if every := len(args) > 3 && strings.Contains(n.plainText(args[3], s), "G"); every {
			return known(re.ReplaceAllString(text, with))
		}
		if m := re.FindStringSubmatchIndex(text); m != nil {
			text = text[:m[0]] + string(re.ExpandString(nil, with, text, m)) + text[m[1]:]
		}
		return known(text)
	case "downcase", "strip", "lstrip", "rstrip", "chomp", "String":
		text := n.plainText(args[0], s)
		if function == "downcase" {
			text = strings.ToLower(text)
		}
		return known(strings.TrimSpace(text))
	}
	return false
}

// backReference is what a group has matched, in what regsubst puts in.
var backReference = regexp.MustCompile(`\\(\d)`)

// plainText is the text that an expression comes to, with a Hole for what is computed.
func (n *namer) plainText(e syntax.Expr, s *scope) string {
	switch e := e.(type) {
	case *syntax.Str:
		return e.Value
	case *syntax.Name:
		return e.Value
	case *syntax.Paren:
		return n.plainText(e.X, s)
	case *syntax.Interpolated:
		return n.joined(e, s)
	case *syntax.Var:
		if x, only := s.written(e.Name); only {
			if text, is := x.(*syntax.Str); is {
				return text.Value
			}
		}
	}
	return string(Hole)
}
