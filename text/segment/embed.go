//go:build !js

package segment

import "embed"

//go:embed data/dict.trie.zst data/hmm.txt.gz
var files embed.FS

// dataFile returns a file of data.
func dataFile(name string) ([]byte, error) { return files.ReadFile("data/" + name) }
