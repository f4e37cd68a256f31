package git

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"bunraku/source"
)

// A packedRef is a line of packed-refs.
type packedRef struct {
	id     ID
	peeled ID // of an annotated tag: what it names
}

// Bounds on references.
const (
	maxPackedRefs = 256 << 20
	maxSteps      = 1 << 20 // of ~n
	refHops       = 5       // of symbolic references, as git
)

// ErrUnknown says that nothing is called as a revision is.
var ErrUnknown = errors.New("is not known here: no branch, tag or commit is called so")

// badRev says that a revision is not understood, and why.
func badRev(rev, format string, args ...any) error {
	return fmt.Errorf("revision %s: %s", strconv.Quote(rev), fmt.Sprintf(format, args...))
}

// Resolve finds the commit that a revision names: HEAD or @, a branch, a tag, a remote branch, a full reference, an
// object's name or the beginning of one (four digits or more), each followed by any number of ~N, ^N, ^{} and
// ^{commit}.
func (r *Repo) Resolve(rev string) (ID, error) {
	id, err := r.revision(rev)
	if err != nil {
		return "", err
	}
	o, id, err := r.peel(id)
	if err != nil {
		return "", fmt.Errorf("revision %s: %w", strconv.Quote(rev), err)
	}
	if o != commitKind {
		return "", badRev(rev, "is a %s, not a commit", o)
	}
	return id, nil
}

// revision finds the object that a revision names.
func (r *Repo) revision(rev string) (ID, error) {
	switch {
	case rev == "":
		return "", badRev(rev, "is empty")
	case len(rev) > 4096:
		return "", badRev(rev[:40]+"...", "is too long")
	case strings.HasPrefix(rev, "-"):
		return "", badRev(rev, "looks like a flag")
	case strings.Contains(rev, ".."):
		return "", badRev(rev, "is a range; name one revision")
	case strings.Contains(rev, "@{"):
		return "", badRev(rev, "@{...} depends on configuration and logs of this machine; name a branch, tag or commit")
	case strings.Contains(rev, "^{/"):
		return "", badRev(rev, "searching messages is not supported; name a branch, tag or commit")
	case strings.HasPrefix(rev, ":") || strings.Contains(rev, ":"):
		return "", badRev(rev, "names a path or a search; name a branch, tag or commit")
	}
	end := strings.IndexAny(rev, "~^")
	if end < 0 {
		end = len(rev)
	}
	id, err := r.name1(rev, rev[:end])
	for rest := rev[end:]; rest != "" && err == nil; {
		if rest[0] != '~' && rest[0] != '^' { // ^!, ^@ and ^- are several commits
			before := strings.TrimSuffix(rev, rest)
			return "", badRev(rev, "%s is not understood behind %s; name one commit", printable(rest), printable(before))
		}
		id, rest, err = r.suffix(rev, id, rest)
	}
	return id, err
}

// suffix follows the first ~N, ^N or ^{kind} of rest.
func (r *Repo) suffix(rev string, id ID, rest string) (ID, string, error) {
	op := rest[0]
	rest = rest[1:]
	if op == '^' && strings.HasPrefix(rest, "{") {
		what, after, ok := strings.Cut(rest[1:], "}")
		k, known := kindOf(what)
		if !ok || what != "" && what != "object" && !known {
			return "", "", badRev(rev, "^{%s} is not understood", printable(what))
		}
		if what == "object" {
			return id, after, nil
		}
		kind, id, err := r.peel(id)
		if err == nil && known && kind != k {
			err = badRev(rev, "is a %s, not a %s", kind, k)
		}
		return id, after, err
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n := 1
	if digits > 0 {
		var err error
		if n, err = strconv.Atoi(rest[:digits]); err != nil || n > maxSteps {
			return "", "", badRev(rev, "%s is too far", rest[:digits])
		}
	}
	rest = rest[digits:]
	kind, id, err := r.peel(id)
	if err != nil {
		return "", "", err
	}
	if kind != commitKind {
		return "", "", badRev(rev, "is a %s, not a commit", kind)
	}
	if op == '^' {
		if n == 0 {
			return id, rest, nil
		}
		c, err := r.Commit(id)
		if err != nil {
			return "", "", err
		}
		if n > len(c.Parents) {
			return "", "", badRev(rev, "commit %s has no parent number %d%s", short(id), n, r.cutText(id))
		}
		return c.Parents[n-1], rest, nil
	}
	for ; n > 0; n-- {
		c, err := r.Commit(id)
		if err != nil {
			return "", "", err
		}
		if len(c.Parents) == 0 {
			return "", "", badRev(rev, "commit %s has no parent%s", short(id), r.cutText(id))
		}
		id = c.Parents[0]
	}
	return id, rest, nil
}

func (r *Repo) cutText(id ID) string {
	if cut, err := r.cutOff(); err == nil && cut[id] {
		return " here: the clone is shallow"
	}
	return ""
}

func short(id ID) string { return id.String()[:9] }

// peel follows annotated tags.
func (r *Repo) peel(id ID) (kind, ID, error) {
	for range 64 {
		o, err := r.object(id, nil)
		if err != nil || o.kind != tagKind {
			return o.kind, id, err
		}
		next, _, err := parseTag(o.data, r.format.size)
		if err != nil {
			return 0, "", &Corrupt{"tag " + id.String(), err.Error()}
		}
		id = next
	}
	return 0, "", &Corrupt{"tag " + id.String(), "it is a tag of a tag without end"}
}

// name1 finds the object that a name without suffixes stands for.
func (r *Repo) name1(rev, name string) (ID, error) {
	if name == "@" {
		name = "HEAD"
	}
	if id, err := hex.DecodeString(name); err == nil && len(id) == r.format.size {
		return ID(id), nil
	}
	if goodRef(name) {
		const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
		for _, form := range []string{
			"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD",
		} {
			ref := fmt.Sprintf(form, name)
			if form == "%s" && !strings.HasPrefix(name, "refs/") && strings.Trim(name, capitals) != "" {
				continue
			}
			id, err := r.ref(ref)
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return id, err
			}
		}
	}
	digits := name
	if i := strings.LastIndex(name, "-g"); i > 0 { // as git describe writes it
		digits = name[i+2:]
	}
	id, err := r.abbreviated(rev, strings.ToLower(digits))
	switch {
	case err == nil && id == "" && name == "HEAD": // of a repository that is new
		err = badRev(rev, "is not there yet: nothing is committed")
	case err == nil && id == "":
		err = fmt.Errorf("revision %s: %w", strconv.Quote(rev), ErrUnknown)
	}
	return id, err
}

