package serve

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// metadata is what an agent wants to know of a file before it asks for the content (puppet/file_serving/metadata.rb).
type metadata struct {
	Path         string   `json:"path"`
	RelativePath *string  `json:"relative_path"`
	Links        string   `json:"links"`
	Owner        uint32   `json:"owner"`
	Group        uint32   `json:"group"`
	Mode         uint32   `json:"mode"`
	Checksum     checksum `json:"checksum"`
	Type         string   `json:"type"`
	Destination  *string  `json:"destination"`
	ContentURI   string   `json:"content_uri,omitempty"`
	Source       string   `json:"source,omitempty"`
}

type checksum struct {
	Type  string  `json:"type"`
	Value *string `json:"value"` // nil for a link that leads to no file
}

func sumOf(kind, sum string) checksum {
	text := "{" + kind + "}" + sum
	return checksum{kind, &text}
}

// wanted is how files are asked about.
type wanted struct {
	links       string // manage or follow
	checksum    string
	permissions bool // of the files themselves
	recurse     bool
	depth       int // -1 for any
	most        int
	ignore      []string
}

func wantedOf(q func(string) []string) (w wanted, err error) {
	one := func(name string) string {
		if v := q(name); len(v) > 0 {
			return v[0]
		}
		return ""
	}
	w = wanted{links: "manage", checksum: "sha256", depth: -1, ignore: q("ignore")}
	w.recurse = one("recurse") != "" && one("recurse") != "false" // as Puppet: remote is as good as true
	switch l := one("links"); l {
	case "", "manage", "ignore":
	case "follow":
		w.links = l
	default:
		return w, failed(":links can only be set to :manage or :follow")
	}
	if c := one("checksum_type"); c != "" {
		w.checksum = c
	}
	if !knownSum(w.checksum) {
		return w, failed("Unsupported checksum type %s", w.checksum)
	}
	switch p := one("source_permissions"); p {
	case "", "ignore":
	case "use", "use_when_creating":
		w.permissions = true
	default:
		return w, failed("Unsupported source_permission %s", p)
	}
	for name, to := range map[string]*int{"recurselimit": &w.depth, "max_files": &w.most} {
		if v := one(name); v != "" && v != "infinite" && v != "undef" {
			if *to, err = strconv.Atoi(v); err != nil {
				return w, badRequest("%s is no number", name)
			}
		}
	}
	for _, pattern := range w.ignore {
		if _, err := path.Match(pattern, "x"); err != nil || len(pattern) > 1000 {
			return w, badRequest("the pattern to ignore, '%s', cannot be read", pattern)
		}
	}
	return w, nil
}

// mostFiles is how many files one answer tells of.
const mostFiles = 200_000

// describe is the metadata of one file; t is nil if nobody has looked at it yet. The base is what is said to be its
// path, rel the way from there.
func (s *Server) describe(f found, t *thing, base string, rel *string, w wanted) (*metadata, error) {
	if t == nil {
		var err error
		if t, err = f.look(w.links == "follow"); err != nil {
			return nil, err
		}
	}
	m := &metadata{Path: base, RelativePath: rel, Links: w.links, Owner: uint32(os.Geteuid()),
		Group: uint32(os.Getegid()), Mode: 0o644, Checksum: checksum{Type: w.checksum}}
	if w.permissions {
		m.Owner, m.Group, m.Mode = t.uid, t.gid, t.perm
	}
	switch {
	case t.mode.IsRegular():
		m.Type = "file"
		sum, err := s.sums.of(t, w.checksum)
		if err != nil {
			return nil, err
		}
		m.Checksum = sumOf(w.checksum, sum)
	case t.mode.IsDir():
		m.Type = "directory"
		m.Checksum = sumOf("ctime", rubyTime(t.ctime))
	case t.mode&fs.ModeSymlink != 0:
		m.Type, m.Destination = "link", &t.target
		follow := w
		follow.links = "follow"
		if of, err := s.describe(f, nil, base, rel, follow); err == nil && of.Type == "file" {
			m.Checksum.Value = of.Checksum.Value
		}
	case t.mode&fs.ModeNamedPipe != 0:
		m.Type, m.Checksum = "fifo", sumOf("none", "")
	case t.mode&fs.ModeSocket != 0:
		m.Type, m.Checksum = "socket", sumOf("none", "")
	default:
		return nil, failed("Cannot manage files of the type of %s", f.path)
	}
	return m, nil
}

// rubyTime is how Ruby writes a time.
func rubyTime(t time.Time) string { return t.Format("2006-01-02 15:04:05 -0700") }

func (s *Server) fileMetadata(r *request) error {
	w, err := wantedOf(func(name string) []string { return r.query[name] })
	if err != nil {
		return err
	}
	places, empty, err := s.place(r.Context(), r, r.key, false)
	if err != nil {
		return err
	}
	if len(places) == 0 || empty {
		return notFound("Could not find file_metadata %s", r.key)
	}
	leave, err := s.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	m, err := s.describe(places[0], nil, places[0].path, nil, w)
	if err != nil {
		return fileProblem(err, "file_metadata", r.key)
	}
	return r.json(m)
}

// What is not there is a 404: an agent that was given several sources goes on to the next one. What is there and cannot
// be told of must not look like that, nor be left out of a list: an agent would take another file for it, or remove
// what it has. It is a 500, as with Puppet.

