package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/deploy"
	"bunraku/puppet/value"
)

// A static catalog holds the metadata of the files that it names, as they were in the code with the catalog's id, so
// that an agent asks for the contents only, and gets them as of the same id, whatever was deployed since
// (puppet/indirector/catalog/compiler.rb, inline_metadata).

// inline puts the metadata of files into a catalog.
func (s *Server) inline(ctx context.Context, snap taken, c *catalog.Catalog, known []string) error {
	kind := ""
	for _, k := range known {
		if knownSum(k) {
			kind = k
			break
		}
	}
	if kind == "" {
		return failed("Unable to find a common checksum type between agent '%s' and master.", strings.Join(known, "."))
	}
	one, many := value.NewHashBuilder(8), value.NewHashBuilder(8)
	for _, r := range c.Resources {
		if r.Type != "File" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		sources := texts(r.Get("source"))
		if text(r.Get("ensure")) == "absent" || len(sources) == 0 ||
			slices.ContainsFunc(sources, func(u string) bool { return !strings.HasPrefix(u, "puppet:") }) {
			continue
		}
		w := wanted{links: "manage", checksum: kind, depth: -1}
		if l := text(r.Get("links")); l == "follow" {
			w.links = l
		}
		if k := text(r.Get("checksum")); k != "" {
			if w.checksum = k; !knownSum(k) {
				return failed("Unsupported checksum type %s", k)
			}
		}
		if p := text(r.Get("source_permissions")); p == "use" || p == "use_when_creating" {
			w.permissions = true
		}
		var err error
		switch text(r.Get("recurse")) {
		case "true", "remote":
			err = s.inlineTree(snap, r, sources, w, many)
		default:
			err = s.inlineFile(snap, r, sources, w, one)
		}
		if err != nil {
			return err
		}
	}
	if one.Len() > 0 {
		c.Metadata = one.Hash()
	}
	if many.Len() > 0 {
		c.RecursiveMetadata = many.Hash()
	}
	return nil
}

// text is an attribute's value as a text, "" for none.
func text(v value.Value) string {
	if v == nil || value.IsUndef(v) {
		return ""
	}
	return value.ToString(v)
}

// texts are those of an attribute that may be a list.
func texts(v value.Value) (out []string) {
	switch v := v.(type) {
	case *value.Array:
		for _, e := range v.Elems {
			out = append(out, texts(e)...)
		}
	case value.String:
		out = append(out, string(v))
	}
	return out
}

// sourced is the file that puppet:///modules/MODULE/PATH names, and what its URI begins with; ok is false for other
// mounts. A server that the source names is kept in the URI: the file is ours all the same, as it is with Puppet.
func sourced(snap taken, source string) (f found, base string, ok bool) {
	host, rest, is := modulesPath(source)
	if !is {
		return f, "", false
	}
	env := snap.Environment()
	module, inside, _ := strings.Cut(rest, "/")
	m := env.Module(module)
	if m == nil {
		return f, "", false
	}
	return snap.find(filepath.Join(m.Dir, "files", inside), m), "puppet://" + host + "/", true
}

// inEnvironment is the way from the environment to a file of one of its modules, if that is what it is: only those have
// ids.
func inEnvironment(snap taken, full string) (string, bool) {
	rel, err := filepath.Rel(snap.Environment().Dir, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	parts := strings.SplitN(filepath.ToSlash(rel), "/", 4)
	return filepath.ToSlash(rel), len(parts) == 4 && parts[2] == "files"
}

func (s *Server) inlineFile(snap taken, r *catalog.Resource, sources []string, w wanted,
	into *value.HashBuilder) error {
	for _, source := range sources {
		source = strings.TrimRight(source, "/")
		f, base, ours := sourced(snap, source)
		if !ours {
			if isModules(source) {
				continue // there is no such module
			}
			return nil // of another mount: the agent asks for itself
		}
		if !f.exists() {
			continue
		}
		m, err := s.describe(f, nil, f.path, nil, w)
		if err != nil {
			return listProblem(err)
		}
		rel, in := inEnvironment(snap, f.path)
		if !in {
			return nil
		}
		m.Source, m.ContentURI = source, base+rel
		into.SetString(r.Title, data(m))
		return nil
	}
	return failed("Could not get metadata for %s", strings.Join(sources, ", "))
}

// modulesPath takes puppet://HOST/modules/PATH apart. Sources are no URLs: nothing in them is encoded.
func modulesPath(source string) (host, rest string, is bool) {
	after, is := strings.CutPrefix(source, "puppet://")
	if !is {
		return "", "", false
	}
	host, file, _ := strings.Cut(after, "/")
	rest, is = strings.CutPrefix(path.Clean("/"+file), "/modules/")
	return host, rest, is
}

// isModules reports whether a source names the mount modules.
func isModules(source string) bool {
	_, _, is := modulesPath(source)
	return is
}

func (s *Server) inlineTree(snap taken, r *catalog.Resource, sources []string, w wanted,
	into *value.HashBuilder) error {
	w.recurse, w.ignore = true, texts(r.Get("ignore"))
	if n, is := r.Get("recurselimit").(value.Int); is {
		w.depth = int(n)
	}
	if n, is := r.Get("max_files").(value.Int); is {
		w.most = int(n)
	}
	all := value.NewHashBuilder(len(sources))
	for _, source := range sources {
		source = strings.TrimRight(source, "/")
		f, base, ours := sourced(snap, source)
		if !ours {
			if isModules(source) {
				continue
			}
			return nil
		}
		if !f.exists() {
			continue
		}
		list, err := s.below(f, w)
		if err != nil {
			return listProblem(err)
		}
		rel, in := inEnvironment(snap, f.path)
		if !in {
			return nil
		}
		b := value.NewArrayBuilder(len(list))
		for _, m := range list {
			m.ContentURI = base + rel
			if *m.RelativePath != "." {
				m.ContentURI += "/" + *m.RelativePath
			}
			b.Add(data(m))
		}
		all.SetString(source, b.Array())
		if how := text(r.Get("sourceselect")); how == "" || how == "first" {
			break
		}
	}
	if all.Len() > 0 {
		into.SetString(r.Title, all.Hash())
	}
	return nil
}

// data is metadata as a value, in the order in which it is sent.
func data(m *metadata) value.Value {
	text, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("metadata of %s: %v", m.Path, err))
	}
	v, err := catalog.ReadJSON(text)
	if err != nil {
		panic(fmt.Sprintf("metadata of %s: %v", m.Path, err))
	}
	return v
}

