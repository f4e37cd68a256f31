package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

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
