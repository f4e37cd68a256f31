package smartfrog

import (
	"io"
	"testing"
	"testing/fstest"

	"bunraku/bench/smartfrog/shape"
	"bunraku/source"
)

// BenchmarkCompile compiles and prints 50,000 lines of each shape. bench/smartfrog measures the whole command, for
// several sizes.
func BenchmarkCompile(b *testing.B) {
	const lines = 50_000
	for _, s := range shape.All() {
		text := s.Text(lines)
		b.Run(s.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, diags := Compile(source.NewFile("bench.sf", text), fstest.MapFS{}, Options{})
				if r == nil {
					b.Fatal(diags)
				}
				if err := r.WriteJSON(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lines, "ns/line")
		})
	}
}
