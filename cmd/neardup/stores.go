//go:build full

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		if hasPassword(address) {
			names = append(names, name)
		}
	}
	if f.seal != "" {
		names = append(names, "--seal")
	}
	return names
}

func hasPassword(address string) (has bool) {
	u, err := url.Parse(address)
	if err == nil {
		_, has = u.User.Password()
	}
	return has
}

func inRedis(address string) bool {
	return strings.HasPrefix(address, "redis://") || strings.HasPrefix(address, "rediss://")
}

// where returns an address without its password, for the log.
func where(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an invalid address"
	}
	return u.Redacted()
}

// ofFlag names the flag and the address that an error is about. It returns nil for nil.
func ofFlag(flag, address string, err error) error {
	if err != nil {
		err = fmt.Errorf("--%s %s: %w", flag, where(address), err)
	}
	return err
}

// An openStore is a store with its optional parts.
type openStore struct {
	docid.Store // nil for the profile classic
	classic     *classic.Service
	tenants     func(context.Context, string) (server.Classic, error) // opens the classic index of a tenant
	embedded    *pebble.Store                                         // nil for other stores
	losses      []string                                              // how this configuration may lose data
	remote      server.Remote                                         // requests to other machines
	log         io.Closer                                             // the log that the store follows, or that of classic; may be nil
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
		return &openStore{Store: s, losses: []string{"the index is in memory and is lost when this process ends"}}, nil
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
	log, err := f.openLog(ctx)
	if err != nil {
		return nil, err
	}
	of := &openStore{log: log}
	if shared, ok := log.(interface {
		Time(ctx context.Context) (time.Time, error)
	}); ok {
		of.remote.Clock = shared.Time
	}
	_, files := shareFiles(openFiles())
	of.embedded, err = pebble.Open(ctx, folder, pebble.Options{
		CacheBytes: int64(f.cache), OpenFiles: files, Log: log, KeepLog: f.keepLog,
		Snapshots: snapshots, SnapshotEvery: f.snapshotEvery, SnapshotFailed: f.snapshotFailed,
		LogWaits: f.logWaits, LogRestarted: f.logRestarted,
	})
	if err != nil {
		return nil, errors.Join(orAdopt(err), of.Close())
	}
	of.Store = of.embedded
	return of, nil
}

// orAdopt adds to an error about a lost log what the operator can do.
func orAdopt(err error) error {
	if errors.Is(err, docid.ErrLogLost) {
		err = fmt.Errorf("%w (if entries of the log are lost, stop all servers, empty the log, and run neardup log adopt)", err)
	}
	return err
}

// openClassic opens the index of the classic system.
func (f *storeFlags) openClassic(ctx context.Context, settings docid.Settings) (*openStore, error) {
	s, err := classic.Open(ctx, classic.Options{Address: f.index, Clean: settings.Clean, Words: f.words, Backlog: settings.Backlog})
	if err != nil {
		return nil, ofFlag("index", f.index, err)
	}
	losses, err := s.Losses(ctx)
	if err != nil {
		return nil, errors.Join(ofFlag("index", f.index, err), s.Close())
	}
	tenants := func(ctx context.Context, tenant string) (server.Classic, error) { return s.Index(ctx, tenant) }
	return &openStore{classic: s, tenants: tenants, losses: losses, remote: server.Remote{Reach: s.Reach}, log: s}, nil
}

// A closingLog is a log that servers share.
type closingLog interface {
	docid.Log
	Close() error
}

// openLog opens the log that servers share. It returns nil without --log.
func (f *storeFlags) openLog(ctx context.Context) (log closingLog, err error) {
	err = f.known()
	switch {
	case f.log == "" || err != nil:
		return nil, err
	case inRedis(f.log):
		log, err = redislog.Open(ctx, f.log)
	default:
		log, err = kafkalog.Open(ctx, f.log)
	}
	return log, ofFlag("log", f.log, err)
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
	return bucket, ofFlag("snapshots", f.snapshots, err)
}

// Close closes the store, and then the log that it follows.
func (s *openStore) Close() error {
	var err error
	if s.Store != nil {
		err = s.Store.Close()
	}
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
	}
	return err
}

func (s *openStore) gauges(r *prometheus.Registry) {
	store := s.embedded
	if store == nil {
		return
	}
	gauge(r, "neardup_store_disk_bytes", "Bytes of the store on disk.", func() float64 { return float64(store.Metrics().DiskSpaceUsage()) })
	gauge(r, "neardup_store_compaction_debt_bytes", "Bytes that pending compactions must rewrite.", func() float64 { return float64(store.Metrics().Compact.EstimatedDebt) })
	gauge(r, "neardup_log_applied", "Entries of the log that this server has applied; 0 without a log.", func() float64 { return float64(store.Applied()) })
	gauge(r, "neardup_log_snapshot", "Last entry of the log in the newest snapshot; 0 without a snapshot.", func() float64 { return float64(store.LastSnapshot()) })
	gauge(r, "neardup_store_read_amplification", "Largest number of files that a read may need.", func() float64 { return float64(store.Metrics().ReadAmp()) })
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

// The names of the sinks in an index.
const (
	sinkMap      = "map"
	sinkArticles = "articles"
)

// sinks opens the configured sinks by their names in the index.
func (f *storeFlags) sinks(ctx context.Context) (map[string]docid.Sink, error) {
	all := map[string]docid.Sink{}
	if f.articleMap != "" {
		s, err := f.openMap(ctx)
		if err != nil {
			return nil, err
		}
		all[sinkMap] = s
	}
	if f.articles != "" {
		s, err := f.openArticles(ctx)
		if err != nil {
			return nil, errors.Join(err, closeSinks(all))
		}
		all[sinkArticles] = s
	}
	return all, nil
}

func (f *storeFlags) openMap(ctx context.Context) (*mysql.Sink, error) {
	seal, err := f.sealKey()
	if err != nil {
		return nil, err
	}
	s, err := mysql.Open(ctx, mysql.Options{Address: f.articleMap, Seal: seal})
	return s, ofFlag(sinkMap, f.articleMap, err)
}

func (f *storeFlags) openArticles(ctx context.Context) (*hbase.Sink, error) {
	s, err := hbase.Open(ctx, f.articles)
	return s, ofFlag(sinkArticles, f.articles, err)
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
