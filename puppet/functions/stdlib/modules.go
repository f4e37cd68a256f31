package stdlib

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"path"
	"strings"
	"time"

	"bunraku/provenance"
	"bunraku/puppet/eval"
	"bunraku/puppet/functions"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// ---- archive

func nexusURL() old {
	return old{"assemble_nexus_url", "The URL of an artifact in a Nexus repository.", eval.Pure, -1,
		func(c *eval.Call) (value.Value, error) {
			var parts []string
			h, is := c.Arg(1).(*value.Hash)
			if value.IsUndef(c.Arg(1)) {
				h, is = value.EmptyHash, true
			}
			if !is {
				return nil, noMethod("to_a", c.Arg(1))
			}
			for _, e := range h.Entries() {
				s, is := e.Value.(value.String)
				if !is {
					return nil, noMethod("gsub", e.Value)
				}
				parts = append(parts, text(e.Key)+"="+strings.ReplaceAll(percent(string(s), "*-._ "), " ", "+"))
			}
			return value.String(text(c.Arg(0)) + "/service/local/artifact/maven/content?" + strings.Join(parts, "&")), nil
		}}
}

var artifactory = onigmo.MustCompile(`(?x:
	(?<base_url>.*/artifactory) / (?<repository>[^/]+) / (?<org_path>.+?) / (?<module>[^/]+) / (?<base_rev>[^/]+?) (?:-(?<folder_iteg_rev>SNAPSHOT))? /
	\k<module>-\k<base_rev> (?:-(?<file_iteg_rev>SNAPSHOT|(?:(?:[0-9]{8}.[0-9]{6})-(?:[0-9]+))))? (?:-(?<classifier>[^/]+?))? \. (?<ext>(?:(?!\d))[^\-/]+|7z) )`)

func artifactoryURL() *eval.Function {
	const name, doc = "archive::parse_artifactory_url", "The parts of the URL of an artifact in Artifactory."
	return &eval.Function{Name: name, Doc: doc, Raw: func(c *eval.Call) (value.Value, error) {
		t, err := c.Eval.ParseType("Callable[Variant[Stdlib::HTTPUrl, Stdlib::HTTPSUrl]]")
		if err != nil {
			return nil, err
		}
		if err := accepted(c, t, []string{"url"}); err != nil {
			return nil, err
		}
		m := groups(artifactory, text(c.Args[0]))
		if m == nil {
			return nil, nil
		}
		loc, err := artifactory.Find(text(c.Args[0]), 0)
		b := value.NewHashBuilder(9)
		for i, n := range artifactory.Names() {
			switch {
			case n == "":
			case loc[2*i] < 0:
				b.SetString(n, value.Undef{})
			default:
				b.SetString(n, value.String(m[i]))
			}
		}
		return b.Hash(), err
	}}
}

// ---- collectd, datacat, dns, mcollective

func collectdProcesses() old {
	return old{"collectd_convert_processes", "Makes a hash of an array of processes.", eval.Pure, 1,
		func(c *eval.Call) (value.Value, error) {
			if h, is := c.Args[0].(*value.Hash); is {
				return h, nil
			}
			a, is := c.Args[0].(*value.Array)
			if !is {
				return nil, parseErrorf("convert_process_array(): Needs an array as argument")
			}
			out := value.NewHashBuilder(a.Len())
			for i, e := range a.Elems {
				switch p := e.(type) {
				case value.String:
					out.SetEntry(value.Entry{Key: p, Value: value.EmptyHash, KeyRef: a.Ref(i), Ref: a.Ref(i)})
				case *value.Hash:
					rest := p.From(0)
					rest.Delete(value.String("name"))
					out.SetEntry(value.Entry{Key: p.At("name"), Value: rest.Hash(), KeyRef: a.Ref(i), Ref: a.Ref(i)})
				default:
					return nil, parseErrorf("convert_process_array(): array element must be string or hash")
				}
			}
			return out.Hash(), nil
		}}
}

