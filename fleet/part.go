package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strings"

	"bunraku/diff"
	"bunraku/fleet/store"
	"bunraku/source"
)

// A Shard is one of several equal parts of a fleet. Which nodes are in it follows from their names alone.
type Shard struct{ Index, Of int }

// ParseShard reads I/N. The parts may be counted from 0, as an Indexed Job does, or from 1, as people do: part N is
// part 0.
func ParseShard(text string) (s Shard, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text, "%d/%d%s", &s.Index, &s.Of, &rest); n != 2 || s.Of < 1 || s.Index < 0 || s.Index > s.Of {
		return s, fmt.Errorf("%q is no part: 3/16 is the third of sixteen", text)
	}
	s.Index %= s.Of
	return s, nil
}

// String is the part as it is named on the command line, counted from 1.
func (s Shard) String() string {
	if s.Index == 0 {
		return fmt.Sprintf("%d/%d", s.Of, s.Of)
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Has reports whether a node is in the part.
func (s Shard) Has(name string) bool {
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(name)))
	return int(h.Sum64()%uint64(s.Of)) == s.Index
}

// An Inquiry is what is compared, as far as results of it belong together: both states of the tree, the nodes with all
// that is known of them, and what changes the answer. Two processes with the same inquiry find the same.
type Inquiry struct {
	ID   string      // may be told to anybody
	Seal diff.Sealer // the key of the digests: known only to who has the files and the facts
}

// Inquire makes one of texts that tell the states and the flags, and of the nodes. root is where the tree is here.
func Inquire(texts []string, nodes []Node, key []byte, root string) *Inquiry {
	sums := make([]store.Node, len(nodes))
	source.Each(context.Background(), len(nodes), func(i int) { sums[i] = store.Of(nodes[i].Node) })
	sum := func(purpose string) []byte {
		h := sha256.New()
		fmt.Fprintf(h, "%s\x00%d\x00%s\x00", purpose, len(key), key)
		for _, t := range texts {
			fmt.Fprintf(h, "%d\x00%s\x00", len(t), t)
		}
		for i := range sums {
			fmt.Fprintf(h, "%s\x00%x\x00", nodes[i].Title(), sums[i].Data)
		}
		return h.Sum(nil)
	}
	return &Inquiry{hex.EncodeToString(sum("inquiry")[:16]), diff.Sealer{Key: sum("seal"), Root: root}}
}

// Recall compares again those nodes whose changes and failures have no text yet.
func (c *Comparing) Recall(ctx context.Context, j *diff.Joined, nodes []Node, seal diff.Sealer) error {
	wanted := j.Wanted()
	some := make([]Node, len(wanted))
	for k, i := range wanted {
		some[k] = nodes[i]
	}
	alone := *c
	alone.Store, alone.Consequences, alone.Step = nil, nil, func() {}
	again, err := alone.Compare(ctx, some)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return j.Recall(again, wanted, seal)
}
