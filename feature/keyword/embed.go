//go:build !js

package keyword

import "embed"

//go:embed data/idf.zh.columns.zst
var files embed.FS

// dataFile returns a file of data.
func dataFile(name string) ([]byte, error) { return files.ReadFile("data/" + name) }
