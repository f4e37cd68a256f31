package source

import (
	"fmt"
	"strings"
)

// Language is the Puppet whose programs are compiled. Most of what differs is a setting with another default (strict,
// strict_variables); the rest is said here, one method for each difference, and asked where it matters. The zero
// Language is Puppet 7, as the zero Strictness is; programs that let people choose take Puppet 8 when nobody did.
type Language uint8

// The languages. Numbers of versions stand for Puppet's own.
const (
	Puppet7  Language = 7
	Puppet8  Language = 8
	OpenVox8 Language = 28
	OpenVox9 Language = 29
)

// languages are all of them, in the order in which people move.
var languages = []Language{Puppet7, Puppet8, OpenVox8, OpenVox9}

// ParseLanguage reads a language as people write it.
func ParseLanguage(text string) (Language, error) {
	for _, l := range languages {
		if l.String() == text {
			return l, nil
		}
	}
	return 0, fmt.Errorf("language is 7, 8, openvox8 or openvox9, not %q", text)
}

func (l Language) String() string {
	switch l {
	case OpenVox8:
		return "openvox8"
	case OpenVox9:
		return "openvox9"
	case Puppet8:
		return "8"
	}
	return "7"
}

// Title is the language's name in a sentence.
func (l Language) Title() string {
	switch l {
	case OpenVox8:
		return "OpenVox 8"
	case OpenVox9:
		return "OpenVox 9"
	}
	return "Puppet " + l.String()
}

// Version is the version that was compared with, and that programs see.
func (l Language) Version() string {
	switch l {
	case OpenVox8:
		return "8.28.1"
	case OpenVox9:
		return "9.0.0-beta2"
	case Puppet8:
		return "8.11.0"
	}
	return "7.23.0"
}

// Docs is where messages of the language say that its documentation is.
func (l Language) Docs() string {
	if l == OpenVox9 {
		return "https://docs.openvoxproject.org/openvox/latest"
	}
	v := l.Version()
	return "https://puppet.com/docs/puppet/" + v[:strings.LastIndexByte(v, '.')]
}

// Eight reports whether the language is Puppet 8 or comes after it.
func (l Language) Eight() bool { return l >= Puppet8 }
