//go:build full

package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/classic"
	"github.com/neardup/neardup/internal/durable"
	"github.com/neardup/neardup/store/pebble"
	"github.com/spf13/pflag"
)

// again rebuilds indexes, from the folder itself or from MySQL and HBase. It accepts the settings of serve, so that it
// can use the environment and the configuration file of a server.
type again struct {
	serve
	tenant            []string
	drained, newEpoch bool
	moved             string
	newMethod         bool                  `flags:"-"` // judge by these settings instead of those of the index
	moves             func([5]string) error // writes a row for an article with a new docId; nil if the settings are unchanged
	changed           bool                  `flags:"-"` // some index was changed
	lost              error                 // what the rebuilt indexes lack
}

// usedAgain lists the flags that rebuild uses in addition to those of an index. It accepts the others and ignores them.
var usedAgain = []string{"data", "index", "log", "map", "articles", "seal", configFlag, "tenant", "moved", "drained", "new-epoch"}

func (g *again) ready(fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) { f.Hidden = !decides(f.Name) && !slices.Contains(usedAgain, f.Name) })
	fs.Lookup("data").Usage = "folder of a stopped server"
}

func (g *again) do(ctx context.Context, _ []string) error {
	fs := g.cmd.Flags()
	switch {
	case fs.Changed("method") && g.newEpoch:
		return usage("--method cannot be combined with --new-epoch, because --method begins an epoch, too")
	case !slices.ContainsFunc([]string{"index", "log", "map", "articles", "tenant", "drained", "method", configFlag}, fs.Changed):
		unread := ""
		fs.Visit(func(f *pflag.Flag) {
			if f.Name == "moved" || decides(f.Name) {
				unread = f.Name
			}
		})
		if unread != "" {
			return usage("--%s has no effect without --method, or --map and --articles", unread)
		}
		return g.fromFolder(ctx, docid.Rebuild{AsStored: true, Drained: !g.newEpoch})
	case g.newEpoch:
		return usage("--new-epoch: --data is missing (want the copy in which the epoch begins)")
	}
	return g.run(ctx, fs)
}

func (g *again) run(ctx context.Context, fs *pflag.FlagSet) (err error) {
	g.newMethod = fs.Changed("method")
	secrets := g.stores.secrets()
	if _, err := layered(fs); err != nil {
		return err
	}
	if err := refused(g.cmd); err != nil {
		return err
	}
	settings, err := g.index.settings()
	if err != nil {
		return err
	}
	for _, name := range secrets {
		fmt.Fprintf(g.stderr, "neardup: %s has a secret that any user of this machine can read (use the environment or --config)\n", name)
	}
	if g.newMethod {
		settings.Backlog = 0 // all moved articles may wait for the sinks
	}
	of := docid.Rebuild{Settings: settings, Rejudge: g.newMethod}
	if folder := storeDir(g.data); g.newMethod && g.data != "" && g.stores.index == "" && (there(folder) || interrupted(folder)) {
		return g.fromFolder(ctx, of)
	}
	of.Drained = g.drained
	if err := g.valid(); err != nil {
		return err
	}
	history, err := g.stores.openMap(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, history.Close()) }()
	library, err := g.stores.openArticles(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, library.Close()) }()
	if len(g.tenant) == 0 {
		g.tenant, err = history.Tenants(ctx)
		if err != nil {
			return err
		}
	}
	if len(g.tenant) == 0 {
		return fmt.Errorf("--map %s has no log of any tenant", where(g.stores.articleMap))
	}
	of.Source = docid.SourceOf(history, library)
	if g.index.profile == profileClassic {
		return g.classic(ctx, of, library)
	}
	if err := g.logEmpty(ctx); err != nil {
		return err
	}
	err = g.fromSinks(ctx, of)
	if err == nil && g.stores.log != "" {
		err = adoptLog(ctx, g.app, g.data, &g.stores)
	}
	return errors.Join(err, g.lost)
}

