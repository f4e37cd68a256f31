// Package docs holds the pages that the program itself quotes.
package docs

import _ "embed" // the pages

// Codes is docs/codes.md: every code that a message can have, with what it says.
//
//go:embed codes.md
var Codes string
