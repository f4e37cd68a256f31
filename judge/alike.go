package judge

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"bunraku/puppet/catalog"
	"bunraku/puppet/types"
	"bunraku/puppet/value"
	"bunraku/verify/model"
)

// Most nodes of a control repo are like others: the same resources from the same code, with another name in some files.
// What is proved of one of them holds for all, so each kind is verified once.

// Likeness is the same for catalogs of which the same can be proved: all that models look at goes into it, the
// platform, and which assertions there are.
func (j *Judge) Likeness(s Suspect) string {
	text := append(catalogText(nil, model.Likeness(s.Catalog)), s.Platform...)
	text = append(text, strings.Join(shownTo(s), "\n")...)
	for i, x := range j.opt.Assert {
		if x.About(s.Catalog.Name) {
			text = fmt.Append(text, " ", i)
		}
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}

// PairLikeness is the same for pairs of catalogs of which the same can be said about what follows when one is applied
// after the other: all that models look at, and what the files of modules hold that they name.
func (j *Judge) PairLikeness(old, new Suspect) string {
	a, b := model.PairLikeness(old.Catalog, new.Catalog, served(old.Modules), served(new.Modules))
	text := []byte(new.Platform + strings.Join(slices.Concat(shownTo(old), shownTo(new)), "\n"))
	for _, c := range []*catalog.Catalog{a, b} {
		text = catalogText(text, c)
	}
	sum := sha256.Sum256(text)
	return string(sum[:])
}

// catalogText adds all of a catalog to a text. JSON has no word for bytes that are no text, such as a file's content in
// Latin-1: they are added as code writes them.
func catalogText(text []byte, c *catalog.Catalog) []byte {
	text, err := catalog.JSON{Types: types.ToData}.Append(text, c)
	if err == nil {
		return text
	}
	for _, r := range c.Resources {
		for _, p := range r.Params {
			v := p.Value
			if s, is := v.(*value.Sensitive); is {
				v = s.Value
			}
			text = append(text, value.Literal(v)...)
		}
	}
	return text
}
