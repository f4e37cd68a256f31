package facts

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"bunraku/puppet/value"
)

// Legacy are facter's old names, with the path of the structured fact that has the value now.
var Legacy = map[string]string{
	"architecture":                "os.architecture",
	"augeasversion":               "augeas.version",
	"bios_release_date":           "dmi.bios.release_date",
	"bios_vendor":                 "dmi.bios.vendor",
	"bios_version":                "dmi.bios.version",
	"blockdevices":                "disks",
	"boardassettag":               "dmi.board.asset_tag",
	"boardmanufacturer":           "dmi.board.manufacturer",
	"boardproductname":            "dmi.board.product",
	"boardserialnumber":           "dmi.board.serial_number",
	"chassisassettag":             "dmi.chassis.asset_tag",
	"chassistype":                 "dmi.chassis.type",
	"domain":                      "networking.domain",
	"fqdn":                        "networking.fqdn",
	"gid":                         "identity.group",
	"hardwareisa":                 "processors.isa",
	"hardwaremodel":               "os.hardware",
	"hostname":                    "networking.hostname",
	"id":                          "identity.user",
	"interfaces":                  "networking.interfaces",
	"ipaddress":                   "networking.ip",
	"ipaddress6":                  "networking.ip6",
	"lsbdistcodename":             "os.distro.codename",
	"lsbdistdescription":          "os.distro.description",
	"lsbdistid":                   "os.distro.id",
	"lsbdistrelease":              "os.distro.release.full",
	"lsbmajdistrelease":           "os.distro.release.major",
	"lsbminordistrelease":         "os.distro.release.minor",
	"lsbrelease":                  "os.distro.specification",
	"macaddress":                  "networking.mac",
	"macosx_buildversion":         "os.macosx.build",
	"macosx_productname":          "os.macosx.product",
	"macosx_productversion":       "os.macosx.version.full",
	"macosx_productversion_major": "os.macosx.version.major",
	"macosx_productversion_minor": "os.macosx.version.minor",
	"macosx_productversion_patch": "os.macosx.version.patch",
	"manufacturer":                "dmi.manufacturer",
	"memoryfree":                  "memory.system.available",
	"memoryfree_mb":               "memory.system.available_bytes",
	"memorysize":                  "memory.system.total",
	"memorysize_mb":               "memory.system.total_bytes",
	"netmask":                     "networking.netmask",
	"netmask6":                    "networking.netmask6",
	"network":                     "networking.network",
	"network6":                    "networking.network6",
	"operatingsystem":             "os.name",
	"operatingsystemmajrelease":   "os.release.major",
	"operatingsystemrelease":      "os.release.full",
	"osfamily":                    "os.family",
	"physicalprocessorcount":      "processors.physicalcount",
	"processorcount":              "processors.count",
	"productname":                 "dmi.product.name",
	"rubyplatform":                "ruby.platform",
	"rubysitedir":                 "ruby.sitedir",
	"rubyversion":                 "ruby.version",
	"scope6":                      "networking.scope6",
	"selinux":                     "os.selinux.enabled",
	"selinux_config_mode":         "os.selinux.config_mode",
	"selinux_config_policy":       "os.selinux.config_policy",
	"selinux_current_mode":        "os.selinux.current_mode",
	"selinux_enforced":            "os.selinux.enforced",
	"selinux_policyversion":       "os.selinux.policy_version",
	"serialnumber":                "dmi.product.serial_number",
	"swapencrypted":               "memory.swap.encrypted",
	"swapfree":                    "memory.swap.available",
	"swapfree_mb":                 "memory.swap.available_bytes",
	"swapsize":                    "memory.swap.total",
	"swapsize_mb":                 "memory.swap.total_bytes",
	"system32":                    "os.windows.system32",
	"uptime":                      "system_uptime.uptime",
	"uptime_days":                 "system_uptime.days",
	"uptime_hours":                "system_uptime.hours",
	"uptime_seconds":              "system_uptime.seconds",
	"uuid":                        "dmi.product.uuid",
	"windows_display_version":     "os.windows.display_version",
	"windows_edition_id":          "os.windows.edition_id",
	"windows_installation_type":   "os.windows.installation_type",
	"windows_product_name":        "os.windows.product_name",
	"windows_release_id":          "os.windows.release_id",
	"zonename":                    "solaris_zones.current",
}

