package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/puppetdb"
	"bunraku/serve"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// shadow compares what we would serve with what a server gives, prints what differs, and keeps it for `serve report`.
func (a *app) shadow(cmd *cobra.Command, f *serveFlags, environments string) error {
	opt, err := f.options(a, cmd, environments)
	if err != nil {
		return err
	}
	how := serve.ShadowOptions{Options: opt, Server: f.shadow, Watch: a.keep}
	if f.shadow == fromPuppetDB {
		if opt.PuppetDB == nil {
			return fail("--shadow puppetdb needs --puppetdb https://HOST:8081")
		}
		how.Stored, how.Server = fleet.AsStored, "PuppetDB"
	}
	if opt.PuppetDB != nil {
		for _, x := range []struct {
			to   *[]byte
			path string
		}{{&opt.PuppetDB.Certificate, opt.Cert}, {&opt.PuppetDB.Key, opt.Key}, {&opt.PuppetDB.CA, opt.CA}} {
			if *x.to, err = os.ReadFile(x.path); err != nil {
				return err
			}
		}
	}
	if f.compile.facts == "" && opt.PuppetDB != nil {
		if f.compile.facts, err = a.shadowFacts(cmd.Context(), *opt.PuppetDB, f.state); err != nil {
			return err
		}
	} else if f.compile.facts == "" {
		f.compile.facts = filepath.Join(f.state, "facts")
	}
	view := source.NewDir(source.DirOptions{Roots: []string{f.compile.facts}})
	nodes, err := fleet.Nodes(view, "", f.compile.facts)
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		return fail("there are no facts of any node in %s; `bunraku facts pull` gets them from PuppetDB", f.compile.facts)
	}
	bar := a.progress("comparing", len(nodes))
	began := time.Now()
	how.Step = bar.step
	r, err := serve.Shadow(cmd.Context(), how, nodes)
	bar.stop()
	if err != nil {
		return err
	}
	if how.Stored != nil {
		r.Notes = append(r.Notes, storedNote)
	}
	show := diff.Show{Style: a.out.Style(), Time: time.Since(began)}
	r.Text(a.out, show)
	var kept bytes.Buffer
	r.Text(&kept, diff.Show{Full: true})
	dir := filepath.Join(f.state, "shadow")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail("the report cannot be kept: %v", err)
	}
	name := filepath.Join(dir, began.UTC().Format("20060102T150405Z")+".txt")
	if err := os.WriteFile(name, []byte(a.secrets.Hide(kept.String())), 0o600); err != nil {
		return fail("the report cannot be kept: %v", err)
	}
	if code := diffCode(r, false); code != exitFine {
		return &exitError{code: code}
	}
	return nil
}

// shadowFacts brings the facts that PuppetDB has up to date below the state, and says where.
func (a *app) shadowFacts(ctx context.Context, c puppetdb.Config, state string) (string, error) {
	client, err := puppetdb.New(c)
	if err != nil {
		return "", err
	}
	defer client.Close()
	dir := filepath.Join(state, "shadow", "facts")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fail("the facts cannot be kept: %v", err)
	}
	_, err = client.Pull(ctx, puppetdb.Pulling{Dir: dir})
	return dir, err
}

// serveReportCommand shows what the last shadow has found.
func (a *app) serveReportCommand() *cobra.Command {
	state := ""
	c := &cobra.Command{
		Use:   "report",
		Short: "Show in what the catalogs of the last shadow differed, in full",
		Args:  arguments(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			dir := filepath.Join(state, "shadow")
			files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
			if err != nil || len(files) == 0 {
				return fail("no shadow was run with --state %s: bunraku serve ENVIRONMENTPATH --shadow URL", state)
			}
			text, err := os.ReadFile(slices.Max(files))
			if errors.Is(err, fs.ErrPermission) {
				return fail("%s may not be read: run it as the user that bunraku serves as", slices.Max(files))
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.out, string(text))
			return err
		},
	}
	c.Flags().StringVar(&state, "state", defaultState, "the `DIR` that the server keeps its things in")
	return c
}
