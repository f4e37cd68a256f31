// Command bunraku compiles Puppet and SmartFrog code, shows where every value comes from, and proves what a catalog
// will do.
//
// One file per subcommand. Every subcommand is a function that adds itself to the root command; run is the whole
// program as a function, so that tests drive exactly what people run.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"bunraku/budget"
	"bunraku/report/redact"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// Exit codes; scripts rely on them.
const (
	exitFine    = 0 // fine, or proved
	exitFailed  = 1 // the input or the tool failed
	exitNo      = 2 // the answer is "no": differences, a counter-example
	exitUnknown = 3 // undecided, with the reason
)

func main() {
	budget.TuneMemory()
	signal.Ignore(syscall.SIGPIPE) // that nobody reads is an error like others
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// An exitError ends the program with a code. What there was to say has been said, unless message is set.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

func fail(format string, args ...any) error {
	return &exitError{exitFailed, fmt.Sprintf(format, args...)}
}

// An app is what the subcommands share: the streams of this run.
type app struct {
	in       io.Reader
	out, err *redact.Screen
	secrets  *redact.Secrets
	made     bool                    // what code has made of secrets is one, too: it is told by where it comes from
	terminal struct{ out, err bool } // which streams are one
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	hidden := &redact.Secrets{}
	a := &app{in: stdin, out: redact.NewScreen(stdout, hidden, colourful(stdout)),
		err:     redact.NewScreen(stderr, hidden, colourful(stderr)),
		secrets: hidden}
	hidden.Files(treeFiles(args))
	a.terminal.out, a.terminal.err = isTerminal(stdout), isTerminal(stderr)
	foldOn(a.out, stdout)
	foldOn(a.err, stderr)
	defer func() {
		if p := recover(); p != nil {
			stack := string(debug.Stack())
			if d, is := p.(*source.Diagnostic); is { // of another goroutine
				p, stack = d.Summary, d.Detail+"\n"
			}
			fmt.Fprintf(a.err,
				"bunraku: bug: %v\n\nThis is a fault of bunraku, not of your code. Please report it with the lines below.\n%s", p,
				stack)
			code = exitFailed
		}
		if err := a.out.Flush(); err != nil {
			var p *fs.PathError
			if errors.As(err, &p) {
				err = p.Err
			}
			fmt.Fprintf(a.err, "bunraku: cannot write to standard output: %v\n", err)
			code = exitFailed
		}
		a.err.Flush() // whoever closed it does not want to know
	}()
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.Execute()
	if err == nil || a.out.Flush() != nil { // a stream that failed is told once, at the end
		return exitFine
	}
	var exit *exitError
	if errors.As(err, &exit) {
		if exit.message != "" {
			fmt.Fprintf(a.err, "bunraku: %s\n", exit.message)
		}
		return exit.code
	}
	var d *source.Diagnostic
	if errors.As(err, &d) {
		a.report(source.Diagnostics{d})
	} else {
		fmt.Fprintf(a.err, "bunraku: %s\n", plain(err))
	}
	return exitFailed
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "bunraku",
		Short:         "Compile, explain and prove Puppet code, without Ruby",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          subcommands,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagTrouble)
	root.SetHelpCommand(helpCommand(root))
	root.Version = versionText()
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(
		a.checkCommand(),
		a.compileCommand(),
		a.diffCommand(),
		a.explainCommand(),
		a.factsCommand(),
		a.fleetCommand(),
		a.impactCommand(),
		a.lspCommand(), a.serveCommand(),
		a.mupuppetCommand(),
		a.packagesCommand(),
		a.parseCommand(),
		a.smartfrogCommand(),
		a.verifyCommand(),
		a.webCommand(),
		a.manCommand(),
		a.versionCommand(),
	)
	return root
}
