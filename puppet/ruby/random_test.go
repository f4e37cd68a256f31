package ruby

import (
	"math/big"
	"testing"
)

// Numbers of Ruby's Random.new(seed).rand(n), from irb.
func TestRandom(t *testing.T) {
	md5Like := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))
	for _, c := range []struct {
		seed    *big.Int
		n, want int64
	}{
		{big.NewInt(0), 100, 44}, {big.NewInt(1), 100, 37}, {big.NewInt(42), 1_000_000, 121958},
		{md5Like, 1000, 712}, {md5Like, 10_000_000_000, 3360221056}, {big.NewInt(1 << 33), 7, 5},
	} {
		if got, err := NewRandom(c.seed).Below(c.n); got != c.want || err != nil {
			t.Errorf("seed %v below %d: %d, %v, want %d", c.seed, c.n, got, err, c.want)
		}
	}
}
