//go:build full

package streams_test

const full = true
