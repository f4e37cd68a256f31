package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/diff"
	"bunraku/fleet"
	"bunraku/puppet/compiler"
	"bunraku/source"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// partKind is what a file with a part says that it is.
const partKind = "diff part"

// A partFile is what diff --shard writes. It holds no values and no secrets.
type partFile struct {
	Version int    `json:"version"`
	Kind    string `json:"kind"`
	Inquiry string `json:"inquiry"` // digest of what is compared
	Shard   string `json:"shard"`
	*diff.Part
}

// diffShard compares a part of the nodes and writes what came of it.
func (a *app) diffShard(ctx context.Context, cmd *cobra.Command, d *diffing, f *diffFlags) error {
	shard, err := fleet.ParseShard(f.shard)
	if err != nil {
		return fail("--shard: %v", err)
	}
	if f.out == "" {
		return fail("--shard needs --out DIR, where the part is written; bunraku diff merge DIR makes the answer of all parts")
	}
	q, err := d.inquire(cmd, f)
	if err != nil {
		return err
	}
	mine := slices.DeleteFunc(slices.Clone(d.nodes), func(n fleet.Node) bool { return !shard.Has(n.Title()) })
	r, err := a.compareNodes(ctx, d, f, mine)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fail("interrupted: %d of %s were compared, and no part is written", len(mine)-r.Count(diff.NotDone),
			plural(len(mine), "node"))
	}
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return err
	}
	file := filepath.Join(f.out, fmt.Sprintf("part-%s.json", strings.Replace(shard.String(), "/", "-of-", 1)))
	if err := a.into(file, func() error {
		return a.writeJSON(&partFile{1, partKind, q.ID, shard.String(), r.Part(q.Seal, a.secrets.Hide)})
	}); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "part %s: %d of %s compared, %d changed   %s\n", shard, len(mine), plural(len(d.nodes), "node"),
		r.Count(diff.Changed), file)
	return nil
}

// howShown are the flags that do not change what is found, and those whose meaning is in what is compared.
var howShown = []string{"shard", "out", "format", "by", "full", "store", "seal", "assert", "env", "from", "to", "facts",
	"nodes", "class", "where", "node", "cacert", "cert", "key", "token", "nats", "nats-creds", "nats-token", "nats-cert",
	"nats-key", "nats-ca", "listen", "data", "once", "name"}

// inquire is what is compared: the sides, the nodes, and the flags that change the answer.
func (d *diffing) inquire(cmd *cobra.Command, f *diffFlags) (*fleet.Inquiry, error) {
	texts := []string{program(), fmt.Sprint("exact ", f.format == "octocatalog")}
	for _, rev := range []*fleet.Revision{d.old, d.new} {
		texts = append(texts, d.identity(rev))
	}
	cmd.Flags().Visit(func(x *pflag.Flag) {
		if !slices.Contains(howShown, x.Name) {
			texts = append(texts, "--"+x.Name+"="+x.Value.String())
		}
	})
	var key []byte
	if f.seal != "" {
		text, err := os.ReadFile(f.seal)
		if err != nil {
			return nil, err
		}
		if key = []byte(strings.TrimSpace(string(text))); len(key) < 16 {
			return nil, fail("%s is too short for a key: 16 characters at least", f.seal)
		}
	}
	texts = append(texts, d.fromDisk(f)...)
	seen := map[string]bool{}
	for _, n := range d.nodes {
		if seen[n.Title()] { // parts tell nodes by their names
			return nil, fail("there are facts of two nodes that are called %s", n.Title())
		}
		seen[n.Title()] = true
		texts = append(texts, n.Title())
	}
	return fleet.Inquire(texts, d.everybody, key, source.Absolute(d.root)), nil
}

