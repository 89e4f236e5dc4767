package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/durable"
)

// A store that is made anew by another method lies in DIR/store.anew until it is done, and what it was made of in
// DIR/store.before from then on.
func anewDir(data string) string   { return storeDir(data) + ".anew" }
func beforeDir(data string) string { return storeDir(data) + ".before" }

// interrupted reports that a store was made anew, and was stopped between the two renames.
func interrupted(folder string) bool {
	return !there(folder) && there(folder+".before") && there(folder+".anew")
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// rekey makes the store in the folder by other settings, whatever it was made by.
func (g *again) rekey(ctx context.Context, settings docid.Settings) error {
	if interrupted(storeDir(g.data)) {
		return g.exchange()
	}
	if before := beforeDir(g.data); there(before) {
		return fmt.Errorf("%s is there from an earlier rebuild: remove it once nobody wants it back", before)
	}
	if err := os.RemoveAll(anewDir(g.data)); err != nil {
		return fmt.Errorf("remove what a stopped rebuild left: %w", err)
	}
	moved, err := g.openMoved()
	if err != nil {
		return err
	}
	defer moved.Abort()
	changed, err := closedStore(storeDir(g.data)).rekey(ctx, anewDir(g.data), settings, func(tenant string, d *docid.Detector) error {
		return g.rejudge(ctx, tenant, d, moved)
	})
	if err != nil || !changed && moved.rows == 0 {
		err = errors.Join(err, os.RemoveAll(anewDir(g.data)))
		if err == nil {
			tell(g.stdout, "--data %s is of these settings already, and nothing was changed\n", g.data)
		}
		return err
	}
	if err := moved.Commit(); err != nil {
		return err
	}
	return g.exchange()
}

// exchange puts the store that was made in the place of the one before.
func (g *again) exchange() error {
	store := storeDir(g.data)
	if there(store) {
		if err := durable.Rename(store, beforeDir(g.data)); err != nil {
			return err
		}
	}
	if err := durable.Rename(anewDir(g.data), store); err != nil {
		return err
	}
	tell(g.stdout, "the store as it was is %s: remove it once nobody wants it back\n", beforeDir(g.data))
	return nil
}

// movedFile is the CSV of the articles that have another docId.
type movedFile struct {
	*corpus.AtomicFile
	csv  *csv.Writer
	rows int
}

func (g *again) openMoved() (*movedFile, error) {
	path := g.moved
	if path == "" && g.data == "" {
		return nil, usage("--moved is missing: the file that names the articles with another docId")
	}
	if path == "" {
		path = filepath.Join(g.data, "moved.csv")
	}
	f, err := corpus.CreateAtomic(path)
	if err != nil {
		return nil, err
	}
	m := &movedFile{AtomicFile: f, csv: csv.NewWriter(f)}
	return m, m.csv.Write([]string{"nid", "before", "after", "reason", "tenant"})
}

// Commit makes the file appear.
func (m *movedFile) Commit() error {
	m.csv.Flush()
	if err := m.csv.Error(); err != nil {
		return err
	}
	return m.AtomicFile.Commit()
}

// rejudge holds one index to the docIds that it gave.
func (g *again) rejudge(ctx context.Context, tenant string, d *docid.Detector, moved *movedFile) (err error) {
	var textOf func(uint64) (string, bool, error)
	if folder := filepath.Join(g.data, "texts"); g.data != "" && there(folder) {
		texts, err := openTexts(g.data, longestAge)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, texts.Close()) }()
		textOf = func(seq uint64) (string, bool, error) { return texts.Get(tenant, seq) }
	}
	sum, err := d.Rejudge(ctx, textOf, func(r docid.Moved) error {
		moved.rows++
		return moved.csv.Write([]string{corpus.Cell(r.NID), r.Before, r.DocID, r.Why, corpus.Cell(tenant)})
	})
	if err != nil {
		return fmt.Errorf("tenant %q: %w", tenant, err)
	}
	tell(g.stdout, "tenant %s: %s docIds, %s articles judged again, %s have another docId\n",
		oneLine(tenant), grouped(int64(sum.DocIDs)), grouped(int64(sum.Articles)), grouped(int64(sum.Moved)))
	for _, line := range []struct {
		n    int
		says string
	}{
		{sum.Textless, "articles keep their docId, for their text is not kept"},
		{sum.Together, "docIds are like an earlier one and stay: other articles belong to them"},
		{sum.Undecided, "articles keep their docId, for too many share a key with them"},
	} {
		if line.n > 0 {
			tell(g.stdout, "  %s %s\n", grouped(int64(line.n)), line.says)
		}
	}
	return nil
}

// remake says how an index of other settings becomes one of these.
func remake(err error, data string, index *indexFlags) error {
	if data == "" || !errors.Is(err, neardup.ErrUnlike) {
		return err
	}
	decides, also := index.method, ""
	decides.normalize = "default" // an index has its own
	if index.images {
		also = " --images"
	}
	return fmt.Errorf("%w; serve it with the settings that it was made with, or make it anew by these, with the docIds that may stay: neardup rebuild --data %s --method '%s'%s",
		err, data, decides.asked(), also)
}