// absent reports whether an error says that there is nothing.
func absent(err error) bool {
	for _, is := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

// fileProblem says why there is no file.
func fileProblem(err error, what, key string) error {
	if absent(err) {
		return notFound("Could not find %s %s", what, key)
	}
	return listProblem(err)
}

// listProblem says why there is no list: of something in it, something is not known.
func listProblem(err error) error {
	if p := (*problem)(nil); errors.As(err, &p) {
		return p
	}
	var at *fs.PathError
	if absent(err) && errors.As(err, &at) {
		return failed("No such file or directory - %s", at.Path)
	}
	return failed("%v", err)
}

// fileMetadatas is the metadata of a directory and all that is wanted below it. Of what several directories have, the
// first counts (puppet/file_serving/fileset.rb).
func (s *Server) fileMetadatas(r *request) error {
	w, err := wantedOf(func(name string) []string { return r.query[name] })
	if err != nil {
		return err
	}
	places, empty, err := s.place(r.Context(), r, r.key, true)
	if err != nil {
		return err
	}
	if empty {
		w.recurse = false
	}
	leave, err := s.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	list := []*metadata{}
	seen := map[string]bool{}
	for _, p := range places {
		all, err := s.below(p, w)
		if err != nil {
			return listProblem(err)
		}
		for _, m := range all {
			if !seen[*m.RelativePath] {
				seen[*m.RelativePath] = true
				list = append(list, m)
			}
		}
	}
	if len(list) == 0 {
		return notFound("Could not find instances in file_metadata with '%s'", r.key)
	}
	return r.json(list)
}

// below is the metadata of what a path leads to, and of what is below that, level by level.
func (s *Server) below(top found, w wanted) (list []*metadata, err error) {
	dot := "."
	first, err := s.describe(top, nil, top.path, &dot, w)
	if err != nil {
		return nil, err
	}
	list = append(list, first)
	if first.Type != "directory" || !w.recurse {
		return list, nil
	}
	// Directories wait for their turn. One that a link led to is a tree of its own.
	type level struct {
		in    *tree
		rel   string // from the top
		below string // from the tree
		depth int
	}
	all, err := top.tree()
	if err != nil {
		return nil, err
	}
	defer all.close()
	queue := []level{{all, "", "", 0}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if w.depth >= 0 && at.depth+1 > w.depth {
			continue
		}
		entries, err := at.in.entries(at.below)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := e.name
			if slices.ContainsFunc(w.ignore, func(pattern string) bool {
				ok, _ := path.Match(pattern, name)
				return ok && (name[0] != '.' || strings.HasPrefix(pattern, "."))
			}) {
				continue
			}
			rel := path.Join(at.rel, name)
			m, err := s.describe(top.at(filepath.Join(top.path, rel)), e.thing, top.path, &rel, w)
			if err != nil {
				return nil, err
			}
			if list = append(list, m); len(list) > mostFiles {
				return nil, failed("The directory '%s' contains more than %d entries", top.path, mostFiles)
			}
			if m.Type != "directory" {
				continue
			}
			if e.thing != nil || at.in.root == nil {
				queue = append(queue, level{at.in, rel, path.Join(at.below, name), at.depth + 1})
			} else {
				other, err := top.at(filepath.Join(top.path, rel)).tree()
				if err != nil {
					return nil, err
				}
				defer other.close()
				queue = append(queue, level{other, rel, "", at.depth + 1})
			}
		}
	}
	if w.most > 0 && len(list)-1 > w.most {
		return nil, failed("The directory '%s' contains %d entries, which exceeds the limit of %d specified by the "+
			"max_files parameter for this resource", top.path, len(list)-1, w.most)
	}
	return list, nil
}

func (s *Server) fileContent(r *request) error {
	places, empty, err := s.place(r.Context(), r, r.key, false)
	if err != nil {
		return err
	}
	if len(places) == 0 || empty {
		return notFound("Could not find file_content %s", r.key)
	}
	f, size, err := places[0].content()
	if err != nil {
		return fileProblem(err, "file_content", r.key)
	}
	defer f.Close()
	return r.send(f, size)
}

// send answers with bytes. One that breaks off is not taken for whole: the length is told before.
func (r *request) send(from io.Reader, size int64) error {
	r.w.Header().Set("Content-Type", "application/octet-stream")
	r.w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	r.w.WriteHeader(http.StatusOK)
	n, err := io.CopyBuffer(struct{ io.Writer }{r.w}, io.LimitReader(from, size), make([]byte, 256<<10))
	if err == nil && n < size {
		return fmt.Errorf("%d of %d bytes were there", n, size)
	}
	return ignoreGone(err)
}

// sums keeps checksums of files as long as the files look the same.
type sums struct {
	mu    sync.Mutex
	known map[sumKey]string
}

type sumKey struct {
	path, kind   string
	size         int64
	mtime, ctime int64
	inode        uint64
}

const mostSums = 200_000

// newSum are the checksums that files can be asked for. The lite ones are of the first 512 bytes.
var newSum = map[string]func() hash.Hash{
	"md5": md5.New, "md5lite": md5.New, "sha1": sha1.New, "sha1lite": sha1.New, "sha256": sha256.New,
	"sha256lite": sha256.New, "sha224": sha256.New224, "sha384": sha512.New384, "sha512": sha512.New,
}

func knownSum(kind string) bool {
	return newSum[kind] != nil || kind == "mtime" || kind == "ctime" || kind == "none"
}
