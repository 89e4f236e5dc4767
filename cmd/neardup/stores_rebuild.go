//go:build full

package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	newMethod         bool       `flags:"-"` // by these settings, whatever the index was made by
	moves             *movedFile `flags:"-"` // nil: no docIds are judged again
}

// usedAgain lists the settings of serve that rebuild uses. It accepts the others and ignores them.
var usedAgain = []string{"data", "index", "log", "map", "articles", "seal", configFlag}

func (g *again) ready(fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) { f.Hidden = !decides(f.Name) })
	for _, name := range usedAgain {
		fs.Lookup(name).Hidden = false
	}
	fs.Lookup("data").Usage = "folder of a server that does not run"
	for _, name := range []string{"tenant", "moved", "drained", "new-epoch"} {
		fs.Lookup(name).Hidden = false
	}
}

func (g *again) do(ctx context.Context, _ []string) error {
	fs := g.cmd.Flags()
	switch {
	case fs.Changed("method") && g.newEpoch:
		return usage("--method cannot be combined with --new-epoch, because it begins an epoch itself")
	case !g.asked(fs):
		if name := g.unread(fs); name != "" {
			return usage("--%s has no effect without --method, or --map and --articles", name)
		}
		return g.fromFolder(ctx, docid.Rebuild{AsStored: true, Drained: !g.newEpoch})
	case g.newEpoch:
		return usage("--new-epoch: no copy to begin an epoch in (want --data)")
	}
	return g.run(ctx, fs)
}

// asked reports whether the command line requests a rebuild of indexes.
func (g *again) asked(fs *pflag.FlagSet) bool {
	for _, name := range []string{"index", "log", "map", "articles", "tenant", "drained", "method", configFlag} {
		if fs.Changed(name) {
			return true
		}
	}
	return false
}

// unread returns a given flag that has no effect because the rebuild makes no index by other settings. It
// returns "" if there is none.
func (g *again) unread(fs *pflag.FlagSet) (name string) {
	fs.Visit(func(f *pflag.Flag) {
		if f.Name == "moved" || decides(f.Name) {
			name = f.Name
		}
	})
	return name
}

func decides(flag string) bool {
	var known pflag.FlagSet
	new(indexFlags).add(&known)
	return known.Lookup(flag) != nil
}

