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

// WriteInside writes a file of ours into a directory that may be a stranger's: in place, so that nothing else in the
// directory changes, and never through a link.
func WriteInside(dir, name string, text []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return &os.PathError{Op: "write", Path: name, Err: errors.New("it is no regular file")}
	}
	return root.WriteFile(name, text, 0o644)
}
