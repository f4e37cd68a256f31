package serve

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"bunraku/puppet/catalog"
	"bunraku/puppet/facts"
	"bunraku/puppet/value"
	"bunraku/puppetdb"
)

// What agents send is kept below one directory, readable by us only: reports/NODE/TIME.json, facts/NODE.json and
// bucket/, laid out as Puppet lays its own file bucket out. A file is written beside its place, made durable, and then
// put there, so that it is whole or not there.
type store struct {
	dir      string
	sweeping sync.RWMutex // side files are removed
}

func openStore(dir string) (*store, error) {
	if dir == "" {
		return nil, errors.New("a server needs a directory to keep reports, facts and backups in")
	}
	s := &store{dir: dir}
	for _, d := range []string{"reports", "facts", "bucket"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// nodeName are names that may be those of files.
var nodeName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

func checkName(name string) error {
	if !nodeName.MatchString(name) || len(name) > 200 {
		return badRequest("'%s' cannot be the name of a node", name)
	}
	return nil
}

// keep puts a file in its place, to be there also when the machine ends.
func (s *store) keep(text []byte, elem ...string) error { return s.write(text, true, elem...) }

// write puts a file in its place, whole; with durable it waits until the disk has it.
func (s *store) write(text []byte, durable bool, elem ...string) error {
	path := filepath.Join(append([]string{s.dir}, elem...)...)
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); err != nil {
		if err := s.mkdir(dir, durable); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(dir, unfinished+"*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing is there if all went well
	if _, err = f.Write(text); err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil || !durable {
		return err
	}
	return puppetdb.SyncDir(dir)
}

// unfinished begins the names of files that are not in their places yet. Whoever was killed leaves them.
const unfinished = ".new-"

// mkdir makes a directory below the store's; with durable it waits until the disk has its name.
func (s *store) mkdir(dir string, durable bool) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for durable && dir != s.dir && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if err := puppetdb.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// clear removes what others have left unfinished, an hour ago or more.
func (s *store) clear(now time.Time) {
	_ = filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), unfinished) {
			return nil // what cannot be listed stays
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour {
			os.Remove(path)
		}
		return nil
	})
}

// room reports whether something can be written: a disk that is full still takes names.
func (s *store) room() error {
	f, err := os.CreateTemp(s.dir, unfinished+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 4096))
	return errors.Join(err, f.Close())
}

// facts are those that a node sent last.
func (s *store) facts(name string) (*facts.Facts, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "facts", name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failed("no facts of %s are known, and the request has none", name)
	}
	if err != nil {
		return nil, err
	}
	f, err := readFacts(name, string(text))
	if err != nil { // cut off, when the machine ended
		return nil, failed("the facts of %s that were kept cannot be read, and the request has none", name)
	}
	return f, nil
}

// saveFacts keeps the facts of a node and what its certificate says, as check --facts reads them.
func (s *store) saveFacts(environment string, f *facts.Facts) error {
	b := value.NewHashBuilder(4)
	b.SetString("name", value.String(f.Name))
	b.SetString("environment", value.String(environment))
	b.SetString("values", f.Values)
	if f.Trusted != nil {
		b.SetString("trusted", f.Trusted)
	}
	text, err := catalog.JSON{}.AppendValue(nil, b.Hash())
	if err == nil {
		err = s.write(text, false, "facts", f.Name+".json")
	}
	return err
}

// keepFacts keeps the facts of a node with its environment, and tells PuppetDB of them with the one that was asked for.
func (s *Server) keepFacts(environment, asked string, f *facts.Facts) error {
	if err := checkName(f.Name); err != nil {
		return err
	}
	if err := s.written("facts", f.Name, s.store.saveFacts(environment, f)); err != nil {
		return err
	}
	if s.db == nil {
		return nil
	}
	c, err := puppetdb.FactsCommand(f.Name, f.Values, f.Trusted, s.sending(asked, ""))
	if err != nil {
		return failed("the facts of %s cannot be written as JSON: %v", f.Name, err)
	}
	return s.tell(c)
}

// trusted is what the certificate of a node said when it asked for its catalog last; nil if that is not known.
func (s *store) trusted(name string) *value.Hash {
	text, err := os.ReadFile(filepath.Join(s.dir, "facts", name+".json"))
	if err != nil {
		return nil
	}
	v, err := catalog.ReadJSON(text)
	if err != nil {
		return nil
	}
	all, _ := v.(*value.Hash)
	if all == nil {
		return nil
	}
	trusted, _ := all.At("trusted").(*value.Hash)
	return trusted
}

