package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand writes the manual pages: one of each command, made of what --help says.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages to a directory",
		Hidden: true, // it is for whoever makes packages
		Args:   arguments(1, 1, "where to write the pages"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return writeManual(cmd.Root(), args[0])
		},
	}
}

func writeManual(c *cobra.Command, dir string) error {
	if c.Hidden || c.Name() == "help" {
		return nil
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(manualPage(c, name)), 0o644); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if err := writeManual(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// manualPage is a page in the language of man(7).
func manualPage(c *cobra.Command, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"bunraku %s\"\n", strings.ToUpper(name), version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n")
		block := false
		for line := range strings.Lines(c.Long) {
			line = strings.TrimRight(line, "\n")
			indented := strings.HasPrefix(line, "  ")
			switch {
			case indented && !block:
				b.WriteString(".nf\n")
			case !indented && block:
				b.WriteString(".fi\n")
			}
			if block = indented; line == "" {
				b.WriteString(".PP\n")
				continue
			}
			b.WriteString(roff(line) + "\n")
		}
		if block {
			b.WriteString(".fi\n")
		}
	}
	flags := ""
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		head := "--" + f.Name
		if f.Shorthand != "" {
			head = "-" + f.Shorthand + ", " + head
		}
		if kind != "" {
			head += " " + kind
		}
		flags += fmt.Sprintf(".TP\n.B %s\n%s\n", roff(head), roff(usage))
	})
	if flags != "" {
		b.WriteString(".SH OPTIONS\n" + flags)
	}
	var others []string
	if c.HasParent() {
		others = append(others, strings.ReplaceAll(c.Parent().CommandPath(), " ", "-")+"(1)")
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			others = append(others, strings.ReplaceAll(sub.CommandPath(), " ", "-")+"(1)")
		}
	}
	if len(others) > 0 {
		b.WriteString(".SH SEE ALSO\n" + roff(strings.Join(others, ", ")) + "\n")
	}
	return b.String()
}

// roff spells what man(7) would take for orders.
func roff(s string) string {
	s = strings.ReplaceAll(s, `\`, `\e`)
	s = strings.ReplaceAll(s, "-", `\-`)
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	s = b.String()
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
