// Command generate makes the built-in index of package listing: the packages of Debian that have files in /etc or a
// service, those that pull them in by name or for their service, and of each what an analysis may ask for.
//
//	apt-get install apt-file && apt-file update
//	go run ./verify/listing/generate -o verify/listing/debian-12.index /var/lib/apt/lists [EXACT]
//
// Contents files neither list empty directories nor mark configuration files, and know nothing of installation scripts.
// EXACT is a folder in the shape of dpkg's database that exact.sh makes from the packages themselves, and takes
// precedence:
//
//	go run ./verify/listing/generate -names /var/lib/apt/lists | xargs -n 50 apt-get download
//	verify/listing/generate/exact.sh EXACT *.deb
//
// With -archive it packs the names of a whole archive instead, which names.sh prints:
//
//	verify/listing/generate/names.sh LISTS | go run ./verify/listing/generate -archive -o verify/listing/debian-12.names
//	verify/listing/generate/accounts.sh *.deb >A; awk -f verify/listing/generate/pulled.awk A PACKAGES | LC_ALL=C sort -u
//
// |
//
//	go run ./verify/listing/generate -archive -o verify/listing/debian-12.accounts
//
// The other names of units come from the packages that have any, as apt-get download leaves them in DIR:
//
//	verify/listing/generate/aliases.sh DIR >verify/listing/debian-12.aliases
//
// Where it has nothing, all files in /etc count as configuration files, as Debian's tools mark them (Policy §10.7,
// debhelper).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bunraku/verify/listing"
)

func main() {
	out := flag.String("o", "", "the index to write")
	date := flag.String("date", time.Now().Format(time.DateOnly), "when the lists were fetched")
	platform := flag.String("platform", "debian-12", "whose lists these are")
	chunk := flag.Int("chunk", 64<<10, "bytes of a chunk before packing")
	names := flag.Bool("names", false, "print the names of packages with files in /etc or a service, and stop")
	archive := flag.Bool("archive", false, "pack the names or accounts of an archive, from standard input")
	flag.Parse()
	if *archive {
		if err := pack(*out, *platform); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*out, *date, *platform, *chunk, *names, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func pack(out, platform string) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	packed, err := listing.WriteNames(platform, string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(out, packed, 0o644)
}

func run(out, date, platform string, chunk int, names bool, sources []string) error {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "generate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store := filepath.Join(dir, "store")
	im := listing.Import{Sources: sources, Platform: platform, Store: store, Now: day}
	if _, err := im.Run(context.Background()); err != nil {
		return err
	}
	set, err := listing.Open(platform, store)
	if err != nil {
		return err
	}
	defer set.Close()
	all, err := packages(set)
	if err != nil {
		return err
	}
	if names {
		for _, p := range all {
			if owns(p) {
				fmt.Println(p.Name)
			}
		}
		return nil
	}
	chosen := choose(all)
	text, err := listing.WriteIndex(platform, day, chosen, chunk)
	if err != nil {
		return err
	}
	exact := 0
	for _, p := range chosen {
		if p.Known {
			exact++
		}
	}
	fmt.Printf("%d packages, %d with exact lists, %d bytes\n", len(chosen), exact, len(text))
	return os.WriteFile(out, text, 0o644)
}

func packages(set *listing.Set) ([]*listing.Package, error) {
	names, err := set.Names()
	if err != nil {
		return nil, err
	}
	var out []*listing.Package
	for _, name := range names {
		p, err := set.Package(name)
		if err != nil {
			return nil, err
		}
		trim(p)
		out = append(out, p)
	}
	return out, nil
}

// trim leaves what an analysis asks for: files in /etc, units, programs, and directories; below /usr only those of the
// first levels, and none of documentation, translations and the like, which no manifest puts anything into.
// Package.Silent knows of that.
func trim(p *listing.Package) {
	p.Version, p.From, p.Partial = "", "", true
	p.Files = slices.DeleteFunc(p.Files, func(f string) bool {
		dir := filepath.Dir(f)
		return !configured(f) && !listing.Unit(f) && !slices.Contains(programs, dir)
	})
	p.Conffiles = slices.DeleteFunc(p.Conffiles, func(f string) bool { return !slices.Contains(p.Files, f) })
	p.Dirs = slices.DeleteFunc(p.Dirs, func(d string) bool {
		deep := strings.HasPrefix(d, "/usr/") && strings.Count(d, "/") > 4
		return deep || slices.ContainsFunc(dull, func(x string) bool { return strings.HasPrefix(d, x+"/") })
	})
}

var programs = []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin"}

var dull = []string{"/usr/share/doc", "/usr/share/doc-base", "/usr/share/man", "/usr/share/info", "/usr/share/locale",
	"/usr/share/lintian", "/usr/share/icons",
	"/usr/share/help", "/usr/share/gnome/help", "/usr/include", "/usr/lib/python3", "/usr/lib/debug",
	"/usr/lib/x86_64-linux-gnu", "/usr/share/perl5", "/usr/lib/ruby",
	"/usr/share/javascript", "/usr/share/fonts", "/usr/src", "/usr/lib/modules", "/lib/modules", "/usr/share/bug",
	"/usr/share/metainfo"}

// configured reports whether a file is in /etc, or where people put what others put in /etc: what pam-auth-update makes
// /etc/pam.d from.
func configured(f string) bool {
	return strings.HasPrefix(f, "/etc/") || strings.HasPrefix(f, "/usr/share/pam-configs/")
}

// owns reports whether a package has a file in /etc or a service.
func owns(p *listing.Package) bool {
	return slices.ContainsFunc(p.Files, func(f string) bool {
		return configured(f) || listing.Service(f) != ""
	})
}

// many is the number of dependents from which on a package says nothing about who pulls it in: python3, dbus,
// php-common.
const many = 100

// choose takes the packages that own something, and those that pull one of them in: for its service, or because they
// are called alike (nginx and nginx-common, vim and vim-common), perhaps by way of another that is called alike.
// Dependencies on others are dropped.
func choose(all []*listing.Package) []*listing.Package {
	dependents := map[string]int{}
	for _, p := range all {
		for _, d := range p.Depends {
			dependents[d]++
		}
	}
	wanted, services := map[string]bool{}, map[string]bool{}
	for _, p := range all {
		wanted[p.Name] = owns(p)
		services[p.Name] = len(p.Services()) > 0 && !p.Base
	}
	for changed := true; changed; {
		changed = false
		for _, p := range all {
			telling := func(d string) bool {
				return dependents[d] < many && (services[d] || wanted[d] && stem(d) == stem(p.Name))
			}
			if !wanted[p.Name] && slices.ContainsFunc(p.Depends, telling) {
				wanted[p.Name], changed = true, true
			}
		}
	}
	var out []*listing.Package
	for _, p := range all {
		if wanted[p.Name] {
			p.Depends = slices.DeleteFunc(p.Depends, func(d string) bool { return !wanted[d] })
			out = append(out, p)
		}
	}
	return out
}

func stem(name string) string {
	s, _, _ := strings.Cut(name, "-")
	return s
}
