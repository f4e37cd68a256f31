package bridge

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"bunraku/provenance"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/ruby"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A reading is what an interpreter sees of files: data that its code reads, and code that it requires, of modules and
// of Ruby's standard library. Functions have one for a compile, a template has one of its own.
type reading struct {
	Own
	in        *ruby.Interp
	libraries []string                 // where what is required is looked for
	trace     func() *provenance.Trace // of what is under way
	features  map[string]bool          // that were required
	ran       []string                 // files of modules whose code has run, as they came
	leaves    map[string]provenance.Ref
}

// Hooks let the code of a template read files and require libraries.
func (own Own) Hooks(in *ruby.Interp, libraries []string, tr *provenance.Trace) ruby.Hooks {
	r := &reading{Own: own, in: in, libraries: libraries,
		trace: func() *provenance.Trace { return tr }}
	return ruby.Hooks{Require: r.require, Constant: r.constant, More: r.more, JSON: checkJSON, Files: r, Each: eachOf}
}

// eachOf is what a type's own each goes through: the values of an Enum.
func eachOf(v value.Value) (*value.Array, bool) {
	t, is := v.(types.T)
	if !is {
		return nil, false
	}
	if enum, is := types.Resolved(t).(*types.Enum); is && len(enum.Values) > 0 {
		return value.Strings(enum.Values...), true
	}
	return nil, false
}

// host is what the standard library asks of us.
func (r *reading) host() {
	if _, there := r.in.Constant("Bunraku"); there {
		return
	}
	host := r.in.NewClass("Bunraku")
	r.in.Define("Bunraku", host)
	say := func(f func(string)) func([]ruby.Object, *ruby.Proc) ruby.Object {
		return func(args []ruby.Object, _ *ruby.Proc) ruby.Object {
			f(r.in.ToS(args[0]))
			return nil
		}
	}
	r.in.Native(host, "refuse", say(r.in.Refuse))
	r.in.Native(host, "unsupported", say(r.in.Unsupported))
}

// content is the text of a file of a module's. That it is read is an edge.
func (r *reading) content(p string) source.Content {
	r.sawFile(p, false)
	c, err := r.Files.Read(path.Clean(p))
	if err != nil {
		r.in.Refuse("reading " + p + ": " + err.Error())
	}
	return c
}

func (r *reading) program(p string) *ruby.Program {
	prog := r.Library.program(p, r.content(p))
	if prog.trouble.HasErrors() {
		d := prog.trouble[0]
		if d.Code == ruby.SyntaxError { // in words of our own, behind the file and the line that Ruby names
			r.in.Raise("SyntaxError", fmt.Sprintf("%s:%d: %s", p, d.Place.Line(), d.Summary))
		}
		r.in.Unsupported(fmt.Sprintf("the Ruby of %s: %s", d.Place, d.Summary))
	}
	return prog.program
}

// sawFile notes that a file is looked at: whether there is one, and what it holds.
func (r *reading) sawFile(p string, list bool) {
	if r.Asked != nil {
		r.Asked(path.Clean(p), list)
	}
	tr := r.trace()
	if tr == nil {
		return
	}
	ref, known := r.leaves[p]
	if !known {
		ref = tr.Leaf(provenance.Label{Kind: provenance.World, Path: "file " + p})
		if r.leaves == nil {
			r.leaves = map[string]provenance.Ref{}
		}
		r.leaves[p] = ref
	}
	r.in.Read(ref)
}

// outside reports whether a path lies outside of what may be read.
func (r *reading) outside(p string) bool {
	var no *source.Refused
	_, err := r.Files.Stat(p)
	return errors.As(err, &no)
}

// Read implements ruby.Files.
func (r *reading) Read(p string) (text string, found, outside bool) {
	if r.outside(p) {
		return "", false, true
	}
	r.sawFile(p, false)
	c, err := r.Files.Read(p)
	return c.Text, err == nil, err != nil && !errors.Is(err, fs.ErrNotExist) && !r.isDir(p)
}

func (r *reading) isDir(p string) bool { i, err := r.Files.Stat(p); return err == nil && i.IsDir() }

// Kind implements ruby.Files.
func (r *reading) Kind(p string) (kind string, outside bool) {
	if r.outside(p) {
		return "", true
	}
	r.sawFile(p, false)
	i, err := r.Files.Stat(p)
	switch {
	case err != nil:
		return "", !errors.Is(err, fs.ErrNotExist)
	case i.IsDir():
		return "directory", false
	case i.Kind == source.Other:
		return "", true
	}
	return "file", false
}