// staticPath is what may be asked for by an id: files of modules that agents get.
var staticPath = regexp.MustCompile(`^[^/]+/[^/]+/(files|tasks|scripts|lib)/.+$`)

// staticContent is a file as it was in the code of an id.
func (s *Server) staticContent(r *request) error {
	environment, id := r.query.Get("environment"), r.query.Get("code_id")
	switch {
	case s.opt.CodeContent == "" && s.branches == nil:
		return failed("the server has no program that gives files of an id")
	case environment == "" || id == "":
		return badRequest("a static_file_content request needs environment and code_id")
	case !validCodeID(id):
		return badRequest("'%s' is no id of code", id)
	case !staticPath.MatchString(r.key):
		return &problem{status: http.StatusForbidden, kind: "FAILED_AUTHORIZATION", message: "Request Denied: A " +
			"/static_file_content request must be a file within the files, lib, scripts, or tasks directory of a module."}
	}
	env, err := s.pool.find(environment)
	if err != nil {
		return err
	}
	if env.branches != nil {
		rev, err := s.recall(env, id)
		if err != nil {
			return err
		}
		f, size, err := found{path: path.Join(env.dir, r.key), rev: rev}.content()
		if err != nil {
			return fileProblem(err, "static_file_content", r.key)
		}
		defer f.Close()
		return r.send(f, size)
	}
	text, err := ask(r.Context(), s.opt.CodeContent, environment, id, r.key)
	if err != nil {
		return failed("%s of %s: %v", r.key, id, err)
	}
	return r.send(bytes.NewReader(text), int64(len(text)))
}

// What a revision consists of is kept under its id before the first catalog of it is sent, so that its files can be
// asked for later, whatever the branch is by then. Only what was an environment once is found by an id: a commit of
// another branch is not.

// noteCode keeps what a revision consists of.
func (s *Server) noteCode(env *served, rev *deploy.Revision) error {
	env.mu.Lock()
	defer env.mu.Unlock()
	if env.kept == rev.ID {
		return nil
	}
	text, err := rev.Pins()
	if err == nil {
		err = s.store.keep(text, "code", env.name, rev.ID+".json")
	}
	if err == nil {
		env.kept = rev.ID
	}
	return err
}

// mostRecalled is how many earlier revisions of an environment are held open.
const mostRecalled = 4

// recall is the revision of an id.
func (s *Server) recall(env *served, id string) (*deploy.Revision, error) {
	env.mu.Lock()
	defer env.mu.Unlock()
	if env.rev != nil && env.rev.ID == id {
		return env.rev, nil
	}
	if rev := env.recalled[id]; rev != nil {
		return rev, nil
	}
	kept, err := os.ReadFile(filepath.Join(s.store.dir, "code", env.name, id+".json"))
	if err != nil {
		return nil, notFound("no catalog of the environment '%s' was made of the code %s", env.name, id)
	}
	rev, err := env.branches.Recall(env.name, kept)
	if err == nil && rev.ID != id {
		err = errors.New("what was kept of it is that of another")
	}
	if err != nil {
		return nil, failed("the code %s of the environment '%s': %v", id, env.name, err)
	}
	if len(env.recalled) >= mostRecalled || env.recalled == nil {
		env.recalled = map[string]*deploy.Revision{}
	}
	env.recalled[id] = rev
	return rev, nil
}
