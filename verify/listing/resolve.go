package listing

import (
	"hash/fnv"
	"slices"
)

// An entry is what an archive says of a package beside its files.
type entry struct {
	name, version, arch string
	rank                int
	base                bool
	known               bool // configuration files are marked
	noEmpty             bool // empty directories are not listed
	needs               [][]string
	provides            []uint64 // hashes: there are millions, and most are never asked for
	file                uint64   // which of an archive's packages of this name it is; for RPM only
}

// resolver decides which packages a package pulls in.
type resolver struct {
	entries   []*entry
	byName    map[string]uint32
	providers map[uint64][]uint32 // of names that no package has, by hash
}

func hashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

func newResolver(entries []*entry, byName map[string]uint32) *resolver {
	r := &resolver{entries: entries, byName: byName, providers: map[uint64][]uint32{}}
	wanted := map[uint64]bool{}
	for _, e := range entries {
		for _, group := range e.needs {
			for _, name := range group {
				if _, real := byName[name]; !real {
					wanted[hashText(name)] = true
				}
			}
		}
	}
	for id, e := range entries {
		for _, h := range e.provides {
			if list := r.providers[h]; wanted[h] && (len(list) == 0 || list[len(list)-1] != uint32(id)) {
				r.providers[h] = append(list, uint32(id))
			}
		}
	}
	return r
}

// depends lists what a package pulls in, sorted. Of each group of alternatives it is the first that is a package here
// or that a package provides which is alone in that or of better priority than all others. A name that nobody here
// knows may be known elsewhere: it is kept if it can be a package's and the group has no other.
func (r *resolver) depends(e *entry) []string {
	var out []string
groups:
	for _, group := range e.needs {
		virtual := false
		for _, name := range group {
			if _, real := r.byName[name]; real {
				out = append(out, name)
				continue groups
			}
			providers := r.providers[hashText(name)]
			virtual = virtual || len(providers) > 0
			if slices.ContainsFunc(providers, func(id uint32) bool { return r.entries[id] == e }) {
				continue groups
			}
			if best := r.best(providers); best != "" {
				out = append(out, best)
				continue groups
			}
		}
		if !virtual && validName(group[0]) {
			out = append(out, group[0])
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(n string) bool { return n == e.name })
}

// best is the one package that is taken for something that several provide; "" if none stands out.
func (r *resolver) best(ids []uint32) string {
	best, alone := -1, false
	for i, id := range ids {
		switch {
		case best < 0 || r.entries[id].rank < r.entries[ids[best]].rank:
			best, alone = i, true
		case r.entries[id].rank == r.entries[ids[best]].rank:
			alone = false
		}
	}
	if best < 0 || !alone {
		return ""
	}
	return r.entries[ids[best]].name
}
