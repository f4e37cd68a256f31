package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"bunraku/fleet"
	"bunraku/judge"
	"bunraku/lint"
	"bunraku/lsp"
	"bunraku/puppet/compiler"
	"bunraku/puppet/exported"
	ruby "bunraku/puppet/ruby/syntax"
	"bunraku/report/redact"
	"bunraku/source"
	"bunraku/verify/model"
	"bunraku/web"

	"github.com/spf13/cobra"
)

func (a *app) lspCommand() *cobra.Command {
	var flags compileFlags
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: the Language Server Protocol on standard input and output",
		Long: `Answers an editor that speaks the Language Server Protocol, on standard input and output. The editor starts it by itself; see
docs/editor.md for how to tell it so.

What is wrong with the syntax of an open file is shown at once. When nobody types, a few nodes are compiled and verified,
and the editor shows what ` + "`bunraku check`" +
			` would say of them, in the places that it is about. The setting "nodes" of the editor
(or --node) names the nodes; without it three are taken that have what is being written at, of those that there are facts
of, or that check would invent.
Nothing that the tree names is run.`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt := lsp.Options{Version: version, Compile: a.options(cmd, &flags), Facts: flags.facts,
				LanguageGiven: cmd.Flags().Changed("language"), Other: otherFile, Page: codePage,
				Secrets: a.secrets, Watch: a.keep, Assign: flags.assign, Certified: flags.certified}
			if flags.node != "" {
				opt.Nodes = []string{flags.node}
			}
			opt.Exchange = func(ctx context.Context, c *compiler.Snapshot, nodes []fleet.Node) (*fleet.Exchange, error) {
				if len(nodes) <= mostExchanging {
					return a.tell(ctx, &flags, c, nodes)
				}
				for i := range nodes { // whoever exports makes no mistake
					nodes[i] = nodes[i].Importing(exported.NewSet(nil))
				}
				return nil, nil
			}
			opt.JudgedBy = []string{assertFile, assumeFile}
			opt.Judge = func(folder string, view source.Files) (*judge.Judge, source.Diagnostics, error) {
				j, trouble, err := a.judgeBy(&judgeFlags{solver: "built-in", failOn: "error", format: "text",
					budget: model.DefaultUnits}, folder, view)
				if err != nil {
					return nil, nil, errors.New(plain(err))
				}
				return j.Judge, trouble, nil
			}
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			opt.Diff = func(ctx context.Context, folder string) (string, error) { return a.diffText(ctx, cmd, folder, &flags) }
			opt.Web = a.sites(ctx, cmd, &flags)
			if !lsp.New(opt).Serve(a.in, rawWriter{a}) {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	flags.add(c)
	c.Flags().Bool("stdio", true, "talk on standard input and output; it is the only way, and some editors say so")
	return c
}

// mostExchanging is how many nodes collect what others of them export while somebody edits: all of them are compiled
// for that, after every pause.
const mostExchanging = 100

// diffText is what `diff` says of a directory, for people.
func (a *app) diffText(ctx context.Context, cmd *cobra.Command, root string, f *compileFlags) (string, error) {
	var text, errs strings.Builder
	b := &app{in: strings.NewReader(""), secrets: a.secrets, made: true, out: redact.NewScreen(&text, a.secrets, false),
		err: redact.NewScreen(&errs, a.secrets, false)}
	err := b.diff(ctx, cmd, root, &diffFlags{compileFlags: *f, by: "change", format: "text"})
	if flushed := cmp.Or(b.out.Flush(), b.err.Flush()); flushed != nil {
		return "", flushed
	}
	var exit *exitError
	if errors.As(err, &exit) && exit.message == "" { // the answer is that something changes
		err = nil
	}
	if err != nil {
		return "", errors.New(plain(err))
	}
	return strings.ReplaceAll(text.String(), root+"/", "") + errs.String(), nil
}

// sites shows directories in the browser, each by a server of its own, which is started when it is first asked for and
// listens on this machine only until the context ends.
func (a *app) sites(ctx context.Context, cmd *cobra.Command, f *compileFlags) func(context.Context, string) (string,
	error) {
	var mu sync.Mutex
	servers := map[string]*web.Server{}
	return func(asked context.Context, root string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if s := servers[root]; s != nil {
			return s.Invite(), nil
		}
		s, l, err := a.openWeb(asked, cmd, root, &webFlags{compileFlags: *f, listen: "127.0.0.1:0"})
		if err != nil {
			return "", errors.New(plain(err))
		}
		if asked.Err() != nil {
			l.Close()
			return "", asked.Err()
		}
		servers[root] = s
		go func() {
			_ = s.Serve(ctx, l) // whoever asks finds that nobody answers
			l.Close()
			mu.Lock()
			defer mu.Unlock()
			delete(servers, root)
		}()
		return s.URL(), nil
	}
}

// otherFile is what is wrong with a file that a module or control repo has beside code and data: a Puppetfile that is
// no Ruby, a metadata.json that the Forge would refuse.
func otherFile(file *source.File) (list source.Diagnostics) {
	switch filepath.Base(file.Name) {
	case "Puppetfile":
		_, list = ruby.Parse(file)
	case "metadata.json":
		c := lint.Checked{Source: file, Result: lint.New(lint.Options{}).Metadata(file.Name, file.Text)}
		for i := range c.Findings {
			list = append(list, c.Diagnostic(&c.Findings[i]))
		}
	}
	return list
}

// A rawWriter writes messages of a protocol, which hide secrets and spell characters themselves.
type rawWriter struct{ a *app }

func (w rawWriter) Write(p []byte) (int, error) {
	if err := w.a.out.Raw(string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close implements io.Closer; the stream is the program's own.
func (w rawWriter) Close() error { return nil }
