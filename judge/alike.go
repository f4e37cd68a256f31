package judge

import (
	"crypto/sha256"
	"fmt"

	"bunraku/puppet/catalog"
	"bunraku/puppet/types"
	"bunraku/verify/model"
)

// Most nodes of a control repo are like others: the same resources from the same code, with another name in some files.
// What is proved of one of them holds for all, so each kind is verified once.

// Likeness is the same for catalogs of which the same can be proved: all that models look at goes into it, the
// platform, and which assertions there are.
func (j *Judge) Likeness(s Suspect) (string, error) {
	text, err := catalog.JSON{Types: types.ToData}.Append(nil, model.Likeness(s.Catalog))
	if err != nil {
		return "", err
	}
	text = append(text, s.Platform...)
	for i, x := range j.opt.Assert {
		if x.About(s.Catalog.Name) {
			text = fmt.Append(text, " ", i)
		}
	}
	sum := sha256.Sum256(text)
	return string(sum[:]), nil
}
