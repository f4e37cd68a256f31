package listing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Kind is where package lists come from.
type Kind uint8

// The kinds of sources.
const (
	Folder Kind = iota // one plain list per package
	Dpkg               // the database of a Debian system
	APT                // Contents and Packages of an archive, or apt's copies of them
	RPM                // the metadata of an RPM repository
)

var kindNames = [...]string{"folder", "dpkg", "apt", "rpm"}

func (k Kind) String() string { return kindNames[k] }

// MarshalText writes the name of a kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown kind of package lists %q", text)
	}
	*k = Kind(i)
	return nil
}

// order is the order in which layers are asked: by hand, installed, archives.
func (k Kind) order() int { return min(int(k), int(APT)) }

// A found is a source and what was found in it.
type found struct {
	kind               Kind
	source             string
	dir                string   // of a folder or dpkg
	packages, contents []string // files of an archive
	repo               *repodata
	platform           string // what the source says it is for
	notes              []string
}

// files are those that are read, to know how long it takes.
func (f *found) files() []string {
	switch f.kind {
	case APT:
		return slices.Concat(f.packages, f.contents)
	case RPM:
		return []string{f.repo.primary, f.repo.filelists}
	case Dpkg:
		return []string{filepath.Join(f.dir, "status")}
	}
	return nil
}

// detect finds out what a source is.
func detect(source string) (*found, error) {
	info, err := os.Stat(source)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return detectFile(source)
	}
	there := func(parts ...string) bool {
		_, err := os.Stat(filepath.Join(append([]string{source}, parts...)...))
		return err == nil
	}
	switch {
	case there("status") && there("info"):
		return &found{kind: Dpkg, source: source, dir: source, platform: rootPlatform(source)}, nil
	case there("var", "lib", "dpkg", "status"):
		dir := filepath.Join(source, "var", "lib", "dpkg")
		return &found{kind: Dpkg, source: source, dir: dir, platform: rootPlatform(dir)}, nil
	case there("repodata", "repomd.xml"):
		return detectRepo(source, filepath.Join(source, "repodata", "repomd.xml"))
	case there("repomd.xml"):
		return detectRepo(source, filepath.Join(source, "repomd.xml"))
	}
	f, err := detectArchive(source)
	if f != nil || err != nil {
		return f, err
	}
	if plain, err := holdsPlainLists(source); err != nil {
		return nil, err
	} else if plain {
		return &found{kind: Folder, source: source, dir: source}, nil
	}
	return nil, fmt.Errorf("%s: no package lists found: neither dpkg's database (status, info), nor repodata/repomd.xml, "+
		"nor Packages and Contents files of apt, nor plain lists (one file per package, one path a line)", source)
}

func detectRepo(source, file string) (*found, error) {
	r, err := readRepomd(file)
	if err != nil {
		return nil, err
	}
	return &found{kind: RPM, source: source, repo: r}, nil
}

