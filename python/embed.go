// Package python is the source of the Python package, so that the command can
// run it on Spark without an installation.
package python

import "embed"

// Source is the folder src: what is to stand on Python's path.
//
//go:embed src/neardup/*.py src/neardup/spark/*.py
var Source embed.FS