// putFacts takes facts that an agent sends outside of a run.
func (s *Server) putFacts(r *request) error {
	if r.client == nil {
		return noCertificate
	}
	body, err := s.json(r)
	if err != nil {
		return err
	}
	external, err := s.external(r.Context(), r.client.name)
	if err != nil {
		return err
	}
	leave, err := s.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	f, err := readFacts(r.key, string(body))
	if err != nil {
		return err
	}
	f.Trusted = facts.Trusted(r.client.name, r.client.extensions, external)
	environment := r.query.Get("environment")
	if err := s.keepFacts(environment, environment, f); err != nil {
		return err
	}
	return r.text("application/json; charset=utf-8", "0")
}

// json reads a body of JSON.
func (s *Server) json(r *request) ([]byte, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && kind != "text/pson" {
		return nil, &problem{status: http.StatusUnsupportedMediaType, kind: "UNSUPPORTED_MEDIA_TYPE",
			message: "Unsupported Media Type: Client sent a mime-type (" + r.Header.Get("Content-Type") +
				") that doesn't correspond to a format we support"}
	}
	body, err := s.body(r)
	if err != nil {
		return nil, err
	}
	if !json.Valid(body) {
		return nil, badRequest("The request body is invalid: it is no JSON")
	}
	return body, nil
}

// report keeps a report.
func (s *Server) report(r *request) error {
	if err := checkName(r.key); err != nil {
		return err
	}
	body, err := s.json(r)
	if err != nil {
		return err
	}
	var head struct {
		Host   string `json:"host"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal(body, &head); err != nil || head.Host != r.key {
		return badRequest("The report is not one of %s", r.key)
	}
	r.note = append(r.note, "run", head.Status)
	now := s.opt.Now().UTC()
	name := fmt.Sprintf("%s%09d.json", now.Format("20060102150405"), now.Nanosecond())
	if err := s.written("report", r.key, s.store.keep(body, "reports", r.key, name)); err != nil {
		return err
	}
	handlers := `"store"`
	if s.reports != nil {
		if err := s.forward(r.key, body); err != nil {
			return err
		}
		handlers += `,"http"`
	}
	if s.db != nil {
		c, err := puppetdb.ReportCommand(body, s.sending("", ""))
		if err != nil {
			return badRequest("The report of %s cannot be told on: %v", r.key, err)
		}
		if err := s.tell(c); err != nil {
			return err
		}
		handlers += `,"puppetdb"`
	}
	return r.text("application/json; charset=utf-8", "["+handlers+"]")
}

// bucketSums are the checksums that backups may be called by.
var bucketSums = map[string]func() hash.Hash{"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224,
	"sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New}

// bucket keeps backups of files, by their checksums: KIND/SUM or KIND/SUM/PATH (indirector/file_bucket_file/file.rb).
func (s *Server) bucket(r *request) error {
	kind, rest, _ := strings.Cut(r.key, "/")
	sum, path, _ := strings.Cut(rest, "/")
	h := bucketSums[kind]
	if h == nil {
		return badRequest("unsupported checksum type '%s'", kind)
	}
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != h().Size() || strings.ToLower(sum) != sum {
		return badRequest("'%s' is no checksum of the kind %s", sum, kind)
	}
	for _, q := range []string{"diff_with", "list_all"} {
		if r.query.Has(q) {
			return badRequest("%s is not supported", q)
		}
	}
	dir := filepath.Join(append(append([]string{"bucket", kind}, strings.Split(sum[:8], "")...), sum)...)
	switch r.Method {
	case http.MethodHead, http.MethodGet:
		f, err := os.Open(filepath.Join(s.store.dir, dir, "contents"))
		if err == nil {
			defer f.Close()
		}
		if err != nil || !s.knownPath(dir, path) {
			return notFound("Could not find file_bucket_file %s", r.key)
		}
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if r.Method == http.MethodHead {
			r.w.WriteHeader(http.StatusOK)
			return nil
		}
		return r.send(f, info.Size())
	}
	body, err := s.body(r)
	if err != nil {
		return err
	}
	is := h()
	is.Write(body)
	if hex.EncodeToString(is.Sum(nil)) != sum {
		return badRequest("the content does not have the checksum %s", sum)
	}
	if err := s.store.keep(body, dir, "contents"); err != nil {
		return failed("the backup cannot be kept: %v", err)
	}
	if path != "" && !s.knownPath(dir, path) {
		known, _ := os.ReadFile(filepath.Join(s.store.dir, dir, "paths")) // none at first
		if err := s.store.keep(append(known, path+"\n"...), dir, "paths"); err != nil {
			return failed("the backup cannot be kept: %v", err)
		}
	}
	return r.text("application/octet-stream", "")
}

// knownPath reports whether a backup is one of a file at a path; any will do for none.
func (s *Server) knownPath(dir, path string) bool {
	if path == "" {
		return true
	}
	known, _ := os.ReadFile(filepath.Join(s.store.dir, dir, "paths")) // none is none
	for line := range strings.Lines(string(known)) {
		if strings.TrimSuffix(line, "\n") == path {
			return true
		}
	}
	return false
}
