package lint

import (
	"regexp"
	"strings"
)

// Checks of facts: those that are gone in Puppet 8, and those that are read as variables at top scope.

// structured says where a fact of old is among the structured ones.
var structured = map[string]string{
	"architecture": "os.architecture", "augeasversion": "augeas.version", "bios_release_date": "dmi.bios.release_date",
	"bios_vendor": "dmi.bios.vendor", "bios_version": "dmi.bios.version", "boardassettag": "dmi.board.asset_tag",
	"boardmanufacturer": "dmi.board.manufacturer", "boardproductname": "dmi.board.product",
	"boardserialnumber": "dmi.board.serial_number", "chassisassettag": "dmi.chassis.asset_tag",
	"chassistype": "dmi.chassis.type", "domain": "networking.domain", "fqdn": "networking.fqdn", "gid": "identity.group",
	"hardwareisa": "processors.isa", "hardwaremodel": "os.hardware", "hostname": "networking.hostname",
	"id": "identity.user", "ipaddress": "networking.ip", "ipaddress6": "networking.ip6",
	"lsbdistcodename": "os.distro.codename", "lsbdistdescription": "os.distro.description",
	"lsbdistid": "os.distro.id", "lsbdistrelease": "os.distro.release.full",
	"lsbmajdistrelease": "os.distro.release.major", "lsbminordistrelease": "os.distro.release.minor",
	"lsbrelease": "os.distro.release.specification", "macaddress": "networking.mac",
	"macosx_buildversion": "os.macosx.build", "macosx_productname": "os.macosx.product",
	"macosx_productversion": "os.macosx.version.full", "macosx_productversion_major": "os.macosx.version.major",
	"macosx_productversion_minor": "os.macosx.version.minor", "manufacturer": "dmi.manufacturer",
	"memoryfree": "memory.system.available", "memorysize": "memory.system.total", "netmask": "networking.netmask",
	"netmask6": "networking.netmask6", "network": "networking.network", "network6": "networking.network6",
	"operatingsystem": "os.name", "operatingsystemmajrelease": "os.release.major",
	"operatingsystemrelease": "os.release.full", "osfamily": "os.family",
	"physicalprocessorcount": "processors.physicalcount", "processorcount": "processors.count",
	"productname": "dmi.product.name", "rubyplatform": "ruby.platform", "rubysitedir": "ruby.sitedir",
	"rubyversion": "ruby.version", "selinux": "os.selinux.enabled", "selinux_config_mode": "os.selinux.config_mode",
	"selinux_config_policy": "os.selinux.config_policy", "selinux_current_mode": "os.selinux.current_mode",
	"selinux_enforced": "os.selinux.enforced", "selinux_policyversion": "os.selinux.policy_version",
	"serialnumber": "dmi.product.serial_number", "swapencrypted": "memory.swap.encrypted",
	"swapfree": "memory.swap.available", "swapsize": "memory.swap.total", "system32": "os.windows.system32",
	"uptime": "system_uptime.uptime", "uptime_days": "system_uptime.days", "uptime_hours": "system_uptime.hours",
	"uptime_seconds": "system_uptime.seconds", "uuid": "dmi.product.uuid", "xendomains": "xen.domains",
	"zonename": "solaris_zones.current",
}

// gone are the facts of old that no structured fact replaces.
var gone = map[string]bool{"memoryfree_mb": true, "memorysize_mb": true, "swapfree_mb": true, "swapsize_mb": true,
	"blockdevices": true, "interfaces": true, "zones": true, "sshfp_dsa": true, "sshfp_ecdsa": true, "sshfp_ed25519": true,
	"sshfp_rsa": true}

