//go:build full

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/pause"
	"github.com/neardup/neardup/internal/span"
	"github.com/neardup/neardup/server"
	"github.com/spf13/pflag"
)

// drainTime is the timeout for running requests after SIGTERM.
const drainTime = 10 * time.Second

type serve struct {
	*app
	entrance
	index  indexFlags
	limits limitFlags
	//lint:ignore U1000 --config, read by reflection
	config              string
	data, backups       string
	keepKeys, keepTexts time.Duration
	stores              storeFlags
	telemetry
	bound   string   `flags:"-"` // the address that the server listens on
	secrets []string `flags:"-"` // flags with a password on the command line
	tenants map[string]tenantTable
	reload  chan os.Signal // receives SIGHUP, which reloads the tokens
}

type limitFlags struct{ server.Limits }

func (f *limitFlags) add(fs *pflag.FlagSet) {
	bindSpec(fs, "serve", "limit", "", flags{"in-flight": &f.InFlight, "client": &f.PerClient, "rate": &f.Rate, "burst": &f.Burst})
}

func (s *serve) do(ctx context.Context, _ []string) (err error) {
	s.secrets = s.stores.secrets()
	if hasPassword(s.traces) {
		s.secrets = append(s.secrets, "--traces")
	}
	s.tenants, err = layered(s.cmd.Flags())
	if err != nil {
		return err
	}
	if err := refused(s.cmd); err != nil {
		return err
	}
	s.reload = make(chan os.Signal, 1)
	signal.Notify(s.reload, syscall.SIGHUP) // from here on SIGHUP no longer ends the process
	defer signal.Stop(s.reload)
	settings, err := s.index.settings()
	if err != nil {
		return err
	}
	if err := s.stores.valid(); err != nil {
		return err
	}
	if within(s.backups, storeDir(s.data)) {
		return usage("--backups %s: inside the store, where a restore would replace it (want another folder)", s.backups)
	}
	if !strings.Contains(s.stores.snapshots, "://") && within(s.stores.snapshots, s.data) {
		return usage("--snapshots %s: inside --data (want a folder that all servers share)", s.stores.snapshots)
	}
	if err := s.openLog(s.stderr); err != nil {
		return err
	}
	s.stores.snapshotFailed = func(err error) { s.log.Warn("saving a snapshot failed; retrying later", "cause", err.Error()) }
	s.stores.logRestarted = func(at time.Time) {
		s.log.Warn("the log was restarted or restored: began an epoch, so that numbers of lost entries are not reused", "noticed", at)
	}
	for _, name := range s.secrets {
		s.log.Warn("any user of this machine can read a password or seal in a flag (use the environment or --config)", "flag", name)
	}
	access, err := s.access()
	if err != nil {
		return err
	}
	tlsConfig, err := s.tls()
	if err != nil {
		return err
	}
	bounded, err := s.listen(ctx, tlsConfig != nil)
	if err != nil {
		return err
	}
	defer bounded.Close()
	var listener net.Listener = bounded
	gate := &server.Gate{}
	s.stores.logWaits = s.waitsForLog(gate)
	srv := server.NewHTTP(gate, s.log)
	srv.ConnState = bounded.State
	if tlsConfig != nil {
		listener = tls.NewListener(bounded, tlsConfig)
	}
	ended := make(chan error, 2)
	go func() { ended <- srv.Serve(listener) }()
	defer srv.Close()
	return s.behind(ctx, gate, srv, settings, access, ended)
}

// waitsForLog returns a function that logs, at most once a minute, why the log cannot be followed yet.
func (s *serve) waitsForLog(gate *server.Gate) func(error) {
	var said time.Time
	return func(err error) {
		gate.Wait("waiting for the log")
		if time.Since(said) >= time.Minute {
			said = time.Now()
			s.log.Warn("waiting for the log", "cause", err.Error())
		}
	}
}

