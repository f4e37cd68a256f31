package syntax

import "flag"

// record makes the tests that have recorded answers ask the installed Puppet again and write them down.
var record = flag.Bool("record", false, "write the recorded answers in testdata from live Puppet")
