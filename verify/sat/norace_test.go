//go:build !race

package sat

const racing = false
