package compiler

import (
	_ "embed"
	"math"
	"regexp"
	"strconv"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/value"
)

// settingsText has the settings of Puppet with their defaults (its first lines say how).
//
//go:embed settings.txt
var settingsText string

// config is what $settings::NAME answers: Puppet's own defaults, where a packaged server keeps its files, and what this
// run was told, in an environment that is called so.
func (c *Snapshot) config(environment string) *value.Hash {
	b := value.NewHashBuilder(256)
	for line := range strings.Lines(settingsText) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(fields) < 2 {
			continue
		}
		text := fields[1]
		if len(fields) > 2 && !c.set.Language.Eight() {
			text = fields[2]
		}
		if text == "-" {
			continue
		}
		if text == "Infinity" { // which JSON can't say
			b.SetString(fields[0], value.Float(math.Inf(1)))
			continue
		}
		v, err := catalog.ReadJSON([]byte(text))
		if err != nil {
			panic("settings.txt: " + line + err.Error())
		}
		b.SetString(fields[0], v)
	}
	for _, kv := range [][2]string{
		{"environment", environment}, {"manifest", c.env.Manifest}, {"modulepath", strings.Join(c.env.ModulePath, ":")},
		{"http_user_agent", "Puppet/" + c.version()}, {"strict", c.set.Strict.String()},
	} {
		b.SetString(kv[0], value.String(kv[1]))
	}
	b.SetString("strict_variables", value.Bool(c.set.StrictVariables))
	for name, text := range c.env.Given {
		if v := given(name, text); v != nil {
			b.SetString(name, v)
		}
	}
	all := b.Hash()
	with := value.NewHashBuilder(all.Len() + 1)
	for _, e := range all.Entries() {
		with.SetEntry(e)
	}
	with.SetString("all_local", all)
	return with.Hash()
}

var (
	timeToLive = regexp.MustCompile(`^(\d+)([smhdy]?)$`)
	seconds    = map[string]int64{"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "y": 365 * 86400}
)

// given is the value of a setting of environment.conf; nil if Puppet would not take it.
func given(name, text string) value.Value {
	switch name {
	case "static_catalogs", "rich_data":
		if text == "true" || text == "false" {
			return value.Bool(text == "true")
		}
		return nil
	case "environment_timeout":
		if text == "unlimited" {
			return value.Float(math.Inf(1))
		}
		m := timeToLive.FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		n, err := strconv.ParseInt(m[1], 10, 32)
		if err != nil {
			return nil
		}
		return value.Int(n * seconds[m[2]])
	}
	return value.String(text)
}
