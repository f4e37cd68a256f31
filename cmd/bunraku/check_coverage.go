package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"bunraku/audit"
	"bunraku/report"
)

// coverageText is what was compiled, in a line.
func (c *checking) coverageText() string {
	if c.coverage == nil {
		return ""
	}
	astray := ""
	if n := c.coverage.Definitions; n > 0 {
		verb := "are"
		if n == 1 {
			verb = "is"
		}
		astray = fmt.Sprintf("%s %s in no module of the modulepath, so no node can have them: %s.",
			plurals(n, "class or define", "classes and defines"), verb, some(c.coverage.Astray))
	}
	if c.coverage.String() == "" {
		return astray
	}
	real, invented := 0, 0
	for _, n := range c.nodes {
		switch {
		case n.Catalog == nil:
		case n.Invented != nil:
			invented++
		default:
			real++
		}
	}
	nodes := plural(real, "real node")
	if real+invented == 0 {
		nodes = "no node"
	}
	if invented > 0 {
		nodes = plural(invented, "invented node")
		if real > 0 {
			nodes = plural(real, "real node") + " and " + nodes
		}
	}
	if astray != "" {
		astray = "\n" + astray
	}
	return "Reached by " + nodes + ": " + c.coverage.String() + ". `--coverage` lists the rest." + astray
}

// showCoverage lists what no node reaches.
func (a *app) showCoverage(c *checking) {
	why := map[string]string{}
	for _, n := range c.excused {
		name := n.Invented.Class
		if name == "" {
			name = n.Invented.Define
		}
		if name != "" && why[name] == "" {
			why[name] = strings.ReplaceAll(excuseNames[n.Excuse.Kind], "_", " ") + ": " + clipText(n.Excuse.Detail, 80)
		}
	}
	titles := map[string]string{"class": "Classes", "define": "Defines", "branch": "Branches", "template": "Templates",
		"key": "Data keys"}
	for _, kind := range audit.Kinds {
		used, of := c.coverage.Count(kind)
		if used == of {
			continue
		}
		fmt.Fprintf(a.out, "\n%s that no node reaches (%d of %d):\n", titles[kind], of-used, of)
		for _, i := range c.coverage.Items {
			if i.Kind != kind || i.Used {
				continue
			}
			line := "  " + i.Name
			if i.Place.Known() && kind != "branch" {
				line += "   " + i.Place.String()
			}
			if w := why[i.Name]; w != "" {
				line += "   " + w
			}
			fmt.Fprintln(a.out, line)
		}
	}
}

// coverageJSON is one kind of thing that nodes may reach.
type coverageJSON struct {
	Used    int      `json:"used"`
	Of      int      `json:"of"`
	Missing []string `json:"missing"`
}

func coverageOf(c *audit.Coverage) map[string]*coverageJSON {
	if c == nil {
		return nil
	}
	out := map[string]*coverageJSON{}
	for _, kind := range audit.Kinds {
		used, of := c.Count(kind)
		k := &coverageJSON{used, of, []string{}}
		for _, i := range c.Items {
			if i.Kind == kind && !i.Used {
				name := i.Name
				if kind == "key" {
					name = i.Place.String() + " " + name
				}
				k.Missing = append(k.Missing, name)
			}
		}
		out[kind] = k
	}
	return out
}

// writeCoverage writes the coverage to a file, in the form that its ending says.
func writeCoverage(name string, c *audit.Coverage) error {
	var text bytes.Buffer
	var err error
	if filepath.Ext(name) == ".json" {
		e := json.NewEncoder(&text)
		e.SetIndent("", "  ")
		err = e.Encode(coverageOf(c))
	} else {
		err = c.WriteLCOV(&text)
	}
	if err != nil {
		return err
	}
	return report.WriteFile(name, text.Bytes())
}
