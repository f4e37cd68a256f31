package main

import (
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

const version = "0.2.0-dev"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(a.out, versionText())
			return nil
		},
	}
}

// program tells this program from others, whose answers may be others. Builds of a release are one program, for
// whatever machine; of a version in the making every build is another one, and known by sums of its file.
var program = sync.OnceValue(func() string {
	if !strings.HasSuffix(version, "-dev") {
		return version
	}
	return version + " " + fileSums(os.Executable())
})

// fileSums are two sums of a file, which are sooner made than a digest. One that cannot be read is like no other.
func fileSums(path string, err error) string {
	one, two := crc32.NewIEEE(), crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if err == nil {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			defer f.Close()
			_, err = io.Copy(io.MultiWriter(one, two), f)
		}
	}
	if err != nil {
		return rand.Text()
	}
	return fmt.Sprintf("%08x%08x", one.Sum32(), two.Sum32())
}

// versionText is which program this is, and what it speaks.
func versionText() string {
	revision := "unknown revision"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				revision = s.Value[:12]
			}
		}
	}
	return fmt.Sprintf("bunraku %s (%s, %s)\nspeaks Puppet 8 and 7", version, revision, runtime.Version())
}
