package stdlib_test

import "testing"

// Functions that declare resources say so in their records, under each of their names: whoever asks for such a resource
// depends on what kept the call from running.
func TestEffectsOfPassedOverCalls(t *testing.T) {
	for _, call := range []string{
		"ensure_packages(['p'])",
		"ensure_resource('package', 'p', {})",
		"ensure_resources('package', {'p' => {}})",
		"call('ensure_packages', ['p'])",
		"call('create_resources', 'package', {'p' => {}})",
		"call(downcase('ENSURE_PACKAGES'), ['p'])",
	} {
		manifest := "if 'x' == 'mutant' { " + call + " }\nnotify { 'n': message => [defined(Package['p'])] }"
		if n := mutate(t, manifest); n == 0 {
			t.Errorf("%s: no change was seen, so nothing was tested", call)
		}
	}
}
