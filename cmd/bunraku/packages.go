package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"bunraku/judge"
	"bunraku/verify/listing"

	"github.com/spf13/cobra"
)

func (a *app) packagesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "packages",
		Short: "Import and show the package lists that verify knows files and dependencies from",
		Args:  subcommands,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.packagesImportCommand(), a.packagesShowCommand())
	return c
}

func (a *app) packagesImportCommand() *cobra.Command {
	var im listing.Import
	c := &cobra.Command{
		Use:   "import SOURCE…",
		Short: "Read package lists into the store",
		Long: `Reads package lists into one indexed store, which verify and check then use by themselves. A source is

  dpkg's database              /var/lib/dpkg, or the root of a machine or container
  apt's lists                  /var/lib/apt/lists, after apt-file update
  a Debian or Ubuntu archive   a folder or files: Contents-ARCH and Packages, also .gz .xz .zst .lz4 .bz2
  an RPM repository            the folder with repodata/repomd.xml
  a folder of plain lists      one file per package, one path a line

What a source is, is found out. Lists of the same sources are replaced, others stay; lists of all kinds of one platform
complement each other.`,
		Args: arguments(1, -1, "what to import"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := untilSignal()
			defer stop()
			im.Sources, im.Now = args, time.Now()
			return a.importPackages(ctx, im)
		},
	}
	f := c.Flags()
	f.StringVar(&im.Platform, "platform", "",
		"what the packages are for, such as debian-12; by default what the source says")
	f.StringVar(&im.Store, "store", "", "the store to write: `FILE`; by default in the user's cache")
	f.BoolVar(&im.Replace, "replace", false, "drop everything else that the store has of the platform")
	return c
}

func (a *app) importPackages(ctx context.Context, im listing.Import) error {
	began := time.Now()
	if im.Store == "" {
		var err error
		if im.Store, err = listing.DefaultStore(); err != nil {
			return fail("%v; say where with --store", err)
		}
	}
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(50)) // a long run with much garbage: the opposite of a compile
	}
	bar := a.progress("importing, percent", 100)
	im.Progress = func(done, _ int64) { bar.done.Store(done) }
	layers, err := im.Run(ctx)
	bar.stop()
	if errors.Is(err, context.Canceled) {
		return fail("interrupted: nothing was imported")
	}
	if err != nil {
		return err
	}
	for _, l := range layers {
		fmt.Fprintf(a.out, "%s: %s, %s from %s (%s)   %s\n", l.Platform, plural(l.Packages, "package"),
			plural(l.Files, "path"),
			strings.Join(l.Sources, ", "), l.Kind, seconds(time.Since(began)))
		for _, n := range l.Notes {
			fmt.Fprintf(a.out, "   note: %s\n", n)
		}
		if l.Skipped > 0 {
			fmt.Fprintf(a.out, "   note: %s passed over: neither a path nor a package\n", plural(l.Skipped, "line"))
		}
	}
	info, err := os.Stat(im.Store)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s   %.1f MB\n", im.Store, float64(info.Size())/1e6)
	return nil
}

// showFlags are the switches of packages show.
type showFlags struct {
	platform, store, format string
	packages                []string
}

func (a *app) packagesShowCommand() *cobra.Command {
	var flags showFlags
	c := &cobra.Command{
		Use:   "show [NAME|/PATH]",
		Short: "Show what a package brings, who brings a path, or which lists there are",
		Args:  arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.format != "text" && flags.format != "json" {
				return fail("unknown format %q: text or json", flags.format)
			}
			if len(args) == 0 {
				return a.showLayers(&flags)
			}
			lists, err := flags.open()
			if err != nil {
				return err
			}
			defer lists.Close()
			if strings.HasPrefix(args[0], "/") {
				return a.showOwners(lists, path.Clean(args[0]), flags.format == "json")
			}
			return a.showPackage(lists, args[0], flags.format == "json")
		},
	}
	f := c.Flags()
	f.StringVar(&flags.platform, "platform", "",
		"whose lists, such as debian-12; by default the only ones, or the built-in ones")
	f.StringVar(&flags.store, "store", "", "the store to read: `FILE`; by default in the user's cache")
	f.StringArrayVar(&flags.packages, "packages", nil,
		"a folder of lists, dpkg's database or a store to ask first; may be repeated")
	f.StringVar(&flags.format, "format", "text", "text or json")
	return c
}

// open opens the lists of the platform; without one, those of the only platform that there is.
func (f *showFlags) open() (*listing.Set, error) {
	platform := f.platform
	if platform == "" {
		doc, err := f.layers()
		if err != nil {
			return nil, err
		}
		platform = doc.BuiltIn.Platform
		var all []string
		for _, l := range doc.Lists {
			if !slices.Contains(all, l.Platform) {
				all = append(all, l.Platform)
			}
		}
		switch {
		case len(all) > 1:
			return nil, fail("say whose packages with --platform: %s", strings.Join(all, ", "))
		case len(all) == 1:
			platform = all[0]
		}
	}
	return judge.OpenLists(platform, f.store, f.packages)
}

// packageJSON is a package for tools.
type packageJSON struct {
	Name        string     `json:"name"`
	Version     string     `json:"version,omitempty"`
	From        string     `json:"from"`
	Depends     []string   `json:"depends"`
	Services    []string   `json:"services"`
	Files       []fileJSON `json:"files"`
	Directories []string   `json:"directories"`
	// What the list leaves out.
	EmptyDirectories bool     `json:"lists_empty_directories"`
	AllFiles         bool     `json:"lists_all_files"`
	Notes            []string `json:"notes,omitempty"`
}

