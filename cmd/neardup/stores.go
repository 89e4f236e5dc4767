//go:build full

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/classic"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/store/hbase"
	"github.com/neardup/neardup/store/kafkalog"
	"github.com/neardup/neardup/store/memory"
	"github.com/neardup/neardup/store/mysql"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/store/redislog"
	"github.com/neardup/neardup/store/s3"
	"github.com/prometheus/client_golang/prometheus"
)

// storeFlags are the flags that select the stores of a service. Only this type converts addresses to stores.
type storeFlags struct {
	index, log               string
	articleMap               string `flags:"map"`
	articles                 string
	keepLog, snapshotEvery   time.Duration
	snapshots, seal          string
	detach                   []string
	cache                    size
	words                    time.Duration `flags:"words-for"`
	snapshotFailed, logWaits func(error)
	logRestarted             func(time.Time)
}

// openTexts opens the folder of texts for moderators. It returns nil if no texts are kept.
func openTexts(data string, keep time.Duration) (*pebble.Texts, error) {
	if keep <= 0 {
		return nil, nil
	}
	return pebble.OpenTexts(filepath.Join(data, "texts"), keep)
}

// secrets returns the command-line flags that contain a password. The caller must call it before it reads the
// environment and the file.
func (f *storeFlags) secrets() []string {
	var names []string
	for name, address := range map[string]string{"--index": f.index, "--log": f.log, "--map": f.articleMap, "--articles": f.articles} {
		if _, has := password(address); has {
			names = append(names, name)
		}
	}
	if f.seal != "" {
		names = append(names, "--seal")
	}
	return names
}

func password(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return "", false
	}
	return u.User.Password()
}

func inRedis(address string) bool {
	return strings.HasPrefix(address, "redis://") || strings.HasPrefix(address, "rediss://")
}

// where returns an address without its password, for the log.
func where(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	return u.Redacted()
}

// An openStore is a store with its optional parts.
type openStore struct {
	docid.Store // nil for classic
	classic     *classic.Service
	embedded    *pebble.Store // nil for other stores
	losses      []string      // how this setup may lose data
	// clock returns the time of the log that the store follows. It is nil without a log.
	clock func(ctx context.Context) (time.Time, error)
	// closeLog closes the log of the store, or classic. It is nil without either.
	closeLog func() error
}

// Poisoned returns why the store takes no more writes, or nil.
func (s *openStore) Poisoned() error {
	if store, ok := s.Store.(interface{ Poisoned() error }); ok {
		return orAdopt(store.Poisoned())
	}
	return nil
}

// open opens the index. It is in folder unless an address selects another store.
func (f *storeFlags) open(ctx context.Context, folder string) (*openStore, error) {
	if err := f.known(); err != nil {
		return nil, err
	}
	switch {
	case inRedis(f.index):
		return nil, usage("--index %s: only for --profile classic (want a folder; several servers share a --log)", where(f.index))
	case f.index == "memory:":
		s, err := memory.New(ctx)
		if err != nil {
			return nil, err
		}
		return &openStore{Store: s, losses: []string{"the index lies in memory and ends with this process"}}, nil
	case f.index != "":
		folder = strings.TrimPrefix(f.index, "pebble:")
	}
	if interrupted(folder) {
		return nil, fmt.Errorf("%s: left by an unfinished rebuild (run neardup rebuild again)", folder)
	}
	snapshots, err := f.openSnapshots(ctx, folder)
	if err != nil {
		return nil, err
	}
	log, closeLog, err := f.openLog(ctx)
	if err != nil {
		return nil, err
	}
	_, files := shareFiles(openFiles())
	s, err := pebble.Open(ctx, folder, pebble.Options{
		CacheBytes: int64(f.cache), OpenFiles: files, Log: log, KeepLog: f.keepLog,
		Snapshots: snapshots, SnapshotEvery: f.snapshotEvery, SnapshotFailed: f.snapshotFailed,
		LogWaits: f.logWaits, LogRestarted: f.logRestarted,
	})
	if err != nil {
		return nil, errors.Join(orAdopt(err), closeLog())
	}
	of := &openStore{Store: s, embedded: s, closeLog: closeLog}
	if shared, ok := log.(interface {
		Time(ctx context.Context) (time.Time, error)
	}); ok {
		of.clock = shared.Time
	}
	return of, nil
}

