package listing

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// repodata is where the lists of an RPM repository are.
type repodata struct {
	primary, filelists string
	sums               map[string]string // sha256 by file, where repomd.xml has them
}

// readRepomd reads repomd.xml: which file has what. Places that lead out of the repository are refused.
func readRepomd(file string) (*repodata, error) {
	in, err := open(file, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	root := filepath.Dir(filepath.Dir(file))
	m := newMarkup(file, in)
	r := &repodata{sums: map[string]string{}}
	kind, place, sum := "", "", ""
	for {
		err := m.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch {
		case m.tag == "data" && !m.closing:
			kind, place, sum = m.attribute("type"), "", ""
		case m.tag == "location" && !m.closing:
			if place, err = m.location(root); err != nil {
				return nil, err
			}
		case m.tag == "checksum" && !m.closing:
			isSHA := m.attribute("type") == "sha256"
			text, err := m.element()
			if err != nil {
				return nil, err
			}
			if isSHA {
				sum = strings.ToLower(strings.TrimSpace(text))
			}
		case m.tag == "data" && m.closing:
			switch kind {
			case "primary":
				r.primary = place
			case "filelists":
				r.filelists = place
			}
			if sum != "" {
				r.sums[place] = sum
			}
		}
	}
	if r.primary == "" || r.filelists == "" {
		return nil, fmt.Errorf("%s: it names no primary and filelists: is this the repomd.xml of a repository?", file)
	}
	return r, nil
}

// location is the place that the present tag names, below the repository.
func (m *markup) location(root string) (string, error) {
	href := m.attribute("href")
	if m.attribute("xml:base") != "" || strings.Contains(href, "://") {
		return "", m.trouble("the metadata is elsewhere (%s): bring it here first", quote(href))
	}
	if !filepath.IsLocal(filepath.FromSlash(href)) {
		return "", m.trouble("the place %s leads out of the repository", quote(href))
	}
	return filepath.Join(root, filepath.FromSlash(href)), nil
}

// check compares a file with the sum that repomd.xml has of it.
func (r *repodata) check(file string) error {
	want := r.sums[file]
	if want == "" {
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%s: not the file that repomd.xml describes (sha256 %s, not %s)", file, got, want)
	}
	return nil
}

// readPrimary reads names, versions and dependencies.
func readPrimary(m *markup, each func(*entry) error) error {
	var e *entry
	list := "" // provides or requires
	for {
		err := m.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case m.tag == "package" && !m.closing:
			e, list = &entry{rank: optional}, ""
		case e == nil || m.tag == "":
		case m.tag == "package":
			if err := each(e); err != nil {
				return err
			}
			e = nil
		case m.closing:
			if m.tag == "rpm:"+list {
				list = ""
			}
		case m.tag == "name":
			e.name, err = m.element()
		case m.tag == "arch":
			e.arch, err = m.element()
		case m.tag == "version":
			e.version = rpmVersion(m)
		case m.tag == "checksum":
			var id string
			id, err = m.element()
			e.file = hashText(id)
		case m.tag == "file":
			// The files that others may ask for by path.
			var path string
			if path, err = m.element(); err == nil {
				e.provides = append(e.provides, hashText(path))
			}
		case m.tag == "rpm:provides" || m.tag == "rpm:requires":
			if list = strings.TrimPrefix(m.tag, "rpm:"); m.empty {
				list = ""
			}
		case strings.HasPrefix(m.tag, "rpm:") && m.tag != "rpm:entry":
			list = ""
		case m.tag == "rpm:entry" && list == "provides":
			if name := m.attribute("name"); name != e.name {
				e.provides = append(e.provides, hashText(name))
			}
		case m.tag == "rpm:entry" && list == "requires":
			// rpmlib(…) asks for features of rpm itself; a condition in parentheses is not one package.
			if name := m.attribute("name"); !strings.HasPrefix(name, "rpmlib(") && !strings.HasPrefix(name, "(") && name != "" {
				e.needs = append(e.needs, []string{name})
			}
		}
		if err != nil {
			return err
		}
		if e != nil && len(e.needs)+len(e.provides) > maxCapabilities {
			return m.trouble("a package with more than %d dependencies", maxCapabilities)
		}
	}
}

const maxCapabilities = 1 << 20

func rpmVersion(m *markup) string {
	v := m.attribute("ver")
	if epoch := m.attribute("epoch"); epoch != "" && epoch != "0" {
		v = epoch + ":" + v
	}
	if release := m.attribute("rel"); release != "" {
		v += "-" + release
	}
	return v
}

// readFilelists reads the files of packages. pick chooses a package by name and the hash of its checksum.
func readFilelists(m *markup, pick func(name string, file uint64) bool, each func(path string, mark byte) error,
	skip func()) error {
	picked := false
	for {
		err := m.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case m.tag == "package" && !m.closing:
			picked = pick(m.attribute("name"), hashText(m.attribute("pkgid")))
		case m.tag == "file" && !m.closing && picked:
			var mark byte
			kind := m.attribute("type")
			if kind == "dir" {
				mark = markDir
			}
			text, err := m.element()
			if err != nil {
				return err
			}
			path, err := cleanPath(text)
			if err != nil {
				return m.trouble("%v", err)
			}
			if path == "" {
				skip()
				continue
			}
			if kind == "ghost" { // made by the program itself, not by the package
				continue
			}
			if err := each(path, mark); err != nil {
				return err
			}
		}
	}
}
