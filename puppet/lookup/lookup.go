// Package lookup is Hiera 5: the global, environment and module layers with their hiera.yaml, the backends for YAML,
// JSON, HOCON and eyaml, interpolation, dotted keys, merges and lookup_options, as Puppet's `lookup` function and
// automatic class parameters use them.
//
// A Lookup belongs to one environment and keeps what compiles can share: configurations and data files, each read once.
// A Session belongs to one compile: it resolves the hierarchies for that node and remembers lookup_options. What it
// needs of the evaluator is the small interface Scope. Every leaf that is looked up knows its file and place, and every
// lookup knows the keys and files it missed; with a nil trace none of that is computed.
//
// It may import source, provenance, value, types, and its own part datafile. Start reading at Session.Find, then
// layer.go, merge.go and interpolate.go.
package lookup

import (
	"strings"
	"sync"

	"bunraku/budget"
	"bunraku/provenance"
	"bunraku/puppet/trace"
	"bunraku/puppet/value"
	"bunraku/source"
)

// A Site says where an environment keeps its data.
type Site struct {
	Environment string // the environment's name
	Dir         string // its directory, "" for none
	// path of the global hiera.yaml, "" for none; a path that does not exist gives the default hierarchy beside it
	GlobalConfig string
	CodeDir      string // Puppet's codedir, for the default data directory of a version 3 hiera.yaml

	// Module gives a module's directory and what its metadata.json says under data_provider.
	Module func(name string) (dir, dataProvider string, ok bool)
	// DataProvider is environment.conf's environment_data_provider.
	DataProvider string
}

// Options are the switches of a Lookup.
type Options struct {
	Strict   source.Strictness
	Language source.Language
	// Name is how a file is shown to people; nil shows the path itself. Puppet's own messages always have the path.
	Name func(path string) string
	// DataDirs say where directories of data are that hiera.yaml names by where they are on the server.
	DataDirs []DataDir
	// SkipRuby treats a level whose data function is written in Ruby as empty. Otherwise what it would answer is opaque.
	SkipRuby bool
	// Files is where everything is read from: configurations, data, and the keys that eyaml's options name.
	Files source.Files
	// Cache keeps data files for all that share it; nil for one of its own.
	Cache *source.Cache
	// Decrypted is told every text that was secret; nil for nobody. It may be called from many goroutines.
	Decrypted func(plain string)
}

// A Scope is what lookup needs of the evaluator.
type Scope interface {
	// Variable reads a variable by the name an interpolation gives it: "x", "::x", "a::b". known is false when there is
	// none.
	Variable(name string) (v value.Value, ref provenance.Ref, known bool)
	// CallingClass is the nearest class around the call, "" at top level; version 3 hierarchies can name it.
	CallingClass() string
	// Call runs a data provider function. It returns ErrNoFunction when there is none of that name, ErrRuby when it is not
	// written in the Puppet language, and ErrNotFound when the function said that it has no value (context.not_found).
	Call(c *FunctionCall) (value.Value, provenance.Ref, error)
	// New is Puppet's new(type, value, args…), for the lookup option convert_to. The type may be a string that is still to
	// be parsed.
	New(typ value.Value, args []value.Value) (value.Value, error)
}

// A DataDir is a directory of the server's, and where it is on this machine.
type DataDir struct{ From, To string }

// moved is where a directory of data is on this machine.
func (s *Session) moved(dir string) string {
	for _, d := range s.l.opt.DataDirs {
		if rest, is := strings.CutPrefix(dir+"/", strings.TrimSuffix(d.From, "/")+"/"); is {
			return strings.TrimSuffix(d.To+"/"+rest, "/")
		}
	}
	return dir
}

// Reasons is a Scope that can say why a variable of a class is not known.
type Reasons interface{ WhyUnknown(name string) string }

// A Query is one question. The zero Query asks as automatic class parameters do.
type Query struct {
	Merge    value.Value // a strategy's name, or a hash with its options; nil lets lookup_options decide
	Type     value.Type  // what the value must be; nil for anything
	Override *value.Hash // answers before any data is looked at
	Defaults *value.Hash // default_values_hash

	Default    value.Value
	HasDefault bool
	DefaultRef provenance.Ref
	// Block computes the default; it wins over Default.
	Block func() (value.Value, provenance.Ref, error)

	Explain *Explanation // filled with what was tried; nil costs nothing

	Hiera      bool     // asked by one of the old functions hiera, hiera_array, hiera_hash, hiera_include
	ExtraPaths []string // their argument "override": levels to look at first, of a version 3 hierarchy
}

