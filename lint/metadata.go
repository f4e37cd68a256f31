package lint

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Checks of metadata.json: those of metadata-json-lint 5.1.0, as it runs when it is told nothing. Its checks have the
// names that it prints, with metadata_json_ in front. It knows no places; here each finding has one.

// A field is what is known of one of the keys.
type field struct {
	name     string
	types    string // what it may be, with commas between
	pattern  *regexp.Regexp
	shown    string // the pattern as it is told
	longest  int    // characters; 0 is any number
	uri      bool
	version  bool
	elements []field // of a list of objects: their keys
	need     string  // the key that each of those must have
	texts    bool    // a list of texts
}

// fields are the keys in the order in which they are looked at.
var fields = []field{
	{name: "author", types: "string"},
	{name: "data_provider", types: "null, string"},
	{name: "dependencies", types: "array", need: "name", elements: []field{
		{name: "name", types: "string", pattern: regexp.MustCompile(`(?m)^\w+[/-][a-z][a-z0-9_]*$`),
			shown: `^\w+[/-][a-z][a-z0-9_]*$`},
		{name: "version_requirement", types: "string"}}},
	{name: "description", types: "string"},
	{name: "issues_url", types: "string", uri: true},
	{name: "license", types: "string"},
	{name: "operatingsystem_support", types: "array", need: "operatingsystem", elements: []field{
		{name: "operatingsystem", types: "string"}, {name: "operatingsystemrelease", types: "array", texts: true}}},
	{name: "name", types: "string", pattern: regexp.MustCompile(`(?m)^\w+-[a-z][a-z0-9_]*$`),
		shown: `^\w+-[a-z][a-z0-9_]*$`},
	{name: "project_page", types: "string", uri: true},
	{name: "requirements", types: "array", need: "name", elements: []field{
		{name: "name", types: "string"}, {name: "version_requirement", types: "string"}}},
	{name: "source", types: "string"},
	{name: "summary", types: "string", longest: 144},
	{name: "tags", types: "array", texts: true},
	{name: "version", types: "string", version: true},
}

// needed are the keys that there must be.
var needed = []string{"author", "dependencies", "license", "name", "source", "summary", "version"}

var metadataHelp = map[string]string{
	"metadata_json_file":              "end the file with a newline, and write proper JSON",
	"metadata_json_required_fields":   "add the field: the Forge refuses the module without it",
	"metadata_json_deprecated_fields": "take it away",
	"metadata_json_license":           "write one of the identifiers of https://spdx.org/licenses, or proprietary",
	"metadata_json_dependencies":      "name each module once, with a range such as \">= 1.0.0 < 2.0.0\"",
	"metadata_json_requirements":      "name puppet once, with a range such as \">= 7.0.0 < 9.0.0\"",
	"metadata_json_requirement":       "name puppet once, with a range such as \">= 7.0.0 < 9.0.0\"",
	"metadata_json_version":           "write three numbers: \"1.2.3\"",
	"metadata_json_summary":           "say it in fewer words",
}

// IsMetadata reports whether a file is a module's metadata.json.
func IsMetadata(path string) bool {
	return path == "metadata.json" || strings.HasSuffix(path, "/metadata.json")
}

// A metadata is one that is being checked.
type metadata struct {
	file     *source.File
	findings []Finding
}

func (m *metadata) say(isError bool, check string, at *datafile.Node, format string, args ...any) {
	f := Finding{Check: "metadata_json_" + check, Error: isError, Line: 1, Column: 1, Message: fmt.Sprintf(format,
		args...)}
	if at != nil {
		pos := m.file.Position(at.Span.Start)
		f.Line, f.Column = pos.Line, pos.Column
	}
	m.findings = append(m.findings, f)
}

// invalidEscape finds what is no escape sequence. An escaped backslash is not one of metadata-json-lint's, either.
var invalidEscape = regexp.MustCompile(`\\(?:[^"/bfnrtu]|u[0-9a-fA-F]{0,3}(?:[^0-9a-fA-F]|\z))`)

// Metadata checks a metadata.json.
func (l *Linter) Metadata(path, text string) Result {
	m := &metadata{file: source.NewFile(path, text)}
	m.check(text)
	return Result{Findings: tidy(m.findings)}
}

