package facts

import (
	"fmt"
	"sort"
	"strings"
)

// Legacy are facter's old names, with the path of the structured fact that has the value now.
var Legacy = map[string]string{
	"architecture": "os.architecture", "augeasversion": "augeas.version", "bios_vendor": "dmi.bios.vendor",
	"blockdevices":      "disks",
	"boardmanufacturer": "dmi.board.manufacturer", "domain": "networking.domain", "fqdn": "networking.fqdn",
	"gid":         "identity.group",
	"hardwareisa": "processors.isa", "hardwaremodel": "os.hardware", "hostname": "networking.hostname",
	"id":         "identity.user",
	"interfaces": "networking.interfaces", "ipaddress": "networking.ip", "ipaddress6": "networking.ip6",
	"lsbdistcodename":    "os.distro.codename",
	"lsbdistdescription": "os.distro.description", "lsbdistid": "os.distro.id", "lsbdistrelease": "os.distro.release.full",
	"lsbmajdistrelease": "os.distro.release.major", "lsbminordistrelease": "os.distro.release.minor",
	"lsbrelease": "os.distro.specification",
	"macaddress": "networking.mac", "manufacturer": "dmi.manufacturer", "memoryfree": "memory.system.available",
	"memoryfree_mb": "memory.system.available_bytes",
	"memorysize":    "memory.system.total", "memorysize_mb": "memory.system.total_bytes", "netmask": "networking.netmask",
	"netmask6": "networking.netmask6",
	"network":  "networking.network", "network6": "networking.network6", "scope6": "networking.scope6",
	"operatingsystem": "os.name", "operatingsystemmajrelease": "os.release.major",
	"operatingsystemrelease": "os.release.full", "osfamily": "os.family",
	"physicalprocessorcount": "processors.physicalcount", "processorcount": "processors.count",
	"productname":  "dmi.product.name",
	"rubyplatform": "ruby.platform", "rubysitedir": "ruby.sitedir", "rubyversion": "ruby.version",
	"selinux":          "os.selinux.enabled",
	"selinux_enforced": "os.selinux.enforced", "serialnumber": "dmi.product.serial_number",
	"swapfree": "memory.swap.available",
	"swapsize": "memory.swap.total", "swapsize_mb": "memory.swap.total_bytes", "uptime": "system_uptime.uptime",
	"uptime_days":  "system_uptime.days",
	"uptime_hours": "system_uptime.hours", "uptime_seconds": "system_uptime.seconds", "uuid": "dmi.product.uuid",
}

// legacyOf are the old names for what structured facts have: those of Legacy, and of each interface and processor.
func legacyOf(t tree) (out tree) {
	for name, path := range Legacy {
		v := t.at(path)
		switch {
		case v == nil:
			continue
		case name == "blockdevices" || name == "interfaces":
			v = names(v.(tree))
		case strings.HasSuffix(name, "_mb"):
			v = float64(v.(int)) / mib
		}
		out = append(out, entry{name, v})
	}
	if interfaces, ok := t.at("networking.interfaces").(tree); ok {
		for _, i := range interfaces {
			for old, part := range map[string]string{"ipaddress": "ip", "ipaddress6": "ip6", "macaddress": "mac", "mtu": "mtu",
				"netmask": "netmask", "netmask6": "netmask6", "network": "network", "network6": "network6", "scope6": "scope6"} {
				if v := i.value.(tree).at(part); v != nil {
					out = append(out, entry{old + "_" + i.name, v})
				}
			}
		}
	}
	if dhcp, ok := t.at("networking.dhcp").(string); ok {
		out = append(out, entry{"dhcp_servers", tree{{"system", dhcp}, {t.at("networking.primary").(string), dhcp}}})
	}
	if models, ok := t.at("processors.models").([]any); ok {
		for i, m := range models {
			out = append(out, entry{fmt.Sprintf("processor%d", i), m})
		}
	}
	return out
}

// names are those of a fact's parts, as one text.
func names(t tree) string {
	var list []string
	for _, e := range t {
		list = append(list, e.name)
	}
	sort.Strings(list)
	return strings.Join(list, ",")
}
