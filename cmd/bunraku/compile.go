package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"bunraku/explain"
	"bunraku/provenance"
	"bunraku/puppet/catalog"
	"bunraku/puppet/classifier"
	"bunraku/puppet/compiler"
	"bunraku/puppet/eval"
	"bunraku/puppet/lookup"
	"bunraku/puppet/resource"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"

	"github.com/spf13/cobra"
)

// compileFlags are the switches that every command which compiles has.
type compileFlags struct {
	facts, node, modulepath, strict string
	language                        source.Language
	strictVariables, outside        bool
	provenance                      string // of compile only: where to write the side file
	unknown                         rubyFlags
	roots                           []string
	hiera                           string
	trusted                         string
	classes                         []string
	datadirs                        datadirFlag
	several                         string   // what else can be done if there are several nodes and none was named
	work                            workFlag // times what a compile usually may cost
	enc                             encFlag
	encTimeout                      time.Duration
	exported                        string // where exported resources come from
	puppetdb                        puppetdbFlags
}

func (f *compileFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.facts, "facts", "",
		"facts: a `FILE` of facter, puppet facts or PuppetDB, in JSON or YAML, or a directory of such files; by default "+
			"ENV/facts")
	c.Flags().StringVar(&f.node, "node", "", "the node's `NAME`; its facts are found by it. By default the facts' fqdn")
	c.Flags().StringVar(&f.modulepath, "modulepath", "",
		"directories of modules, separated by :, in place of environment.conf's")
	c.Flags().StringVar(&f.strict, "strict", "", "off, warning or error: what Puppet's setting of that name does")
	f.language = source.Puppet8
	c.Flags().Var((*languageFlag)(&f.language), "language", "the Puppet that compiles: 7, 8, openvox8 or openvox9")
	c.Flags().BoolVar(&f.strictVariables, "strict-variables", false,
		"an unknown variable is an error (the default of language 8)")
	c.Flags().StringArrayVar(&f.roots, "root", nil,
		"a `DIR` that may be read besides ENV and --modulepath, if ENV names it; may be repeated")
	c.Flags().StringSliceVar(&f.classes, "classes", nil,
		"`CLASSES` that every node gets, as a classifier would give them: A,B")
	c.Flags().StringVar(&f.trusted, "trusted", "",
		"a `FILE` of YAML or JSON with what certificates say: keys of $trusted, such as extensions, or those of each node "+
			"by its name")
	c.Flags().Var(&f.enc, "enc",
		"the classifier of nodes, as Puppet's external_nodes: a program, which is run with each node's name, a file with "+
			"what such a program prints, or a directory of such files by the nodes' names")
	f.exported = "fleet"
	c.Flags().StringVar(&f.exported, "exported", f.exported,
		"where collectors find what other nodes export: fleet (the nodes that there are facts of), puppetdb, or none")
	f.puppetdb.add(c.Flags())
	c.Flags().DurationVar(&f.encTimeout, "enc-timeout", classifier.DefaultTimeout,
		"how long the classifier may take for one node")
	c.Flags().StringVar(&f.hiera, "hiera", "", "the global hiera.yaml, a `FILE` outside of ENV")
	c.Flags().Var(&f.datadirs, "datadir",
		"`FROM=TO`: Hiera's data that hiera.yaml says is in FROM is in TO on this machine; may be repeated")
	c.Flags().BoolVar(&f.outside, "allow-outside", false,
		"whatever ENV names may be read, wherever it lies: for trees that you vouch for")
	f.work = 1
	c.Flags().Var(&f.work, "work",
		"how many times the usual work, steps and bytes, the compile of one node may cost")
	f.unknown.add(c)
	c.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.missing(cmd.ErrOrStderr(), isThere); err != nil {
			return err
		}
		return f.unknown.prepare()
	}
}

