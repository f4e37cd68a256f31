package stdlib

import (
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"bunraku/puppet/eval"
	"bunraku/puppet/onigmo"
	"bunraku/puppet/value"
)

// passwords are the functions that hash passwords.
func passwords() []old {
	return []old{
		{"pw_hash", "Hashes a password as crypt(3) does.", eval.Pure, 3, pwHash},
		{"str2saltedpbkdf2", "Hashes a password by PBKDF2, for macOS.", eval.Pure, -1, saltedPBKDF2},
	}
}

var (
	saltText   = onigmo.MustCompile(`\A[a-zA-Z0-9./]+\z`)
	bcryptSalt = onigmo.MustCompile(`^[0-9]{2}\$[./A-Za-z0-9]{22}`)
)

func plain(v value.Value) value.Value {
	if s, is := v.(*value.Sensitive); is {
		return s.Value
	}
	return v
}

// Hashing is slow by design, and every node of a site asks for the same few hashes.
var hashes struct {
	sync.Mutex
	m map[[2]string]string
}

// cryptOnce is crypt with what it made before kept.
func cryptOnce(password, setting string) (string, bool) {
	key := [2]string{password, setting}
	hashes.Lock()
	h, known := hashes.m[key]
	hashes.Unlock()
	if known {
		return h, true
	}
	h, ok := crypt(password, setting)
	if ok {
		hashes.Lock()
		if hashes.m == nil || len(hashes.m) >= 1000 {
			hashes.m = map[[2]string]string{}
		}
		hashes.m[key] = h
		hashes.Unlock()
	}
	return h, ok
}

func pwHash(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 3 {
		return nil, argumentError(fmt.Sprintf("pw_hash(): wrong number of arguments (%d for 3)", len(c.Args)))
	}
	password, isText := plain(c.Args[0]).(value.String)
	if !isText && !value.IsUndef(plain(c.Args[0])) {
		return nil, argumentError("pw_hash(): first argument must be a string")
	}
	kind, is := plain(c.Args[1]).(value.String)
	if !is {
		return nil, argumentError("pw_hash(): second argument must be a string")
	}
	prefix, known := map[string]string{
		"md5": "1", "sha-256": "5", "sha-512": "6", "bcrypt": "2b", "bcrypt-a": "2a", "bcrypt-x": "2x", "bcrypt-y": "2y",
	}[value.Downcase(string(kind))]
	if !known {
		return nil, argumentError(fmt.Sprintf("pw_hash(): %s is not a valid hash type", kind))
	}
	salt, is := plain(c.Args[2]).(value.String)
	switch {
	case !is:
		return nil, argumentError("pw_hash(): third argument must be a string")
	case salt == "":
		return nil, argumentError("pw_hash(): third argument must not be empty")
	}
	if prefix[0] == '2' {
		if !matches(bcryptSalt, string(salt)) {
			return nil, argumentError(`pw_hash(): characters in salt must match (?-mix:^[0-9]{2}\$[.\/A-Za-z0-9]{22})`)
		}
	} else if !matches(saltText, string(salt)) {
		return nil, argumentError("pw_hash(): characters in salt must be in the set [a-zA-Z0-9./]")
	}
	if password == "" {
		return value.Undef{}, nil
	}
	if strings.Contains(string(password), "\x00") {
		return nil, argumentError("string contains null byte")
	}
	if hashed, ok := cryptOnce(string(password), "$"+prefix+"$"+string(salt)); ok {
		return c.Bytes(hashed), nil
	}
	return &value.Opaque{Why: "pw_hash(): " + string(kind) + " with this salt is not computed here", Settled: true}, nil
}

func saltedPBKDF2(c *eval.Call) (value.Value, error) {
	if len(c.Args) != 3 {
		return nil, argumentError(fmt.Sprintf("str2saltedpbkdf2(): wrong number of arguments (%d for 3)", len(c.Args)))
	}
	bad := func(s string) (value.Value, error) { return nil, argumentError("str2saltedpbkdf2(): " + s) }
	password, is := plain(c.Args[0]).(value.String)
	if !is {
		return bad("first argument must be a string")
	}
	salt, is := plain(c.Args[1]).(value.String)
	if !is {
		return bad("second argument must be a string")
	}
	if len(salt) < 8 {
		return bad("second argument must be at least 8 bytes long")
	}
	rounds, is := plain(c.Args[2]).(value.Int)
	if !is {
		return bad("third argument must be an integer")
	}
	if rounds <= 40_000 || rounds >= 70_000 {
		return bad("third argument must be between 40,000 and 70,000")
	}
	key, err := pbkdf2.Key(sha512.New, string(password), []byte(salt), int(rounds), 128)
	if err != nil {
		return nil, err
	}
	return value.NewHash(value.String("password_hex"), value.String(hex.EncodeToString(key)), value.String("salt_hex"),
		value.String(hex.EncodeToString([]byte(salt))),
		value.String("iterations"), rounds), nil
}