// identity tells a state from others: a commit, or what is in the files that are not the same on both sides.
func (d *diffing) identity(rev *fleet.Revision) string {
	if rev.Tree != nil {
		return "commit " + rev.Tree.Commit().String()
	}
	var b strings.Builder
	for _, p := range d.paths {
		b.WriteString(strings.TrimPrefix(p, source.Absolute(d.root)))
		if c, err := rev.Files.Read(p); err == nil {
			fmt.Fprintf(&b, " %x", c.Digest)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// fromDisk are digests of what both sides have from the disk alike: no commit, and no list of changed files, tells it
// from what another machine has there.
func (d *diffing) fromDisk(f *diffFlags) []string {
	if d.disk != nil {
		return d.disk
	}
	places := slices.Concat(f.with, []string{f.hiera, f.unknown.mock, f.enc.String()}, d.old.Lent, d.new.Lent)
	for _, x := range f.datadirs {
		places = append(places, x.To)
	}
	for _, rel := range slices.Concat(d.revs.Ignored(), d.revs.Untracked()) {
		places = append(places, filepath.Join(source.Absolute(d.root), rel))
	}
	for _, s := range []*compiler.Snapshot{d.c.From, d.c.To} {
		for _, dir := range s.Environment().ModulePath {
			if !inside(dir, []string{source.Absolute(d.root)}) && !d.old.Commits(dir) && !d.new.Commits(dir) {
				places = append(places, dir)
			}
		}
	}
	d.disk = []string{}
	for _, place := range places {
		if place != "" {
			view := source.NewDir(source.DirOptions{Roots: []string{place}})
			d.disk = append(d.disk, contentOf(view, source.Absolute(place), f))
		}
	}
	for _, at := range d.unnamed(f.hiera) {
		view := d.new.Files
		if !d.old.Has(at) && !d.new.Has(at) {
			view = source.NewDir(source.DirOptions{Roots: []string{at}})
		}
		d.disk = append(d.disk, contentOf(view, at, f))
	}
	if d.old.Tree == nil && d.new.Tree == nil {
		d.disk = append(d.disk, contentOf(d.new.Files, source.Absolute(d.root), f))
	}
	return d.disk
}

// unnamed are the places outside of the environment, and of the commits that are compared, which the tree names and no
// flag. One that the environment lies in is left out: it may be the whole machine.
func (d *diffing) unnamed(hiera string) (places []string) {
	root := source.Absolute(d.root)
	for _, s := range []*compiler.Snapshot{d.c.From, d.c.To} {
		for _, at := range append(besideOf(s.Environment(), hiera), linkedTo(s.Environment())...) {
			if !inside(at, append(places, root)) && !inside(root, []string{strings.TrimSuffix(at, "/")}) &&
				!d.old.Commits(at) && !d.new.Commits(at) {
				places = append(places, at)
			}
		}
	}
	return places
}

// contentOf tells a file, or a directory with all that is in it but for what we write, from others.
func contentOf(view source.Files, at string, f *diffFlags) string {
	var own []string
	for _, dir := range append(slices.Clone(f.partDirs), f.store) {
		if dir != "" {
			own = append(own, source.Absolute(dir))
		}
	}
	var b strings.Builder
	add := func(p string) {
		if c, err := view.Read(p); err == nil {
			fmt.Fprintf(&b, "%s %x\n", strings.TrimPrefix(p, at), c.Digest)
		}
	}
	add(at)
	_ = source.WalkOn(view, at, func(p string, e source.Entry) bool { // what cannot be read is no part of anything
		if e.Name == ".git" || inside(p, own) {
			return false
		}
		if !e.IsDir() {
			add(p)
		}
		return true
	}, func(string, error) error { return nil })
	return b.String()
}

func (a *app) mergeCommand() *cobra.Command {
	var f diffFlags
	env := "."
	c := &cobra.Command{
		Use:   "merge DIR…",
		Short: "Make one answer of the parts that diff --shard wrote",
		Long: `Puts the parts together that several runs of diff --shard I/N have written, and answers as one run of diff over all nodes does,
to the byte. Its flags are those that the parts were made with; it is run where the same tree and the same facts are, since
parts hold only digests: one node of each change is compared again, and causes are looked for. What was made from other
files, other facts, with other flags or by another program is refused.`,
		Example: `  bunraku diff --from origin/main --shard 1/2 --out parts     on one machine
  bunraku diff --from origin/main --shard 2/2 --out parts     on another one
  bunraku diff merge parts --from origin/main --format markdown`,
		Args: arguments(1, -1, "which directories hold the parts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := untilSignal()
			defer stop()
			f.merging = true
			return a.merge(ctx, cmd, env, args, &f)
		},
	}
	f.addDiff(c)
	c.Flags().StringVar(&env, "env", ".", "the environment that is compared, `ENV` of diff")
	return c
}

func (a *app) merge(ctx context.Context, cmd *cobra.Command, root string, dirs []string, f *diffFlags) error {
	began := time.Now()
	f.root = root
	show, opt, err := a.checkDiff(f)
	if err != nil {
		return err
	}
	if f.from == fromPuppetDB {
		return fail("parts are of two states of a tree, and not of --from puppetdb")
	}
	files, err := readParts(dirs)
	if err != nil {
		return err
	}
	f.partDirs = dirs
	d, err := a.openDiff(ctx, cmd, root, f, opt)
	if err != nil {
		return err
	}
	defer d.close()
	q, err := d.inquire(cmd, f)
	if err != nil {
		return err
	}
	other := *f
	if other.format = "octocatalog"; f.format == "octocatalog" {
		other.format = "text"
	}
	unlike, err := d.inquire(cmd, &other)
	if err != nil {
		return err
	}
	var parts []*diff.Part
	for _, p := range files {
		switch p.Inquiry {
		case q.ID:
		case unlike.ID:
			return fail("--format octocatalog compares to the letter, and must be given to diff --shard and to merge: "+
				"part %s was made otherwise", p.Shard)
		default:
			return fail("part %s was made from other files or facts, or with other flags, than are given here, or by "+
				"another program", p.Shard)
		}
		parts = append(parts, p.Part)
	}
	r, err := a.joined(ctx, d, f, q, parts)
	if err != nil {
		return err
	}
	show.Time = time.Since(began)
	return a.tellDiff(ctx, r, f, show, d.new.Files, opt.Expected != nil)
}

// joined is the report that parts come to.
func (a *app) joined(ctx context.Context, d *diffing, f *diffFlags, q *fleet.Inquiry, parts []*diff.Part) (*diff.Report,
	error) {
	names := make([]string, len(d.nodes))
	for i, n := range d.nodes {
		names[i] = n.Title()
	}
	j, err := diff.Join(names, parts)
	if err != nil {
		return nil, fail("%v", err)
	}
	d.explains(f)
	if err := d.c.Recall(ctx, j, d.nodes, q.Seal); err != nil {
		return nil, err
	}
	return j.Report, d.conclude(ctx, j.Report)
}

// readParts reads the parts in some directories. It is an error if one is missing.
func readParts(dirs []string) (parts []*partFile, err error) {
	have, of := map[int]bool{}, 0
	for _, dir := range dirs {
		files := []string{dir}
		if info, err := os.Stat(dir); err != nil {
			return nil, err
		} else if info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(dir, "part-*.json")); err != nil {
				return nil, err
			}
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			p := &partFile{}
			if err := json.Unmarshal(text, p); err != nil || p.Kind != partKind || p.Version != 1 || p.Part == nil {
				return nil, fail("%s is no part that this version of diff --shard has written", file)
			}
			s, err := fleet.ParseShard(p.Shard)
			if err != nil || of != 0 && s.Of != of {
				return nil, fail("%s is part %s, and others are parts of %d", file, p.Shard, of)
			}
			of = s.Of
			if !have[s.Index] { // the same part twice says the same twice
				have[s.Index] = true
				parts = append(parts, p)
			}
		}
	}
	if len(parts) == 0 {
		return nil, fail("there are no parts in %s: diff --shard I/N --out DIR writes them", strings.Join(dirs, ", "))
	}
	var missing []string
	for i := 1; i <= of; i++ {
		if s := (fleet.Shard{Index: i % of, Of: of}); !have[s.Index] {
			missing = append(missing, s.String())
		}
		if len(missing) > len(parts)+few { // a part may say that it is one of very many
			break
		}
	}
	if len(missing) > 0 {
		return nil, fail("parts are missing: %s", some(missing))
	}
	return parts, nil
}