func (m *metadata) check(text string) {
	if !strings.HasSuffix(text, "\n") {
		m.say(true, "file", nil, "metadata.json does not have a valid newline at the end")
	}
	if invalidEscape.MatchString(text) {
		m.say(true, "file", nil, "Unable to parse metadata.json: Invalid escape character in string")
		return
	}
	root, err := datafile.ReadJSON(m.file)
	if err != nil {
		m.say(true, "file", nil, "Unable to parse metadata.json: %s", strings.TrimPrefix(err.Error(), m.file.Name+": "))
		return
	}
	if _, ok := root.Value.(*value.Hash); !ok {
		m.say(true, "file", root, "metadata.json holds no object")
		return
	}
	m.object(root, fields, needed, "")
	m.dependencies(root.Entry("dependencies"))
	for _, name := range []string{"types", "checksum"} {
		if n := root.Entry(name); n != nil && !value.IsUndef(n.Value) {
			m.say(true, "deprecated_fields", n, "Deprecated field '%s' found in metadata.json.", name)
		}
	}
	m.requirements(root.Entry("requirements"))
	if n := root.Entry("license"); n != nil && !value.IsUndef(n.Value) {
		if id := value.ToString(n.Value); !spdx()[id] && id != "proprietary" {
			m.say(false, "license", n, "License identifier %s is not in the SPDX list: http://spdx.org/licenses/", id)
		}
	}
}

// object checks the keys of an object, whose own place among the keys is the path.
func (m *metadata) object(n *datafile.Node, known []field, needs []string, path string) {
	for i := range known {
		if at := n.Entry(known[i].name); at != nil {
			m.field(at, &known[i], path+known[i].name)
		}
	}
	for _, name := range needs {
		if n.Entry(name) != nil {
			continue
		}
		top, _, _ := strings.Cut(path, "/")
		what := "property '" + strings.TrimSuffix(path, "/") + "'"
		if path == "" {
			top, what = "required_fields", "file"
		}
		m.say(true, top, n, "The %s did not contain a required property of '%s'", what, name)
	}
}

func (m *metadata) field(n *datafile.Node, f *field, path string) {
	top, _, _ := strings.Cut(path, "/")
	say := func(format string, args ...any) {
		m.say(true, top, n, "The property '%s' %s", path, fmt.Sprintf(format, args...))
	}
	is := jsonType(n.Value)
	if !strings.Contains(", "+f.types+",", ", "+is+",") {
		match := "the following type"
		if strings.Contains(f.types, ",") {
			match = "one or more of the following types"
		}
		say("of type %s did not match %s: %s", is, match, f.types)
	}
	if s, ok := n.Value.(value.String); ok {
		text := string(s)
		if f.pattern != nil && !f.pattern.MatchString(text) {
			say("value %s did not match the regex '%s'", value.InspectString(text), f.shown)
		}
		if f.longest > 0 && utf8.RuneCountInString(text) > f.longest {
			say("was not of a maximum string length of %d", f.longest)
		}
		if f.uri && !validURI(text) {
			say("must be a valid URI")
		}
		if f.version {
			if _, err := value.ParseSemVer(text); err != nil {
				say("must be a valid semantic version: %s", err)
			}
		}
	}
	if is != "array" {
		return
	}
	for i, kid := range n.Kids {
		at := fmt.Sprintf("%s/%d", path, i)
		if f.texts {
			m.field(kid.Node, &field{types: "string"}, at)
		} else if _, ok := kid.Node.Value.(*value.Hash); ok && f.need != "" {
			m.object(kid.Node, f.elements, []string{f.need}, at+"/")
		}
	}
}

func jsonType(v value.Value) string {
	switch v.(type) {
	case value.String:
		return "string"
	case value.Int:
		return "integer"
	case value.Float:
		return "number"
	case value.Bool:
		return "boolean"
	case *value.Array:
		return "array"
	case *value.Hash:
		return "object"
	}
	return "null"
}

var mixedSyntax = regexp.MustCompile(`[><=^~]{1,2}\s*\d\.(?:[x*]|\d\.[x*])`)

// noVersion is the range that holds none.
func noVersion() *value.SemVerRange {
	r, err := value.ParseSemVerRange(">=2.0.0 <1.0.0")
	if err != nil {
		panic(err)
	}
	return r
}

