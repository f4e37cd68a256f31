package model_test

import (
	"os"
	"path/filepath"
	"testing"

	"bunraku/internal/live"
)

// TestAcceptCitac measures how many of the resources that Citac's public evaluation names are in a finding of ours
// (Hanappi, Hummer and Dustdar, OOPSLA 2016). Those of its scripts that need no module are all to be. Of the others no
// bar is set: Citac watches processes and ports as well, and names whatever ran before one of them came or went.
func TestAcceptCitac(t *testing.T) {
	live.Accept(t)
	live.Modules(t)
	clones := filepath.Join(os.Getenv("BUNRAKU_FETCHED"), "citac")
	program := buildProgram(t)
	var own, ownFound, others, othersFound int
	for _, s := range readFaults(t, "citac/scripts.txt", "module", "at", "system", "needs", "script", "names", "why") {
		t.Run(s.name, func(t *testing.T) {
			said := s.ask(t, program, clones, s.fields["at"])
			found, names := 0, references(s.fields["names"])
			for _, ref := range names {
				if said.tells("", []string{ref}) {
					found++
				} else if s.fields["why"] == "" {
					t.Errorf("nothing is said of %s", ref)
				}
			}
			t.Logf("%d of %d named resources are in a finding; %s", found, len(names), s.fields["why"])
			if s.fields["module"] == "" {
				own, ownFound = own+len(names), ownFound+found
			} else {
				others, othersFound = others+len(names), othersFound+found
			}
		})
	}
	t.Logf("score: Citac: %d of %d resources of scripts without modules, %d of %d of those with modules, are in a finding",
		ownFound, own, othersFound, others)
}
