package environment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bunraku/source"
)

func TestPuppetfile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Puppetfile"), []byte(`forge "https://forgeapi.example"
# mod 'acme/commented'
mod 'puppetlabs-stdlib', '9.0.0'
mod "puppet/nginx"
mod 'profile',
  :git => 'https://git.example/profile.git',
  :install_path => 'site/'
moduledir 'thirdparty'
mod('acme-x', :latest)
`), 0o644); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(Puppetfile(source.NewDir(source.DirOptions{Roots: []string{dir}}), dir), " ")
	if want := "modules/stdlib modules/nginx site/profile thirdparty/x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
