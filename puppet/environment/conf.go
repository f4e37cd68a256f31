package environment

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bunraku/source"
)

var (
	sectionLine = regexp.MustCompile(`^\s*\[(\w+)\]\s*$`)
	settingLine = regexp.MustCompile(`^\s*(\w+)\s*=\s*(.*?)\s*$`)
	blankLine   = regexp.MustCompile(`^\s*(#.*)?$`)
	reference   = regexp.MustCompile(`\$(?:\{(\w+)\}|(\w+))`)
)

// The settings that an environment.conf may have. config_version would run a program; like the timeouts it does not
// matter to a compile here, but for code that asks what they are.
var knownSettings = map[string]bool{"modulepath": true, "manifest": true, "config_version": true,
	"environment_timeout":       true,
	"environment_data_provider": true, "static_catalogs": true, "rich_data": true}

// configure reads environment.conf, if there is one.
func (e *Environment) configure() error {
	settings := map[string]string{}
	conf, err := e.file(filepath.Join(e.Dir, "environment.conf"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if d := refused(err, e.Display(filepath.Join(e.Dir, "environment.conf")), flagOf(err), nil); d != nil {
			d.Severity = source.Error
			return d
		}
		return err
	}
	if err == nil {
		if err := e.readConf(conf, settings); err != nil {
			return err
		}
	}
	base := absolute(e.opt.BaseModulePath)
	// $environment is not among them: Puppet leaves it as it is, except in config_version.
	vars := map[string]string{"codedir": e.opt.CodeDir, "basemodulepath": strings.Join(base, ":"),
		"environmentpath": filepath.Dir(e.Dir)}
	expand := func(s string) string {
		return reference.ReplaceAllStringFunc(s, func(r string) string {
			m := reference.FindStringSubmatch(r)
			if v, known := vars[m[1]+m[2]]; known {
				return v
			}
			return r
		})
	}
	inside := func(p string) string {
		if p == "" || filepath.IsAbs(p) || strings.HasPrefix(p, "$") {
			return p
		}
		return filepath.Join(e.Dir, p)
	}
	manifest, given := settings["manifest"]
	if !given {
		manifest = "manifests"
	}
	e.Manifest = inside(expand(inside(manifest)))
	if given {
		e.named = e.Manifest
	}
	if e.opt.Manifest != "" {
		e.Manifest = absolute([]string{e.opt.Manifest})[0]
	}
	e.DataProvider = settings["environment_data_provider"]
	if command, given := settings["config_version"]; given {
		vars["environment"] = e.Name // only here
		settings["config_version"] = expand(inside(command))
	}
	switch modulepath, given := settings["modulepath"]; {
	case e.opt.ModulePath != nil:
		e.ModulePath = absolute(e.opt.ModulePath)
	case !given:
		e.ModulePath = append([]string{filepath.Join(e.Dir, "modules")}, base...)
	default:
		for _, p := range source.SplitPaths(modulepath) {
			for _, q := range source.SplitPaths(expand(inside(p))) {
				if q == "" {
					continue
				}
				if strings.ContainsAny(q, "*?[{") {
					e.ModulePath = append(e.ModulePath, source.Glob(e.files, filepath.Clean(inside(q)))...)
					continue
				}
				dir := filepath.Clean(inside(q))
				if _, err := e.files.Stat(dir); source.IsAbs(dir) && !slices.Contains(base, dir) {
					if d := refused(err, "the module path "+dir, "--root "+dir+", or --modulepath", conf); d != nil {
						e.Problems = append(e.Problems, d)
					}
				}
				e.ModulePath = append(e.ModulePath, dir)
			}
		}
	}
	delete(settings, "manifest")
	delete(settings, "modulepath")
	e.Given = settings
	return nil
}

// readConf reads the settings before any section; of a setting given twice the first counts.
func (e *Environment) readConf(f *source.File, settings map[string]string) error {
	section := "main"
	var ignored, unknown []string
	for n := 1; n <= f.LineCount(); n++ {
		line := f.Line(n)
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			if section = m[1]; section != "main" {
				ignored = append(ignored, section)
			}
			continue
		}
		m := settingLine.FindStringSubmatch(line)
		switch {
		case m == nil && !blankLine.MatchString(line):
			at := f.Offset(source.Position{Line: n, Column: 1})
			return &source.Diagnostic{Code: "N0101", Summary: "Could not match line " + line,
				Place: source.Place{File: f, Span: source.Span{Start: at, End: at + uint32(len(line))}}}
		case m == nil || section != "main":
		case !knownSettings[m[1]]:
			unknown = append(unknown, m[1])
		default:
			if _, given := settings[m[1]]; !given {
				settings[m[1]] = m[2]
			}
		}
	}
	warn := func(code, text string) {
		e.Problems = append(e.Problems, &source.Diagnostic{Code: code, Severity: source.Warning, Summary: text,
			Place: source.Place{File: f}})
	}
	path := filepath.Join(e.Dir, "environment.conf")
	if ignored != nil {
		warn("N0102", "Invalid sections in environment.conf at '"+path+
			"'. Environment conf may not have sections. The following sections are being ignored: '"+strings.Join(ignored, ",")+
			"'")
	}
	if unknown != nil {
		warn("N0103", "Invalid settings in environment.conf at '"+path+
			"'. The following unknown setting(s) are being ignored: "+strings.Join(unknown, ", "))
	}
	return nil
}
