//go:build !linux

package store

import bolt "go.etcd.io/bbolt"

// forget does nothing where it is not known how.
func forget(*bolt.Tx) {}
