package made

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write writes pairs.tsv and docs.jsonl into a folder, in the format of neardup eval --judged.
func Write(folder string, pairs []Pair) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write pairs: %w", err)
	}
	err := toFile(filepath.Join(folder, "pairs.tsv"), func(w io.Writer) error {
		fmt.Fprintln(w, "set\tid_a\tid_b\tlabel\tband")
		for _, p := range pairs {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Set, p.A, p.B, p.Label, p.Band)
		}
		return nil // the buffer keeps the first error
	})
	if err != nil {
		return fmt.Errorf("write pairs: %w", err)
	}
	err = toFile(filepath.Join(folder, "docs.jsonl"), func(w io.Writer) error {
		type doc struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		written := map[string]bool{}
		for _, p := range pairs {
			for _, d := range []doc{{p.A, p.TextA}, {p.B, p.TextB}} {
				if written[d.ID] {
					continue
				}
				written[d.ID] = true
				if err := e.Encode(d); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write texts of pairs: %w", err)
	}
	return nil
}

func toFile(path string, fn func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(fn(w), w.Flush(), file.Close())
}