// detectFile looks into a file.
func detectFile(file string) (*found, error) {
	in, err := open(file, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	head = head[:n]
	has := func(s string) bool { return bytes.Contains(head, []byte(s)) }
	switch {
	case has("<repomd"):
		return detectRepo(file, file)
	case has("<filelists") || has("<metadata"):
		return nil, fmt.Errorf("%s: a part of an RPM repository; name the repository, where repodata/repomd.xml is", file)
	case bytes.HasPrefix(head, []byte("Package:")) || has("\nPackage:"):
		return &found{kind: APT, source: file, packages: []string{file}}, nil
	case strings.HasPrefix(filepath.Base(file), "Contents") || strings.Contains(filepath.Base(file), "_Contents-") ||
		looksLikeContents(head):
		return &found{kind: APT, source: file, contents: []string{file}}, nil
	}
	return nil, fmt.Errorf("%s: neither a Packages nor a Contents file nor a repomd.xml", file)
}

// looksLikeContents reports whether the first line is a path and packages with their sections.
func looksLikeContents(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := bytes.Fields(line)
	return len(words) >= 2 && bytes.Contains(words[len(words)-1], []byte("/")) && bytes.Contains(words[0], []byte("/")) &&
		line[0] != '/'
}

// maxDepth is how far below a folder an archive's lists may be: dists/bookworm/main/binary-amd64/Packages.gz.
const maxDepth = 7

// detectArchive looks for Packages and Contents files. It returns nil if there are none.
func detectArchive(dir string) (*found, error) {
	type list struct{ file, arch string }
	var packages, contents []list
	var releases []string
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, file)
		if d.IsDir() {
			if d.Name() == "partial" || strings.Count(rel, string(filepath.Separator)) >= maxDepth || rel != "." &&
				strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		stem := file
		for _, ending := range []string{".gz", ".xz", ".zst", ".lz4", ".bz2"} {
			stem = strings.TrimSuffix(stem, ending)
		}
		base := filepath.Base(stem)
		base = base[strings.LastIndexByte(base, '_')+1:]
		switch {
		case base == "InRelease" || base == "Release":
			releases = append(releases, file)
		case seen[stem]:
		case base == "Packages":
			seen[stem] = true
			packages = append(packages, list{file, archOf(stem)})
		case strings.HasPrefix(base, "Contents-") && !strings.HasPrefix(base, "Contents-udeb") && base != "Contents-source":
			seen[stem] = true
			contents = append(contents, list{file, strings.TrimPrefix(base, "Contents-")})
		}
		return nil
	})
	if err != nil || len(packages)+len(contents) == 0 {
		return nil, err
	}
	f := &found{kind: APT, source: dir}
	var archs []string
	for _, l := range slices.Concat(packages, contents) {
		if l.arch != "" && l.arch != "all" {
			archs = append(archs, l.arch)
		}
	}
	slices.Sort(archs)
	archs = slices.Compact(archs)
	choice := ""
	if len(archs) > 0 {
		choice = archs[0]
		if slices.Contains(archs, debianArch()) {
			choice = debianArch()
		}
	}
	take := func(lists []list) (out []string) {
		for _, l := range lists {
			if l.arch == "" || l.arch == "all" || l.arch == choice {
				out = append(out, l.file)
			}
		}
		return out
	}
	f.packages, f.contents = take(packages), take(contents)
	if len(archs) > 1 {
		others := slices.DeleteFunc(archs, func(a string) bool { return a == choice })
		f.notes = append(f.notes, "lists of "+strings.Join(others, ", ")+" passed over, those of "+choice+" taken")
	}
	slices.Sort(releases)
	for _, r := range releases {
		if f.platform == "" {
			if f.platform, err = releasePlatform(r); err != nil {
				return nil, err
			}
		}
	}
	if len(f.contents) == 0 {
		return nil,
			fmt.Errorf("%s: there are Packages files but no Contents files, which say what is in the packages; `apt-file "+
				"update` fetches them", dir)
	}
	return f, nil
}

// archOf is the architecture that a Packages file is for.
func archOf(file string) string {
	if i := strings.LastIndex(file, "binary-"); i >= 0 {
		arch := file[i+len("binary-"):]
		if end := strings.IndexAny(arch, "_/\\"); end >= 0 {
			return arch[:end]
		}
	}
	return ""
}

// debianArch is what Debian calls this machine.
func debianArch() string {
	switch runtime.GOARCH {
	case "386":
		return "i386"
	case "arm":
		return "armhf"
	case "ppc64le":
		return "ppc64el"
	}
	return runtime.GOARCH
}

// holdsPlainLists reports whether a folder has a file with a path in its first line.
func holdsPlainLists(dir string) (bool, error) {
	f := &folder{dir: dir}
	names, err := f.names()
	if err != nil {
		return false, err
	}
	for _, name := range names {
		in, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return false, err
		}
		var b [1]byte
		_, err = io.ReadFull(in, b[:])
		in.Close()
		if err == nil && b[0] == '/' {
			return true, nil
		}
	}
	return false, nil
}
