package bridge

import (
	"maps"
	"slices"
	"strings"

	"bunraku/puppet/eval"
	"bunraku/puppet/ruby"
	"bunraku/puppet/value"
)

// What a call has left behind that could not be run to its end.
//
// A function that asks for the clock, or the network, ends where it asks. What the rest of it would have done to what
// outlives the call (a cache in a class, say) nobody knows, so nobody knows what functions give that can see it. Those
// are told by the names in their files (ruby.Reach): all files that have run are one group if they have names in
// common, directly or through others, and what was left open in one of a group concerns the whole group. A file that
// can get at more than it names belongs to all groups.

// A spoilt says where calls have ended early.
type spoilt struct {
	files map[string]string // files, and why
	all   string            // why everything is, "" if it is not
	// group is what spoiltFor has found for a file, of so many files that had run.
	group map[string]string
	of    int
}

// spoil notes that a function has not run to its end. In a block of Puppet's that calls functions it could have
// run anything.
func (o *ownRun) spoil(path, why string, block *eval.Lambda) {
	s := &o.spoilt
	if s.all != "" {
		return
	}
	if block != nil && !block.Calm() {
		s.all = why
		return
	}
	if s.files == nil {
		s.files = map[string]string{}
	}
	if s.files[path] != "" {
		return
	}
	s.files[path] = why
	s.group = nil
	for _, f := range o.groupOf(path) {
		if o.leavesMore(f) {
			s.all = why
		}
	}
}

// spoiltFor is what a function gives that may see what was left open; nil if it cannot. It is not run then, so what it
// would have left behind is open, too.
func (o *ownRun) spoiltFor(path string, block *eval.Lambda) *value.Opaque {
	s := &o.spoilt
	why := s.all
	if why == "" {
		if len(s.files) == 0 {
			return nil
		}
		if s.group == nil || s.of != len(o.ran) {
			s.group, s.of = map[string]string{}, len(o.ran)
		}
		known := false
		if why, known = s.group[path]; !known {
			why = o.whySpoilt(path)
			s.group[path] = why
		}
		if why == "" {
			return nil
		}
	}
	o.spoil(path, why, block)
	return &value.Opaque{Why: "what Ruby code has left behind is not known: " + why}
}

func (o *ownRun) whySpoilt(path string) string {
	group := o.groupOf(path)
	for _, f := range group {
		if why := o.spoilt.files[f]; why != "" {
			return why
		}
	}
	sees := func(f string) bool { return o.reach(f).Anything != "" } // functions that it calls are asked themselves
	if slices.ContainsFunc(group, sees) {
		for _, f := range slices.Sorted(maps.Keys(o.spoilt.files)) {
			return o.spoilt.files[f]
		}
	}
	return ""
}

// reach is what a file names. One that cannot be read may name anything.
func (o *ownRun) reach(path string) *ruby.Reach {
	c, err := o.Files.Read(path)
	if err != nil {
		return &ruby.Reach{Anything: "it cannot be read"}
	}
	p := o.Library.program(path, c)
	if p.trouble.HasErrors() {
		return &ruby.Reach{Anything: "it cannot be read"}
	}
	return p.reach()
}

// groupOf is a file and those that have names in common with it, directly or through others.
func (o *ownRun) groupOf(path string) []string {
	files := append([]string{path}, o.ran...)
	for _, f := range slices.Sorted(maps.Keys(o.spoilt.files)) { // some were not run at all
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	for i := 0; i < len(files); i++ { // with functions beside them that they call
		for _, name := range o.reach(files[i]).Calls {
			if f := o.beside(files[i], name); f != "" && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	own := map[string]bool{} // constants that files of modules define
	for _, f := range files {
		for _, n := range o.reach(f).Defines {
			own[n] = true
		}
	}
	by := map[string][]int{} // files by a name in them
	names := make([][]string, len(files))
	for i, f := range files {
		r := o.reach(f)
		names[i] = append(names[i], r.Defines...)
		names[i] = append(names[i], f) // which those name that call it
		for _, name := range r.Calls {
			names[i] = append(names[i], o.beside(f, name))
		}
		for _, m := range r.Mentions {
			if own[m.Name] || !o.in.Knows(m.Root) {
				names[i] = append(names[i], m.Name)
			}
		}
		for _, n := range names[i] {
			by[n] = append(by[n], i)
		}
	}
	in, todo := make([]bool, len(files)), []int{0}
	in[0] = true
	var group []string
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		group = append(group, files[i])
		for _, n := range names[i] {
			for _, j := range by[n] {
				if !in[j] {
					in[j] = true
					todo = append(todo, j)
				}
			}
			by[n] = nil
		}
	}
	return group
}

// beside is the file of a function that a function of the same module calls; "" if there is none.
func (o *ownRun) beside(path, name string) string {
	const folder = "/lib/puppet/functions/"
	lib, _, is := strings.Cut(path, folder)
	if !is {
		return ""
	}
	f := lib + folder + strings.ReplaceAll(name, "::", "/") + ".rb"
	if !o.hasFile(f) {
		return ""
	}
	return f
}

// leavesMore reports whether the code of a file may leave something where its names do not lead.
func (o *ownRun) leavesMore(path string) bool {
	r := o.reach(path)
	return r.Anything != "" || r.Asks != "" ||
		slices.ContainsFunc(r.Calls, func(name string) bool { return o.beside(path, name) == "" })
}
