package serve

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/syntax"
	"bunraku/puppet/trace"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/source"
)

// listEnvironments tells which environments there are, and where their code is.
func (s *Server) listEnvironments(r *request) error {
	type settings struct {
		ModulePath    []string `json:"modulepath"`
		Manifest      string   `json:"manifest"`
		Timeout       int      `json:"environment_timeout"`
		ConfigVersion string   `json:"config_version"`
	}
	type environment struct {
		Settings *settings `json:"settings,omitempty"`
		Error    string    `json:"error,omitempty"` // in place of them
	}
	out := struct {
		SearchPaths  []string               `json:"search_paths"`
		Environments map[string]environment `json:"environments"`
	}{Environments: map[string]environment{}}
	for _, dir := range s.opt.Environments {
		out.SearchPaths = append(out.SearchPaths, "file://"+dir)
	}
	if s.opt.Branches != nil {
		out.SearchPaths = []string{"file://" + s.opt.Branches.At}
	}
	for _, name := range s.pool.names() {
		served, err := s.pool.find(name)
		if err != nil {
			continue // gone since
		}
		snap, err := served.snapshot(r.Context(), s.lately())
		if err != nil { // a branch that somebody works on does not hide the others
			out.Environments[name] = environment{Error: short(s.secrets.Hide(err.Error()), mostField)}
			continue
		}
		env := snap.Environment()
		out.Environments[name] = environment{Settings: &settings{ModulePath: env.ModulePath, Manifest: env.Manifest}}
	}
	return r.json(out)
}

// status is what monitoring asks.
func (s *Server) status(r *request) error {
	type service struct {
		Version       string   `json:"service_version"`
		StatusVersion int      `json:"service_status_version"`
		Detail        string   `json:"detail_level"`
		State         string   `json:"state"`
		Status        struct{} `json:"status"`
		Alerts        []string `json:"active_alerts"`
		Name          string   `json:"service_name,omitempty"`
	}
	running := service{Version: s.version(), StatusVersion: 1, Detail: "info", State: "running", Alerts: []string{}}
	if name := strings.TrimPrefix(r.URL.Path, "/status/v1/services/"); name == "server" || name == "master" {
		running.Name = name
		return r.json(running)
	} else if strings.HasPrefix(r.URL.Path, "/status/v1/services/") && name != "" {
		return notFound("No status function found for service %s", name)
	}
	return r.json(map[string]service{"server": running, "master": running})
}

// environmentClasses lists the classes of an environment with their parameters, file by file.
func (s *Server) environmentClasses(r *request) error {
	name, err := r.environment()
	if err != nil {
		return err
	}
	served, err := s.pool.find(name)
	if err != nil {
		return err
	}
	leave, err := s.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	snap, err := served.snapshot(r.Context(), s.lately())
	if err != nil {
		return failed("the environment '%s' cannot be read: %v", name, err)
	}
	type param struct {
		Name          string          `json:"name"`
		Type          string          `json:"type,omitempty"`
		Default       json.RawMessage `json:"default_literal,omitempty"`
		DefaultSource string          `json:"default_source,omitempty"`
	}
	type class struct {
		Name   string  `json:"name"`
		Params []param `json:"params"`
	}
	type file struct {
		Path    string   `json:"path"`
		Classes *[]class `json:"classes,omitempty"` // or the error
		Error   string   `json:"error,omitempty"`
	}
	env := snap.Environment()
	paths, err := env.Manifests()
	if err != nil {
		return failed("%v", err)
	}
	for _, m := range env.Modules() {
		paths = append(paths, manifestsBelow(env.Files(), filepath.Join(m.Dir, "manifests"))...)
	}
	slices.Sort(paths)
	files := []file{}
	for _, p := range slices.Compact(paths) {
		tree, ds, err := env.Parse(p)
		f := file{Path: p}
		switch {
		case err != nil:
			f.Error = err.Error()
		case ds.HasErrors():
			f.Error = ds[0].Summary
			if at := ds[0].Place; at.Known() {
				pos := at.File.Position(at.Span.Start)
				f.Error += fmt.Sprintf(" (file: %s, line: %d, column: %d)", p, pos.Line, pos.Column)
			}
		default:
			classes := []class{}
			for _, d := range tree.Defs {
				c, is := d.(*syntax.Class)
				if !is {
					continue
				}
				k := class{Name: c.Name, Params: []param{}}
				for _, x := range c.Params {
					one := param{Name: x.Name}
					if x.Type != nil {
						if typ, err := types.FromExpr(x.Type, tree.Source, nil); err == nil {
							one.Type = typ.String()
						}
					}
					if x.Default != nil {
						one.DefaultSource = tree.Source.Slice(x.Default.Span())
						if v, is := literal(x.Default); is && !value.IsUndef(v) {
							if one.Default, err = (catalog.JSON{}).AppendValue(nil, v); err != nil {
								return failed("%s: the default of $%s: %v", p, x.Name, err)
							}
						}
					}
					k.Params = append(k.Params, one)
				}
				classes = append(classes, k)
			}
			f.Classes = &classes
		}
		files = append(files, f)
	}
	return r.json(struct {
		Name  string `json:"name"`
		Files []file `json:"files"`
	}{name, files})
}

