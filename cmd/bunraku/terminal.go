package main

import (
	"io"
	"os"

	"bunraku/source"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a terminal where colour and progress are welcome.
func isTerminal(w io.Writer) bool {
	if g, ok := w.(*guarded); ok {
		w = g.to
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func colourOf(code string) func(string) string {
	return func(s string) string { return "\x1b[" + code + "m" + s + "\x1b[0m" }
}

// styleFor gives colours on a terminal, honours NO_COLOR, and plain text everywhere else.
func styleFor(w io.Writer) source.Style {
	if !isTerminal(w) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return source.Style{}
	}
	return source.Style{
		Error:   colourOf("1;31"),
		Warning: colourOf("1;33"),
		Note:    colourOf("1;36"),
		Place:   colourOf("1"),
		Caret:   colourOf("31"),
		Faint:   colourOf("2"),
	}
}

// report renders diagnostics on stderr, most of a run's trouble first in source order.
func (a *app) report(ds source.Diagnostics) {
	style := styleFor(a.err)
	for _, d := range ds {
		d.Render(a.err, style)
	}
}