const mixing = `Mixing "x" or "*" version syntax with operators is not recommended in metadata.json, use one style in the `

// requirement reads the range of versions of a dependency or requirement. Wrong ones are told.
func (m *metadata) requirement(n *datafile.Node, check string) (text string, ok bool) {
	at := n.Entry("version_requirement")
	if at == nil {
		return "", true
	}
	s, isText := at.Value.(value.String)
	if !isText {
		return "", false
	}
	text = string(s)
	r, err := value.ParseSemVerRange(text)
	switch {
	case err != nil:
		m.say(true, check, at, "Invalid 'version_requirement' field in metadata.json: Unparsable version range: \"%s\"", text)
		return text, false
	case r.Equal(noVersion()) || text != "" && strings.TrimSpace(text) == "":
		m.say(true, check, at, "Invalid 'version_requirement' field in metadata.json: Range matches no versions: \"%s\"",
			text)
		return text, false
	}
	return text, true
}

func (m *metadata) dependencies(list *datafile.Node) {
	if list == nil {
		return
	}
	seen := map[string]bool{}
	for _, kid := range list.Kids {
		n := kid.Node
		if _, ok := n.Value.(*value.Hash); !ok {
			continue
		}
		name := ""
		if at := n.Entry("name"); at != nil {
			name = value.ToString(at.Value)
		}
		if seen[name] {
			m.say(false, "dependencies", n, "Duplicate dependencies on %s", name)
		}
		seen[name] = true
		text, ok := m.requirement(n, "dependencies")
		if !ok {
			continue
		}
		if mixedSyntax.MatchString(text) {
			m.say(false, "dependencies", n.Entry("version_requirement"), "%s%s dependency: %s", mixing, name, text)
		}
		if at := n.Entry("version_range"); at != nil {
			m.say(false, "dependencies", at,
				"Dependency %s has a 'version_range' attribute which is no longer used by the forge.", name)
		}
	}
}

func (m *metadata) requirements(list *datafile.Node) {
	if list == nil || jsonType(list.Value) != "array" {
		return
	}
	seen := map[string]int{}
	for _, kid := range list.Kids {
		n := kid.Node
		if _, ok := n.Value.(*value.Hash); !ok {
			continue
		}
		at := n.Entry("name")
		if at != nil && value.ToString(at.Value) == "pe" {
			m.say(false, "requirements", at, "The 'pe' requirement is no longer supported by the Forge.")
		}
		if text, ok := m.requirement(n, "requirements"); ok && mixedSyntax.MatchString(text) {
			m.say(false, "requirement", n.Entry("version_requirement"), "%spuppet version: %s", mixing, text)
		}
		if at == nil {
			continue
		}
		name := strings.ToLower(value.ToString(at.Value))
		if seen[name]++; seen[name] == 2 {
			m.say(true, "requirements", at, "Duplicate entries in the 'requirements' list with the name '%s'", name)
		}
	}
}

var (
	uriParts  = regexp.MustCompile(`^(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)`)
	uriScheme = regexp.MustCompile(`(?i)^[a-z][a-z0-9.+-]*$`)
	uriHost   = regexp.MustCompile("[\\s<>\"`{}|\\\\^]")
	uriPort   = regexp.MustCompile(`:(\d*)$`)
)

// validURI is what the library Addressable takes for a URI: nearly everything.
func validURI(s string) bool {
	m := uriParts.FindStringSubmatchIndex(s)
	part := func(i int) (string, bool) {
		if m[2*i] < 0 {
			return "", false
		}
		return s[m[2*i]:m[2*i+1]], true
	}
	scheme, hasScheme := part(1)
	authority, hasAuthority := part(2)
	path, _ := part(3)
	if hasScheme && !uriScheme.MatchString(scheme) {
		return false
	}
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	host = uriPort.ReplaceAllString(host, "")
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "tftp", "sftp", "ssh", "svn+ssh", "telnet", "nntp", "gopher", "wais", "ldap", "prospero":
		if host == "" && path == "" {
			return false
		}
	}
	if hasAuthority {
		return !uriHost.MatchString(host) && (path == "" || path[0] == '/')
	}
	return !strings.HasPrefix(path, "//")
}
