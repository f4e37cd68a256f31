package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"bunraku/catalog"
	"bunraku/compiler"
	"bunraku/facts"
	"bunraku/source"
	"bunraku/value"

	"github.com/spf13/cobra"
)

func (a *app) checkCommand() *cobra.Command {
	var flags compileFlags
	format := "text"
	c := &cobra.Command{
		Use:   "check [ENV]",
		Short: "Check a whole control repo: the main job",
		Long: `Reads every manifest (.pp) and template (.epp) below ENV (the current directory by default), a control repo, an
environment or a module, and reports what Puppet would reject, each with its place, the source line and advice. Then it
compiles every node whose facts it finds: in ENV/facts/*.json and *.yaml, or in the directory or file that --facts names.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := "."
			if len(args) == 1 {
				root = args[0]
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			if format != "text" && format != "json" {
				return fail("unknown format %q: text or json", format)
			}
			return a.check(ctx, root, &flags, flags.options(cmd), format == "json")
		},
	}
	flags.add(c)
	c.Flags().StringVar(&format, "format", format, "text or json")
	return c
}

func (a *app) check(ctx context.Context, root string, flags *compileFlags, opt compiler.Options, asJSON bool) error {
	began := time.Now()
	files, err := puppetFiles(root)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fail("%s holds no .pp and no .epp file; is it a control repo?", root)
	}
	all, err := a.readAll(ctx, files)
	if err != nil {
		return err
	}
	if !asJSON {
		a.report(all)
	}
	manifests := 0
	for _, f := range files {
		if filepath.Ext(f) == ".pp" {
			manifests++
		}
	}
	count := plural(manifests, "manifest") + ", " + plural(len(files)-manifests, "template")
	name := filepath.Base(absolute(root))
	if all.HasErrors() && asJSON {
		if err := a.writeJSON(answerJSON{Files: len(files), Problems: problemsOf(all)}); err != nil {
			return err
		}
		return &exitError{code: exitFailed}
	}
	if all.HasErrors() {
		fmt.Fprintf(a.out, "%s   %s: %s   %s\n", name, count, troubleText(all), seconds(time.Since(began)))
		return &exitError{code: exitFailed}
	}
	nodes, err := nodesOf(root, flags.facts)
	if err != nil {
		return err
	}
	if flags.node != "" {
		nodes = slices.DeleteFunc(nodes, func(n *facts.Facts) bool { return n.Name != flags.node })
		if len(nodes) == 0 {
			return fail("there are no facts of a node named %s", flags.node)
		}
	}
	if len(nodes) == 0 && !asJSON {
		fmt.Fprintf(a.out, "%s   %s: %s   %s\n", name, count, troubleText(all), seconds(time.Since(began)))
		return nil
	}
	results, err := a.compileAll(ctx, root, opt, nodes)
	if err != nil {
		return err
	}
	if asJSON {
		return a.nodesJSON(files, all, results)
	}
	failed := a.showNodes(name, count, results, platforms(nodes), began)
	if failed > 0 {
		fmt.Fprintf(a.out, "%d of %s failed\n", failed, plural(len(nodes), "node"))
		return &exitError{code: exitFailed}
	}
	return nil
}

// answerJSON is what check answers to tools.
type answerJSON struct {
	Files    int           `json:"files"`
	Problems []problemJSON `json:"problems"`
	Nodes    []nodeJSON    `json:"nodes,omitempty"`
}

type nodeJSON struct {
	Name      string        `json:"name"`
	Resources int           `json:"resources"`
	Compiles  bool          `json:"compiles"`
	Unknown   int           `json:"unknown_values"`
	Problems  []problemJSON `json:"problems"`
}

func (a *app) nodesJSON(files []string, all source.Diagnostics, results []checked) error {
	answer := answerJSON{Files: len(files), Problems: problemsOf(all)}
	failed := false
	for _, r := range results {
		n := nodeJSON{Name: r.node, Compiles: r.catalog != nil, Unknown: r.opaque, Problems: problemsOf(r.problems)}
		if r.catalog != nil {
			n.Resources = len(r.catalog.Resources)
		}
		failed = failed || r.problems.HasErrors()
		answer.Nodes = append(answer.Nodes, n)
	}
	if err := a.writeJSON(answer); err != nil {
		return err
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	return nil
}

// nodesOf reads the facts of every node: a file, a directory of files, or the facts directory of the environment.
func nodesOf(root, path string) ([]*facts.Facts, error) {
	if path == "" {
		path = filepath.Join(root, "facts")
		if !exists(path) {
			return nil, nil
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return facts.ReadAll(path)
	}
	var nodes []*facts.Facts
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".json", ".yaml", ".yml":
			n, err := facts.ReadAll(filepath.Join(path, e.Name()))
			if err != nil {
				return nil, err
			}
			nodes = append(nodes, n...)
		}
	}
	return nodes, nil
}

// platforms counts the operating systems among the nodes.
func platforms(nodes []*facts.Facts) int {
	seen := map[string]bool{}
	for _, n := range nodes {
		os, _ := n.Values.At("os").(*value.Hash)
		if os == nil {
			continue
		}
		release, _ := os.At("release").(*value.Hash)
		major := ""
		if release != nil {
			major = value.ToString(release.At("major"))
		}
		seen[value.ToString(os.At("name"))+" "+major] = true
	}
	return len(seen)
}

// A checked is what became of one node.
type checked struct {
	node     string
	catalog  *catalog.Catalog
	problems source.Diagnostics
	opaque   int
	done     bool
}

// compileAll compiles the nodes on all processors.
func (a *app) compileAll(ctx context.Context, root string, opt compiler.Options, nodes []*facts.Facts) ([]checked, error) {
	c, err := compiler.Open(root, opt)
	if err != nil {
		return nil, err
	}
	results := make([]checked, len(nodes))
	errs := make([]error, len(nodes))
	bar := a.progress("compiling", len(nodes))
	defer bar.stop()
	each(ctx, len(nodes), func(i int) {
		defer bar.step()
		res, err := c.Compile(compiler.Node{Facts: nodes[i]})
		if err != nil {
			errs[i] = err
			return
		}
		r := checked{node: nodes[i].Name, catalog: res.Catalog, problems: res.Warnings, done: true}
		if res.Failure != nil {
			r.problems = append(r.problems, res.Failure)
		} else {
			graph := catalog.NewGraph(res.Catalog, c)
			for _, cycle := range graph.Cycles() {
				r.problems = append(r.problems, cycle.Diagnostic())
			}
			r.opaque = countOpaque(res.Catalog)
		}
		results[i] = r
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, interrupted(ctx, a, results)
}

func interrupted(ctx context.Context, a *app, results []checked) error {
	if ctx.Err() == nil {
		return nil
	}
	n := 0
	for _, r := range results {
		if r.done {
			n++
		}
	}
	return fail("interrupted: %d of %d nodes were compiled", n, len(results))
}

// countOpaque counts the attributes that could not be computed.
func countOpaque(c *catalog.Catalog) (n int) {
	for _, r := range c.Resources {
		for _, p := range r.Params {
			if _, ok := p.Value.(*value.Opaque); ok {
				n++
			}
		}
	}
	return n
}

// showNodes prints a line for each node and every distinct problem once, and returns how many nodes failed.
func (a *app) showNodes(name, count string, results []checked, platforms int, began time.Time) (failed int) {
	type shownProblem struct {
		d     *source.Diagnostic
		nodes int
	}
	seen := map[string]*shownProblem{}
	var order []*shownProblem
	width := 0
	for _, r := range results {
		width = max(width, len(r.node))
		for _, d := range r.problems {
			key := d.Code + d.Place.String() + d.Summary
			if seen[key] == nil {
				seen[key] = &shownProblem{d: d}
				order = append(order, seen[key])
			}
			seen[key].nodes++
		}
	}
	for _, p := range order {
		if p.nodes > 1 {
			c := *p.d
			c.Detail = strings.TrimPrefix(c.Detail+"\n"+fmt.Sprintf("on %d nodes", p.nodes), "\n")
			p.d = &c
		}
		a.report(source.Diagnostics{p.d})
	}
	fmt.Fprintf(a.out, "%s   %s on %s, %s   %s\n", name, plural(len(results), "node"), plural(platforms, "platform"), count, seconds(time.Since(began)))
	for _, r := range results {
		verdict := "fine"
		if len(r.problems) > 0 {
			verdict = troubleText(r.problems)
		}
		if r.opaque > 0 {
			verdict += ", " + plural(r.opaque, "value") + " unknown without Ruby"
		}
		if r.problems.HasErrors() {
			failed++
		}
		if r.catalog == nil {
			fmt.Fprintf(a.out, "  %-*s   no catalog      %s\n", width, r.node, verdict)
			continue
		}
		fmt.Fprintf(a.out, "  %-*s   %4d resources  %s\n", width, r.node, len(r.catalog.Resources), verdict)
	}
	return failed
}

func troubleText(ds source.Diagnostics) string {
	errors, warnings := ds.Count(source.Error), ds.Count(source.Warning)
	if errors+warnings == 0 {
		return "fine"
	}
	return plural(errors, "error") + ", " + plural(warnings, "warning")
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

// each runs work 0 … n-1 on all processors until it is done or the context ends.
func each(ctx context.Context, n int, work func(i int)) {
	jobs := make(chan int)
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range jobs {
				work(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		jobs <- i
	}
	close(jobs)
	wait.Wait()
}

// readAll reads the files on all processors and returns their diagnostics in the order of the files.
func (a *app) readAll(ctx context.Context, files []string) (source.Diagnostics, error) {
	results := make([]source.Diagnostics, len(files))
	errs := make([]error, len(files))
	read := make([]bool, len(files))
	bar := a.progress("reading", len(files))
	defer bar.stop()
	each(ctx, len(files), func(i int) {
		tasks := strings.Contains(filepath.ToSlash(files[i]), "/plans/")
		_, results[i], errs[i] = readSyntax(files[i], tasks)
		read[i] = true
		bar.step()
	})
	var all source.Diagnostics
	done := 0
	for i := range files {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if read[i] {
			done++
		}
		all = append(all, results[i]...)
	}
	if ctx.Err() != nil {
		return nil, fail("interrupted: %d of %d files were read", done, len(files))
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
