// Package python embeds the source of the Python package, so that the command can run it on Spark without an installation.
// If python/jar.py has made the jar, it embeds that too.
package python

import "embed"

// Source is the folder src, for Python's path.
//
//go:embed src/neardup/*.py src/neardup/spark/*.py src/neardup/spark/jar
var Source embed.FS