// A Result is an answer. Without an answer, Ref still says what the absence depends on.
type Result struct {
	Value value.Value
	Ref   provenance.Ref
	Found bool
	Key   string // the one of several names that was found
}

// A Lookup is the data of one environment. It is safe for concurrent use.
type Lookup struct {
	site    Site
	opt     Options
	secrets *secrets
	read    sync.Map // fileKey → *cached: a file is one thing for all compiles

	mu      sync.Mutex
	configs map[configKey]*readConfig
	names   sync.Map // path → how it is shown
	views   views
}

// New makes the lookup of an environment. Nothing is read before the first question.
func New(site Site, opt Options) *Lookup {
	if opt.Name == nil {
		opt.Name = func(path string) string { return path }
	}
	if opt.Cache == nil {
		opt.Cache = source.NewCache(0)
	}
	l := &Lookup{site: site, opt: opt, configs: map[configKey]*readConfig{}}
	l.secrets = newSecrets(l.readKey, opt.Decrypted)
	return l
}

// A Session is the lookups of one compile. It must not be used by two goroutines at once.
type Session struct {
	l             *Lookup
	budget        *budget.Budget
	log           *trace.Log // of the questions; nil for nobody
	coarse        bool       // what the layer that is searched asks of files is one question
	simple        map[string]simpleLayers
	simpleOptions map[string]bool // whether a layer was simple when its lookup_options were found, by its name
	trace         *provenance.Trace
	warn          func(*source.Diagnostic)
	warned        map[string]bool
	bytes         func([]string) // hears of the strings of a file that Ruby takes for bytes; nil for nobody
	opened        func(string)   // hears of what was decrypted; nil for nobody
	// without tells whether a file that may not be read is taken for one that is not there; nil for none
	without func(path string) bool
	cover   *source.Cover // is told which keys are found; nil for nobody
	current *invocation
	global  *layer
	env     *layer
	envDone bool
	old     bool // a hiera.yaml of an old version has been told of
	modules map[string]*layer

	forgiving      int                    // how many hierarchies are being worked out in which variables may be missing
	options        map[string]*keyOptions // lookup_options by module name
	globalOptions  *layerOptions
	envOptions     *layerOptions
	defaultOptions map[string]*keyOptions // lookup_options of modules' default hierarchies
	absent         map[provenance.LabelKey]provenance.Ref
	files          map[string]*loaded
	noFiles        map[string]provenance.Ref
	noConfigs      map[string]provenance.Ref // directories that have no hiera.yaml
	nothing        map[string]provenance.Ref // why nobody has an answer, by module
}

// Session starts the lookups of one compile. trace may be nil; warn, which may be nil too, hears of trouble that Puppet
// only warns about.
func (l *Lookup) Session(trace *provenance.Trace, warn func(*source.Diagnostic)) *Session {
	return &Session{l: l, trace: trace, warn: warn, warned: map[string]bool{}, modules: map[string]*layer{},
		options:        map[string]*keyOptions{},
		defaultOptions: map[string]*keyOptions{}, absent: map[provenance.LabelKey]provenance.Ref{},
		noFiles: map[string]provenance.Ref{}, files: map[string]*loaded{}, nothing: map[string]provenance.Ref{},
		noConfigs: map[string]provenance.Ref{}}
}

// What the parts of a lookup cost, in steps of the budget.
const (
	searchSteps   = 16 // a key
	levelSteps    = 16 // an entry of a hierarchy, when its paths are worked out
	locationSteps = 4  // a file or other place that is asked
	searching     = "Hiera"
)

// Within counts the work of the lookups on a budget.
func (s *Session) Within(b *budget.Budget) *Session {
	s.budget = b
	return s
}

// Telling has somebody told of the strings that Ruby takes for bytes, by the file, and of what was decrypted, before
// any of them is an answer.
func (s *Session) Telling(bytes func([]string), opened func(string)) *Session {
	s.bytes, s.opened = bytes, opened
	return s
}

// Without has somebody decide whether a file of data that may not be read is taken for one that is not there.
func (s *Session) Without(may func(path string) bool) *Session {
	s.without = may
	return s
}

// Covering has somebody told which keys of which files are found.
func (s *Session) Covering(cover *source.Cover) *Session {
	s.cover = cover
	return s
}