// ofInterface are the old names of what each interface has, which an underscore and the interface's name follow.
var ofInterface = map[string]string{"ipaddress": "ip", "ipaddress6": "ip6", "macaddress": "mac", "mtu": "mtu",
	"netmask": "netmask", "netmask6": "netmask6", "network": "network", "network6": "network6", "scope6": "scope6"}

var (
	oldProcessor   = regexp.MustCompile(`^processor(\d+)$`)
	oldBlockdevice = regexp.MustCompile(`^blockdevice_(.+)_(model|size|vendor)$`)
	oldKey         = regexp.MustCompile(`^ssh(dsa|ecdsa|ed25519|rsa)key$`)
	oldFingerprint = regexp.MustCompile(`^sshfp_(dsa|ecdsa|ed25519|rsa)$`)
	notWord        = regexp.MustCompile(`\W`)
)

// Modern is the path of the structured fact that has what facter gives under an old name, nil if the name is no old
// one. A node's facts say how an interface or a disk is spelt, of which old names have the letters and digits alone.
// Under exact the two have the same value; for the others something has to be computed of the structured one.
func Modern(name string, node *value.Hash) (path []string, exact bool) {
	spelt := func(under, part string) string {
		var v value.Value = node
		for _, key := range strings.Split(under, ".") {
			if h, is := v.(*value.Hash); is && h != nil {
				v = h.At(key)
			}
		}
		if h, is := v.(*value.Hash); is && h != nil {
			for _, e := range h.Entries() {
				if key, is := e.Key.(value.String); is && notWord.ReplaceAllString(string(key), "_") == part {
					return string(key)
				}
			}
		}
		return part
	}
	if path := Legacy[name]; path != "" {
		exact := !strings.HasSuffix(name, "_mb") && name != "interfaces" && name != "blockdevices"
		return strings.Split(path, "."), exact
	}
	if old, which, is := strings.Cut(name, "_"); is && ofInterface[old] != "" {
		return []string{"networking", "interfaces", spelt("networking.interfaces", which), ofInterface[old]}, true
	}
	if m := oldProcessor.FindStringSubmatch(name); m != nil {
		return []string{"processors", "models", m[1]}, true
	}
	if m := oldBlockdevice.FindStringSubmatch(name); m != nil {
		part := m[2]
		if part == "size" {
			part = "size_bytes"
		}
		return []string{"disks", spelt("disks", m[1]), part}, true
	}
	if m := oldKey.FindStringSubmatch(name); m != nil {
		return []string{"ssh", m[1], "key"}, true
	}
	if m := oldFingerprint.FindStringSubmatch(name); m != nil {
		return []string{"ssh", m[1], "fingerprints"}, false
	}
	return nil, false
}

// notOnBSD are old names that facter does not give on FreeBSD, although it has what they stand for.
var notOnBSD = map[string]bool{"blockdevices": true, "interfaces": true, "macaddress_": true, "mtu_": true,
	"scope6": true, "scope6_": true}

// legacyOf are the old names for what structured facts have: those of Legacy, and of each interface, disk, processor
// and key.
func legacyOf(t tree) (out tree) {
	bsd := t.at("os.family") == "FreeBSD"
	for name, path := range Legacy {
		v := t.at(path)
		switch {
		case v == nil || bsd && notOnBSD[name]:
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
			for old, part := range ofInterface {
				if v := i.value.(tree).at(part); v != nil && !(bsd && notOnBSD[old+"_"]) {
					out = append(out, entry{old + "_" + i.name, v})
				}
			}
		}
	}
	if dhcp, ok := t.at("networking.dhcp").(string); ok {
		out = append(out, entry{"dhcp_servers", tree{{"system", dhcp}, {t.at("networking.primary").(string), dhcp}}})
	}
	if disks, ok := t.at("disks").(tree); ok && !bsd {
		for _, d := range disks {
			for _, old := range [][2]string{{"model", "model"}, {"size", "size_bytes"}, {"vendor", "vendor"}} {
				if v := d.value.(tree).at(old[1]); v != nil {
					out = append(out, entry{"blockdevice_" + d.name + "_" + old[0], v})
				}
			}
		}
	}
	if keys, ok := t.at("ssh").(tree); ok {
		for _, k := range keys {
			key := k.value.(tree)
			out = append(out, entry{"ssh" + k.name + "key", key.at("key")}, entry{"sshfp_" + k.name,
				fmt.Sprintf("%s\n%s", key.at("fingerprints.sha1"), key.at("fingerprints.sha256"))})
		}
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