func templateBody() old {
	return old{"template_body", "The text of templates, without rendering them.", eval.Observer, -1,
		func(c *eval.Call) (value.Value, error) {
			w, _ := c.Eval.World().(functions.Files)
			var b strings.Builder
			var parts []provenance.Ref
			for _, a := range c.Args {
				at, found := "", false
				if w != nil {
					at, found = w.FindTemplate(text(a))
				}
				if !found {
					return nil, parseErrorf("Could not find template '%s'", text(a))
				}
				content, err := w.ReadFile(at)
				if err != nil {
					return nil, err
				}
				parts = append(parts, functions.Present(c, at))
				b.Write(content)
			}
			c.Ref = functions.Computed(c, append(parts, functions.Everything(c))...)
			return value.String(b.String()), nil
		}}
}

func arpa() old {
	return old{"get_in_addr_arpa", "The name of an address in the domain in-addr.arpa.", eval.Pure, -1,
		func(c *eval.Call) (value.Value, error) {
			s, is := c.Arg(0).(value.String)
			if !is {
				return nil, noMethod("split", c.Arg(0))
			}
			parts := functions.SplitText(string(s), ".")
			for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
				parts[i], parts[j] = parts[j], parts[i]
			}
			return value.String(strings.Join(parts, ".") + ".in-addr.arpa"), nil
		}}
}

func date() old {
	return old{"date", "The seconds since 1970, as a text. A catalog that has it is another one each time.", eval.Observer,
		-1, func(c *eval.Call) (value.Value, error) {
			c.Ref = randomly(c, "clock")
			return value.String(fmt.Sprint(time.Now().Unix())), nil
		}}
}

func mcoStrings() old {
	return old{"mco_array_to_string", "Makes texts of the elements of an array.", eval.Pure, -1,
		func(c *eval.Call) (value.Value, error) {
			a, is := c.Arg(0).(*value.Array)
			if !is {
				return nil, argumentError("Expected an array, but got a " + class(c.Arg(0)))
			}
			b := value.NewArrayBuilder(a.Len())
			for i, e := range a.Elems {
				b.AddRef(value.String(text(e)), functions.Computed(c, a.Ref(i)))
			}
			return b.Array(), nil
		}}
}

// ---- inifile

func inifile() []*eval.Function {
	return []*eval.Function{
		new4("inifile::create_ini_settings", "Declares a setting of an INI file for each entry of each section.", statement,
			"Callable[Hash, Hash, 1, 2]", []string{"settings", "defaults"}, createIniSettings),
		renamed("create_ini_settings", "inifile::create_ini_settings", "method"),
	}
}

func createIniSettings(c *eval.Call) (value.Value, error) {
	settings := c.Args[0].(*value.Hash)
	defaults, given := c.Arg(1).(*value.Hash)
	if !given {
		defaults = value.EmptyHash
	}
	out := value.NewHashBuilder(8)
	for _, s := range settings.Entries() {
		section, is := s.Value.(*value.Hash)
		if !is {
			return nil, parseErrorf("create_ini_settings(): Section %s must contain a Hash", text(s.Key))
		}
		at := defaults.EntryString("path")
		if e := settings.EntryString("path"); e != nil {
			at = e
		}
		if at == nil || !value.Truthy(at.Value) {
			return nil, parseErrorf("create_ini_settings(): must pass the path parameter to the Ini_setting resource!")
		}
		for _, e := range section.Entries() {
			b := value.NewHashBuilder(4)
			b.SetString("ensure", value.String("present"))
			b.SetEntry(value.Entry{Key: value.String("section"), Value: s.Key, Ref: s.KeyRef})
			b.SetEntry(value.Entry{Key: value.String("setting"), Value: e.Key, Ref: e.KeyRef})
			if h, is := e.Value.(*value.Hash); is {
				for _, x := range h.Entries() {
					b.SetEntry(x)
				}
			} else {
				b.SetEntry(value.Entry{Key: value.String("value"), Value: e.Value, Ref: e.Ref})
			}
			why := c.Trace().Join(functions.Everything(c)) // any key may stand where another stands
			title := text(at.Value) + " [" + text(s.Key) + "] " + text(e.Key)
			out.SetEntry(value.Entry{Key: value.String(title), Value: b.Hash(), KeyRef: why, Ref: why})
		}
	}
	args := []value.Value{value.String("ini_setting"), out.Hash(), defaults}
	done, err := functions.ToLegacy(c, args)
	defer done()
	if err != nil {
		return nil, err
	}
	d := of(c, "create_resources", args...)
	if c.Refs != nil {
		d.Refs = []provenance.Ref{0, c.ArgRef(0), c.ArgRef(1)}
	}
	_, err = functions.CreateResources(d)
	return nil, err
}

