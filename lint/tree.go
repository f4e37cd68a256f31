package lint

import (
	"context"
	"path/filepath"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/source"
)

// A Checked file is one with what was found in it.
type Checked struct {
	Source *source.File
	Unread *source.Diagnostic // why it could not be read; nil if it was
	Result
}

// Files lists what there is to check below a directory, as the user calls it: manifests, files of data and
// metadata.json, but not those that the options ignore, nor what own says is somebody else's. A single file is itself.
func (l *Linter) Files(view source.Files, root string, own func(file string) bool) (files []string,
	unread source.Diagnostics, err error) {
	return environment.FilesBelow(view, root, func(name, below string) bool {
		path := filepath.Join(root, below)
		return !l.opt.Ignores(below) && (own == nil || own(path)) &&
			(filepath.Ext(name) == ".pp" || IsData(path) || IsMetadata(path) && !l.opt.NoMetadata)
	})
}

// Check checks files on all processors. step is called after each.
func (l *Linter) Check(ctx context.Context, view source.Files, files []string, step func()) ([]Checked, error) {
	out := make([]Checked, len(files))
	errs := make([]error, len(files))
	source.Each(ctx, len(files), func(i int) {
		path := source.Absolute(files[i])
		content, err := view.Read(path)
		out[i].Source = source.NewFile(filepath.ToSlash(files[i]), content.Text)
		switch {
		case err != nil:
			out[i].Unread, err = source.Unread(err, out[i].Source.Name), nil
		case IsMetadata(path):
			out[i].Result = l.Metadata(path, content.Text)
		default:
			out[i].Result, err = l.File(ctx, path, content.Text)
		}
		errs[i] = source.Named(err, path, files[i])
		step()
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

// Shown are the findings of a file that the options let through.
func (l *Linter) Shown(c *Checked) []Finding {
	var out []Finding
	for _, f := range c.Findings {
		level := l.opt.ErrorLevel
		if f.Ignored && !l.opt.ShowIgnored || level != "" && level != "all" && level != f.Level() {
			continue
		}
		out = append(out, f)
	}
	return out
}

// Diagnostic tells a finding as everything else is told: its code is the name of the check.
func (c *Checked) Diagnostic(f *Finding) *source.Diagnostic {
	at := c.Source.Offset(source.Position{Line: f.Line, Column: f.Column})
	d := &source.Diagnostic{Code: f.Check, Severity: source.Warning, Summary: f.Message, Help: Help(f.Check),
		Place: source.Place{File: c.Source, Span: source.Span{Start: at, End: at}}}
	if f.Error {
		d.Severity = source.Error
	}
	return d
}

// Describe tells what is wrong with a control comment.
func (c *Checked) Describe(note Note) *source.Diagnostic {
	start := c.Source.Offset(source.Position{Line: note.Line, Column: 1})
	line := c.Source.Line(note.Line)
	blank := uint32(len(line) - len(strings.TrimLeft(line, " \t")))
	return &source.Diagnostic{Code: "L0003", Severity: source.Note, Summary: note.Text,
		Place: source.Place{File: c.Source, Span: source.Span{Start: start + blank, End: start + uint32(len(line))}},
		Help: "write `# lint:ignore:CHECK reason` at the end of a line, or on lines of their own that and `# " +
			"lint:endignore`"}
}
