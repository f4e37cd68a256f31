package main

import (
	"context"
	"os"
	"strings"

	"bunraku/puppet/environment"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// betweenSides is inEnvironment for commands that compare two states. The sides may be named as for git, behind the
// environment or in its place: REV, REV..REV, REV...REV, or two of them. Of two directories the second is the
// environment, and the first what it is compared with; so it is of --from and --to where the current directory is none.
func (f *diffFlags) betweenSides(run func(context.Context, *cobra.Command, string,
	*diffFlags) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		env := []string{}
		if len(args) == 2 && isDir(args[0]) && isDir(args[1]) {
			args[0], args[1] = args[1], args[0]
		}
		if len(args) > 0 && (len(args) == 3 || isEnvironment(args[0]) || len(args) == 2 && isRange(args[1])) {
			env, args = args[:1], args[1:]
		}
		if err := f.sides(args); err != nil {
			return err
		}
		if len(env) == 0 && isDir(f.from) && isDir(f.to) && !looksOwn(".") && looksOwn(f.to) {
			env, f.to = []string{f.to}, ""
		}
		return inEnvironment(func(ctx context.Context, cmd *cobra.Command, root string) error {
			return run(ctx, cmd, root, f)
		})(cmd, env)
	}
}

// isEnvironment reports whether an argument is the environment, and not a side: it is there, or it looks like a path
// and nothing is.
func isEnvironment(arg string) bool {
	_, err := os.Stat(arg)
	return err == nil || isPath(arg)
}

// isRange reports whether an argument is both sides: what stands before it is the environment.
func isRange(arg string) bool { return strings.Contains(arg, "..") && !isPath(arg) && !isDir(arg) }

// isPath reports whether an argument looks like a path, and like no revision or range of them.
func isPath(arg string) bool {
	return strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// looksOwn reports whether a directory looks like an environment.
func looksOwn(dir string) bool {
	view := source.NewDir(source.DirOptions{Roots: []string{dir}})
	return environment.Looks(view, source.Absolute(dir))
}

// sides takes the sides from arguments.
func (f *diffFlags) sides(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if f.from != "" || f.to != "" || f.fromCatalog != "" || f.toCatalog != "" {
		return fail("the sides are named twice: by flags, and by %q", strings.Join(args, " "))
	}
	if len(args) == 2 {
		f.from, f.to = args[0], args[1]
		return nil
	}
	from, to, isRange := strings.Cut(args[0], "..")
	if !isRange || isPath(args[0]) || isDir(args[0]) {
		f.from = args[0]
		return nil
	}
	f.from, f.to = from, strings.TrimPrefix(to, ".")
	f.fork = to != f.to
	for _, side := range []*string{&f.from, &f.to} { // as git: an end that is left out is the commit that is checked out
		if *side == "" {
			*side = "HEAD"
		}
	}
	return nil
}
