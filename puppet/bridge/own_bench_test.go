package bridge_test

import "testing"

// BenchmarkOwnFirstCall is a compile that calls one function in Ruby: the interpreter is made for it.
func BenchmarkOwnFirstCall(b *testing.B) {
	w := openOwn(b, environmentDir)
	for b.Loop() {
		w.ask("t::echo(1, 2)")
	}
}

// BenchmarkOwnCall is a hundred calls in one compile.
func BenchmarkOwnCall(b *testing.B) {
	w := openOwn(b, environmentDir)
	for b.Loop() {
		w.ask("Integer[1, 100].map |$x| { t::echo($x, 2) }")
	}
}
