package model_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/catalog"
	"bunraku/puppet/resource"
	"bunraku/verify/model"
)

// The automatic relations of types that modules bring are those of a real agent, on every recorded catalog that it
// takes.
func TestModuleTypesAsPuppet(t *testing.T) {
	files := live.Catalogs(t)
	if os.Getenv("BUNRAKU_ACCEPT") == "" { // those with the types that are looked at here
		files = slices.DeleteFunc(files, func(f string) bool {
			return !slices.Contains([]string{"archive_download", "mysql_server_debian12", "postgresql_debian12", "vcsrepo_git",
				"inifile_settings", "lang_stdlib_mix"}, filepath.Base(filepath.Dir(f)))
		})
	}
	known := []string{"*"}
	for _, typ := range resource.Types() {
		known = append(known, typ.Name)
	}
	modules := []string{"anchor", "archive", "vcsrepo", "file_line", "ini_setting", "mysql_database", "mysql_user",
		"mysql_plugin", "mysql_grant", "mysql_datadir",
		"postgresql_psql", "apt_key", "nova_config", "neutron_config", "neutron_agent_ovs", "neutron_plugin_ml2",
		"glance_api_config", "keystone_config", "heat_config", "cinder_config", "swift_proxy_config"}
	known = append(known, modules...)
	script := filepath.Join(live.Root(), "puppet", "catalog", "testdata", "graph.rb")
	same, refused := 0, 0
	for i, row := range strings.Split(strings.TrimSpace(live.Ruby(t, script, strings.Join(files, "\n"), known...)), "\n") {
		var answer struct {
			Edges [][3]any
			Error string
		}
		if err := json.Unmarshal([]byte(row), &answer); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(files[i]))
		if answer.Error != "" {
			t.Logf("%s: the agent refuses it: %s", name, answer.Error)
			refused++
			continue
		}
		var want, got []string
		for _, e := range answer.Edges {
			want = append(want, e[0].(string)+" → "+e[1].(string))
		}
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		// The agent's own answer has a file beside each concat_file, so that type is left out here.
		for _, l := range catalog.NewGraph(c, only{known}).Links() {
			got = append(got, nodeName(l.From)+" → "+nodeName(l.To))
		}
		slices.Sort(want)
		slices.Sort(got)
		want, got = slices.Compact(want), slices.Compact(got)
		right := true
		for _, e := range want {
			if !slices.Contains(got, e) {
				right = false
				t.Errorf("%s: missing %s", name, e)
			}
		}
		for _, e := range got {
			if !slices.Contains(want, e) {
				right = false
				t.Errorf("%s: too many: %s", name, e)
			}
		}
		if right {
			same++
		}
	}
	t.Logf("score: relations of module types as an agent's %d/%d (%d more cannot run on this machine)", same,
		len(files)-refused, refused)
}

// nodeName is a node as the script names it.
func nodeName(n catalog.Node) string {
	ref := strings.Replace(n.String(), "Class[main]", "Class[Main]", 1)
	switch n.End {
	case catalog.Admissible:
		return "admissible_" + ref
	case catalog.Completed:
		return "completed_" + ref
	}
	return ref
}

// only some types are known.
type only struct{ names []string }

func (o only) Type(name string) *resource.Type {
	if !slices.Contains(o.names, name) {
		return nil
	}
	return model.Types{}.Type(name)
}