// goodRef reports whether a name can be a reference's, by git's own rules.
func goodRef(name string) bool {
	if name == "" || len(name) > 1024 || strings.HasSuffix(name, ".") || strings.HasSuffix(name, "/") {
		return false
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") || strings.Contains(part, "..") {
			return false
		}
	}
	return !strings.Contains(name, "@{")
}

// ref reads a reference by its full name, through symbolic ones.
func (r *Repo) ref(name string) (ID, error) {
	for range refHops {
		if !goodRef(name) {
			break
		}
		d := r.common
		if !strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "refs/worktree/") ||
			strings.HasPrefix(name, "refs/bisect/") {
			d = r.own
		}
		text, err := d.read(filepath.FromSlash(name), 1<<16)
		if d.isDir(name) || errors.Is(err, fs.ErrNotExist) {
			return r.packedRef(name)
		}
		if err != nil {
			return "", err
		}
		line, _, _ := strings.Cut(string(text), "\n")
		line = strings.TrimRight(line, " \r\t")
		if to, ok := strings.CutPrefix(line, "ref:"); ok {
			name = strings.TrimSpace(to)
			continue
		}
		line, _, _ = strings.Cut(line, "\t") // FETCH_HEAD goes on behind the name
		id, err := hex.DecodeString(line)
		if err != nil || len(id) != r.format.size {
			return "", &Corrupt{"reference " + name, "it names no object"}
		}
		return ID(id), nil
	}
	return "", &Corrupt{"reference " + printable(name), "it names no reference"}
}

// maxBranches is how many branches are listed, and how deep their names may nest.
const (
	maxBranches = 1 << 17
	maxNested   = 32
)

// Branches are the branches of the repository itself (refs/heads), by name, with the objects that they name now.
func (r *Repo) Branches() (map[string]ID, error) {
	const heads = "refs/heads/"
	names := map[string]bool{}
	var walk func(dir string, depth int) error
	walk = func(dir string, depth int) error {
		entries, err := r.common.list(filepath.FromSlash(dir), maxBranches)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := dir + "/" + e.Name()
			switch {
			case e.IsDir() && depth < maxNested:
				if err := walk(name, depth+1); err != nil {
					return err
				}
			case !e.IsDir() && goodRef(name):
				names[name] = true
			}
		}
		return nil
	}
	if err := walk(strings.TrimSuffix(heads, "/"), 0); err != nil {
		return nil, err
	}
	packed, err := r.packedRefs()
	if err != nil {
		return nil, err
	}
	for name := range packed {
		if strings.HasPrefix(name, heads) && goodRef(name) {
			names[name] = true
		}
	}
	if len(names) > maxBranches {
		return nil, &source.Refused{Path: r.common.dir, Why: fmt.Sprintf("has more than %d branches", maxBranches)}
	}
	out := make(map[string]ID, len(names))
	for name := range names {
		id, err := r.ref(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is gone meanwhile
		}
		if err != nil {
			return nil, err
		}
		out[strings.TrimPrefix(name, heads)] = id
	}
	return out, nil
}

func (d *door) isDir(name string) bool {
	info, err := d.root.Stat(filepath.FromSlash(name))
	return err == nil && info.IsDir()
}

