package fleet

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"bunraku/puppet/value"
	"bunraku/source"
)

// OnlyBefore8 is the requirement by which the metadata.json of a module says that it is for versions of Puppet (or
// OpenVox) before 8 only; "" if it does not say so.
func OnlyBefore8(view source.Files, dir string) string {
	text, err := view.Read(filepath.Join(source.Absolute(dir), "metadata.json"))
	if err != nil {
		return ""
	}
	var data struct {
		Requirements []struct {
			Name    string `json:"name"`
			Version string `json:"version_requirement"`
		} `json:"requirements"`
	}
	if json.Unmarshal([]byte(text.Text), &data) != nil {
		return "" // whoever reads modules tells
	}
	found := ""
	for _, r := range data.Requirements {
		if r.Name != "puppet" && r.Name != "openvox" {
			continue
		}
		within, err := value.ParseSemVerRange(strings.TrimSpace(r.Version))
		if err != nil {
			return ""
		}
		for _, v := range []string{"8.0.0", "8.4.0", "8.10.0", "8.99.0", "9.0.0"} {
			if version, err := value.ParseSemVer(v); err != nil || within.Includes(version) {
				return ""
			}
		}
		found = r.Version
	}
	return found
}
