package source

import (
	"crypto/sha256"
	"io"
	"os"
	"sync"
)

// Program is a digest of the program that runs. What is kept for another run was made by this one, and by no other. It
// is read once; a program that cannot be read answers with the error.
var Program = sync.OnceValues(func() (Digest, error) {
	path, err := os.Executable()
	if err != nil {
		return Digest{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Digest{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Digest{}, err
	}
	return Digest(h.Sum(nil)), nil
})
