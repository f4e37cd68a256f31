package report

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteFile writes a file of ours so that nobody ever sees half of it: beside its place, and then in place of what was
// there, whose mode it keeps. What is no regular file, such as a pipe, is written to as it is.
func WriteFile(path string, text []byte) (err error) {
	mode := os.FileMode(0o644)
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to // the link stays one
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(path, text, mode)
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			p.Path = path // the name that the user knows
		}
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