// isThere reports whether there is anything of a name.
func isThere(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// missing is the error of flags that name what is not there, as far as that would only be passed over. Puppet passes
// over directories of a module path, too: of these it is told.
func (f *compileFlags) missing(told io.Writer, there func(name string) bool) error {
	if f.hiera != "" && !there(f.hiera) {
		return fail("--hiera %s: there is no such file, so nothing would be looked up by it", f.hiera)
	}
	for _, d := range f.datadirs {
		if !there(d.To) {
			return fail("--datadir %s=%s: there is no such directory, so Hiera would find nothing in it", d.From, d.To)
		}
	}
	for _, dir := range f.roots {
		if !there(dir) {
			return fail("--root %s: there is no such file or directory, so nothing of it could be read", dir)
		}
	}
	if f.modulepath != "" {
		for _, dir := range source.SplitPaths(f.modulepath) {
			if dir != "" && !there(dir) {
				fmt.Fprintf(told, "note: --modulepath: there is no directory %s, and it is passed over\n", dir)
			}
		}
	}
	return nil
}

// A workFlag is --work N: how much a compile may cost.
type workFlag int64

// mostWork keeps what is counted within its numbers.
const mostWork = 1_000_000

func (f *workFlag) String() string { return strconv.FormatInt(int64(*f), 10) }

// Set implements pflag.Value.
func (f *workFlag) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > mostWork {
		return fail("--work is a whole number from 1 to %d", mostWork)
	}
	*f = workFlag(n)
	return nil
}

// Type implements pflag.Value.
func (f *workFlag) Type() string { return "N" }

// A languageFlag is a language on the command line.
type languageFlag source.Language

func (f *languageFlag) String() string { return source.Language(*f).String() }

// Set implements pflag.Value.
func (f *languageFlag) Set(text string) (err error) {
	*(*source.Language)(f), err = source.ParseLanguage(text)
	return err
}

// Type implements pflag.Value.
func (f *languageFlag) Type() string { return "NAME" }

// A datadirFlag is --datadir FROM=TO, any number of times.
type datadirFlag []lookup.DataDir

func (f *datadirFlag) String() string { return "" }

// Set implements pflag.Value.
func (f *datadirFlag) Set(text string) error {
	from, to, both := strings.Cut(text, "=")
	if !both || !strings.HasPrefix(from, "/") || to == "" {
		return fail("--datadir is FROM=TO, and FROM begins with a slash")
	}
	*f = append(*f, lookup.DataDir{From: from, To: source.Absolute(to)})
	return nil
}

// Type implements pflag.Value.
func (f *datadirFlag) Type() string { return "FROM=TO" }

// An encFlag is --enc PROGRAM|FILE|DIR.
type encFlag struct{ c *classifier.Classifier }

func (f *encFlag) String() string {
	if f.c == nil {
		return ""
	}
	return f.c.String()
}

// Set implements pflag.Value.
func (f *encFlag) Set(text string) (err error) {
	if f.c, err = classifier.Open(text); err != nil {
		return fail("--enc: %v", err)
	}
	return nil
}

// Type implements pflag.Value.
func (f *encFlag) Type() string { return "PROGRAM|FILE|DIR" }

// options are what the flags say about compiling. What is decrypted on the way is kept out of everything that is shown.
func (a *app) options(c *cobra.Command, f *compileFlags) compiler.Options {
	o := compiler.Options{Language: f.language, Strict: f.strict, Decrypted: a.secrets.Add}
	if c.Flags().Changed("strict-variables") {
		o.StrictVariables = &f.strictVariables
	}
	if f.modulepath != "" {
		o.ModulePath = source.SplitPaths(f.modulepath)
	}
	o.Outside, o.Roots = f.outside, slices.Clone(f.roots)
	o.GlobalHiera = f.hiera
	o.DataDirs = f.datadirs
	if f.puppetdb.url != "" {
		o.PuppetDB = lazyPuppetDB{&f.puppetdb, c.Context()}
	}
	if o.Classifier = f.enc.c; f.enc.c != nil {
		f.enc.c.Timeout = f.encTimeout
	}
	if f.work > 1 {
		o.Limits = eval.Limits()
		o.Limits.Steps, o.Limits.Bytes = o.Limits.Steps*int64(f.work), o.Limits.Bytes*int64(f.work)
	}
	for _, input := range []string{f.facts, f.trusted} {
		if input != "" {
			o.Inputs = append(o.Inputs, input)
		}
	}
	f.unknown.apply(&o)
	return o
}

func (a *app) compileCommand() *cobra.Command {
	var flags compileFlags
	format := "json"
	c := &cobra.Command{
		Use:   "compile ENV",
		Short: "Compile a node's catalog, as a Puppet server would",
		Long: `Compiles the catalog of one node. ENV is an environment (a directory with environment.conf, or a control repo), a module, or a
single manifest. The node's facts are those of --facts, or are found in ENV/facts by the name that --node gives; if only one node
has facts there, it need not be named. The catalog is printed as Puppet's own JSON; warnings and errors go to standard error.`,
		Args: arguments(1, 1, "what to compile"),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := catalogWriters[format]
			if !ok {
				return fail("unknown format %q: json, yaml, text or dot", format)
			}
			result, err := a.compileOne(cmd, &flags, args[0])
			if err != nil {
				return err
			}
			text, err := write(result.Catalog)
			if err != nil {
				return err
			}
			form := source.Quoted
			if format == "text" || format == "dot" {
				form = source.Plain
			}
			_, err = a.out.Reveal(form).Write(text) // an agent needs the secrets too
			return err
		},
	}
	flags.add(c)
	c.Flags().StringVar(&format, "format", format, "json, yaml, text or dot")
	c.Flags().StringVar(&flags.provenance, "provenance", "",
		"also write where every value comes from to `FILE`, for explain --from")
	return c
}

