package compiler

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"bunraku/puppet/environment"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/syntax"
	"bunraku/source"
)

// A Workspace is an environment whose files change while somebody works on them. Everything that is made of the content
// of a file is kept under its digest, so that a snapshot costs what has changed since the last ones.
type Workspace struct {
	path  string
	opt   Options
	set   eval.Settings
	err   error // with the options
	cache *source.Cache
}

// NewWorkspace makes a workspace of an environment: a directory with environment.conf, a control repo, a module, or a
// single manifest. Nothing is read. What is wrong with the options, every snapshot tells.
func NewWorkspace(path string, opt Options) *Workspace {
	w := &Workspace{path: path, cache: source.NewCache(opt.CacheBytes)}
	if opt.Language == 0 {
		opt.Language = source.Puppet8
	}
	w.opt, w.set = opt, eval.Language(opt.Language)
	if opt.Strict != "" {
		w.set.Strict, w.err = source.ParseStrictness(opt.Strict)
	}
	if opt.StrictVariables != nil {
		w.set.StrictVariables = *opt.StrictVariables
	}
	w.set.Trace, w.set.Reads, w.set.OlderYAML, w.set.Certain = opt.Trace, opt.Reads, opt.OlderYAML, opt.StrictOpaque
	return w
}

// Traced is a workspace of the same environment that records where values come from.
func (w *Workspace) Traced() *Workspace {
	if w.opt.Trace {
		return w
	}
	opt := w.opt
	opt.Trace, opt.Cover, opt.Questions = true, nil, false
	return NewWorkspace(w.path, opt)
}

// Disk is a view of the machine's files as they are now, as far as the user has named them: the environment, the module
// path, other roots, and the directory of the global hiera.yaml.
func (w *Workspace) Disk() *source.Dir {
	opt := environment.Options{ModulePath: w.opt.ModulePath, BaseModulePath: w.opt.BaseModulePath, Outside: w.opt.Outside,
		Roots: w.opt.Roots, Inputs: w.opt.Inputs}
	for _, d := range w.opt.DataDirs {
		opt.Inputs = append(opt.Inputs[:len(opt.Inputs):len(opt.Inputs)], d.To)
	}
	if w.opt.GlobalHiera != "" {
		opt.Inputs = append([]string{filepath.Dir(source.Absolute(w.opt.GlobalHiera))}, opt.Inputs...)
	}
	return environment.Disk(w.path, opt)
}

// Open is a snapshot of the machine's files.
func (w *Workspace) Open(ctx context.Context) (*Snapshot, error) { return w.Snapshot(ctx, w.Disk()) }

// Parse parses and validates a manifest or template of a view; tasks makes `plan` and `apply` keywords. What snapshots
// have parsed, or will, is parsed once. The diagnostics are shared, in the order of the file.
func (w *Workspace) Parse(files source.Files, name string, tasks bool) (*syntax.File, source.Diagnostics, error) {
	if w.err != nil {
		return nil, nil, w.err
	}
	abs := source.Absolute(name)
	opt := w.syntax()
	opt.Tasks = tasks
	tree, ds, err := environment.ParseFile(w.cache, files, abs, filepath.ToSlash(name), opt)
	if err != nil {
		return nil, nil, source.Named(err, abs, name)
	}
	ds = slices.Clone(ds)
	ds.Sort()
	return tree, ds, nil
}

// Data reads a data file of a view, YAML, JSON or HOCON by the end of its name. What snapshots have read, or will, is
// read once.
func (w *Workspace) Data(files source.Files, name string) (*datafile.File, error) {
	return w.data(files, source.Absolute(name), filepath.ToSlash(name))
}

// Data reads a data file, as Workspace.Data does.
func (c *Snapshot) Data(path string) (*datafile.File, error) {
	return c.ws.data(c.files, path, c.env.Display(path))
}

// CheckHiera says what a lookup would find wrong with a hiera.yaml, the environment's or a module's.
func (c *Snapshot) CheckHiera(path string, module bool) error {
	return c.lookup.CheckConfig(path, module)
}

func (w *Workspace) data(files source.Files, path, name string) (*datafile.File, error) {
	c, err := files.Read(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	return lookup.Parse(w.cache, name, c)
}

// syntax is how manifests are parsed.
func (w *Workspace) syntax() syntax.Options {
	return syntax.Options{Strict: w.set.Strict, Language: w.set.Language}
}

// ErrWritten says that the files changed each time that they were read.
var ErrWritten = errors.New("the tree is being written: it changed each time that it was read")

// mostTries is how often files are read that change meanwhile.
const mostTries = 4

// again waits for whoever is writing and takes a fresh view; nil if the view is no live one or it was tried often
// enough.
func again(ctx context.Context, files source.Files, tries int) (source.Files, error) {
	live, is := files.(source.Live)
	if !is || tries+1 >= mostTries {
		return nil, ErrWritten
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(10 * time.Millisecond << tries):
	}
	return live.Fresh(), nil
}

// confirm is the error of something that was made of a view's answers. Where these do not count (the files changed, or
// something of them could not be had), it is why.
func confirm(files source.Files, err error) error {
	if live, is := files.(source.Live); is {
		if why := live.Confirm(); why != nil {
			return why
		}
	}
	return err
}

// Snapshot prepares a view of the files. A live one that changes meanwhile is taken anew.
func (w *Workspace) Snapshot(ctx context.Context, files source.Files) (_ *Snapshot, err error) {
	defer source.Catch(&err)
	if w.err != nil {
		return nil, w.err
	}
	for tries := 0; ; tries++ {
		w.cache.Grow()
		s, err := w.open(files)
		if err = confirm(files, err); err == nil {
			return s, nil
		} else if !errors.Is(err, source.ErrChanged) {
			return nil, err
		}
		if files, err = again(ctx, files, tries); err != nil {
			return nil, err
		}
	}
}

// Current is the snapshot that answers now: another one than this if the files of this one have changed before they
// were all read.
func (c *Snapshot) Current() *Snapshot {
	for next := c.renewed.Load(); next != nil; next = c.renewed.Load() {
		c = next
	}
	return c
}

// Files is the view that is compiled from.
func (c *Snapshot) Files() source.Files { return c.files }

// Compile makes a node's catalog. Trouble with the code is in the result; the error is about our surroundings, and that
// includes work that was not done because the context ended. If the files change before all was read, nothing is made
// of two states of them: a fresh snapshot takes this one's place.
func (c *Snapshot) Compile(ctx context.Context, n Node) (*eval.Result, error) {
	for tries := 0; ; tries++ {
		c = c.Current()
		result, err := c.compile(ctx, n)
		if err = confirm(c.files, err); err == nil {
			return result, nil
		} else if !errors.Is(err, source.ErrChanged) {
			return nil, err
		}
		files, err := again(ctx, c.files, tries)
		if err != nil {
			return nil, err
		}
		next, err := c.ws.Snapshot(ctx, files)
		if err != nil {
			return nil, err
		}
		c.renewed.CompareAndSwap(nil, next)
	}
}

// caught turns a bug into a compile that failed: it costs the node that it happens on, and says where it happened.
func caught(result **eval.Result, err *error) {
	if p := recover(); p != nil {
		*result, *err = &eval.Result{Failure: source.Bug(p)}, nil
	}
}
