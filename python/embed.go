// Package python is the source of the Python package, so that the command can
// run it on Spark without an installation; with the jar if python/jar.py has made that.
package python

import "embed"

// Source is the folder src: what is to stand on Python's path.
//
//go:embed src/neardup/*.py src/neardup/spark/*.py src/neardup/spark/jar
var Source embed.FS