// orAdopt adds to the loss of a log what the operator can do.
func orAdopt(err error) error {
	if errors.Is(err, docid.ErrLogLost) {
		err = fmt.Errorf("%w; if its entries are lost: stop all servers, empty it, and have neardup log adopt begin it again", err)
	}
	return err
}

// openClassic opens the index of the classic system.
func (f *storeFlags) openClassic(ctx context.Context, settings docid.Settings) (*openStore, error) {
	s, err := classic.Open(ctx, classic.Options{Address: f.index, Clean: settings.Clean, Words: f.words, Backlog: settings.Backlog})
	if err != nil {
		return nil, fmt.Errorf("--index %s: %w", where(f.index), err)
	}
	losses, err := s.Losses(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--index %s: %w", where(f.index), err), s.Close())
	}
	return &openStore{classic: s, losses: losses, closeLog: s.Close}, nil
}

// remote returns the functions that query other machines. A function is nil if the store does not need it.
func (s *openStore) remote() (r server.Remote) {
	r.Clock = s.clock
	if s.classic != nil {
		r.Reach = s.classic.Reach
	}
	return r
}

// openClassic returns a function that opens the classic index of a tenant, or nil without classic.
func (s *openStore) openClassic() func(context.Context, string) (server.Classic, error) {
	if s.classic == nil {
		return nil
	}
	return func(ctx context.Context, tenant string) (server.Classic, error) { return s.classic.Index(ctx, tenant) }
}

// openLog opens the log that servers share. It returns nil without --log.
func (f *storeFlags) openLog(ctx context.Context) (docid.Log, func() error, error) {
	scheme, _, _ := strings.Cut(f.log, "://")
	switch scheme {
	case "":
		return nil, func() error { return nil }, nil
	case "redis", "rediss":
		return openedLog(ctx, f.log, redislog.Open)
	case "kafka", "kafka+tls":
		return openedLog(ctx, f.log, kafkalog.Open)
	}
	return nil, nil, f.known()
}

// openSnapshots opens the store of snapshots. It returns nil without --snapshots.
func (f *storeFlags) openSnapshots(ctx context.Context, folder string) (pebble.SnapshotStore, error) {
	switch {
	case f.snapshots == "":
		return nil, nil
	case !strings.Contains(f.snapshots, "://"):
		return pebble.SnapshotFolder(f.snapshots), nil
	}
	bucket, err := s3.Open(ctx, f.snapshots, folder+".snapshot")
	if err != nil {
		return nil, fmt.Errorf("--snapshots %s: %w", where(f.snapshots), err)
	}
	return bucket, nil
}

type closingLog interface {
	docid.Log
	Close() error
}

func openedLog[L closingLog](ctx context.Context, address string, open func(context.Context, string) (L, error)) (docid.Log, func() error, error) {
	l, err := open(ctx, address)
	if err != nil {
		return nil, nil, fmt.Errorf("--log %s: %w", where(address), err)
	}
	return l, l.Close, nil
}

// Close closes the store, and then the log that it follows.
func (s *openStore) Close() error {
	var err error
	if s.Store != nil {
		err = s.Store.Close()
	}
	if s.closeLog != nil {
		err = errors.Join(err, s.closeLog())
	}
	return err
}

func (s *openStore) gauges(r *prometheus.Registry) {
	store := s.embedded
	if store == nil {
		return
	}
	for _, f := range []struct {
		name, help string
		value      func() float64
	}{
		{"neardup_store_disk_bytes", "Bytes of the store on disk.", func() float64 { return float64(store.Metrics().DiskSpaceUsage()) }},
		{"neardup_store_compaction_debt_bytes", "Bytes that compactions have yet to rewrite.", func() float64 { return float64(store.Metrics().Compact.EstimatedDebt) }},
		{"neardup_log_applied", "Entries of the log that this server has applied; 0: it follows none.", func() float64 { return float64(store.Applied()) }},
		{"neardup_log_snapshot", "An entry of the log that the newest of --snapshots has; 0: there is none.", func() float64 { return float64(store.LastSnapshot()) }},
		{"neardup_store_read_amplification", "Files that a read may have to ask.", func() float64 { return float64(store.Metrics().ReadAmp()) }},
	} {
		gauge(r, f.name, f.help, f.value)
	}
}

