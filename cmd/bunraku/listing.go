package main

import (
	"fmt"
	"os"

	"bunraku/verify/listing"
)

// openLists opens the package lists for a platform: the given places first, then the user's store, then the built-in index. A store that
// is named must be there; the user's own need not.
func openLists(platform, store string, places []string) (*listing.Set, error) {
	if store == "" {
		// Who has no home has no store.
		if file, err := listing.DefaultStore(); err == nil {
			store = file
		}
	} else if _, err := os.Stat(store); err != nil {
		return nil, err
	}
	return listing.Select(listing.Choice{Platform: platform, Places: places, Store: store, Embedded: true})
}

// tellLists says what people should know of the lists that a run has used: that they are of another platform, or that there are none.
// said has what was told before; it may be nil.
func (a *app) tellLists(lists *listing.Set, said map[string]bool) {
	for _, n := range lists.Notes() {
		if !said[n] {
			fmt.Fprintf(a.err, "note: %s\n", n)
		}
		if said != nil {
			said[n] = true
		}
	}
}
