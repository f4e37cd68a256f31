package main

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"bunraku/puppet/syntax"
	"bunraku/source"

	"github.com/spf13/cobra"
)

func (a *app) parseCommand() *cobra.Command {
	format := "pn"
	tasks := false
	c := &cobra.Command{
		Use:   "parse FILE…",
		Short: "Read manifests and templates and print their syntax tree",
		Long: `Reads Puppet manifests (.pp) and EPP templates (.epp) and prints each one's syntax tree:
  pn    as Puppet's own "puppet parser dump --format pn" prints it, one line
  json  for tools, with the place of every node (docs/parse-json.md)
  text  as source again, in the layout of the style guide
With several files, each is preceded by a line "--- FILE".`,
		Args: arguments(1, -1, "what to read"),
		RunE: func(_ *cobra.Command, files []string) error {
			write, ok := map[string]func([]byte, *syntax.File) []byte{
				"pn":   func(dst []byte, f *syntax.File) []byte { return append(syntax.AppendPN(dst, f), '\n') },
				"json": func(dst []byte, f *syntax.File) []byte { return append(syntax.AppendJSON(dst, f), '\n') },
				"text": func(dst []byte, f *syntax.File) []byte { return append(dst, meek(syntax.Print(f))...) },
			}[format]
			if !ok {
				return fail("unknown format %q: pn, json or text", format)
			}
			failed := false
			for _, name := range files {
				tree, ds, err := readSyntax(source.ReadFile, name, tasks)
				if err != nil {
					fmt.Fprintf(a.err, "bunraku: %s\n", plain(err))
					failed = true
					continue
				}
				a.report(ds)
				if ds.HasErrors() {
					failed = true
					continue
				}
				if len(files) > 1 {
					fmt.Fprintf(a.out, "--- %s\n", name)
				}
				to := io.Writer(a.out)
				if format == "json" {
					to = a.out.As(source.Quoted)
				}
				if _, err := to.Write(write(nil, tree)); err != nil {
					return err
				}
			}
			if failed {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", format, "pn, json or text")
	c.Flags().BoolVar(&tasks, "tasks", false, "plans: `plan` and `apply` are keywords")
	return c
}

// anchored is a line of code that names something from the top: the log of a CI server may take it for a command.
var anchored = regexp.MustCompile(`(?m)^\s*::`)

// meek writes an empty comment before such lines, unless that would change what the code means: they may be part of a
// string.
func meek(code string) string {
	if !anchored.MatchString(code) {
		return code
	}
	pn := func(code string) []byte {
		tree, _ := syntax.Parse(source.NewFile("", code), syntax.Options{})
		return syntax.AppendPN(nil, tree)
	}
	if marked := anchored.ReplaceAllString(code, "/**/$0"); slices.Equal(pn(code), pn(marked)) {
		return marked
	}
	return code
}

// readSyntax reads and validates one file; its name's ending tells manifests from templates.
func readSyntax(read func(name string) (source.Content, error), name string, tasks bool) (*syntax.File,
	source.Diagnostics, error) {
	c, err := read(name)
	if err != nil {
		return nil, nil, err
	}
	f := source.NewFile(filepath.ToSlash(name), c.Text)
	opt := syntax.Options{Tasks: tasks, Strict: source.StrictError} // as Puppet 8 has it
	parse := syntax.Parse
	if filepath.Ext(name) == ".epp" {
		parse = syntax.ParseEPP
	}
	tree, ds := parse(f, opt)
	if !ds.HasErrors() {
		ds = append(ds, syntax.Validate(tree, opt)...)
	}
	ds.Sort()
	return tree, ds, nil
}