// ---- memcached

func maxMemory() *eval.Function {
	return new4("memcached::max_memory", "A share of the node's memory, or an amount, in megabytes.", eval.Observer,
		"Callable[[Any], Integer]", []string{"arg"}, func(c *eval.Call) (value.Value, error) {
			size, r, err := factAt(c, "memorysize")
			if err != nil {
				return nil, err
			}
			c.Ref = functions.Computed(c, r, functions.Everything(c))
			arg := c.Args[0]
			if value.Truthy(arg) && !strings.HasSuffix(text(arg), "%") {
				n, err := toInt(arg)
				if err != nil {
					return nil, err
				}
				return functions.Integer(n)
			}
			share := 95.0
			if value.Truthy(arg) {
				share = functions.LeadingFloat(text(arg))
			}
			s, is := size.(value.String)
			if !is {
				if value.IsUndef(size) {
					return nil, noMethod("[]", size)
				}
				return nil, noConversion(size, "String")
			}
			m := groups(bytesText, string(s))
			f := functions.LeadingFloat(m[1])
			if m[2] != "" {
				power := strings.Index("kMGTE", m[2])
				if power < 0 {
					return nil, parseErrorf("memcached_max_memory(): Unknown prefix %s", m[2])
				}
				f *= float64(uint64(1) << (10 * (power + 1)))
			}
			n, err := floatInt(f)
			if err != nil {
				return nil, err
			}
			n.Div(n, big.NewInt(1<<20))
			mb, _ := new(big.Float).SetInt(n).Float64()
			return functions.FloatToInt(math.Floor(mb * (share / 100.0)))
		})
}

// ---- redis, ssh

func getvarEmpty() old {
	return old{"getvar_emptystring", "The value of a variable by name, or the empty text.", eval.Observer, -1,
		func(c *eval.Call) (value.Value, error) {
			if len(c.Args) != 1 {
				return nil, parseErrorf("getvar_emptystring(): wrong number of arguments (%d; must be 1)", len(c.Args))
			}
			v, r, _ := variable(c, text(c.Args[0]))
			c.Ref = c.Trace().With(r, functions.Everything(c))
			if value.IsUndef(v) {
				return value.String(""), nil
			}
			return v, nil
		}}
}

func ipAddresses() old {
	return old{"ipaddresses", "The addresses of all network interfaces but lo.", eval.Observer, -1,
		func(c *eval.Call) (value.Value, error) {
			list, why, _ := variable(c, "interfaces")
			defer func() { c.Ref = functions.Computed(c, why) }()
			if value.IsUndef(list) {
				return value.Bool(false), nil
			}
			s, is := list.(value.String)
			if !is {
				return nil, noMethod("count", list)
			}
			b := value.NewArrayBuilder(4)
			for _, n := range functions.SplitText(string(s), ",") {
				if strings.Contains(n, "lo") {
					continue
				}
				for _, kind := range []string{"ipaddress_", "ipaddress6_"} {
					v, r, _ := variable(c, kind+n)
					why = c.Trace().Join(why, r)
					if value.Truthy(v) {
						b.AddRef(v, r)
					}
				}
			}
			return b.Array(), nil
		}}
}

// ---- staging, translate, vswitch

