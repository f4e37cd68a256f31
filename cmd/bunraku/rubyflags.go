package main

import (
	"time"

	"bunraku/puppet/bridge"
	"bunraku/puppet/compiler"

	"github.com/spf13/cobra"
)

// rubyFlags are the switches about what cannot be computed without running a module's Ruby code.
type rubyFlags struct {
	ruby, mock   string
	timeout      time.Duration
	strictOpaque bool
	mocks        *compiler.Mocks
}

func (f *rubyFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.ruby, "ruby", "own",
		"own: run the Ruby functions of modules in the interpreter that is built in; system: with the installed Ruby, "+
			"templates too; off")
	c.Flags().DurationVar(&f.timeout, "ruby-timeout", bridge.DefaultTimeout, "how long Ruby code may take in one call")
	c.Flags().StringVar(&f.mock, "mock", "",
		"answers for functions: a YAML or JSON `FILE` with a list of function, arguments, and result or error")
	c.Flags().BoolVar(&f.strictOpaque, "strict-opaque", false, "a value that is not known is an error")
}

// prepare checks the switches and reads the file of answers, before the command runs.
func (f *rubyFlags) prepare() (err error) {
	if f.ruby != "own" && f.ruby != "off" && f.ruby != "system" {
		return fail("--ruby is own, off or system, not %q", f.ruby)
	}
	if f.timeout <= 0 {
		return fail("--ruby-timeout is a time such as 10s, not %v", f.timeout)
	}
	if f.mock != "" {
		f.mocks, err = compiler.ReadMocks(f.mock)
	}
	return err
}

// apply puts the switches into the options of a compile.
func (f *rubyFlags) apply(o *compiler.Options) {
	switch f.ruby {
	case "system":
		o.Ruby = compiler.RubySystem
	case "off":
		o.Ruby = compiler.RubyOff
	}
	o.RubyTimeout, o.StrictOpaque, o.Mocks = f.timeout, f.strictOpaque, f.mocks
}