// compileOne compiles the node that the flags describe and reports trouble.
func (a *app) compileOne(cmd *cobra.Command, flags *compileFlags, env string) (*eval.Result, error) {
	opt := a.options(cmd, flags)
	opt.Trace = flags.provenance != ""
	o, err := a.open(cmd.Context(), flags, env, opt)
	if err != nil {
		return nil, err
	}
	result, err := a.compileNode(cmd.Context(), o)
	if err != nil || flags.provenance == "" {
		return result, err
	}
	return result, writeProvenance(flags.provenance, env, a.secrets.HideJSON, result)
}

// keep remembers what is Sensitive in a compile, so that nothing shows it.
func (a *app) keep(r *eval.Result) {
	if r.Catalog != nil {
		a.secrets.AddCatalog(r.Catalog)
	}
	r.EachVariable(func(_, _ string, v value.Value, _ provenance.Ref) { a.secrets.AddValue(v) })
	r.EachBared(a.secrets.AddBared, a.secrets.AddMade)
	if record := r.Record(); a.made && record.Trace != nil {
		explain.Of(record).EachMade(a.secrets.AddMade)
	}
}

// An opened node is one that the flags name, in a snapshot of its environment.
type opened struct {
	*compiler.Snapshot
	node compiler.Node
	done *eval.Result // its compile, if finding out what others export to it took that already
}

func (o *opened) compile(ctx context.Context) (*eval.Result, error) {
	if o.done != nil {
		return o.done, nil
	}
	return o.Compile(ctx, o.node)
}

// open takes a snapshot of an environment and finds the node that the flags name in it.
func (a *app) open(ctx context.Context, flags *compileFlags, env string, opt compiler.Options) (*opened, error) {
	ws := compiler.NewWorkspace(env, opt)
	view := ws.Disk()
	node, err := a.node(flags, view, env)
	if err != nil {
		return nil, err
	}
	if err := flags.assign(view, &node); err != nil {
		return nil, err
	}
	if there, err := a.environmentOf(ctx, flags, env, &opt, node); err != nil {
		return nil, err
	} else if there != "" {
		ws = compiler.NewWorkspace(there, opt)
		view = ws.Disk()
	}
	c, err := ws.Snapshot(ctx, view)
	if err != nil {
		return nil, err
	}
	o := &opened{Snapshot: c, node: node}
	return o, a.imports(ctx, flags, env, o)
}

// compileNode is compileOne of a node that is open.
func (a *app) compileNode(ctx context.Context, o *opened) (*eval.Result, error) {
	result, err := o.compile(ctx)
	if err != nil {
		return nil, err
	}
	a.keep(result)
	notes := result.Warnings
	if result.Failure == nil { // who knows what a compile that ended early would have called
		notes = append(notes, o.UnusedMocks()...)
	}
	a.report(notes)
	for _, l := range result.Logs {
		if l.Level != "debug" && l.Level != "info" {
			fmt.Fprintf(a.err, "%s: %s (%s)\n", l.Level, l.Text, l.Place)
		}
	}
	if result.Failure != nil {
		a.report(source.Diagnostics{result.Failure})
		return nil, &exitError{code: exitFailed}
	}
	return result, nil
}

var catalogWriters = map[string]func(*catalog.Catalog) ([]byte, error){
	"json": func(c *catalog.Catalog) ([]byte, error) {
		text, err := catalog.JSON{Indent: true, Types: types.ToData}.Append(nil, c)
		return append(text, '\n'), err
	},
	"yaml": func(c *catalog.Catalog) ([]byte, error) { return catalog.YAML{Types: types.ToData}.Append(nil, c) },
	"text": func(c *catalog.Catalog) ([]byte, error) { return catalog.Text{}.Append(nil, c), nil },
	"dot": func(c *catalog.Catalog) ([]byte, error) {
		return catalog.NewGraph(c, resource.Core{}).AppendDOT(nil), nil
	},
}