func stagingParse() old {
	return old{"staging_parse",
		"A part of the path of a URL: its file's name, that name without extension, the extension, or the directory.",
		eval.Pure, -1, func(c *eval.Call) (value.Value, error) {
			if n := len(c.Args); n < 1 || n > 3 {
				return nil, given(c, "1, 2, 3")
			}
			s, is := c.Args[0].(value.String)
			if !is {
				return nil, noMethod("gsub", c.Args[0])
			}
			if strings.IndexFunc(string(s), func(r rune) bool { return r >= 0x80 }) >= 0 {
				return nil, fmt.Errorf("URI must be ascii only %s", inspectASCII(string(s)))
			}
			uri, err := value.ParseURI(strings.ReplaceAll(string(s), `\`, "/"))
			if err != nil {
				return nil, err
			}
			part := "filename"
			if truthy(c, 1) {
				part = text(c.Args[1])
			}
			if !uri.HasPath {
				return nil, parseErrorf("staging_parse(): %s has no URI 'path' component", inspect(s))
			}
			p := uri.Path
			ext := extname(p)
			if truthy(c, 2) {
				e, is := c.Args[2].(value.String)
				if !is && part == "basename" {
					return nil, noConversion(c.Args[2], "String")
				}
				ext = string(e)
			}
			switch part {
			case "filename":
				return value.String(basename(p, "")), nil
			case "basename":
				return value.String(basename(p, ext)), nil
			case "extname":
				return value.String(extname(p)), nil
			case "parent":
				return value.String(path.Clean("/" + p + "/..")), nil
			}
			return nil, parseErrorf("staging_parse(), unknown parse info %s.", part)
		}}
}

// inspectASCII is Ruby's inspect of a string where only ASCII may be shown.
func inspectASCII(s string) string {
	var b strings.Builder
	for _, r := range inspect(value.String(s)) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return b.String()
}

func translate() *eval.Function {
	return new4("translate", "A message in the user's language; here always as it is written.", eval.Pure,
		"Callable[String, Hash, 1, 2]", []string{"message", "interpolation_values"}, func(c *eval.Call) (value.Value, error) {
			h, is := c.Arg(1).(*value.Hash)
			if !is {
				return c.Args[0], nil
			}
			b := value.NewHashBuilder(h.Len())
			for _, e := range h.Entries() {
				name, is := symbolOrString(e.Key)
				if !is {
					return nil, noMethod("to_sym", e.Key)
				}
				b.SetString(name, e.Value)
			}
			return string1(value.SprintfHash(text(c.Args[0]), b.Hash()))
		})
}

func rangeToMask() *eval.Function {
	none := func(*eval.Call) (value.Value, error) { return nil, nil }
	arg := []string{"range"}
	return &eval.Function{Name: "range_to_mask",
		Doc: "A mask in hexadecimal with the bits set that ranges such as 0,2-5 name.", Dispatches: []eval.Dispatch{
			{Signature: "Callable[Pattern[/^$/]]", Names: arg, Run: none},
			{Signature: `Callable[Pattern[/^[0-9\-\,]/]]`, Names: arg, Run: func(c *eval.Call) (value.Value, error) {
				mask := new(big.Int)
				for _, part := range functions.SplitText(text(c.Args[0]), ",") {
					from := functions.LeadingInt(part)
					to := from
					if strings.Contains(part, "-") {
						ends := functions.SplitText(part, "-")
						if len(ends) < 2 {
							return nil, errors.New("cannot convert endless range to an array")
						}
						from, to = functions.LeadingInt(ends[0]), functions.LeadingInt(ends[1])
					}
					if !to.IsInt64() || to.Int64() > 1<<16 {
						return nil, fmt.Errorf("range_to_mask(): bit %s is too far", to)
					}
					for i := max(from.Int64(), 0); i <= to.Int64(); i++ {
						mask.SetBit(mask, int(i), 1)
					}
				}
				return value.String(mask.Text(16)), nil
			}},
			{Signature: "Callable[Undef]", Names: arg, Run: none},
		}}
}
