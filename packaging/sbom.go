package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// A bill is a CycloneDX document: what the program is made of.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Purl    string `json:"purl,omitempty"`
}

// sbom reads what the Go modules are off the program itself, and what npm built in off its lock files.
func sbom(program, root, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata: metadata{component{Type: "application", Name: "bunraku", Version: version}},
		Components: []component{{"platform", "go", strings.TrimPrefix(info.GoVersion, "go"), "pkg:generic/go@" +
			strings.TrimPrefix(info.GoVersion, "go")}}}
	for _, d := range info.Deps {
		for d.Replace != nil {
			d = d.Replace
		}
		b.Components = append(b.Components, component{"library", d.Path, d.Version, "pkg:golang/" + d.Path + "@" + d.Version})
	}
	locks, err := filepath.Glob(filepath.Join(root, "*", "package-lock.json"))
	if err != nil {
		return nil, err
	}
	for _, lock := range locks {
		text, err := os.ReadFile(lock)
		if err != nil {
			return nil, err
		}
		var data struct {
			Packages map[string]struct {
				Version string `json:"version"`
				Dev     bool   `json:"dev"`
			} `json:"packages"`
		}
		if err := json.Unmarshal(text, &data); err != nil {
			return nil, err
		}
		for path, p := range data.Packages {
			if i := strings.LastIndex(path, "node_modules/"); i >= 0 && !p.Dev {
				name := path[i+len("node_modules/"):]
				b.Components = append(b.Components, component{"library", name, p.Version, "pkg:npm/" + name + "@" + p.Version})
			}
		}
	}
	sort.Slice(b.Components, func(i, j int) bool { return b.Components[i].Purl < b.Components[j].Purl })
	out, err := json.MarshalIndent(b, "", "  ")
	return append(out, '\n'), err
}
