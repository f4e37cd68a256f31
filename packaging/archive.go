package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"path"
	"sort"
	"strings"
	"time"
)

// tarred is a .tar.gz; everything in it is root's, and as old as the revision.
func tarred(files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: when, Typeflag: tar.TypeReg,
			Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag, h.Size = tar.TypeDir, 0
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// zipped is a .zip.
func zipped(files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
		h.SetMode(0o644)
		if f.mode == 0o755 {
			h.SetMode(0o755)
		}
		e, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := e.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

const summary = "Compiles Puppet code without Ruby, explains and proves it"

// debVersion is a version as Debian orders it: 0.2.0-dev comes before 0.2.0.
func debVersion(v string) string { return strings.Replace(v, "-", "~", 1) }

// deb is a package for Debian: an ar archive of a version, the control files and the content.
func deb(files []file, version, arch string, when time.Time) ([]byte, error) {
	var withDirs []file
	seen := map[string]bool{}
	size := 0
	var md5sums strings.Builder
	for _, f := range files {
		var above []string
		for d := path.Dir(f.name); d != "."; d = path.Dir(d) {
			above = append(above, d)
		}
		sort.Strings(above)
		for _, d := range above {
			if !seen[d] {
				seen[d] = true
				withDirs = append(withDirs, file{"./" + d + "/", nil, 0o755})
			}
		}
		withDirs = append(withDirs, file{"./" + f.name, f.text, f.mode})
		size += len(f.text)
		sum := md5.Sum(f.text)
		fmt.Fprintf(&md5sums, "%s  %s\n", hex.EncodeToString(sum[:]), f.name)
	}
	control := fmt.Sprintf("Package: bunraku\nVersion: %s\nArchitecture: %s\nMaintainer: The Bunraku developers "+
		"<bunraku@example.invalid>\n"+
		"Installed-Size: %d\nSection: admin\nPriority: optional\nDescription: %s\n One static program: it compiles the "+
		"whole Puppet language to catalogs, says where\n"+
		" each value comes from, and proves catalogs deterministic and idempotent.\n", debVersion(version), arch,
		(size+1023)/1024, summary)
	meta, err := tarred([]file{{"./control", []byte(control), 0o644}, {"./md5sums", []byte(md5sums.String()), 0o644}},
		when)
	if err != nil {
		return nil, err
	}
	data, err := tarred(withDirs, when)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range []file{{"debian-binary", []byte("2.0\n"), 0}, {"control.tar.gz", meta, 0},
		{"data.tar.gz", data, 0}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.name, when.Unix(), 0, 0, "100644", len(m.text))
		b.Write(m.text)
		if len(m.text)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), nil
}
