package listing

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// cleanPath makes an absolute, clean path of what a list has. It returns "" for what no list should have but nobody is
// harmed by (the root, control characters), and an error for a path that leads out of the tree or is longer than a
// system allows.
func cleanPath[T string | []byte](p T) (string, error) {
	if len(p) > maxPath {
		return "", fmt.Errorf("a path of %d bytes: %d is the most", len(p), maxPath)
	}
	s := string(p)
	s = strings.TrimPrefix(s, ".")
	if !strings.HasPrefix(s, "/") {
		s = "/" + string(p)
	}
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] == 0x7f {
			return "", nil
		}
		if s[i] == '.' && (i == 0 || s[i-1] == '/') || s[i] == '/' && (i+1 == len(s) || s[i+1] == '/') {
			plain = false
		}
	}
	if plain {
		return s, nil
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == ".." {
			return "", fmt.Errorf("the path %s leads out of the tree: nothing is imported", quote(s))
		}
	}
	if s = path.Clean(s); s == "/" {
		return "", nil
	}
	return s, nil
}

// validName reports whether a package can have a name.
func validName[T string | []byte](name T) bool {
	if len(name) == 0 || len(name) > maxName || name[0] == '.' || name[0] == '-' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '-', c == '.', c == '_',
			c == '~', c == '@':
		default:
			return false
		}
	}
	return true
}

// quote shows a piece of a file, short and without control characters.
func quote[T string | []byte](s T) string {
	if len(s) > 60 {
		return strconv.QuoteToASCII(string(s[:60])) + "…"
	}
	return strconv.QuoteToASCII(string(s))
}

// unitPlaces are the directories in which the system looks for services.
var unitPlaces = []string{"/lib/systemd/system/", "/usr/lib/systemd/system/", "/etc/systemd/system/", "/etc/init.d/",
	"/etc/rc.d/init.d/"}

// Service is the service that a file defines: "nginx" for /lib/systemd/system/nginx.service and for /etc/init.d/nginx,
// "" for any other file.
func Service(file string) string {
	for _, place := range unitPlaces {
		name, ok := strings.CutPrefix(file, place)
		if !ok || strings.Contains(name, "/") {
			continue
		}
		if strings.HasSuffix(place, "init.d/") {
			if name == "README" || name == "skeleton" || name == "functions" {
				return ""
			}
			return name
		}
		if name, ok = strings.CutSuffix(name, ".service"); ok {
			return name
		}
	}
	return ""
}

// Unit reports whether a file is a unit of systemd, also a timer or socket, or a service's script.
func Unit(file string) bool {
	for _, place := range unitPlaces {
		if name, ok := strings.CutPrefix(file, place); ok && !strings.Contains(name, "/") {
			return strings.HasSuffix(place, "init.d/") || strings.Contains(name, ".")
		}
	}
	return false
}
