package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"bunraku/source"

	"github.com/spf13/cobra"
)

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [ENV]",
		Short: "Check a whole control repo: the main job",
		Long: `Reads every manifest (.pp) and template (.epp) below ENV (the current directory by default), a control repo, an
environment or a module, and reports what Puppet would reject, each with its place, the source line and advice.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			root := "."
			if len(args) == 1 {
				root = args[0]
			}
			return a.check(root)
		},
	}
}

func (a *app) check(root string) error {
	began := time.Now()
	files, err := puppetFiles(root)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fail("%s holds no .pp and no .epp file; is it a control repo?", root)
	}
	all, err := a.readAll(files)
	if err != nil {
		return err
	}
	a.report(all)
	manifests := 0
	for _, f := range files {
		if filepath.Ext(f) == ".pp" {
			manifests++
		}
	}
	errors, warnings := all.Count(source.Error), all.Count(source.Warning)
	verdict := "fine"
	if errors+warnings > 0 {
		verdict = plural(errors, "error") + ", " + plural(warnings, "warning")
	}
	fmt.Fprintf(a.out, "%s   %s, %s: %s   %s\n", filepath.Base(absolute(root)), plural(manifests, "manifest"), plural(len(files)-manifests, "template"),
		verdict, seconds(time.Since(began)))
	if errors > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// readAll reads the files on all processors and returns their diagnostics in the order of the files.
func (a *app) readAll(files []string) (source.Diagnostics, error) {
	results := make([]source.Diagnostics, len(files))
	errs := make([]error, len(files))
	bar := a.progress("reading", len(files))
	defer bar.stop()
	work := make(chan int)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range work {
				tasks := strings.Contains(filepath.ToSlash(files[i]), "/plans/")
				_, results[i], errs[i] = readSyntax(files[i], tasks)
				bar.step()
			}
		})
	}
	for i := range files {
		work <- i
	}
	close(work)
	wait.Wait()
	var all source.Diagnostics
	for i := range files {
		if errs[i] != nil {
			return nil, errs[i]
		}
		all = append(all, results[i]...)
	}
	return all, nil
}

// puppetFiles lists the manifests and templates below a directory in a fixed order. Hidden directories and the fixtures that
// module tests download are not the user's code.
func puppetFiles(root string) ([]string, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{root}, nil
	}
	var files []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "fixtures" && filepath.Base(filepath.Dir(path)) == "spec") {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext == ".pp" || ext == ".epp" {
			files = append(files, path)
		}
		return nil
	})
	sort.Strings(files)
	return files, err
}
