package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/facts"
	"bunraku/report"
	"bunraku/source"

	"github.com/spf13/cobra"
)

func (a *app) factsImportCommand() *cobra.Command {
	into := ""
	c := &cobra.Command{
		Use:   "import FILE|DIR…",
		Short: "Copy facts that others have collected into facts/, one file a node",
		Long: `Reads facts and writes those of each node to facts/NAME.json, where check finds them:

  facter --json, puppet facts      files of theirs, in JSON or YAML
  PuppetDB                         the answers of /pdb/query/v4/factsets, /inventory and /facts
  Foreman                          the answers of /api/v2/hosts/NAME/facts, or of hammer --output json fact list
  onceover                         spec/factsets/*.json; spec/onceover.yaml, whose nodes are looked for beside it
  facterdb                         facts/VERSION/SYSTEM.facts; the nodes are called after their files

  bunraku facts import spec/onceover.yaml
  curl -s https://foreman/api/v2/hosts/web1/facts?per_page=9999 > f.json; bunraku facts import f.json`,
		Args: arguments(1, -1, "what to import"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.importFacts(args, into) },
	}
	c.Flags().StringVar(&into, "into", "facts", "the `DIR` to write to; it is made if need be")
	return c
}

// factEndings are those of files that may hold facts.
var factEndings = []string{".json", ".yaml", ".yml", ".facts"}

func (a *app) importFacts(args []string, into string) error {
	view := source.NewDir(source.DirOptions{Roots: args})
	var files []string
	for _, arg := range args {
		info, err := view.Stat(source.Absolute(arg))
		if err != nil {
			return source.Named(err, source.Absolute(arg), arg)
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		entries, err := view.List(source.Absolute(arg))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if slices.Contains(factEndings, filepath.Ext(e.Name)) && !e.IsDir() {
				files = append(files, filepath.Join(arg, e.Name))
			}
		}
	}
	var all []*facts.Facts
	from := map[*facts.Facts]string{}
	for _, name := range files {
		text, err := view.Read(source.Absolute(name))
		if err != nil {
			return source.Named(err, source.Absolute(name), name)
		}
		base := filepath.Base(name)
		f := source.NewFile(filepath.ToSlash(name), text.Text)
		if base == "onceover.yaml" {
			nodes, err := a.onceover(f, filepath.Dir(name))
			if err != nil {
				return err
			}
			all = append(all, nodes...)
			for _, x := range nodes {
				from[x] = name
			}
			continue
		}
		nodes, err := facts.Import(f, strings.TrimSuffix(base, filepath.Ext(base)))
		if err != nil {
			return err
		}
		all = append(all, nodes...)
		for _, x := range nodes {
			from[x] = name
		}
	}
	all, err := once(all, from)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fail("there are no facts in %s", strings.Join(args, ", "))
	}
	return a.writeFacts(all, into)
}

// once has each node once. Of one with two sets of facts nobody knows which are meant.
func once(all []*facts.Facts, from map[*facts.Facts]string) (out []*facts.Facts, err error) {
	first := map[string]*facts.Facts{}
	for _, x := range all {
		switch of := first[strings.ToLower(x.Name)]; {
		case of == nil:
			first[strings.ToLower(x.Name)] = x
			out = append(out, x)
		case of.JSON() != x.JSON():
			return nil, fail("%s and %s have different facts of one node, %s: import one of them", from[of], from[x], x.Name)
		}
	}
	return out, nil
}

// onceover reads the nodes of a spec/onceover.yaml: their facts are beside it, in factsets, or built in.
func (a *app) onceover(f *source.File, dir string) (all []*facts.Facts, err error) {
	o, err := facts.ReadOnceover(f)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, fail("%s is no configuration of onceover", f.Name)
	}
	view := source.NewDir(source.DirOptions{Roots: []string{dir}})
	var missing []string
	for _, node := range o.Nodes {
		file := filepath.Join(dir, "factsets", node+".json")
		if text, err := view.Read(source.Absolute(file)); err == nil {
			list, err := facts.Import(source.NewFile(filepath.ToSlash(file), text.Text), node)
			if err != nil {
				return nil, err
			}
			for _, x := range list {
				x.Name = node
			}
			all = append(all, list...)
			continue
		}
		if s, ok := systemCalled(node); ok {
			x := s.Facts(strings.ToLower(node), true)
			x.Name = strings.ToLower(node)
			all = append(all, x)
			continue
		}
		missing = append(missing, node)
	}
	if len(missing) > 0 {
		fmt.Fprintf(a.err, "note: there are no facts of %s: neither %s nor a built-in system has them\n",
			strings.Join(missing, ", "), filepath.Join(dir, "factsets"))
	}
	var classes []string
	for _, c := range o.Classes {
		if !strings.HasPrefix(c, "/") { // a pattern
			classes = append(classes, c)
		}
	}
	if len(classes) > 0 {
		fmt.Fprintf(a.err, "note: onceover tests classes; `bunraku check --classes %s` does so on every node\n",
			strings.Join(classes, ","))
	}
	return all, nil
}

var onceoverName = regexp.MustCompile(`^([A-Za-z]+)[-_ ]?(?:Server[-_ ])?([0-9]+(?:\.[0-9]+)?)`)

// systemCalled is the built-in system that one of onceover's own factsets is of: Debian-12-64, CentOS-9.0-64.
func systemCalled(name string) (facts.System, bool) {
	m := onceoverName.FindStringSubmatch(name)
	if m == nil {
		return facts.System{}, false
	}
	return facts.SystemOf(m[1], m[2])
}

// writeFacts writes the facts of each node to a file of its own.
func (a *app) writeFacts(all []*facts.Facts, into string) error {
	if err := os.MkdirAll(into, 0o755); err != nil {
		return err
	}
	slices.SortStableFunc(all, func(x, y *facts.Facts) int { return cmp.Compare(x.Name, y.Name) })
	for _, x := range all {
		if !nodeFile.MatchString(x.Name) {
			return fail("%q is no name of a node that a file can have", x.Name)
		}
		file := filepath.Join(into, x.Name+".json")
		if err := report.WriteFile(file, []byte(x.JSON())); err != nil {
			return err
		}
		fmt.Fprintln(a.out, file)
	}
	return nil
}

var nodeFile = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
