package main

import (
	"os"

	"github.com/neardup/neardup/override"
)

// readOverrides reads a file of rulings; nil for none.
func readOverrides(path string) (*override.Set, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usage("--overrides: %w", err)
	}
	defer f.Close()
	set, err := override.Read(f)
	if err != nil {
		return nil, usage("--overrides %s: %w", path, err)
	}
	return set, nil
}