// literal is the value of an expression that has nothing but literals in it, as far as JSON can say it
// (puppet/pops/evaluator/json_strict_literal_evaluator.rb).
func literal(x syntax.Expr) (value.Value, bool) {
	switch x := x.(type) {
	case *syntax.List:
		b := value.NewArrayBuilder(len(x.Elems))
		for _, e := range x.Elems {
			v, is := literal(e)
			if !is {
				return nil, false
			}
			b.Add(v)
		}
		return b.Array(), true
	case *syntax.Hash:
		b := value.NewHashBuilder(len(x.Entries))
		for _, e := range x.Entries {
			key, is := literal(e.Key)
			text, named := key.(value.String)
			v, known := literal(e.Value)
			if !is || !named || !known {
				return nil, false
			}
			b.SetString(string(text), v)
		}
		return b.Hash(), true
	}
	return trace.LiteralValue(x), trace.Literal(x)
}

// environmentModules lists the modules of an environment, or of all.
func (s *Server) environmentModules(r *request) error {
	type module struct {
		Name    string  `json:"name"`
		Version *string `json:"version"`
	}
	type environment struct {
		Name    string   `json:"name"`
		Modules []module `json:"modules"`
	}
	one := func(name string) (*environment, error) {
		served, err := s.pool.find(name)
		if err != nil {
			return nil, err
		}
		snap, err := served.snapshot(r.Context(), s.lately())
		if err != nil {
			return nil, failed("the environment '%s' cannot be read: %v", name, err)
		}
		e := &environment{Name: name, Modules: []module{}}
		for _, m := range snap.Environment().Modules() {
			x := module{Name: m.Name}
			if m.ForgeName != "" {
				x.Name = m.ForgeName
			}
			if m.Version != "" {
				x.Version = &m.Version
			}
			e.Modules = append(e.Modules, x)
		}
		return e, nil
	}
	if name := r.query.Get("environment"); name != "" {
		e, err := one(name)
		if err != nil {
			return err
		}
		return r.json(e)
	}
	list := []*environment{}
	for _, name := range s.pool.names() {
		if e, err := one(name); err == nil {
			list = append(list, e)
		}
	}
	return r.json(list)
}

// manifestsBelow are the manifests below a directory; none if there is none.
func manifestsBelow(files source.Files, dir string) (paths []string) {
	_ = source.Walk(files, dir, func(p string, e source.Entry) bool { // what cannot be listed has none
		if strings.HasSuffix(p, ".pp") && e.Kind == source.Regular {
			paths = append(paths, p)
		}
		return true
	})
	return paths
}
