package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"time"
)

// marks is a file that says how far each index was, so that one that lies
// elsewhere and has lost changes is found out when all servers start anew.
type marks struct{ path string }

// marksOf are those of an index that lies elsewhere; one in a folder has its
// witness.
func marksOf(data string, store *openStore) marks {
	if !store.shared {
		return marks{}
	}
	return marks{filepath.Join(data, "seen.json")}
}

// load reads the last change of each tenant; none if nothing was noted yet.
func (m marks) load() (map[string]uint64, error) {
	if m.path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how far the index was: %w", err)
	}
	var seen map[string]uint64
	if err := json.Unmarshal(b, &seen); err != nil {
		return nil, fmt.Errorf("%s: %w (without this file a restored index is not found out)", m.path, err)
	}
	return seen, nil
}

// markEvery is how often it is written down. An epoch passes over far more
// numbers than are given meanwhile.
const markEvery = time.Second

// keep writes them down until ctx ends, and then once more.
func (m marks) keep(ctx context.Context, seen func() map[string]uint64, log *slog.Logger) {
	if m.path == "" {
		return
	}
	var written map[string]uint64
	tick := time.NewTicker(markEvery)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			done = true
		}
		now := seen()
		if maps.Equal(now, written) {
			continue
		}
		b, err := json.Marshal(now)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(m.path), 0o700)
		}
		if err == nil {
			err = replaceFile(m.path, append(b, '\n'), 0o600)
		}
		if err != nil {
			log.Warn("how far the index is was not written down", "cause", err.Error())
			continue
		}
		written = now
	}
}
