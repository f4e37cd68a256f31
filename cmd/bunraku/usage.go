package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"bunraku/source"

	"github.com/spf13/cobra"
)

// What is wrong with a command line is told in one line that says what to write instead.

// arguments checks how many there are; max < 0 is any number. words say what is wanted.
func arguments(least, most int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fail("say %s: %s", words, cmd.UseLine())
		case most >= 0 && len(args) > most:
			return fail("%q is too much: %s", args[most], cmd.UseLine())
		}
		return nil
	}
}

// subcommands is for a command that only has others below it.
func subcommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	near := "`" + cmd.CommandPath() + " --help` lists them"
	if name := source.Nearest(args[0], names); name != "" {
		near = "did you mean " + name + "?"
	}
	return fail("there is no command %q; %s", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "bunraku "), near)
}

var (
	unknownFlag = regexp.MustCompile(`^unknown flag: --(\S+)$`)
	badValue    = regexp.MustCompile(`^invalid argument "(.*)" for ".*(--[\w-]+)" flag: `)
	together    = regexp.MustCompile(`^if any flags in the group \[.*\[(.*)\] were all set$`)
	flagLine    = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)`)
)

// flagTrouble says which flag was meant.
func flagTrouble(cmd *cobra.Command, err error) error {
	var known *exitError
	if errors.As(err, &known) { // it says what is wrong
		return known
	}
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		return fail("%s cannot be %q; `%s --help` says what it is", m[2], m[1], cmd.CommandPath())
	}
	m := unknownFlag.FindStringSubmatch(err.Error())
	if m == nil {
		return fail("%v; `%s --help` lists the flags", err, cmd.CommandPath())
	}
	if cmd.Name() == "diff" {
		if instead := octocatalogInstead(m[1]); instead != "" {
			return fail("there is no flag --%s; %s", m[1], instead)
		}
	}
	var names []string
	for _, f := range flagLine.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
		names = append(names, f[1])
	}
	if name := source.Nearest(m[1], names); name != "" {
		return fail("there is no flag --%s; did you mean --%s?", m[1], name)
	}
	return fail("there is no flag --%s; `%s --help` lists those that there are", m[1], cmd.CommandPath())
}

// plain is an error in words for people.
func plain(err error) string {
	if m := together.FindStringSubmatch(err.Error()); m != nil {
		return "--" + strings.Join(strings.Fields(m[1]), " and --") + " exclude each other"
	}
	if text := pathTrouble(err); text != "" {
		return text
	}
	return err.Error()
}

// pathTrouble says in plain words what is wrong with a file or directory; "" if err is about something else.
func pathTrouble(err error) string {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return ""
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no file or directory %s%s", p.Path, nearPath(p.Path))
	case errors.Is(err, fs.ErrPermission):
		return p.Path + ": you have no permission for it"
	}
	return fmt.Sprintf("%s: %v", p.Path, p.Err)
}

// nearPath names what was meant by a path that is not there: a neighbour with almost the same name, or the directory
// that is missing.
func nearPath(path string) string {
	dir := filepath.Dir(path)
	entries, err := source.NewDir(source.DirOptions{Roots: []string{dir}}).List(source.Absolute(dir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf(": the directory %s is not there", dir)
		}
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	if name := source.Nearest(filepath.Base(path), names); name != "" && len(name) > 4 {
		return "; did you mean " + filepath.Join(dir, name) + "?"
	}
	return ""
}

// helpCommand is `bunraku help COMMAND`.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say what a command does, and its flags",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return subcommands(root, args)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