func (g *again) run(ctx context.Context, fs *pflag.FlagSet) (err error) {
	g.newMethod = fs.Changed("method")
	secrets := g.stores.secrets()
	if _, err := layered(fs); err != nil {
		return err
	}
	settings, err := g.index.settings()
	if err != nil {
		return err
	}
	for _, name := range secrets {
		fmt.Fprintf(g.stderr, "neardup: %s has a secret that any user of this machine can read: use the environment or --config\n", name)
	}
	if g.newMethod {
		settings.Backlog = 0 // as much may wait for the sinks as is moved
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
		return fmt.Errorf("--map %s: %w", where(g.stores.articleMap), err)
	}
	defer func() { err = errors.Join(err, history.Close()) }()
	library, err := g.stores.openArticles(ctx)
	if err != nil {
		return fmt.Errorf("--articles %s: %w", where(g.stores.articles), err)
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
	if g.index.profile == profileClassic {
		return g.classic(ctx, docid.SourceOf(history, library), library, settings)
	}
	if err := g.logEmpty(ctx); err != nil {
		return err
	}
	of.Source = docid.SourceOf(history, library)
	lost, err := g.fromSinks(ctx, of)
	if err == nil && g.stores.log != "" {
		err = adoptLog(ctx, g.app, g.data, &g.stores)
	}
	return errors.Join(err, lost)
}

func (g *again) classic(ctx context.Context, from docid.Source, library docid.Library, settings docid.Settings) (err error) {
	store, err := g.stores.openClassic(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	of := docid.Rebuild{Store: classic.Restorer{Service: store.classic, Library: library}, Source: from, Settings: settings, AsStored: true, Drained: g.drained}
	return errors.Join(g.eachTenant(func(tenant string) (docid.Rebuilt, error) { return g.rebuild(ctx, of, nil, tenant) }))
}

// eachTenant calls again for every tenant. It continues after a tenant that fails. lost reports what the rebuilt
// indexes lack.
func (g *again) eachTenant(again func(tenant string) (docid.Rebuilt, error)) (lost, err error) {
	var failed, lacking []error
	for _, tenant := range g.tenant {
		sum, err := again(tenant)
		if err != nil {
			failed = append(failed, fmt.Errorf("tenant %q: %w", tenant, hint(err)))
			continue
		}
		lacking = append(lacking, lacks(tenant, sum))
	}
	return errors.Join(lacking...), errors.Join(failed...)
}

func lacks(tenant string, sum docid.Rebuilt) error {
	var all []error
	if sum.Missing > 0 {
		all = append(all, fmt.Errorf("tenant %q: the index is made, but the texts of %d docIds are lost", tenant, sum.Missing))
	}
	if sum.Rowless > 0 {
		all = append(all, fmt.Errorf("tenant %q: the index is made, but has no row of %d articles that no client has deleted (MySQL lost them, or gave the nid to another: neardup_parked): their urls and titles are lost", tenant, sum.Rowless))
	}
	return errors.Join(all...)
}

// logEmpty returns an error if the log has entries. It runs before hours of work.
func (g *again) logEmpty(ctx context.Context) error {
	log, closeLog, err := g.stores.openLog(ctx)
	if err != nil || log == nil {
		return err
	}
	last, err := log.Durable(ctx)
	if err == nil && last > 0 {
		err = fmt.Errorf("--log %s is not empty", where(g.stores.log))
	}
	return errors.Join(err, closeLog())
}

// fromSinks rebuilds the lost indexes of the data folder, and reports what they lack.
func (g *again) fromSinks(ctx context.Context, of docid.Rebuild) (lost, err error) {
	alone := g.stores
	alone.log = ""
	store, err := alone.open(ctx, storeDir(g.data))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	of.Store = store
	err = g.withMoves(func() (err error) {
		lost, err = g.eachTenant(func(tenant string) (docid.Rebuilt, error) { return g.rebuild(ctx, of, store, tenant) })
		return errors.Join(err, g.moves.Commit())
	})
	return lost, err
}

// rebuild rebuilds the index of a tenant. If the settings changed, it also judges the docIds of the store again.
func (g *again) rebuild(ctx context.Context, of docid.Rebuild, store docid.Store, tenant string) (docid.Rebuilt, error) {
	of.Tenant, of.Progress = tenant, g.progress(tenant)
	sum, err := of.Run(ctx)
	if err != nil {
		return sum, err
	}
	g.summary(tenant, sum)
	if g.moves == nil {
		return sum, nil
	}
	d, err := docid.NewDetector(ctx, store, tenant, of.Settings)
	if err == nil {
		err = g.rejudge(ctx, tenant, d)
	}
	return sum, err
}

// valid reports a missing flag or flags that cannot be combined.
func (g *again) valid() error {
	switch {
	case g.index.profile == profileClassic && !inRedis(g.stores.index):
		return usage("--profile classic: no index in Redis (want --index redis://HOST:PORT)")
	case g.stores.articleMap == "" || g.stores.articles == "":
		return usage("--map or --articles is missing (want both)")
	case g.stores.index == "" && g.data == "":
		return usage("--data is missing (want the folder of the rebuilt index)")
	case g.stores.index != "" && g.stores.log != "":
		return usage("--index cannot be combined with --log (want --data)")
	case g.stores.index == "memory:":
		return usage("--index memory: the index would be lost with this command (want a folder)")
	}
	return nil
}

// hint adds what the operator can do.
func hint(err error) error {
	switch {
	case errors.Is(err, neardup.ErrUnlike):
		return fmt.Errorf("%w; give the settings that it was served with, or --method to make it by others", err)
	case errors.Is(err, docid.ErrOccupied):
		return fmt.Errorf("%w, and it is left as it is", err)
	case errors.Is(err, docid.ErrUndrained):
		return fmt.Errorf("%w; without --drained an epoch begins", err)
	}
	return err
}

func (g *again) progress(tenant string) func(made int) {
	last := 0
	return nowAndThen(g.stderr, func(made int, since time.Duration) string {
		rate := float64(made-last) / since.Seconds()
		last = made
		return fmt.Sprintf("%s: %s changes replayed, %s a second", oneLine(tenant), grouped(int64(made)), grouped(int64(rate)))
	})
}

func (g *again) summary(tenant string, sum docid.Rebuilt) {
	tell(g.stdout, "tenant %s: rebuilt up to change %s", oneLine(tenant), grouped(int64(sum.Seq)))
	if sum.From > 0 {
		tell(g.stdout, " (those after %s in this run)", grouped(int64(sum.From)))
	}
	tell(g.stdout, "\n  %s, %s\n", counted(int64(sum.Leaders), "docId"), counted(int64(sum.Members), "article"))
	if sum.Digest != "" {
		tell(g.stdout, "  digest of the log: %s\n", sum.Digest)
	}
	if sum.Epoch {
		tell(g.stdout, "  an epoch began: changes after %s, if there were any, are lost, and no docId of them is given again\n", grouped(int64(sum.Seq)))
	}
	if sum.Textless > 0 {
		tell(g.stdout, "  %s docIds have no text, which HBase had not got: articles join them by url or title only\n", grouped(int64(sum.Textless)))
	}
	if sum.Keptless > 0 {
		tell(g.stdout, "  %s kept copies have no text, HBase had not got it or had a later one\n", grouped(int64(sum.Keptless)))
	}
}

func tell(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format, args...) }

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
		return fmt.Errorf("remove what a stopped rebuild left: %w", err)
	}
	return g.withMoves(func() error {
		changed, lost := of.AsStored, error(nil)
		err := pebble.Rebuild(ctx, store, rebuiltDir(g.data), pebble.Options{}, of.AsStored && of.Drained, func(s *pebble.Store, tenant string, from docid.Source) error {
			of.Store, of.Source = s, from
			sum, err := g.rebuild(ctx, of, s, tenant)
			changed, lost = changed || sum.Changed, errors.Join(lost, lacks(tenant, sum))
			return hint(err)
		})
		if err != nil {
			return errors.Join(err, os.RemoveAll(rebuiltDir(g.data)))
		}
		if !changed && g.moves.rows == 0 {
			tell(g.stdout, "--data %s is of these settings already, and nothing was changed\n", g.data)
			return os.RemoveAll(rebuiltDir(g.data))
		}
		if err := g.moves.Commit(); err != nil {
			return err
		}
		return errors.Join(g.exchange(), lost)
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
	tell(g.stdout, "the store as it was is %s: remove it once it is no longer needed\n", beforeDir(g.data))
	return nil
}

// movedFile is the CSV file of the articles with a new docId.
type movedFile struct {
	*corpus.AtomicFile
	csv  *csv.Writer
	rows int
}

// withMoves runs work with g.moves, if the settings change.
func (g *again) withMoves(work func() error) error {
	path := g.moved
	switch {
	case !g.newMethod:
		return work()
	case path == "" && g.data == "":
		return usage("--moved is missing (want a file for the articles with another docId)")
	case path == "":
		path = filepath.Join(g.data, "moved.csv")
	}
	f, err := corpus.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	g.moves = &movedFile{AtomicFile: f, csv: csv.NewWriter(f)}
	if err := g.moves.csv.Write([]string{"nid", "before", "after", "reason", "tenant"}); err != nil {
		return err
	}
	return work()
}

// Commit commits the file, if there is one.
func (m *movedFile) Commit() error {
	if m == nil {
		return nil
	}
	m.csv.Flush()
	if err := m.csv.Error(); err != nil {
		return err
	}
	return m.AtomicFile.Commit()
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
		g.moves.rows++
		return g.moves.csv.Write([]string{corpus.Cell(r.NID), r.Before, r.DocID, r.Why, corpus.Cell(tenant)})
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

// remake adds to a settings mismatch how to rebuild the index.
func remake(err error, data string, index *indexFlags) error {
	if data == "" || !errors.Is(err, neardup.ErrUnlike) {
		return err
	}
	decides, also := index.method, ""
	decides.normalize = "default" // an index has its own
	if index.images {
		also = " --images"
	}
	return fmt.Errorf("%w; serve it with its own settings, or convert it, which keeps docIds where it can: neardup rebuild --data %s --method '%s'%s",
		err, data, decides.asked(), also)
}
