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
	"github.com/neardup/neardup/internal/durable"
	"github.com/neardup/neardup/store/pebble"
	"github.com/spf13/pflag"
)

// again rebuilds lost indexes from MySQL and HBase. It accepts the settings of serve, so that it can use the
// environment and the configuration file of a server.
type again struct {
	serve
	tenant            []string
	drained, newEpoch bool
	moved             string
	anew              bool `flags:"-"` // by these settings, whatever the index was made by
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
		return usage("--method and --new-epoch exclude each other: the first begins an epoch")
	case !g.asked(fs):
		if name := g.unread(fs); name != "" {
			return usage("--%s has no effect without --method, or --map and --articles", name)
		}
		return g.derived(ctx)
	case g.newEpoch:
		return usage("--new-epoch is for a copy in --data")
	}
	return g.run(ctx, fs)
}

// derived rebuilds the derived rows of the store.
func (g *again) derived(ctx context.Context) error {
	store, err := closedIn(g.data)
	if err != nil {
		return err
	}
	if err := pebble.Rebuild(ctx, store, pebble.Options{}); err != nil {
		return err
	}
	sum, err := pebble.Digest(ctx, store, pebble.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(g.stdout, "rebuilt, digest %s\n", sum)
	if !g.newEpoch {
		return nil
	}
	if err := pebble.MarkCopy(ctx, store, pebble.Options{}); err != nil {
		return err
	}
	fmt.Fprintln(g.stdout, "marked as a copy: a new epoch begins when it is next served")
	return nil
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

// decides reports whether a flag is one of an index.
func decides(flag string) bool {
	var known pflag.FlagSet
	new(indexFlags).add(&known)
	return known.Lookup(flag) != nil
}

func (g *again) run(ctx context.Context, fs *pflag.FlagSet) (err error) {
	g.anew = fs.Changed("method")
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
	if g.anew {
		settings.Backlog = 0 // as much may wait for the sinks as is moved
	}
	if folder := storeDir(g.data); g.anew && g.data != "" && g.stores.index == "" && (there(folder) || interrupted(folder)) {
		return g.rekey(ctx, settings)
	}
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
		if g.tenant, err = history.Tenants(ctx); err != nil {
			return err
		}
	}
	if len(g.tenant) == 0 {
		return fmt.Errorf("--map %s has no log of any tenant", where(g.stores.articleMap))
	}
	if g.index.profile == profileClassic {
		return g.classic(ctx, history, library, settings)
	}
	if err := g.logEmpty(ctx); err != nil {
		return err
	}
	lost, err := g.folder(ctx, docid.Rebuild{History: history, Library: library, Settings: settings, Anew: g.anew, Drained: g.drained})
	if err == nil && g.stores.log != "" {
		err = adoptLog(ctx, g.app, g.data, &g.stores)
	}
	return errors.Join(err, lost)
}

// classic rebuilds indexes of the classic profile.
func (g *again) classic(ctx context.Context, history docid.History, library docid.Library, settings docid.Settings) (err error) {
	store, err := g.stores.openClassic(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return errors.Join(g.eachTenant(func(tenant string) (docid.Rebuilt, error) {
		return store.classic.Rebuild(ctx, tenant, history, library, g.drained)
	}, nil))
}

// eachTenant calls again for every tenant, and then done. It continues after a tenant that fails. lost
// reports what the rebuilt indexes lack.
func (g *again) eachTenant(again func(tenant string) (docid.Rebuilt, error), done func(tenant string) error) (lost, err error) {
	var failed, lacking []error
	for _, tenant := range g.tenant {
		sum, err := again(tenant)
		if err != nil {
			failed = append(failed, fmt.Errorf("tenant %q: %w", tenant, hint(err)))
			continue
		}
		g.summary(tenant, sum)
		lacking = append(lacking, lacks(tenant, sum))
		if done != nil {
			failed = append(failed, done(tenant))
		}
	}
	return errors.Join(lacking...), errors.Join(failed...)
}

// lacks returns an error that describes what a rebuilt index lacks.
func lacks(tenant string, sum docid.Rebuilt) error {
	var all []error
	if sum.Missing > 0 {
		all = append(all, fmt.Errorf("tenant %q: the index is made, but HBase has lost the texts of %d docIds", tenant, sum.Missing))
	}
	if sum.Rowless > 0 {
		all = append(all, fmt.Errorf("tenant %q: the index is made, but MySQL has no row of %d articles that no client has deleted (it lost them, or gave the nid to another: neardup_parked): their urls and titles are lost", tenant, sum.Rowless))
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

// folder rebuilds the indexes in the data folder, and reports what they lack.
func (g *again) folder(ctx context.Context, of docid.Rebuild) (lost, err error) {
	alone := g.stores
	alone.log = ""
	store, err := alone.open(ctx, storeDir(g.data))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	of.Store = store
	return g.each(ctx, of)
}

// valid reports a missing flag or flags that cannot be combined.
func (g *again) valid() error {
	switch {
	case g.index.profile == profileClassic && !inRedis(g.stores.index):
		return usage("--profile classic has its index in Redis: --index redis://HOST:PORT")
	case g.stores.articleMap == "" || g.stores.articles == "":
		return usage("--map and --articles are needed: an index is rebuilt from both")
	case g.stores.index == "" && g.data == "":
		return usage("--data says in which folder it is to be")
	case g.stores.index != "" && g.stores.log != "":
		return usage("--index and --log exclude each other: the folder is that of --data")
	case g.stores.index == "memory:":
		return usage("--index memory: would end with this command")
	}
	return nil
}

// each rebuilds the index of every tenant. If the settings changed, it also judges the docIds again.
func (g *again) each(ctx context.Context, of docid.Rebuild) (lost, err error) {
	again := func(tenant string) (docid.Rebuilt, error) {
		b := of
		b.Tenant, b.Progress = tenant, g.progress(tenant)
		return b.Run(ctx)
	}
	if !g.anew {
		return g.eachTenant(again, nil)
	}
	moved, err := g.openMoved()
	if err != nil {
		return nil, err
	}
	defer moved.Abort()
	lost, err = g.eachTenant(again, func(tenant string) error {
		d, err := docid.NewDetector(ctx, of.Store, tenant, of.Settings)
		if err != nil {
			return err
		}
		return g.rejudge(ctx, tenant, d, moved)
	})
	return lost, errors.Join(err, moved.Commit())
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

// progress returns a function that prints the progress of a tenant.
func (g *again) progress(tenant string) func(made int) {
	last := 0
	return nowAndThen(g.stderr, func(made int, since time.Duration) string {
		rate := float64(made-last) / since.Seconds()
		last = made
		return fmt.Sprintf("%s: %s changes replayed, %s a second", oneLine(tenant), grouped(int64(made)), grouped(int64(rate)))
	})
}

// summary prints what was rebuilt for a tenant.
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
		tell(g.stdout, "  %s docIds have no text, HBase had not got it: articles join them by url or title only\n", grouped(int64(sum.Textless)))
	}
	if sum.Keptless > 0 {
		tell(g.stdout, "  %s kept copies have no text, HBase had not got it or had a later one\n", grouped(int64(sum.Keptless)))
	}
}

func tell(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format, args...) }

// A rebuild with other settings writes the new store to DIR/store.anew. Afterwards it moves the previous
// store to DIR/store.before.
func anewDir(data string) string   { return storeDir(data) + ".anew" }
func beforeDir(data string) string { return storeDir(data) + ".before" }

// interrupted reports whether a rebuild was interrupted between the two renames.
func interrupted(folder string) bool {
	return !there(folder) && there(folder+".before") && there(folder+".anew")
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// rekey rebuilds the store in the folder with other settings.
func (g *again) rekey(ctx context.Context, settings docid.Settings) error {
	if interrupted(storeDir(g.data)) {
		return g.exchange()
	}
	if before := beforeDir(g.data); there(before) {
		return fmt.Errorf("%s is there from an earlier rebuild: remove it once it is no longer needed", before)
	}
	if err := os.RemoveAll(anewDir(g.data)); err != nil {
		return fmt.Errorf("remove what a stopped rebuild left: %w", err)
	}
	moved, err := g.openMoved()
	if err != nil {
		return err
	}
	defer moved.Abort()
	changed, err := rekey(ctx, storeDir(g.data), anewDir(g.data), settings, func(tenant string, d *docid.Detector) error {
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

// exchange replaces the previous store with the rebuilt one.
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
	tell(g.stdout, "the store as it was is %s: remove it once it is no longer needed\n", beforeDir(g.data))
	return nil
}

// movedFile is the CSV file of the articles with a new docId.
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

// Commit commits the file.
func (m *movedFile) Commit() error {
	m.csv.Flush()
	if err := m.csv.Error(); err != nil {
		return err
	}
	return m.AtomicFile.Commit()
}

// rejudge judges the docIds of one index again.
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
	return fmt.Errorf("%w; serve it with the settings that it was made with, or rebuild it by these, with the docIds that may stay: neardup rebuild --data %s --method '%s'%s",
		err, data, decides.asked(), also)
}

// rekey copies a store to another folder with other settings, and calls judge for each index of the copy.
// changed is false if all indexes already have these settings.
func rekey(ctx context.Context, from, to string, settings docid.Settings, judge func(tenant string, d *docid.Detector) error) (changed bool, err error) {
	anew := func(tenant string, id docid.Identity) (*docid.Rekeyed, error) {
		r, err := settings.Rekey(tenant, id)
		changed = changed || err == nil && r.Spec != id.Spec
		return r, err
	}
	err = pebble.Rekey(ctx, from, to, pebble.Options{}, anew, func(store *pebble.Store) error {
		tenants, err := store.Tenants(ctx)
		if err != nil {
			return err
		}
		for _, tenant := range tenants {
			d, err := docid.NewDetector(ctx, store, tenant, settings)
			if err == nil {
				err = judge(tenant, d)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return changed, err
}
