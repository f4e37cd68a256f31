package compiler

import (
	_ "embed"
	"math"
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
	all := b.Hash()
	with := value.NewHashBuilder(all.Len() + 1)
	for _, e := range all.Entries() {
		with.SetEntry(e)
	}
	with.SetString("all_local", all)
	return with.Hash()
}
