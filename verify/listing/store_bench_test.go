package listing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkStore opens a store with 20,000 packages and finds one of them and the owner of one of its files.
func BenchmarkStore(b *testing.B) {
	dir := b.TempDir()
	var contents strings.Builder
	for i := range 20000 {
		for j := range 20 {
			fmt.Fprintf(&contents, "usr/share/package-%d/file-%d net/package-%d\n", i, j, i)
		}
	}
	source, store := filepath.Join(dir, "Contents-amd64"), filepath.Join(dir, "s.db")
	if err := os.WriteFile(source, []byte(contents.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	if _, err := (Import{Sources: []string{source}, Platform: "debian-12", Store: store,
		Now: someDay}).Run(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s, err := Open("debian-12", store)
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		}
	})
	s, err := Open("debian-12", store)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	i := 0
	b.Run("package", func(b *testing.B) {
		for b.Loop() {
			i = (i + 7919) % 20000
			if p, err := s.Package(fmt.Sprintf("package-%d", i)); p == nil || err != nil {
				b.Fatal(p, err)
			}
		}
	})
	b.Run("owners", func(b *testing.B) {
		for b.Loop() {
			i = (i + 7919) % 20000
			if names, _, err := s.Owners(fmt.Sprintf("/usr/share/package-%d/file-7", i)); len(names) != 1 || err != nil {
				b.Fatal(names, err)
			}
		}
	})
	b.Run("built-in", func(b *testing.B) {
		for b.Loop() {
			s, err := Select(Choice{Platform: "debian-12", Embedded: true})
			if err != nil {
				b.Fatal(err)
			}
			if p, err := s.Package("nginx-common"); p == nil || err != nil {
				b.Fatal(p, err)
			}
		}
	})
}