// families are the facts of old that there is one of for each device, interface or zone, with what replaces them.
var families = []struct {
	name    *regexp.Regexp
	instead func(m []string) string
}{
	{regexp.MustCompile(`(?m)^blockdevice_(.*)_(model|size|vendor)$`),
		func(m []string) string { return "facts['disks']['" + m[1] + "']['" + m[2] + "']" }},
	{regexp.MustCompile(`(?m)^(ipaddress|ipaddress6|macaddress|mtu|netmask|netmask6|network|network6)_(.*)$`),
		func(m []string) string {
			return "facts['networking']['interfaces']['" + m[2] + "']['" + strings.Replace(m[1], "address", "", 1) + "']"
		}},
	{regexp.MustCompile(`(?m)^processor([0-9]+)$`),
		func(m []string) string { return "facts['processors']['models'][" + m[1] + "]" }},
	{regexp.MustCompile(`(?m)^sp_(.*)$`), func(m []string) string { return "facts['system_profiler']['" + m[1] + "']" }},
	{regexp.MustCompile(`(?m)^ssh(dsa|ecdsa|ed25519|rsa)key$`),
		func(m []string) string { return "facts['ssh']['" + m[1] + "']['key']" }},
	{regexp.MustCompile(`(?m)^ldom_(.*)$`), func(m []string) string { return "facts['ldom']['" + m[1] + "']" }},
	{regexp.MustCompile(`(?m)^zone_(.*)_(brand|iptype|name|uuid|id|path|status)$`),
		func(m []string) string { return "facts['solaris_zones']['zones']['" + m[1] + "']['" + m[2] + "']" }},
}

// legacy reports whether a fact is one of old, and what to write instead; "" if there is nothing.
func legacy(fact string) (instead string, ok bool) {
	if path, ok := structured[fact]; ok {
		return "facts['" + strings.ReplaceAll(path, ".", "']['") + "']", true
	}
	if gone[fact] {
		return "", true
	}
	if strings.ContainsAny(fact, "_0123456789y") {
		for _, family := range families {
			if m := family.name.FindStringSubmatch(fact); m != nil {
				return family.instead(m), true
			}
		}
	}
	return "", false
}

// factOf is the fact that a variable reads, if it is written in one of the ways that the check knows.
func factOf(t *token) string {
	rest := strings.TrimPrefix(t.value, "::")
	if key, ok := strings.CutPrefix(rest, "facts["); ok && strings.HasSuffix(key, "]") {
		key = strings.TrimSuffix(key, "]")
		if len(key) > 2 && key[0] == '\'' && key[len(key)-1] == '\'' {
			return key[1 : len(key)-1]
		}
		if key != "" {
			return key
		}
	}
	if t.value == "facts" { // in a string: the bracket is a token of its own
		if t.nextCode.is(lbrack) && t.nextCode.nextCode.is(str, sstring, name) {
			return t.nextCode.nextCode.value
		}
		return ""
	}
	if strings.HasPrefix(t.value, "::") {
		return rest
	}
	return ""
}

func legacyFacts(f *file) {
	if IsData(f.path) {
		f.legacyData()
		return
	}
	for _, t := range f.tokens {
		if !t.is(variable, unencVariable) {
			continue
		}
		fact := factOf(t)
		instead, ok := legacy(fact)
		if !ok {
			continue
		}
		f.warn(t, "legacy fact '"+fact+"'").fix = func() bool {
			if t.value == "facts" {
				for u := t.next; u != nil; u = t.next {
					f.remove(u)
					if u.kind == rbrack {
						break
					}
				}
			}
			if instead != "" {
				t.value = instead
			}
			return true
		}
	}
}

// topScopeFacts finds variables at top scope. Those whose name begins with the name of a legacy fact are left to the
// other check.
func topScopeFacts(f *file) {
	for _, t := range f.tokens {
		if !t.is(variable, unencVariable) || !strings.HasPrefix(t.value, "::") || f.opt.allowedTopScope(t.value[2:]) ||
			ofModule.MatchString(t.value) {
			continue
		}
		f.warn(t, "top scope fact instead of facts hash").fix = func() bool {
			name := strings.TrimPrefix(t.value, "::")
			if i := strings.IndexByte(name, '['); i >= 0 {
				t.value = "facts['" + name[:i] + "']" + name[i:]
			} else {
				t.value = "facts['" + name + "']"
			}
			return true
		}
	}
}

func (o *Options) allowedTopScope(name string) bool {
	if strings.HasPrefix(name, "trusted") || strings.HasPrefix(name, "facts") {
		return true
	}
	for i := 1; i <= len(name) && i <= 30; i++ {
		if structured[name[:i]] != "" {
			return true
		}
	}
	for _, v := range o.TopScopeVariables {
		if strings.HasPrefix(name, v) {
			return true
		}
	}
	return false
}