// behind opens the store and then the gate, and serves until ctx or the listener ends.
func (s *serve) behind(ctx context.Context, gate *server.Gate, srv *http.Server, settings docid.Settings, access *server.Access, ended chan error) (err error) {
	start := time.Now()
	traces, stopTraces, err := s.traced(ctx)
	if err != nil {
		return err
	}
	defer stopTraces()
	store, err := awaitLog(ctx, s, gate, func() (*openStore, error) {
		if s.index.profile == profileClassic {
			return s.stores.openClassic(ctx, settings)
		}
		return s.stores.open(ctx, storeDir(s.data))
	})
	if err != nil {
		return unlessEnded(ctx, err)
	}
	defer func() { err = errors.Join(err, s.close(store)) }()
	for _, loss := range store.losses {
		s.log.Warn("acknowledged answers can be lost", "cause", loss)
	}
	if s.stores.articleMap != "" && s.stores.seal == "" {
		s.log.Warn("seal: missing, so MySQL does not store the identity of the index and a lost index cannot be rebuilt (set NEARDUP_SEAL to the output of openssl rand -hex 32, and store it outside MySQL)")
	}
	sinks, err := s.stores.sinks(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSinks(sinks)) }()
	texts, err := openTexts(s.data, s.keepTexts)
	if err != nil {
		return err
	}
	var kept server.Texts
	if texts != nil {
		kept = texts
		defer func() { err = errors.Join(err, texts.Close()) }()
	}
	registry := newRegistry(store)
	config := server.Config{
		Classic: store.tenants, Store: store, Remote: store.remote,
		Sinks: sinks, Detach: s.stores.detach, Access: access, Limits: s.limits.Limits, Hosts: s.host, KeepKeys: s.keepKeys,
		Settings: func(tenant string) docid.Settings {
			settings := settings
			settings.CacheBytes = int(s.stores.cache) / len(access.Tenants())
			if most := s.tenants[tenant].MaxArticles; most != nil {
				settings.MaxMembers = *most
			}
			return settings
		},
		Pictures: s.index.pictureLimits(), Snapshot: s.snapshots(store), Inspect: inspect, Texts: kept, Version: version(),
		Telemetry: server.Telemetry{Metrics: registry, Log: s.log, Traces: traces},
	}
	handler, err := awaitLog(ctx, s, gate, func() (*server.Server, error) { return server.New(ctx, config) })
	if err != nil {
		return unlessEnded(ctx, remake(err, s.data, &s.index))
	}
	stopMetrics, err := serveMetrics(ctx, s.metricsAddr, s.insecure, registry, s.log, ended)
	if err != nil {
		return err
	}
	defer stopMetrics()
	if s.addrFile != "" { // the store is open, so a second server on it has been rejected
		if err := replaceFile(s.addrFile, []byte(s.bound+"\n"), 0o644); err != nil {
			return err
		}
	}
	gate.Open(handler)
	s.log.Info("ready", "data", s.data, "ms", time.Since(start).Milliseconds())
	return s.untilEnd(ctx, srv, ended, handler)
}

// logAway is the message in /readyz and in the log while awaitLog waits.
const logAway = "the log does not answer"

// awaitLog calls try until the log answers, because a running server waits for the log as well. It returns
// any other error.
func awaitLog[T any](ctx context.Context, s *serve, gate *server.Gate, try func() (T, error)) (T, error) {
	for waited := false; ; waited = true {
		v, err := try()
		if s.stores.log == "" || !mayPass(err) {
			return v, err
		}
		if !waited {
			s.log.Error(logAway+": the server is ready once it answers", "cause", span.Cause(err))
		}
		gate.Wait(logAway)
		if pause.For(ctx, time.Second) != nil {
			return v, err
		}
	}
}

// mayPass reports whether an error is temporary. An error of the folder or the loss of the log is not.
func mayPass(err error) bool {
	var ofFolder *fs.PathError
	lasting := errors.Is(err, docid.ErrLogLost) || errors.Is(err, docid.ErrUnfinished) || errors.Is(err, docid.ErrFull) || errors.As(err, &ofFolder)
	return errors.Is(err, docid.ErrUnavailable) && !lasting
}