func (r *Repo) packedRef(name string) (ID, error) {
	packed, err := r.packedRefs()
	if err != nil {
		return "", err
	}
	p, ok := packed[name]
	if !ok {
		return "", &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return p.id, nil
}

// packedRefs are the references of packed-refs as it is now. Who packs a reference writes it there before its own file
// is deleted: asked after that file was not found, this has it.
func (r *Repo) packedRefs() (map[string]packedRef, error) {
	r.packedMu.Lock()
	defer r.packedMu.Unlock()
	info, err := r.common.root.Stat("packed-refs")
	if is := r.packedOf; err == nil && is != nil && os.SameFile(info, is) && info.Size() == is.Size() &&
		info.ModTime().Equal(is.ModTime()) {
		return r.packed, nil
	}
	if r.packed, err = r.readPackedRefs(); err == nil {
		r.packedOf = info
	}
	return r.packed, err
}

func (r *Repo) readPackedRefs() (map[string]packedRef, error) {
	text, err := r.common.read("packed-refs", maxPackedRefs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parsePackedRefs(text, r.format.size)
}

// parsePackedRefs reads lines of a hash and a name; a line with ^ tells what the tag of the line before names.
func parsePackedRefs(text []byte, size int) (map[string]packedRef, error) {
	out := map[string]packedRef{}
	last := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		peeled := line[0] == '^'
		digits, name, _ := strings.Cut(strings.TrimPrefix(line, "^"), " ")
		id, err := hex.DecodeString(digits)
		if err != nil || len(id) != size || (peeled && last == "") || (!peeled && name == "") {
			return nil, &Corrupt{"packed-refs", "it has a line that makes no sense"}
		}
		if peeled {
			out[last] = packedRef{out[last].id, ID(id)}
			continue
		}
		out[name] = packedRef{id: ID(id)}
		last = name
	}
	return out, nil
}

// maxCandidates is how many objects an ambiguous name is said to stand for.
const maxCandidates = 8

// abbreviated finds the one object whose name begins with some digits; none gives "".
func (r *Repo) abbreviated(rev, digits string) (ID, error) {
	if len(digits) < 4 || len(digits) > 2*r.format.size || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", nil
	}
	if err := r.Refresh(); err != nil { // what digits stand for depends on all that there is
		return "", err
	}
	held, err := r.stock()
	if err != nil {
		return "", err
	}
	found := map[ID]bool{}
	for _, st := range held.stores {
		for _, p := range st.packs {
			if err := p.beginning(r, digits, found); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
		names, err := st.door.list(filepath.Join(st.at, digits[:2]), 1<<20)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		for _, n := range names {
			full := digits[:2] + n.Name()
			if id, err := hex.DecodeString(full); err == nil && len(id) == r.format.size && strings.HasPrefix(full, digits) {
				found[ID(id)] = true
			}
		}
	}
	var ids []ID
	for id := range found {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if len(ids) == 1 {
		return ids[0], nil
	}
	if len(ids) == 0 {
		return "", nil
	}
	return r.choose(rev, ids)
}

// choose takes the one commit (or tag of one) among several objects: a revision is asked for.
func (r *Repo) choose(rev string, ids []ID) (ID, error) {
	var commits []ID
	var texts []string
	for _, id := range ids {
		k, _, err := r.peel(id)
		if err != nil {
			return "", err
		}
		if k == commitKind {
			commits = append(commits, id)
		}
		if len(texts) < maxCandidates {
			texts = append(texts, fmt.Sprintf("%s (%s)", id, k))
		}
	}
	if len(commits) == 1 {
		return commits[0], nil
	}
	if more := len(ids) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return "", badRev(rev, "is ambiguous: %s", strings.Join(texts, ", "))
}

// beginning adds the pack's objects whose names begin with some digits.
func (p *pack) beginning(r *Repo, digits string, found map[ID]bool) error {
	first, err := strconv.ParseUint(digits[:2], 16, 8)
	if err != nil {
		return err
	}
	names, _, err := p.bucket(r, byte(first))
	if err != nil {
		return err
	}
	size := p.format.size
	at := func(i int) string { return hex.EncodeToString(names[i*size : (i+1)*size]) }
	n := len(names) / size
	for i := sort.Search(n, func(i int) bool { return at(i) >= digits }); i < n && strings.HasPrefix(at(i), digits); i++ {
		found[ID(names[i*size:(i+1)*size])] = true
	}
	return nil
}

// cutOff are the commits whose parents a shallow clone left out.
func (r *Repo) cutOff() (map[ID]bool, error) {
	r.shallowOnce.Do(func() {
		text, err := r.common.read("shallow", 16<<20)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if r.shallowErr = err; err != nil {
			return
		}
		r.shallow = map[ID]bool{}
		for line := range strings.Lines(string(text)) {
			id, err := hex.DecodeString(strings.TrimSpace(line))
			if err != nil || len(id) != r.format.size {
				r.shallowErr = &Corrupt{"shallow", "it has a line that makes no sense"}
				return
			}
			r.shallow[ID(id)] = true
		}
	})
	return r.shallow, r.shallowErr
}