// An item is a value on its way, with its provenance: of a container, the provenance of its spine.
type item struct {
	v   value.Value
	ref provenance.Ref
}

// Find looks a key up in all layers, as automatic class parameters do.
func (s *Session) Find(key string, scope Scope, q Query) (Result, error) {
	plain := s.plain(key, &q)
	if plain {
		if why, nobody := s.nobody(key); nobody {
			return Result{Value: value.Undef{}, Ref: why, Key: key}, nil
		}
	}
	inv := s.newInvocation(scope, q)
	it, found, err := inv.search(key, q.Merge)
	res := Result{Value: it.v, Ref: inv.conclude(it.ref), Found: found, Key: key}
	if !found {
		res.Value = value.Undef{}
		if plain && err == nil {
			s.noteNobody(key, res.Ref)
		}
	}
	return res, err
}

// Lookup is the function lookup(): the first of several names that is found, checked against a type, or a default. Not
// to find anything is an error.
func (s *Session) Lookup(names []string, scope Scope, q Query) (Result, error) {
	return s.newInvocation(scope, q).lookupFunction(names, q)
}

// lookupFunction is Puppet::Pops::Lookup.lookup.
func (inv *invocation) lookupFunction(names []string, q Query) (Result, error) {
	check := func(subject string, it item) (Result, error) {
		return Result{Value: it.v, Ref: inv.conclude(it.ref), Found: true}, inv.s.assertType(subject, q.Type, it.v)
	}
	for _, name := range names {
		if e := entry(q.Override, name); e != nil {
			res, err := check("Value found for key '"+name+"' in override hash", item{e.Value, e.Ref})
			res.Key = name
			return res, err
		}
		it, found, err := inv.search(name, q.Merge)
		if err != nil {
			return Result{Ref: inv.conclude(0)}, err
		}
		if found {
			res, err := check("Found value", it)
			res.Key = name
			return res, err
		}
	}
	for _, name := range names {
		if e := entry(q.Defaults, name); e != nil {
			res, err := check("Value found for key '"+name+"' in default values hash", item{e.Value, e.Ref})
			res.Key = name
			return res, err
		}
	}
	switch {
	case q.Block != nil:
		v, ref, err := q.Block()
		if err != nil {
			return Result{Ref: inv.conclude(ref)}, err
		}
		return check("Value returned from default block", item{v, ref})
	case q.HasDefault:
		return check("Default value", item{q.Default, q.DefaultRef})
	}
	if len(names) == 1 {
		return Result{Ref: inv.conclude(0)}, fail("H0203", "Function lookup() did not find a value for the name '"+names[0]+
			"'")
	}
	list := ""
	for i, n := range names {
		if i > 0 {
			list += ", "
		}
		list += "'" + n + "'"
	}
	return Result{Ref: inv.conclude(0)}, fail("H0203", "Function lookup() did not find a value for any of the names ["+
		list+"]")
}

// undefined is what a variable that does not exist means for an interpolation. Puppet 8 is forgiving where a hiera.yaml
// of version 5 names files, and in whatever is looked up for that.
func (inv *invocation) undefined(name string) error {
	if numeric(name) {
		return nil // what a match would have set is never unknown
	}
	s, why := inv.s, ""
	if r, is := inv.scope.(Reasons); is {
		why = r.WhyUnknown(name)
	}
	if strings.Contains(strings.TrimPrefix(name, "::"), "::") {
		name = strings.TrimPrefix(name, "::")
	}
	if why != "" {
		why = "; " + why
	}
	switch {
	case s.l.opt.Strict == source.StrictError && s.forgiving > 0:
		s.warning("H0402", "Interpolation failed with '"+name+"', but compilation continuing"+why, source.Place{})
	case s.l.opt.Strict == source.StrictError:
		return &source.Diagnostic{Code: "H0401", Summary: "Undefined variable '" + name + "'" + why,
			About: []source.Subject{{Kind: source.MissingVariable, Name: strings.TrimPrefix(name, "::")}}}
	case s.l.opt.Strict == source.StrictWarning:
		s.warning("H0401", "Undefined variable '"+name+"'"+why, source.Place{})
	}
	return nil
}

func numeric(name string) bool {
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return name != ""
}

// warning tells about trouble once.
func (s *Session) warning(code, text string, place source.Place) {
	if s.warn == nil || s.warned[text] {
		return
	}
	s.warned[text] = true
	s.warn(&source.Diagnostic{Code: code, Severity: source.Warning, Summary: text, Place: place})
}
