package judge

import (
	"slices"
	"strings"

	"bunraku/puppet/facts"
	"bunraku/puppet/value"
)

// agentDirs are those of the agent's own package as its makers build it, for a node whose facts have its version
// (aio_agent_version). The distributions' packages are in their lists.
var agentDirs = []string{"/etc/puppetlabs", "/etc/puppetlabs/code", "/etc/puppetlabs/code/environments",
	"/etc/puppetlabs/code/environments/production", "/etc/puppetlabs/code/modules", "/etc/puppetlabs/puppet",
	"/etc/puppetlabs/puppet/ssl", "/opt/puppetlabs", "/opt/puppetlabs/bin", "/opt/puppetlabs/facter",
	"/opt/puppetlabs/facter/facts.d", "/opt/puppetlabs/puppet", "/opt/puppetlabs/puppet/bin",
	"/opt/puppetlabs/puppet/cache",
	"/var/log/puppetlabs", "/var/log/puppetlabs/puppet"}

// kernelDirs are where every machine has things mounted that no catalog minds.
var kernelDirs = []string{"/dev", "/proc", "/run", "/sys"}

// ShownBy lists the directories that a node's facts show: where something is mounted, and where the agent lives that
// gathered them.
func ShownBy(f *facts.Facts) (out []string) {
	if f == nil {
		return nil
	}
	if mounts, ok := f.Values.At("mountpoints").(*value.Hash); ok {
		for _, e := range mounts.Entries() {
			if p := value.ToString(e.Key); strings.HasPrefix(p, "/") && !slices.ContainsFunc(kernelDirs, func(d string) bool {
				return p == "/" || p == d || strings.HasPrefix(p, d+"/")
			}) {
				out = append(out, p)
			}
		}
	}
	if v := f.Values.At("aio_agent_version"); v != nil && v != (value.Undef{}) {
		out = append(out, agentDirs...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shownTo are those of the directories that the catalog may speak about, so that nodes are alike although each has its
// own disks.
func shownTo(s Suspect) (out []string) {
	left := slices.Clone(s.Shown)
	look := func(text string) {
		left = slices.DeleteFunc(left, func(d string) bool {
			_, rest, found := strings.Cut(text, d)
			if found = found && (rest == "" || rest[0] == '/'); found {
				out = append(out, d)
			}
			return found
		})
	}
	if s.Catalog == nil {
		return nil
	}
	for _, r := range s.Catalog.Resources {
		if len(left) == 0 {
			break
		}
		look(r.Title)
		for _, p := range r.Params {
			look(value.ToString(p.Value))
		}
	}
	slices.Sort(out)
	return out
}
