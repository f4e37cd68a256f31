package lookup

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bunraku/internal/live"
	"bunraku/puppet/lookup/datafile"
	"bunraku/puppet/value"
	"bunraku/source"
)

// Random values merge as Ruby's library merges them, with every option.
func TestDeepMergeAgainstRuby(t *testing.T) {
	live.Puppet(t)
	rng := rand.New(rand.NewPCG(5, 6))
	scalars := []string{`"a"`, `"b"`, `"--a"`, `"--"`, `"c"`, "1", "2", "null", "false", "true", `"--b"`, `""`}
	var gen func(depth int) string
	gen = func(depth int) string {
		n := rng.IntN(10)
		var parts []string
		switch {
		case n < 3 && depth < 4:
			for range rng.IntN(4) {
				parts = append(parts, gen(depth+1))
			}
			return "[" + strings.Join(parts, ",") + "]"
		case n < 7 && depth < 4:
			seen := map[int]bool{}
			for range rng.IntN(4) {
				if k := rng.IntN(4); !seen[k] {
					seen[k] = true
					parts = append(parts, fmt.Sprintf(`"k%d":%s`, k, gen(depth+1)))
				}
			}
			return "{" + strings.Join(parts, ",") + "}"
		}
		return scalars[rng.IntN(len(scalars))]
	}
	options := []string{"{}", `{"knockout_prefix":"--"}`, `{"merge_hash_arrays":true}`,
		`{"knockout_prefix":"--","merge_hash_arrays":true}`, `{"sort_merged_arrays":true}`}
	var inputs []string
	for i := range 3000 {
		inputs = append(inputs, "["+gen(0)+","+gen(0)+","+options[i%len(options)]+"]")
	}
	var answers []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(live.Ruby(t, "testdata/deep_merge.rb", "["+strings.Join(inputs, ",\n")+"]")),
		&answers); err != nil {
		t.Fatal(err)
	}
	read := func(text string) value.Value {
		n, err := datafile.ReadJSON(source.NewFile("json", text))
		if err != nil {
			t.Fatal(err)
		}
		return n.Value
	}
	inv := &invocation{s: New(Site{}, Options{}).Session(nil, nil)}
	bad := 0
	for i, in := range inputs {
		args := read(in).(*value.Array)
		got, err := deepMerge(inv, args.Elems[2].(*value.Hash), item{v: args.Elems[0]}, item{v: args.Elems[1]})
		if _, failed := answers[i]["error"]; failed != (err != nil) {
			t.Errorf("%s\n ours %v %v\n ruby %s", in, got.v, err, answers[i]["error"])
			bad++
			continue
		}
		if err != nil {
			continue
		}
		if want := read(string(answers[i]["value"])); value.Inspect(got.v) != value.Inspect(want) {
			t.Errorf("%s\n ours %s\n ruby %s", in, value.Inspect(got.v), value.Inspect(want))
			bad++
		}
		if bad > 10 {
			t.Fatal("too many differences")
		}
	}
}
