package compiler

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/internal/mutate"
	"bunraku/puppet/syntax"
)

// A name in a program can seldom be changed into another one so that the program still compiles: there is no class of
// another name with the same parameters, no other template that makes do with the same variables. So the environment
// gets a module that nothing in it names, with classes that stand in for its own, and files. The unchanged program
// compiles to the same catalog with it, and every slot to the same places, which is checked; a changed one can name
// what is in it.
//
//	standin::A_B       takes the parameters of a::b and does nothing
//	standin::in::A_B   takes them and declares a::b with them
//	standin::with::A_B includes a::b
//	standin::B         is for names that are put together: "a::${b}"
//
// standin/fresh.erb and its kin are files to render and to read.
const standIn = "standin"

func flat(class string) string { return strings.ReplaceAll(strings.TrimPrefix(class, "::"), "::", "_") }

// standIns writes the module for the classes that a compile declared, and puts it at the end of the module path.
func (l *lab) standIns() error {
	declared := map[string]bool{}
	for _, c := range l.res.Catalog.Classes {
		declared[c] = true
	}
	files := map[string]string{"templates/fresh.erb": "fresh\n", "templates/fresh.epp": "fresh\n",
		"files/fresh": "fresh\n"}
	class := func(name, params, body string) {
		path := "manifests/" + strings.ReplaceAll(strings.TrimPrefix(name, standIn+"::"), "::", "/") + ".pp"
		if files[path] == "" {
			files[path] = "class " + name + params + " {\n" + body + "}\n"
		}
	}
	class(standIn+"::fresh", "", "")
	trees := l.trees()
	for _, path := range sorted(trees) {
		for _, s := range trees[path].Body.Stmts {
			syntax.Walk(s, func(n syntax.Node) bool {
				c, ok := n.(*syntax.Class)
				if !ok || !declared[c.Name] {
					return true
				}
				var params, pass []string
				for _, p := range c.Params {
					params = append(params, "$"+p.Name+" = undef")
					pass = append(pass, p.Name+" => $"+p.Name)
				}
				list := "(" + strings.Join(params, ", ") + ")"
				last := c.Name[strings.LastIndex(c.Name, ":")+1:]
				class(standIn+"::"+flat(c.Name), list, "")
				class(standIn+"::in::"+flat(c.Name), list, "class { '"+c.Name+"': "+strings.Join(pass, ", ")+" }\n")
				class(standIn+"::with::"+flat(c.Name), "", "include "+c.Name+"\n")
				class(standIn+"::"+last, list, "")
				return true
			})
		}
	}
	dir := filepath.Join(l.dir, "standins", standIn)
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	conf := filepath.Join(l.dir, "environment.conf")
	old, err := os.ReadFile(conf)
	if err != nil {
		return err
	}
	lines := strings.Split(string(old), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "modulepath") {
			lines[i] = line + ":standins"
		}
	}
	return os.WriteFile(conf, []byte(strings.Join(lines, "\n")), 0o644)
}

// openWithStandIns is openLab for an environment that has them too.
func openWithStandIns(kind, name, dir string, opt Options, node Node) (*lab, error) {
	plain, err := openLab(kind, name, dir, opt, node)
	if err != nil || plain == nil {
		return nil, err
	}
	if err := plain.standIns(); err != nil {
		return nil, err
	}
	l, err := openLab(kind, name, dir, opt, node)
	if err != nil || l == nil {
		return nil, fmt.Errorf("%s does not compile with a module that it does not use: %v", name, err)
	}
	l.stand = true
	names := l.view.Names()
	if !slices.Equal(names, plain.view.Names()) {
		return nil, fmt.Errorf("%s has other slots with a module that it does not use", name)
	}
	for i, s := range names {
		if l.view.Slots[s].Value != plain.view.Slots[s].Value {
			return nil, fmt.Errorf("%s: %s is another with a module that the site does not use", name, s)
		}
		if i%97 == 0 && !slices.Equal(keys(l.view, s), keys(plain.view, s)) {
			return nil, fmt.Errorf("%s: %s depends on other places with a module that the site does not use", name, s)
		}
	}
	return l, nil
}

// keys are the places that a slot names, each once: a template that is rendered twice may have its literals twice.
func keys(v *mutate.View, slot string) (out []string) {
	for _, label := range v.Depends(slot) {
		k := label.Key()
		out = append(out, fmt.Sprint(k.Kind, k.File, k.Ordinal, k.Path))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// classFor are literals of the classes that stand in for another.
func (l *lab) classFor(name string) []string {
	if !l.stand {
		return nil
	}
	f := flat(strings.ToLower(name))
	if _, err := os.Stat(filepath.Join(l.dir, "standins", standIn, "manifests", f+".pp")); err != nil {
		return []string{"'" + standIn + "::fresh'"}
	}
	return []string{"'" + standIn + "::" + f + "'", "'" + standIn + "::in::" + f + "'", "'" + standIn + "::with::" + f +
		"'"}
}

// fileFor are literals of the files that a function can read.
func (l *lab) fileFor(function string) []string {
	name := map[string]string{"template": "fresh.erb", "epp": "fresh.epp", "file": "fresh"}[function]
	if name == "" || !l.stand {
		return nil
	}
	return []string{"'" + standIn + "/" + name + "'"}
}