// List implements ruby.Files.
func (r *reading) List(p string) (names []string, outside bool) {
	if r.outside(p) {
		return nil, true
	}
	r.sawFile(p, true)
	list, err := r.Files.List(p)
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names, err != nil
}

// require loads a library of a module's. Puppet's own is here already.
func (r *reading) require(in *ruby.Interp, feature string, relative bool) bool {
	if relative {
		here := in.HereFile()
		if here == nil || !strings.HasPrefix(here.Name, "/") {
			return false
		}
		return r.feature(path.Join(path.Dir(here.Name), feature))
	}
	if strings.HasPrefix(feature, "/") {
		return r.feature(path.Clean(feature))
	}
	for _, l := range append(in.LoadPath(), r.libraries...) {
		if r.feature(path.Join(l, feature)) {
			return true
		}
	}
	for _, own := range []string{"puppet", "semantic_puppet", "facter"} {
		if feature == own || strings.HasPrefix(feature, own+"/") {
			return true
		}
	}
	return false
}

func (r *reading) feature(p string) bool {
	if !strings.HasSuffix(p, ".rb") {
		p += ".rb"
	}
	if r.features[p] {
		return true
	}
	if !r.hasFile(p) {
		return false
	}
	r.loaded(p)
	r.runs(p)
	r.in.Lasting(func() { r.in.RunIn(r.program(p), r.in.Main(), nil) })
	return true
}

// runs notes that the code of a file of a module's runs.
func (r *reading) runs(p string) {
	if !slices.Contains(r.ran, p) {
		r.ran = append(r.ran, p)
	}
}

func (r *reading) loaded(feature string) {
	if r.features == nil {
		r.features = map[string]bool{}
	}
	r.features[feature] = true
}

// hasFile reports whether what is required is a file. Every library is asked, again in each compile, so what the files
// say is kept.
func (r *reading) hasFile(p string) bool {
	if r.Found == nil {
		kind, outside := r.Kind(p)
		return !outside && kind == "file"
	}
	if is, known := r.Found.Load(p); known {
		r.sawFile(p, false)
		return is.(bool)
	}
	if r.outside(p) {
		return false
	}
	kind, outside := r.Kind(p)
	is := !outside && kind == "file"
	if !outside {
		r.Found.Store(p, is)
	}
	return is
}

// constant loads what Puppet has loaded long before code of modules runs.
func (r *reading) constant(in *ruby.Interp, scope, name string) (ruby.Object, bool) {
	top, _, _ := strings.Cut(scope, "::")
	if scope == "" {
		top = name
	}
	file := libraryOf[top]
	if file == "" || r.features["bunraku/"+file] {
		return nil, false
	}
	r.loaded("bunraku/" + file)
	library, err := r.Library.own("library/" + file)
	if err != nil {
		return nil, false
	}
	defer in.Unbooted()()
	r.host()
	in.RunIn(library.program, in.Main(), nil)
	if scope != "" {
		name = scope + "::" + name
	}
	return in.Constant(name)
}

// libraryOf are the parts of Ruby's standard library that are written in Ruby, by the constant that they bring.
var libraryOf = map[string]string{
	"URI": "uri", "StringIO": "stringio", "OpenStruct": "ostruct", "Gem": "gem",
	"Forwardable": "classes", "Singleton": "classes", "Delegator": "classes", "SimpleDelegator": "classes",
	"Timeout": "classes", "Benchmark": "classes", "Resolv": "resolv", "Pathname": "pathname",
}

// checkJSON says what is wrong with a text as JSON, worded as Ruby's library words it.
func checkJSON(text string) error {
	_, err := datafile.ReadJSON(source.NewFile("<unknown>", text))
	var d *source.Diagnostic
	if errors.As(err, &d) {
		return errors.New(d.Summary)
	}
	return err
}

// more loads what one of Ruby's classes or modules has beyond what is built in.
func (r *reading) more(in *ruby.Interp, class string) bool {
	if class == "Kernel" { // the functions of those names
		_, uri := r.constant(in, "", "URI")
		_, path := r.constant(in, "", "Pathname")
		return uri || path
	}
	_, ok := r.constant(in, "", class)
	return ok
}
