package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"bunraku/lint"
	"bunraku/report"
)

// An editor can lead from a problem to what explains its code, if that is a page somewhere. The program has what there
// is to say in itself and no site on the network; so the page is a file in the user's cache, written the first time
// that a message has the code. Nothing of any tree is in it.

// codePage is the file that explains a code; "" if nothing does, or it cannot be written.
func codePage(code string) string {
	text := pageText(code)
	cache, err := os.UserCacheDir()
	if text == "" || err != nil {
		return ""
	}
	dir := filepath.Join(cache, "bunraku", "codes")
	path := filepath.Join(dir, code+".md")
	if have, err := os.ReadFile(path); err == nil && string(have) == text {
		return path
	}
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	// Another server may write the same page now: who reads it sees all of one of them.
	f, err := os.CreateTemp(dir, code)
	if err != nil {
		return ""
	}
	_, err = f.WriteString(text)
	if f.Close() != nil || err != nil || os.Rename(f.Name(), path) != nil {
		_ = os.Remove(f.Name()) // there is no page, and nobody to tell that this is left
		return ""
	}
	return path
}

// pageText is what explain says of a code, or lint of a check, in Markdown.
func pageText(code string) string {
	var b strings.Builder
	if !report.IsCode(code) {
		if help := lint.Help(code); help != "" {
			fmt.Fprintf(&b, "# %s\n\nA check of lint, by the name that puppet-lint or metadata-json-lint has for it.\n\n"+
				"What to do: %s.\n", code, help)
		}
		return b.String()
	}
	c, ok := aboutCode(code)
	if !ok {
		return ""
	}
	fmt.Fprintf(&b, "# %s: %s\n\n%s. A code never changes its meaning; `bunraku explain %s` says the same as this page.\n",
		c.Code, c.Meaning, c.Family, c.Code)
	if c.What != "" {
		fmt.Fprintf(&b, "\n%s\n\n## An example\n\n```puppet\n%s```\n\n## A cure\n\n```puppet\n%s```\n", c.What,
			strings.TrimSuffix(c.Example, "\n")+"\n", strings.TrimSuffix(c.Cure, "\n")+"\n")
	}
	return b.String()
}