func (g *again) classic(ctx context.Context, of docid.Rebuild, library docid.Library) (err error) {
	store, err := g.stores.openClassic(ctx, of.Settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	of.Store, of.AsStored, of.Rejudge = classic.Restorer{Service: store.classic, Library: library}, true, false
	return errors.Join(g.eachTenant(ctx, of, nil), g.lost)
}

// eachTenant rebuilds the index of every tenant. If one tenant fails, it continues with the next.
func (g *again) eachTenant(ctx context.Context, of docid.Rebuild, store docid.Store) error {
	var failed []error
	for _, tenant := range g.tenant {
		if _, err := g.rebuild(ctx, of, store, tenant); err != nil {
			failed = append(failed, fmt.Errorf("tenant %q: %w", tenant, hint(err)))
		}
	}
	return errors.Join(failed...)
}

// lacks records what the index of a tenant lacks, if any.
func (g *again) lacks(tenant string, count int, things string) {
	if count > 0 {
		g.lost = errors.Join(g.lost, fmt.Errorf("tenant %q: the index was rebuilt, but "+things, tenant, count))
	}
}

// logEmpty returns an error if the log has entries. It runs before hours of work.
func (g *again) logEmpty(ctx context.Context) error {
	log, err := g.stores.openLog(ctx)
	if err != nil || log == nil {
		return err
	}
	last, err := log.Durable(ctx)
	if err == nil && last > 0 {
		err = fmt.Errorf("--log %s is not empty", where(g.stores.log))
	}
	return errors.Join(err, log.Close())
}

// fromSinks rebuilds the lost indexes of the data folder.
func (g *again) fromSinks(ctx context.Context, of docid.Rebuild) (err error) {
	alone := g.stores
	alone.log = ""
	store, err := alone.open(ctx, storeDir(g.data))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	of.Store = store
	return g.withMoves(func(commit func() error) error {
		return errors.Join(g.eachTenant(ctx, of, store), commit())
	})
}

// rebuild rebuilds the index of a tenant. If the settings changed, it also judges the docIds of the store again.
func (g *again) rebuild(ctx context.Context, of docid.Rebuild, store docid.Store, tenant string) (docid.Rebuilt, error) {
	last := 0
	of.Tenant, of.Progress = tenant, nowAndThen(g.stderr, func(made int, since time.Duration) string {
		rate := float64(made-last) / since.Seconds()
		last = made
		return fmt.Sprintf("%s: %s changes replayed, %s a second", oneLine(tenant), grouped(int64(made)), grouped(int64(rate)))
	})
	sum, err := of.Run(ctx)
	if err != nil {
		return sum, err
	}
	g.summary(tenant, sum)
	g.lacks(tenant, sum.Missing, "the texts of %d docIds are lost")
	g.lacks(tenant, sum.Rowless, "has no row of %d articles that were never deleted (MySQL lost them, or the nid was used again: see neardup_parked): their urls and titles are lost")
	if g.moves == nil {
		return sum, nil
	}
	d, err := docid.NewDetector(ctx, store, tenant, of.Settings)
	if err != nil {
		return sum, err
	}
	return sum, g.rejudge(ctx, tenant, d)
}

// valid reports a missing flag or flags that cannot be combined.
func (g *again) valid() error {
	switch {
	case g.stores.articleMap == "" || g.stores.articles == "":
		return usage("--map or --articles is missing (want both)")
	case g.stores.index == "" && g.data == "":
		return usage("--data is missing (want the folder of the rebuilt index)")
	}
	return nil
}

// hint adds to an error what the operator can do.
func hint(err error) error {
	switch {
	case errors.Is(err, neardup.ErrUnlike):
		return fmt.Errorf("%w (want the settings that it was served with, or --method to change them)", err)
	case errors.Is(err, docid.ErrOccupied):
		return fmt.Errorf("%w; it was not changed", err)
	case errors.Is(err, docid.ErrUndrained):
		return fmt.Errorf("%w; without --drained a new epoch begins", err)
	}
	return err
}

func (g *again) summary(tenant string, sum docid.Rebuilt) {
	fmt.Fprintf(g.stdout, "tenant %s: rebuilt up to change %s", oneLine(tenant), grouped(int64(sum.Seq)))
	if sum.From > 0 {
		fmt.Fprintf(g.stdout, " (those after %s in this run)", grouped(int64(sum.From)))
	}
	fmt.Fprintf(g.stdout, "\n  %s, %s\n", counted(int64(sum.Leaders), "docId"), counted(int64(sum.Members), "article"))
	if sum.Digest != "" {
		fmt.Fprintf(g.stdout, "  digest of the log: %s\n", sum.Digest)
	}
	if sum.Epoch {
		fmt.Fprintf(g.stdout, "  an epoch began: any changes after %s are lost, and their docIds are never used again\n", grouped(int64(sum.Seq)))
	}
	g.some(int(sum.Textless), "docIds have no text, because HBase did not have it: articles join them by url or title only")
	g.some(int(sum.Keptless), "kept copies have no text, because HBase did not have it or had a later one")
}

// some prints a number of things, unless there is none.
func (g *again) some(n int, things string) {
	if n > 0 {
		fmt.Fprintf(g.stdout, "  %s %s\n", grouped(int64(n)), things)
	}
}

// rebuiltDir returns the folder into which a rebuild from the folder writes the new store. Afterwards the rebuild moves the
// previous store to DIR/store.before.
func rebuiltDir(data string) string { return storeDir(data) + ".rebuilt" }
func beforeDir(data string) string  { return storeDir(data) + ".before" }

// interrupted reports whether a rebuild was interrupted between the two renames.
func interrupted(folder string) bool {
	return !there(folder) && there(folder+".before") && there(folder+".rebuilt")
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// fromFolder rebuilds the store in the folder from its own texts.
func (g *again) fromFolder(ctx context.Context, of docid.Rebuild) error {
	if interrupted(storeDir(g.data)) {
		return g.exchange()
	}
	store, err := closedIn(g.data)
	if err != nil {
		return err
	}
	if before := beforeDir(g.data); there(before) {
		return fmt.Errorf("%s: left by an earlier rebuild (remove it if you no longer need it)", before)
	}
	if err := os.RemoveAll(rebuiltDir(g.data)); err != nil {
		return fmt.Errorf("remove files of a stopped rebuild: %w", err)
	}
	return g.withMoves(func(commit func() error) error {
		g.changed = of.AsStored
		err := pebble.Rebuild(ctx, store, rebuiltDir(g.data), pebble.Options{}, of.AsStored && of.Drained, func(s *pebble.Store, tenant string, from docid.Source) error {
			of.Store, of.Source = s, from
			sum, err := g.rebuild(ctx, of, s, tenant)
			g.changed = g.changed || sum.Changed
			return hint(err)
		})
		if err != nil {
			return errors.Join(err, os.RemoveAll(rebuiltDir(g.data)))
		}
		if !g.changed {
			fmt.Fprintf(g.stdout, "--data %s: no change, because it has these settings already\n", g.data)
			return os.RemoveAll(rebuiltDir(g.data))
		}
		if err := commit(); err != nil {
			return err
		}
		return errors.Join(g.exchange(), g.lost)
	})
}

func (g *again) exchange() error {
	store := storeDir(g.data)
	if there(store) {
		if err := durable.Rename(store, beforeDir(g.data)); err != nil {
			return err
		}
	}
	if err := durable.Rename(rebuiltDir(g.data), store); err != nil {
		return err
	}
	fmt.Fprintf(g.stdout, "the old store is %s: remove it when you no longer need it\n", beforeDir(g.data))
	return nil
}

// withMoves runs work with g.moves, if the settings change. Work calls commit for the file of moves to appear.
func (g *again) withMoves(work func(commit func() error) error) error {
	path := g.moved
	switch {
	case !g.newMethod:
		return work(func() error { return nil })
	case path == "" && g.data == "":
		return usage("--moved is missing (want a file for the articles whose docId changes)")
	case path == "":
		path = filepath.Join(g.data, "moved.csv")
	}
	f, err := corpus.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	rows := csv.NewWriter(f)
	g.moves = func(row [5]string) error { return rows.Write(row[:]) }
	if err := g.moves([5]string{"nid", "before", "after", "reason", "tenant"}); err != nil {
		return err
	}
	return work(func() error {
		rows.Flush() // f keeps its error
		return f.Commit()
	})
}

func (g *again) rejudge(ctx context.Context, tenant string, d *docid.Detector) (err error) {
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
		g.changed = true
		return g.moves([5]string{corpus.Cell(r.NID), r.Before, r.DocID, r.Why, corpus.Cell(tenant)})
	})
	if err != nil {
		return fmt.Errorf("tenant %q: %w", tenant, err)
	}
	fmt.Fprintf(g.stdout, "tenant %s: %s docIds, %s articles judged again, %s have another docId\n",
		oneLine(tenant), grouped(int64(sum.DocIDs)), grouped(int64(sum.Articles)), grouped(int64(sum.Moved)))
	g.some(sum.Textless, "articles keep their docId, because their text is not stored")
	g.some(sum.Together, "docIds are like an earlier one but stay, because other articles belong to them")
	g.some(sum.Undecided, "articles keep their docId, because too many docIds share a key with them")
	return nil
}

// remake adds to a settings mismatch how to rebuild the index.
func remake(err error, data string, index *indexFlags) error {
	if data == "" || !errors.Is(err, neardup.ErrUnlike) {
		return err
	}
	return fmt.Errorf("%w (serve it with its own settings, or change it, which keeps docIds where possible: neardup rebuild --data %s %s)",
		err, data, index.asked())
}
