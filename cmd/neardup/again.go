package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// again makes lost indexes again from MySQL and HBase. It takes the settings of
// serve, so that the environment and the file of a server serve it too.
type again struct {
	serve
	tenants []string
	drained bool
	// anew: by these settings, whatever the index was made by.
	anew  bool
	moved string
}

// usedAgain are the settings of serve that matter to it; the others are taken and
// not read.
var usedAgain = []string{"data", "index", "log", "map", "articles", "seal", configFlag}

func (g *again) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	g.flags(fs)
	fs.VisitAll(func(f *pflag.Flag) { f.Hidden = !decides(f.Name) })
	for _, name := range usedAgain {
		fs.Lookup(name).Hidden = false
	}
	fs.Lookup("data").Usage = "folder of a server that does not run"
	bind(fs, "rebuild", flags{"tenant": &g.tenants, "moved": &g.moved, "drained": &g.drained})
}

// asked reports that the command line asks for indexes to be made again.
func (g *again) asked(fs *pflag.FlagSet) bool {
	for _, name := range []string{"index", "log", "map", "articles", "tenant", "drained", "method", configFlag} {
		if fs.Changed(name) {
			return true
		}
	}
	return false
}

// unread is a flag that says how an index decides, or is of one that is made by other settings, where none is
// made; "" if none was given.
func (g *again) unread(fs *pflag.FlagSet) (name string) {
	fs.Visit(func(f *pflag.Flag) {
		if f.Name == "moved" || decides(f.Name) {
			name = f.Name
		}
	})
	return name
}

// decides reports a flag of an index.
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
		fmt.Fprintf(g.stderr, "neardup: %s has a secret that whoever is on this machine can read: use the environment or --config\n", name)
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
	if len(g.tenants) == 0 {
		if g.tenants, err = history.Tenants(ctx); err != nil {
			return err
		}
	}
	if len(g.tenants) == 0 {
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

// classic makes indexes of the classic profile again.
func (g *again) classic(ctx context.Context, history docid.History, library docid.Library, settings docid.Settings) (err error) {
	store, err := g.stores.openClassic(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var failed, lacking []error
	for _, tenant := range g.tenants {
		sum, err := store.classic.Rebuild(ctx, tenant, history, library, g.drained)
		if err != nil {
			failed = append(failed, fmt.Errorf("tenant %q: %w", tenant, hint(err)))
			continue
		}
		g.summary(tenant, sum)
		lacking = append(lacking, lacks(tenant, sum))
	}
	return errors.Join(append(failed, lacking...)...)
}

// lacks says what an index lacks though it is made.
func lacks(tenant string, sum docid.Rebuilt) error {
	var all []error
	if sum.Missing > 0 {
		all = append(all, fmt.Errorf("tenant %q: the index is made, but HBase has lost the texts of %d docIds", tenant, sum.Missing))
	}
	if sum.Rowless > 0 {
		all = append(all, fmt.Errorf("tenant %q: the index is made, but MySQL has no row of %d articles that nobody has deleted (it lost them, or gave the nid to another: neardup_parked): their urls and titles are lost", tenant, sum.Rowless))
	}
	return errors.Join(all...)
}

// logEmpty refuses a log that others follow, before hours of work for it.
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

// folder makes the indexes again in the folder, and says what they lack though they are made.
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

// valid says what is missing.
func (g *again) valid() error {
	switch {
	case g.index.profile == profileClassic && !inRedis(g.stores.index):
		return usage("--profile classic has its index in Redis: --index redis://HOST:PORT")
	case g.stores.articleMap == "" || g.stores.articles == "":
		return usage("--map and --articles are needed: an index is made again from both")
	case g.stores.index == "" && g.data == "":
		return usage("--data says in which folder it is to be")
	case g.stores.index != "" && g.stores.log != "":
		return usage("--index and --log exclude each other: the folder is that of --data")
	case g.stores.index == "memory:":
		return usage("--index memory: would end with this command")
	}
	return nil
}

// each makes the index of every tenant again; one does not keep the others from theirs.
func (g *again) each(ctx context.Context, of docid.Rebuild) (lost, err error) {
	var failed, lacking []error
	var moved *movedFile
	if g.anew {
		var err error
		if moved, err = g.openMoved(); err != nil {
			return nil, err
		}
		defer moved.Abort()
	}
	for _, tenant := range g.tenants {
		b := of
		b.Tenant, b.Progress = tenant, g.progress(tenant)
		sum, err := b.Run(ctx)
		if err != nil {
			failed = append(failed, fmt.Errorf("tenant %q: %w", tenant, hint(err)))
			continue
		}
		g.summary(tenant, sum)
		lacking = append(lacking, lacks(tenant, sum))
		if g.anew {
			failed = append(failed, g.judgeAgain(ctx, &b, moved))
		}
	}
	if moved != nil {
		failed = append(failed, moved.Commit())
	}
	return errors.Join(lacking...), errors.Join(failed...)
}

// judgeAgain holds an index that was made by other settings to its docIds.
func (g *again) judgeAgain(ctx context.Context, b *docid.Rebuild, moved *movedFile) error {
	d, err := docid.NewDetector(ctx, b.Store, b.Tenant, b.Settings)
	if err != nil {
		return err
	}
	return g.rejudge(ctx, b.Tenant, d, moved)
}

// hint adds what there is to do.
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

// progress tells how far it is.
func (g *again) progress(tenant string) func(made int) {
	last := 0
	return nowAndThen(g.stderr, func(made int, since time.Duration) string {
		rate := float64(made-last) / since.Seconds()
		last = made
		return fmt.Sprintf("%s: %s changes made again, %s a second", oneLine(tenant), grouped(int64(made)), grouped(int64(rate)))
	})
}

// summary says what was made again, and what not.
func (g *again) summary(tenant string, sum docid.Rebuilt) {
	tell(g.stdout, "tenant %s: made again up to change %s", oneLine(tenant), grouped(int64(sum.Seq)))
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
