package listing

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// families are systems whose packages are called alike and hold alike files.
var families = [][]string{
	{"debian", "ubuntu", "linuxmint", "raspbian", "devuan", "kali", "pop", "neon", "elementary"},
	{"redhat", "centos", "rocky", "almalinux", "oraclelinux", "scientific", "fedora", "amazon", "virtuozzolinux",
		"eurolinux"},
	{"sles", "sled", "opensuse", "suse"},
}

// facterNames are systems whose os-release calls them otherwise than facter does.
var facterNames = map[string]string{"rhel": "redhat", "ol": "oraclelinux", "amzn": "amazon",
	"opensuse-leap": "opensuse", "opensuse-tumbleweed": "opensuse"}

// PlatformName makes the name of a platform from a system's name and release as facter has them: debian-12,
// ubuntu-22.04, rocky-9. Ubuntu's releases have two parts, those of others one.
func PlatformName(system, release string) string {
	system = strings.ToLower(strings.Join(strings.Fields(system), ""))
	if system == "" {
		return ""
	}
	parts := strings.Split(release, ".")
	switch {
	case parts[0] == "":
		return system
	case system == "ubuntu" && len(parts) > 1:
		return system + "-" + parts[0] + "." + parts[1]
	}
	return system + "-" + parts[0]
}

func splitPlatform(p string) (system, release string) {
	if i := strings.LastIndexByte(p, '-'); i > 0 {
		return p[:i], p[i+1:]
	}
	return p, ""
}

func familyOf(platform string) int {
	system, _ := splitPlatform(platform)
	return slices.IndexFunc(families, func(f []string) bool { return slices.Contains(f, system) })
}

// nearest chooses among platforms the one that is most like the wanted one: itself, another release of the system, the
// same release of a relative, any relative; "" if there is none. Of equals the latest.
func nearest(want string, have []string) string {
	system, release := splitPlatform(want)
	number := func(s string) float64 {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0
		}
		return n
	}
	best, bestCost := "", 0.0
	for _, p := range slices.Backward(slices.Sorted(slices.Values(have))) {
		s, r := splitPlatform(p)
		distance := number(r) - number(release)
		if distance < 0 {
			distance = -distance
		}
		distance = min(distance, 999)
		var cost float64
		switch {
		case p == want:
			return p
		case s == system:
			cost = distance
		case familyOf(want) < 0 || familyOf(p) != familyOf(want):
			continue
		case r == release:
			cost = 1000
		default:
			cost = 2000 + 1000 - number(r)
		}
		if best == "" || cost < bestCost {
			best, bestCost = p, cost
		}
	}
	return best
}

// rootOf is the root of the machine whose dpkg database this is; "" if it lies alone.
func rootOf(dpkg string) string {
	abs, err := filepath.Abs(dpkg)
	if err != nil {
		return ""
	}
	root, ok := strings.CutSuffix(abs, filepath.Join("var", "lib", "dpkg"))
	if !ok {
		return ""
	}
	return root
}

// rootPlatform is the platform of the machine whose dpkg database this is.
func rootPlatform(dpkg string) string {
	root := rootOf(dpkg)
	for _, name := range []string{"etc/os-release", "usr/lib/os-release"} {
		f, err := os.Open(filepath.Join(root, name))
		if root == "" || err != nil {
			continue
		}
		defer f.Close()
		return osRelease(io.LimitReader(f, 1<<16))
	}
	return ""
}

// osRelease reads ID and VERSION_ID.
func osRelease(in io.Reader) string {
	id, version := "", ""
	s := bufio.NewScanner(in)
	for s.Scan() {
		key, value, _ := strings.Cut(s.Text(), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID":
			id = value
		case "VERSION_ID":
			version = value
		}
	}
	if name, ok := facterNames[id]; ok {
		id = name
	}
	return PlatformName(id, version)
}

// releasePlatform reads the head of a Release or InRelease file of Debian or Ubuntu; other archives do not say.
func releasePlatform(file string) (string, error) {
	in, err := open(file, nil)
	if err != nil {
		return "", err
	}
	defer in.Close()
	origin, version := "", ""
	l := newLines(file, in)
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		if key, value, ok := strings.Cut(string(line), ": "); ok && line[0] != ' ' {
			switch key {
			case "Origin":
				origin = value
			case "Version":
				version = value
			}
		}
		if strings.HasPrefix(string(line), "SHA256:") || l.n > 1000 {
			break
		}
	}
	if version == "" || familyOf(strings.ToLower(origin)) < 0 {
		return "", l.err
	}
	return PlatformName(origin, version), l.err
}

// checkPlatform refuses what can be no name of a platform.
func checkPlatform(p string) error {
	if !validName(p) || p != strings.ToLower(p) {
		return errors.New("the platform " + quote(p) + " is not a name such as debian-12, ubuntu-22.04 or rocky-9")
	}
	return nil
}
