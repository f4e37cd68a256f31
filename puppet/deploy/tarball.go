package deploy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"weak"

	"bunraku/source"
)

// A release of the Forge is a .tar.gz that r10k has fetched once and keeps: CACHE/RELEASE/tarball/RELEASE.tar.gz, with
// the checksum beside it that the Forge has told.

// Bounds of a release.
const (
	maxTarball  = 64 << 20
	maxUnpacked = 256 << 20
	maxEntries  = 100_000
)

// An archive is a release in memory, as a view that has it at archiveDir.
type archive struct {
	view *source.View
	runs map[string]bool // files that may be run, by their paths in the view
}

const archiveDir = "/module"

// seen is a file of the cache as it looked when its checksum was taken.
type seen struct {
	size  int64
	mtime time.Time
	sum   string
}

// path is where the cache has a release.
func (s *Source) path(release string) string {
	return filepath.Join(s.opt.Cache, release, "tarball", release+".tar.gz")
}

// release is the checksum of a release that the cache has, the one that the Forge has told if that is known.
func (s *Source) release(name string) (string, error) {
	info, err := os.Stat(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("r10k's cache has no %s.tar.gz", name)
	}
	if err != nil {
		return "", err
	}
	if was, known := s.releases[name]; known && was.size == info.Size() && was.mtime.Equal(info.ModTime()) {
		return was.sum, nil
	}
	text, err := readTarball(s.path(name))
	if err != nil {
		return "", err
	}
	sum := sumOf(text)
	told, err := os.ReadFile(strings.TrimSuffix(s.path(name), ".tar.gz") + ".sha256")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if should := strings.TrimSpace(string(told)); should != "" && !strings.EqualFold(should, sum) {
		return "", fmt.Errorf("%s.tar.gz does not have the checksum that the Forge has told", name)
	}
	s.releases[name] = seen{info.Size(), info.ModTime(), sum}
	return sum, nil
}

// archive is the release of a checksum, unpacked. It is kept as long as the last environment that has it.
func (s *Source) archive(name, sum string) (*archive, error) {
	if a := s.archives[sum].Value(); a != nil {
		return a, nil
	}
	text, err := readTarball(s.path(name))
	if err != nil {
		return nil, err
	}
	if sumOf(text) != sum {
		return nil, fmt.Errorf("%s.tar.gz of r10k's cache is another one by now", name)
	}
	a, err := unpack(text)
	if err != nil {
		return nil, fmt.Errorf("%s.tar.gz: %w", name, err)
	}
	for old, p := range s.archives {
		if p.Value() == nil {
			delete(s.archives, old)
		}
	}
	s.archives[sum] = weak.Make(a)
	return a, nil
}

func sumOf(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}

func readTarball(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTarball+1))
	if err == nil && len(text) > maxTarball {
		err = fmt.Errorf("%s has more than %d bytes", path, maxTarball)
	}
	return text, err
}

// unpack reads a release: what lies in its one directory. Links are left out, as r10k does, and so are tests, which
// r10k removes.
func unpack(text []byte) (*archive, error) {
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	files, runs := map[string]string{}, map[string]bool{}
	r := tar.NewReader(io.LimitReader(z, maxUnpacked))
	for n := 0; ; n++ {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if n > maxEntries {
			return nil, fmt.Errorf("it has more than %d files", maxEntries)
		}
		_, rel, below := strings.Cut(path.Clean(h.Name), "/")
		if h.Typeflag != tar.TypeReg || !below || rel == "spec" || strings.HasPrefix(rel, "spec/") {
			continue
		}
		if !filepath.IsLocal(path.Clean(h.Name)) || strings.ContainsRune(rel, 0) {
			return nil, fmt.Errorf("%q leads out of it", h.Name)
		}
		if h.Size > source.MaxFile {
			return nil, fmt.Errorf("%q has %d bytes", h.Name, h.Size)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		at := path.Join(archiveDir, rel)
		files[at] = string(content)
		if h.Mode&0o100 != 0 {
			runs[at] = true
		}
	}
	for at := range files {
		for dir := path.Dir(at); dir != "/"; dir = path.Dir(dir) {
			if _, both := files[dir]; both {
				return nil, fmt.Errorf("%q is a file and a directory", strings.TrimPrefix(dir, archiveDir+"/"))
			}
		}
	}
	return &archive{source.NewMemory([]string{archiveDir}, files, nil), runs}, nil
}
