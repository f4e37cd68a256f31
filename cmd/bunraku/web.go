package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/puppet/environment"
	"bunraku/source"
	"bunraku/verify/model"
	"bunraku/web"

	"github.com/spf13/cobra"
)

// webFlags are the switches of web.
type webFlags struct {
	compileFlags
	from, listen string
	noOpen       bool
}

func (a *app) webCommand() *cobra.Command {
	var f webFlags
	c := &cobra.Command{
		Use:   "web [ENV]",
		Short: "See it in a browser: nodes, values, findings, and what a change does",
		Long: `Checks ENV (the current directory by default) as check does, and shows it in a browser on this machine: what fails,
what was found, every node and value with where it comes from, and what the work tree changes against the commit at
which its branch left the main branch (or against --from). When a file of the tree is written, the pages show what
became of it.

Everything is in this program and nothing leaves the machine. The link works once, for one browser; pages can be linked to
and are shown to that browser only. Nothing can be changed from a page, and nothing that the tree names is run.`,
		Args: arguments(0, 1, ""),
		RunE: inEnvironment(func(ctx context.Context, cmd *cobra.Command, root string) error {
			return a.web(ctx, cmd, root, &f)
		}),
	}
	f.add(c)
	fs := c.Flags()
	fs.StringVar(&f.from, "from", "",
		"what the work tree is compared with: a revision (`REV`) or a directory; by default where the branch left main")
	fs.StringVar(&f.listen, "listen", "127.0.0.1:0",
		"the `ADDRESS` to listen on; other than this machine's own, the network sees the pages of whoever has the link")
	fs.BoolVar(&f.noOpen, "no-open", false, "only print the link, and open no browser")
	return c
}

// openWeb looks at a tree and makes the server that shows it, which does not listen to anybody yet.
func (a *app) openWeb(ctx context.Context, cmd *cobra.Command, root string, f *webFlags) (s *web.Server,
	l net.Listener, err error) {
	view := source.NewDir(source.DirOptions{Roots: []string{root}})
	if info, err := view.Stat(source.Absolute(root)); err != nil {
		return nil, nil, source.Named(err, source.Absolute(root), root)
	} else if !info.IsDir() {
		return nil, nil, fail("%s is a file: name the control repo, environment or module", root)
	}
	if files, _, err := environment.PuppetFiles(view, root); err == nil && len(files) == 0 {
		return nil, nil, nothingToCompile(view, root)
	}
	if l, err = net.Listen("tcp", f.listen); err != nil {
		return nil, nil, fail("cannot listen on %s: %v", f.listen, errors.Unwrap(err))
	}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	host, _, _ := net.SplitHostPort(f.listen) // it was listened on
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host, _ = os.Hostname() // without one, the machine is called localhost
	}
	opt := web.Options{Version: version, Root: root, Host: host, Compile: a.options(cmd, &f.compileFlags), Facts: f.facts,
		LanguageGiven: cmd.Flags().Changed("language"), Assign: f.assign, Certified: f.certified,
		Exchange: a.exchanging(&f.compileFlags), Secrets: a.secrets, Watch: a.keep,
		Judge: func() (*judge.Judge, func(string) bool, error) {
			j, err := a.newJudge(&judgeFlags{solver: "built-in", failOn: "error", format: "text", budget: model.DefaultUnits},
				root)
			if err != nil {
				return nil, nil, err
			}
			return j.Judge, j.own, nil
		},
		Progress: func(what string, parts int) fleet.Progress {
			bar := a.progress(what, parts)
			return fleet.Progress{Step: bar.step, Stop: bar.stop}
		},
		Settled: settleMemory,
		Diff:    func(ctx context.Context) (*diff.Report, error) { return a.webDiff(ctx, cmd, root, f) },
	}
	if s, err = web.New(opt, l.Addr()); err != nil {
		return nil, nil, err
	}
	return s, l, s.Look(ctx)
}

func (a *app) web(ctx context.Context, cmd *cobra.Command, root string, f *webFlags) error {
	s, l, err := a.openWeb(ctx, cmd, root, f)
	if err != nil {
		return err
	}
	defer l.Close()
	fmt.Fprintf(a.out, "%s is at\n\n  %s\n\nThe link works once. Ctrl-C ends.\n", filepath.Base(source.Absolute(root)),
		s.URL())
	if err := a.out.Flush(); err != nil {
		return err
	}
	if !f.noOpen && a.terminal.out {
		openBrowser(s.URL())
	}
	return s.Serve(ctx, l)
}

// settleMemory gives back what a look has left: a command that ends soon may let garbage pile up, a server not. How
// much of it there may be hangs little on how much is kept, so that a large fleet does not make it large.
func settleMemory() {
	debug.FreeOSMemory()
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	const garbage = 64 << 20
	debug.SetGCPercent(int(min(100, max(30, garbage*100/max(1, live[0].Value.Uint64())))))
}

// webDiff compares the work tree with the flags' other side; a tree that is in no repository is compared with nothing.
func (a *app) webDiff(ctx context.Context, cmd *cobra.Command, root string, f *webFlags) (*diff.Report, error) {
	flags := &diffFlags{compileFlags: f.compileFlags, from: f.from, format: "text"}
	d, err := a.openDiff(ctx, cmd, root, flags, diff.Options{})
	var none *noRepository
	if errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.close()
	r, err := a.diffRevisions(ctx, d, flags)
	if err != nil {
		return nil, err
	}
	r.Gather()
	return r, nil
}

// openBrowser asks the desktop for a browser. If there is none, the link has been printed.
func openBrowser(url string) {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	if path, err := exec.LookPath(program); err == nil {
		c := exec.Command(path, url)
		if c.Start() == nil {
			go func() { _ = c.Wait() }() // what became of it shows on the screen
		}
	}
}
