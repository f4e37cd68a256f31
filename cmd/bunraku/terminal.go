package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"bunraku/report/redact"
	"bunraku/source"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// isTerminal reports whether a stream is a terminal where colour and progress are welcome.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colourful reports whether colour is welcome: on a terminal, unless NO_COLOR says otherwise.
func colourful(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// foldOn lets a screen break its lines where they do not fit into the terminal that it is.
func foldOn(s *redact.Screen, w io.Writer) {
	if !isTerminal(w) {
		return
	}
	s.Fold(func() int {
		width, _, err := term.GetSize(int(w.(*os.File).Fd()))
		if err != nil {
			return 0
		}
		return width
	})
}

// untilSignal is a context that ends when somebody asks the program to end. Who asks twice is obeyed at once.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// report renders diagnostics on stderr, most of a run's trouble first in source order.
func (a *app) report(ds source.Diagnostics) {
	style := a.err.Style()
	for _, d := range ds {
		d.Render(a.err, style)
	}
}

// inEnvironment runs a command whose one argument is ENV, by default the current directory, until it is done or ended.
func inEnvironment(run func(ctx context.Context, cmd *cobra.Command, root string) error) func(*cobra.Command,
	[]string) error {
	return func(cmd *cobra.Command, args []string) error {
		root := "."
		if len(args) == 1 {
			root = args[0]
		}
		ctx, stop := untilSignal()
		defer stop()
		return run(ctx, cmd, root)
	}
}

// treeFiles tells which paths are those of files of a tree: below a directory that the command line names or, if it
// names none, below the one where the program runs. A path may be written as seen from a directory above.
func treeFiles(args []string) func(path string) bool {
	var roots []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			roots = append(roots, source.Absolute(arg))
		}
	}
	if len(roots) == 0 {
		roots = []string{source.Absolute(".")}
	}
	return func(path string) bool {
		for _, root := range roots {
			at := root
			if filepath.IsAbs(path) {
				at = string(filepath.Separator)
			}
			for up := ""; up != at; up, at = at, filepath.Dir(at) {
				file := filepath.Join(at, filepath.FromSlash(path))
				if inside, err := filepath.Rel(root, file); err != nil || !filepath.IsLocal(inside) {
					continue
				}
				if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
					return true
				}
			}
		}
		return false
	}
}
