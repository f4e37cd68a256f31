package compiler_test

import (
	"path/filepath"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/eval"
)

// No site comes within a tenth of what a compile may cost, traced or not.
func TestSitesSpendLittle(t *testing.T) {
	limits := eval.Limits()
	var most float64
	for _, dir := range live.Sites(t) {
		for _, trace := range []bool{false, true} {
			res, err := compileCase(t, dir, trace)
			if err != nil {
				t.Fatal(err)
			}
			share := max(float64(res.Steps)/float64(limits.Steps), float64(res.Bytes)/float64(limits.Bytes))
			if res.Steps == 0 || share > 0.1 {
				t.Errorf("%s: %d steps, %d bytes: %.3f of the budget", filepath.Base(dir), res.Steps, res.Bytes, share)
			}
			most = max(most, share)
		}
	}
	t.Logf("the largest share of the budget that a site uses: %.4f", most)
}
