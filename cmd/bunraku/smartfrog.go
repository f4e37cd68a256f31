package main

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"

	"bunraku/smartfrog"
	"bunraku/source"

	"github.com/spf13/cobra"
)

func (a *app) smartfrogCommand() *cobra.Command {
	var opt smartfrog.Options
	var format, explain, root string
	cmd := &cobra.Command{
		Use:   "smartfrog FILE",
		Short: "Compile a SmartFrog specification, or say where one of its values comes from",
		Long: `Compile a SmartFrog specification to JSON, YAML or SmartFrog.

The order of attributes is part of the result and is kept. Files named by #include are read
relative to the file that includes them, and only below one directory: the current one when
FILE is in it, else the one of FILE.`,
		Example: `  bunraku smartfrog servers.sf
  bunraku smartfrog servers.sf --format yaml
  bunraku smartfrog servers.sf --explain s2:web:port`,
		Args: arguments(1, 1, "what to compile"),
		RunE: func(_ *cobra.Command, args []string) error {
			if explain == "" {
				return a.smartfrogCompile(args[0], root, format, opt)
			}
			return a.smartfrogExplain(args[0], root, explain, format, opt)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&opt.Extended, "extended", false,
		"links may look ahead; THIS, PARENT, ROOT; the spellings of HP's compiler")
	flags.StringVar(&format, "format", "", "json (the default), yaml or sf; with --explain, text (the default) or json")
	flags.StringVar(&explain, "explain", "", "say where the value of this attribute comes from: `REF`, like s2:web:port")
	flags.StringVar(&root, "include-root", "", "read included files below this `DIR` only")
	return cmd
}

func (a *app) smartfrogCompile(name, root, format string, opt smartfrog.Options) error {
	var write func(*smartfrog.Result, io.Writer) error
	switch format {
	case "", "json":
		write = (*smartfrog.Result).WriteJSON
	case "yaml":
		write = (*smartfrog.Result).WriteYAML
	case "sf":
		write = (*smartfrog.Result).WriteSF
	default:
		return fail("unknown format %q: json, yaml and sf are known", format)
	}
	result, err := a.smartfrogResult(name, root, opt)
	if err != nil {
		return err
	}
	return write(result, a.out.As(source.Quoted))
}

func (a *app) smartfrogExplain(name, root, ref, format string, opt smartfrog.Options) error {
	if format != "" && format != "text" && format != "json" {
		return fail("unknown format %q: --explain knows text and json", format)
	}
	path, ok := smartfrog.ParseReference(ref)
	if !ok {
		return fail("%q is no reference: write it like s2:web:port", ref)
	}
	result, err := a.smartfrogResult(name, root, opt)
	if err != nil {
		return err
	}
	explanation, problem := result.Explain(path)
	if problem != nil {
		a.report(source.Diagnostics{problem})
		return &exitError{code: exitFailed}
	}
	if format == "json" {
		return explanation.WriteJSON(a.out.As(source.Quoted))
	}
	return explanation.WriteText(a.out)
}

// smartfrogResult compiles a file and reports what there is to report.
func (a *app) smartfrogResult(name, root string, opt smartfrog.Options) (*smartfrog.Result, error) {
	text, err := source.ReadFile(name)
	if err != nil {
		return nil, fail("%v", err)
	}
	includes, at, err := includeRoot(name, root)
	if err != nil {
		return nil, fail("%v", err)
	}
	opt.Path = at
	// A run is short: collecting its garbage costs more than the memory is worth.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	result, diags := smartfrog.Compile(source.NewFile(filepath.ToSlash(name), text.Text), includes, opt)
	a.report(diags)
	if result == nil {
		return nil, &exitError{code: exitFailed, message: count(diags.Count(source.Error), "error")}
	}
	return result, nil
}

// includeRoot opens the directory below which includes may be read, and says where the file is in it. A file that is
// not in it, as /dev/stdin is not, includes as if it were at its top.
func includeRoot(name, root string) (fs.FS, string, error) {
	file := source.Absolute(name)
	if root == "" {
		root = filepath.Dir(file)
	}
	root = source.Absolute(root)
	view := source.NewDir(source.DirOptions{Roots: []string{root}})
	if _, err := view.List(root); err != nil {
		return nil, "", err
	}
	at, inside := below(root, file)
	if !inside {
		at = path.Base(filepath.ToSlash(file))
	}
	return source.FS(view, root), at, nil
}

// below returns the path of a file relative to a directory, with slashes, when it is inside.
func below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
