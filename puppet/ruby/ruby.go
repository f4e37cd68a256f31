// Package ruby reads and runs the Ruby that Puppet's ERB templates and type definitions are written in, without Ruby.
//
// Package ruby/syntax makes the tree of a file. A Runtime holds Ruby's classes; an Interp runs programs on them
// (interp.go, call.go), with Ruby's own answers, texts and exceptions. What Ruby has and this does not is an error that
// says so (Unsupported), never a guess; what asks the world or chance (files, the clock, random numbers) is Refused;
// steps, depth and memory are bounded (Limits).
//
// Puppet's values come in lazily (convert.go) and Ruby's strings, arrays and hashes are objects with an identity that
// can change. When tracing is on, each piece of output knows what it depends on (trace.go).
//
// It may import ruby/syntax, source, provenance, value, and onigmo for regexps. Start reading at interp.go.
package ruby
