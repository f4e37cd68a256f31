package main

import "testing"

// A variable that nobody sets may be a classifier's, unless the tree sets it too late: at the top no classifier may
// have set it before, and elsewhere it is the scope's own.
func TestCheckVariablesSetTooLate(t *testing.T) {
	for _, c := range []struct {
		name, site, class string
		want, not         string
	}{
		{"at the top", "notify { \"b ${zrole}\": }\n$zrole = 'q'\n", "", "error[E0301]", "classifier"},
		{"at the top, for a class", "include web\n$zrole = 'q'\n", "notify { \"b ${zrole}\": }", "error[E0301]",
			"classifier"},
		{"at the top, by its whole name", "include web\n$zrole = 'q'\n", "notify { \"b ${::zrole}\": }", "error[E0301]", "classifier"},
		{"with others", "notify { \"b ${zrole}\": }\n[$other, $zrole] = ['q', 'r']\n", "", "error[E0301]", "classifier"},
		{"in a node statement", "node 'a.example.com' {\n notify { \"b ${zrole}\": }\n $zrole = 'q'\n}\n", "",
			"error[E0301]", "classifier"},
		{"in a class", "include web\n", "notify { \"b ${zrole}\": }\n$zrole = 'q'\n", "error[E0301]", "classifier"},
		{"in a block of a class", "include web\n", "[1].each |$i| { notify { \"b ${zrole}\": } }\n$zrole = 'q'\n", "error[E0301]",
			"classifier"},
		{"where facts lead there", "include web\n", "if $facts['virtual'] == 'physical' { } else { notify { \"b ${zrole}\": } }\n$zrole = 'q'\n",
			"may hang on facts", "error["},
		{"nowhere", "include web\n", "notify { \"b ${zrole}\": }\n", "as a classifier would", "error["},
		{"elsewhere", "include web\n", "notify { \"b ${zrole}\": }\ninclude web::late\n", "as a classifier would", "error["},
		{"in some cases", "notify { \"b ${zrole}\": }\nif $facts['kernel'] == 'Darwin' { $zrole = 'q' }\n", "", "as a classifier would",
			"error["},
		{"after itself", "include web\n", "$zrole = \"a${zrole}\"\n", "as a classifier would", "error["},
		{"after the top's", "include web\n", "$zrole = $::zrole\n", "zrole", "error["},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out, errs := call("check", writeRepo(t, map[string]string{
				"manifests/site.pp": c.site, "modules/web/manifests/init.pp": "class web {\n" + c.class + "}\n",
				"modules/web/manifests/late.pp": "# @api private\nclass web::late {\n$zrole = 'q'\n}\n"}))
			holdsWords(t, out+errs, []string{c.want}, []string{c.not})
			if t.Failed() {
				t.Log(out, errs)
			}
		})
	}
	both := map[string]string{"manifests/a.pp": "notify { \"b ${zrole}\": }\n", "manifests/z.pp": "$zrole = 'q'\n"}
	_, out, errs := call("check", writeRepo(t, both))
	holdsWords(t, out+errs, []string{"no environment as it is (each main manifest is one of its own"}, []string{"error["})
	both["environment.conf"] = ""
	_, out, errs = call("check", writeRepo(t, both))
	holdsWords(t, out+errs, []string{"error[E0301]"}, []string{"classifier"})
}