// unlessEnded returns err, or nil if ctx has ended, because stopping a server that starts is not an error.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// untilEnd runs the background work of a server until ctx or the listener ends. Then it waits at most
// drainTime for requests to end.
func (s *serve) untilEnd(ctx context.Context, srv *http.Server, ended <-chan error, handler *server.Server) error {
	sweeping, stop := context.WithCancel(ctx)
	var sweeper sync.WaitGroup
	sweeper.Go(func() { handler.Run(sweeping) })
	sweeper.Go(func() { s.reloads(sweeping, handler) })
	notifySystemd(s.log, "READY=1")
	sweeper.Go(func() { feedWatchdog(sweeping, s.log) })
	defer sweeper.Wait()
	defer stop()
	select {
	case <-ctx.Done():
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	}
	handler.Drain()
	s.log.Info("draining")
	notifySystemd(s.log, "STOPPING=1")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		s.log.Warn("requests were still running at the deadline of the shutdown", "cause", err.Error())
	}
	s.log.Info("stopped")
	return nil
}

// reloads reads the tokens again at each SIGHUP, until ctx ends. A file that cannot be read changes nothing.
func (s *serve) reloads(ctx context.Context, handler *server.Server) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.reload:
		}
		access, err := s.access()
		if err != nil {
			s.log.Error("tokens cannot be read; the earlier ones stay valid", "cause", err.Error())
			continue
		}
		if closed := handler.SetAccess(access); len(closed) > 0 {
			s.log.Warn("new tenants in the file of tokens (restart the server to serve them)", "tenants", closed)
		}
		s.log.Info("tokens read")
	}
}

// close closes the store. If the store had stopped taking writes, its clients got an error, and
// all acknowledged answers are stored. This is a clean shutdown.
func (s *serve) close(store *openStore) error {
	poisoned := store.Poisoned()
	err := store.Close()
	if poisoned == nil {
		return err
	}
	if folderReplaced(poisoned) {
		return fmt.Errorf("the folder of the store was moved or removed, with all answers: %w", poisoned)
	}
	s.log.Warn("the store refused writes; no answer is lost", "cause", poisoned.Error())
	return nil
}

// snapshots returns a function that makes backups, or nil without a folder for them.
func (s *serve) snapshots(store *openStore) func(context.Context, string) error {
	if s.backups == "" || store.embedded == nil {
		return nil
	}
	return func(ctx context.Context, name string) error {
		return snapshot(filepath.Join(s.backups, name), func(dir string) error { return store.embedded.Snapshot(ctx, dir) })
	}
}

func (s *serve) listen(ctx context.Context, withTLS bool) (*server.Bounded, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", s.addr)
	if err != nil {
		return nil, fmt.Errorf("--addr: %w", err)
	}
	s.bound = l.Addr().String()
	s.log.Info("listening", "addr", s.bound, "tls", withTLS)
	connections, _ := shareFiles(openFiles())
	if connections < server.MaxConnections {
		s.log.Warn("the system allows few open files (ulimit -n), so fewer connections are held", "connections", connections)
	}
	return server.Bound(l, connections), nil
}

// shareFiles divides the limit of open files between connections and the store. Otherwise many connections
// could stop the store, which takes no writes after it fails to open a file. A sixth of the limit remains for
// other files.
func shareFiles(limit int) (connections, store int) {
	connections, store = server.MaxConnections, 1000
	if limit == 0 || limit >= (connections+store)*6/5 {
		return connections, store
	}
	return max(4, min(connections, limit/2)), max(8, min(store, limit/3))
}

func storeDir(data string) string { return filepath.Join(data, "store") }

func replaceFile(path string, content []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".neardup-*")
	if err == nil {
		defer os.Remove(f.Name())
		_, err = f.Write(content)
		err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// notifySystemd sends a state such as READY=1 to the socket that systemd names in NOTIFY_SOCKET. Without one it does
// nothing.
func notifySystemd(log *slog.Logger, state string) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	conn, err := net.Dial("unixgram", socket)
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close() // closing fails only after the datagram was sent
	}
	if err != nil {
		log.Warn("cannot notify systemd", "state", state, "cause", err.Error())
	}
}

// feedWatchdog notifies the watchdog of systemd, twice in each of its periods (WATCHDOG_USEC), until ctx ends.
func feedWatchdog(ctx context.Context, log *slog.Logger) {
	period, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || period < 2 {
		return
	}
	beat := time.NewTicker(time.Duration(period) * time.Microsecond / 2)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			notifySystemd(log, "WATCHDOG=1")
		}
	}
}
