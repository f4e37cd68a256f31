package onigmo

import "regexp"

type Flags uint8

type Regexp struct{ re *regexp.Regexp }

func Compile(src string, flags Flags) (*Regexp, error) {
	re, err := regexp.Compile("(?m)" + src)
	return &Regexp{re}, err
}
func (re *Regexp) Match(s string) (bool, error) { return re.re.MatchString(s), nil }
