package value

// corpus is every operation with its ordinary and its odd inputs.
func corpus() (qs [][]any) {
	ask := func(op string, args ...any) { qs = append(qs, append([]any{op}, args...)) }
	for _, f := range []string{"%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%X", "%#x", "%o", "%#o", "%b", "%#b",
		"%B", "%e", "%.2e", "%f", "%.0f", "%g", "%a", "%s", "%10s|", "%-10s|", "%.2s", "%p", "%c", "%i", "%u", "%+x", "% b",
		"%08b", "%.5d", "%+.3d", "%5.3d|", "%y", "%", "%%", "%5%", "%1$s %1$s", "%2$s", "%<a>s", "%{a}", "% 05d"} {
		for _, v := range []any{42, -42, 0, 3.99, "x", "12", nil, true, []any{1, "a", nil}, map[string]any{"a": 1}} {
			ask("sprintf", f, []any{v})
		}
	}
	ask("sprintf", "%s-%s", []any{1, 2})
	ask("sprintf", "%*d", []any{5, 1})
	ask("sprintf", "%-*d|", []any{5, 1})
	ask("sprintf", "%.*f", []any{2, 1.2345})
	ask("sprintf", "%s %s", []any{1})
	ask("sprintf", "%<a>05.1f %{b}", []any{map[string]any{"a": 2.25, "b": "z"}})
	ask("sprintf", "é%5sé", []any{"ü"})
	for _, s := range []string{"0.1", "1e15", "1e16", "123456789012345.0", "999999999999999.9", "0.0001", "0.00001",
		"-0.0", "100.0", "1e100", "1.5e-7", "3.0", "2.5e10", "1e22", "0.1e-4", "4.35"} {
		ask("float", s)
	}
	for _, s := range []string{"", "a", "it's", "a\"b", "tab\t", "nl\n", "\x01", "\x1b", "é", "日本", "#{x}", "#$x", "#x",
		"\\", "a\\", "a\\b", "a\\'b", "$x", "\u200b", "\u00a0", "\x7f", "emoji 😀", "'", "\\\\", "a\r\nb"} {
		ask("inspect", s)
		ask("quote", s)
		ask("quote2", s)
	}
	ask("inspect", []any{1, 2.5, "x", nil, true, []any{}, map[string]any{}})
	for _, s := range []string{"1", "-1", "+ 1", "- 1", "010", "08", "0x1F", "0xg", "1.5", "1.", ".5", "1e3", "1e-3",
		"1E3", "0e1", "0.0e5", "00.5", "09.5", " 12 ", "1 2", "", "a", "::1", "0b1", "1_000", "-0x1f", "1e400", "0.0", "-0"} {
		ask("number", s)
		ask("tofloat", s)
		ask("int", s, []any{})
	}
	for _, s := range []string{"ff", "0xff", "10", "0b11", "0o17", "017", "_1", "1_", "1__0", "z"} {
		for _, r := range []int{2, 8, 10, 16} {
			ask("int", s, []any{r})
		}
	}
	versions := []string{"0.0.0", "1.0.0", "1.2.3", "1.2.3-alpha", "1.2.3-alpha.1", "1.2.3-alpha.beta", "1.2.3-1",
		"1.2.3+b1", "1.2.3-rc.1+b.2", "2.0.0-0", "10.0.0"}
	for i, v := range versions {
		ask("semver", v)
		ask("semcmp", v, versions[(i+1)%len(versions)])
		ask("semcmp", versions[(i*3+2)%len(versions)], v)
	}
	for _, v := range []string{"1", "1.2", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3+", "a.b.c", "1.2.3-é", "1.2.3\n",
		" 1.2.3", "1.2.3-a..b"} {
		ask("semver", v)
	}
	for _, r := range []string{"1.2.3", "=1.2.3", ">1.2.3", ">=1.2.3", "<1.2.3", "<=1.2.3", "~1.2.3", "~1.2", "~1",
		"^1.2.3", "^0.2.3", "^1", "1.x", "1.2.x", "*", "x", "", "1.0.0 - 2.0.0", "1.0 - 2", ">=1.0.0 <2.0.0",
		">1.0.0 <=1.2.3 || >=10.0.0", "1.x || 2.x", "1.2.3-alpha", ">1.2.3-alpha", "~1.2.3-alpha", ">= 1.0.0", "v1.2.3",
		">=v1.2.3", "1.2.3 || 1.2.4", ">2.0.0 <1.0.0", "bad", "1.2.3.4", ">x", "<=1.x", ">1", "~> 1.2", "1.0.0 || *",
		">=1.0.0 || <2.0.0"} {
		ask("range", r, toAny(versions))
	}
	for _, s := range []string{"1-02:03:04.5", "02:03:04", "03:04.25", "4.5", "90", "-1-00:00:00", "1-02:03", "x", "",
		"25:00:00", "1:2:3"} {
		ask("span", s, []any{})
		for _, f := range []string{"%D-%H:%M:%S", "%H:%M", "%S", "%M:%S.%L", "%S.%N", "%_H:%M", "%-D", "%3S", "%%%S", "%Q",
			"%", "%L", "%-5D"} {
			ask("span", s, []any{f})
		}
	}
	for _, n := range []int64{0, 1, 1500000000, 93784500000000, -93784500000000, 86400000000000, 59999999999, 1000} {
		ask("spans", n)
		for _, f := range []string{"%D-%H:%M:%S.%-N", "%H:%M:%S", "%M", "%S.%L", "%S.%3N", "%_5S", "%-H", "%05D", "%N", "%L",
			"%%", "%S.%_L|", "%S.%-L", "x%Sx", "%_D %_H"} {
			ask("spanfmt", n, f)
		}
	}
	for _, s := range []string{"2016-01-02T03:04:05.678 UTC", "2016-01-02 03:04:05", "2016-01-02",
		"2016-01-02T03:04:05 +02:00", "2016-01-02T03:04:05.5 EST", "2016-13-01", "x", "2016-1-2"} {
		ask("stamp", s, []any{})
	}
	for _, c := range [][]any{{"02/01/2016", "%d/%m/%Y"}, {"Jan 5 2016", "%b %d %Y"}, {"5 January 16", "%e %B %y"},
		{"2016-06-01 3:04:05 PM", "%F %r"}, {"1451703845", "%s"}, {"2016-032", "%Y-%j"}, {"20160102030405", "%Y%m%d%H%M%S"},
		{"2016-01-02 10:20", "%F %R", "PST"}, {"2016-01-02 10:20", "%F %R", "+05:30"},
		{"2016-01-02 10:20 UTC", "%F %R %Z", "PST"}, {"2016-01-02", "%F", "nowhere"}, {"Sat 2016-01-02", "%a %F"},
		{"99", "%y"}, {"2016-01-02 x", "%F"}} {
		ask("stamp", c[0], c[1:])
	}
	for _, n := range []int64{0, 1451703845123456789, 951782400000000000, -1000000000, 1704067199000000000} {
		for _, f := range []string{"%FT%T.%N %Z", "%Y %C %y %m %B %b %h", "%d %e %j %H %k %I %l", "%P %p %M %S %L %N %3N %6N",
			"%z %:z %::z %Z", "%A %a %u %w %G %g %V %U %W", "%s %n%t%%", "%c", "%D %F %T %R %r %x %X",
			"%-d %-m %_m %05d %^a %^B %#p %10Y|", "%+", "%v", "%Q", "%E", "%-H:%M", "%020N", "%^b %#b", "%10A|", "%-10A|",
			"%010A|"} {
			ask("stampfmt", n, f, []any{})
		}
		ask("stampfmt", n, "%F %T %z %Z", []any{"+02:00"})
		ask("stampfmt", n, "%F %T %z", []any{"PST"})
		ask("stampfmt", n, "%F", []any{"bad"})
	}
	for _, u := range []string{"http://example.com", "http://u:p@example.com:8080/a/b?q=1#f", "https://h/",
		"https://h:443/x", "mailto:a@b.c", "file:///etc/x", "/a/b", "a/b?c", "?q", "#f", "", "http://", "http://h?q",
		"ftp://h/x", "puppet:///modules/a/b", "urn:isbn:123", "http://h:x", "http://[::1]:80/", "HTTP://EXAMPLE.com/%7Ea",
		"http://a b", "a:b", "//h/p", "http://h/%zz"} {
		ask("uri", u)
	}
	scalars := []any{1, 1.0, 2, -1, "a", "A", "b", "10", "9", "", "é", "É", true, false, nil, []any{1}, []any{1.0},
		[]any{"a"}, []any{"A"}, map[string]any{"a": 1}, map[string]any{"A": 1}, map[string]any{"a": nil},
		map[string]any{"b": nil}}
	for _, a := range scalars {
		for _, b := range scalars {
			ask("compare", a, b)
			ask("equals", a, b)
		}
	}
	for _, s := range []string{"hello World", "éÉ", "straße", "ǆ", "İ", " x\t\n", "\x00a\x00", "ﬁn", "ŉ", ""} {
		ask("case", s)
	}
	return qs
}

func toAny(ss []string) (out []any) {
	for _, s := range ss {
		out = append(out, s)
	}
	return out
}
