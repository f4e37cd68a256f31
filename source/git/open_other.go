//go:build !unix

package git

const nonblock = 0

func notDirectory(error) bool { return false }