type fileJSON struct {
	Path     string `json:"path"`
	Conffile bool   `json:"conffile,omitempty"`
	Service  string `json:"service,omitempty"`
}

func (a *app) showPackage(lists *listing.Set, name string, asJSON bool) error {
	p, err := lists.Package(name)
	if err != nil {
		return err
	}
	if !asJSON || p == nil {
		a.tellLists(lists.Notes())
	}
	if p == nil {
		return fail("no list has a package %s; `bunraku packages import` brings more lists", name)
	}
	if asJSON {
		doc := packageJSON{Name: p.Name, Version: p.Version, From: p.From, Depends: orEmpty(p.Depends),
			Services: orEmpty(p.Services()), Files: []fileJSON{},
			Directories: orEmpty(p.Dirs), EmptyDirectories: !p.NoEmpty, AllFiles: !p.Partial, Notes: lists.Notes()}
		for _, f := range p.Files {
			doc.Files = append(doc.Files, fileJSON{f, p.Config(f), listing.Service(f)})
		}
		return a.writeJSON(doc)
	}
	fmt.Fprintln(a.out, strings.TrimSpace(p.Name+" "+p.Version)+"   "+p.From)
	if len(p.Depends) > 0 {
		fmt.Fprintf(a.out, "  pulls in   %s\n", strings.Join(p.Depends, ", "))
	}
	if s := p.Services(); len(s) > 0 {
		fmt.Fprintf(a.out, "  services   %s\n", strings.Join(s, ", "))
	}
	missing := ""
	switch {
	case p.Partial:
		missing = " (in /etc, programs and units)"
	case !p.Known && len(p.Files) > 0:
		missing = " (nobody has marked the configuration files: those in /etc are taken for them)"
	}
	fmt.Fprintf(a.out, "  %s, %s%s\n", plural(len(p.Files), "file"), directories(len(p.Dirs)), missing)
	for _, f := range p.Files {
		mark := ""
		if p.Config(f) {
			mark = "   conffile"
		}
		if s := listing.Service(f); s != "" {
			mark += "   service " + s
		} else if listing.Unit(f) {
			mark += "   unit"
		}
		fmt.Fprintf(a.out, "    %s%s\n", f, mark)
	}
	for _, d := range bareDirs(p) {
		fmt.Fprintf(a.out, "    %s/\n", d)
	}
	return nil
}

func directories(n int) string {
	if n == 1 {
		return "1 directory"
	}
	return fmt.Sprintf("%d directories", n)
}

// bareDirs are the directories with nothing in them: the others can be seen from the files.
func bareDirs(p *listing.Package) []string {
	full := map[string]bool{}
	for _, x := range slices.Concat(p.Files, p.Dirs) {
		full[path.Dir(x)] = true
	}
	var out []string
	for _, d := range p.Dirs {
		if !full[d] {
			out = append(out, d)
		}
	}
	return out
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// ownersJSON is the answer to "who brings this?".
type ownersJSON struct {
	Path     string   `json:"path"`
	Packages []string `json:"packages"`
	More     bool     `json:"more,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

func (a *app) showOwners(lists *listing.Set, file string, asJSON bool) error {
	names, many, err := lists.Owners(file)
	if err != nil {
		return err
	}
	if asJSON {
		if err := a.writeJSON(ownersJSON{file, orEmpty(names), many, lists.Notes()}); err != nil {
			return err
		}
		if len(names) == 0 && !many {
			return &exitError{code: exitFailed}
		}
		return nil
	}
	a.tellLists(lists.Notes())
	switch {
	case many:
		fmt.Fprintf(a.out, "%s comes with very many packages\n", file)
	case len(names) == 0:
		return fail("no list has %s", file)
	default:
		fmt.Fprintf(a.out, "%s comes with %s\n", file, strings.Join(names, ", "))
	}
	return nil
}

// layersJSON is the answer to "which lists are there?".
type layersJSON struct {
	Store   string          `json:"store"`
	BuiltIn listing.Layer   `json:"built_in"`
	Lists   []listing.Layer `json:"lists"`
}

// layers finds out which lists there are.
func (f *showFlags) layers() (*layersJSON, error) {
	doc := &layersJSON{Store: f.store, Lists: []listing.Layer{}}
	var err error
	if doc.BuiltIn, err = listing.Embedded(); err != nil {
		return nil, err
	}
	if doc.Store == "" {
		if doc.Store, err = listing.DefaultStore(); err != nil {
			return doc, nil // who has no home has no store
		}
	}
	store, err := listing.OpenStore(doc.Store)
	if errors.Is(err, os.ErrNotExist) && f.store == "" {
		return doc, nil
	}
	if err != nil {
		return nil, err
	}
	defer store.Close()
	doc.Lists, err = store.Layers()
	return doc, err
}

func (a *app) showLayers(flags *showFlags) error {
	doc, err := flags.layers()
	if err != nil {
		return err
	}
	if flags.platform != "" {
		doc.Lists = slices.DeleteFunc(doc.Lists, func(l listing.Layer) bool { return l.Platform != flags.platform })
	}
	if flags.format == "json" {
		return a.writeJSON(doc)
	}
	all := append(slices.Clone(doc.Lists), doc.BuiltIn)
	width := 0
	for _, l := range all {
		width = max(width, len(l.Platform))
	}
	for _, l := range all {
		fmt.Fprintf(a.out, "%-*s   %s   %6d packages  %8d paths   %-6s  %s\n", width, l.Platform,
			l.Date.Format(time.DateOnly), l.Packages, l.Files, l.Kind,
			strings.Join(l.Sources, ", "))
	}
	if len(doc.Lists) == 0 {
		fmt.Fprintf(a.out, "`bunraku packages import` brings the lists of other platforms.\n")
	}
	return nil
}