// known rejects an address whose scheme is not supported for the flag.
func (f *storeFlags) known() error {
	for _, a := range []struct{ flag, address, schemes string }{
		{"index", f.index, "redis, rediss"}, {"log", f.log, "redis, rediss, kafka, kafka+tls"}, {"snapshots", f.snapshots, "s3"},
		{sinkMap, f.articleMap, "mysql"}, {sinkArticles, f.articles, "hbase+http"},
	} {
		scheme, _, addressed := strings.Cut(a.address, "://")
		folder := !addressed && (a.flag == "index" || a.flag == "snapshots")
		if a.address != "" && !folder && !slices.Contains(strings.Split(a.schemes, ", "), scheme) {
			return usage("--%s %s: unknown scheme %q (want %s)", a.flag, where(a.address), scheme, a.schemes)
		}
	}
	return nil
}

func (f *storeFlags) valid() error {
	if err := f.known(); err != nil {
		return err
	}
	if _, err := f.sealKey(); err != nil {
		return usage("--seal: %w", err)
	}
	if f.keepLog != 0 && f.keepLog < time.Minute {
		return usage("--keep-log: too short (want at least 1m)")
	}
	if f.snapshots != "" && f.log == "" {
		return usage("--snapshots has no effect without --log (use neardup backup for a single server)")
	}
	if f.snapshots != "" && f.snapshotEvery < time.Minute {
		return usage("--snapshot-every: too short (want at least 1m)")
	}
	if f.log != "" && (inRedis(f.index) || f.index == "memory:") {
		return usage("--log cannot be combined with --index %s (want an index in a folder)", where(f.index))
	}
	for _, name := range f.detach {
		address, known := map[string]string{sinkMap: f.articleMap, sinkArticles: f.articles}[name]
		if !known {
			return usage("--detach %s: invalid (want %s or %s)", name, sinkMap, sinkArticles)
		}
		if address != "" {
			return usage("--detach %s cannot be combined with --%s", name, name)
		}
	}
	return nil
}

// sealKey parses --seal. It returns nil without --seal.
func (f *storeFlags) sealKey() (*mysql.Seal, error) {
	if f.seal == "" {
		return nil, nil
	}
	return mysql.ParseSeal(f.seal)
}

// unsealed reports that MySQL receives too little to rebuild a lost index.
func (f *storeFlags) unsealed() bool { return f.articleMap != "" && f.seal == "" }

// The names by which an index knows its sinks.
const (
	sinkMap      = "map"
	sinkArticles = "articles"
)

// sinks opens the configured sinks by their names in the index.
func (f *storeFlags) sinks(ctx context.Context) (map[string]docid.Sink, error) {
	all := map[string]docid.Sink{}
	for _, sink := range []struct {
		name, address string
		open          func() (docid.Sink, error)
	}{
		{sinkMap, f.articleMap, func() (docid.Sink, error) { return f.openMap(ctx) }},
		{sinkArticles, f.articles, func() (docid.Sink, error) { return f.openArticles(ctx) }},
	} {
		if sink.address == "" {
			continue
		}
		s, err := sink.open()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("--%s %s: %w", sink.name, where(sink.address), err), closeSinks(all))
		}
		all[sink.name] = s
	}
	return all, nil
}

func (f *storeFlags) openMap(ctx context.Context) (*mysql.Sink, error) {
	seal, err := f.sealKey()
	if err != nil {
		return nil, err
	}
	return mysql.Open(ctx, mysql.Options{Address: f.articleMap, Seal: seal})
}

func (f *storeFlags) openArticles(ctx context.Context) (*hbase.Sink, error) {
	return hbase.Open(ctx, f.articles)
}

func closeSinks(all map[string]docid.Sink) error {
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// folderReplaced reports whether a store stopped because its folder was moved,
// removed or restored over.
func folderReplaced(err error) bool { return errors.Is(err, pebble.ErrReplaced) }
