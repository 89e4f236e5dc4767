package server

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// A submission with at least hotBucket candidates counts as a submission to a hot bucket.
const hotBucket = 1000

// figures holds the metrics of a server. For the metrics that are read from the stores at each scrape, it is a
// prometheus.Collector. live gathers all metrics.
type figures struct {
	server     *Server
	live       *prometheus.Registry
	requests   *prometheus.HistogramVec
	lost       *prometheus.CounterVec
	refusals   *prometheus.CounterVec
	decisions  *prometheus.CounterVec
	failures   *prometheus.CounterVec
	blank      *prometheus.CounterVec
	deciding   prometheus.Histogram
	candidates prometheus.Histogram
	compared   prometheus.Histogram
	rounds     prometheus.Histogram
	hot        prometheus.Counter
	docIDs     *prometheus.Desc
	articles   *prometheus.Desc
	seq        *prometheus.Desc
	memory     *prometheus.Desc
	queue      *prometheus.Desc
	lag        *prometheus.Desc
	age        *prometheus.Desc
}

// scrapeTimeout bounds how long a scrape waits for the stores.
const scrapeTimeout = 5 * time.Second

func newFigures(s *Server) *figures {
	f := &figures{server: s, live: prometheus.NewRegistry()}
	all := promauto.With(f.live)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return all.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return all.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	gauge := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	seconds := []float64{.0005, .001, .002, .005, .01, .02, .04, .06, .1, .25, .5, 1, 5, 25}
	f.requests = all.NewHistogramVec(prometheus.HistogramOpts{
		Name: "neardup_request_seconds", Help: "Time of a request, by route and status.", Buckets: seconds}, []string{"route", "status"})
	f.hot = all.NewCounter(prometheus.CounterOpts{
		Name: "neardup_hot_bucket_submissions_total", Help: "Submissions that shared a key with a thousand docIds or more."})
	f.lost = counter("neardup_lost_changes_total", "Acknowledged changes that the index has lost.", "tenant")
	f.refusals = counter("neardup_refused_total", "Requests refused before any work, by reason.", "reason")
	f.decisions = counter("neardup_decisions_total", "Decisions, by tenant, decision and stage; stage none for new articles.", "tenant", "decision", "stage")
	f.failures = counter("neardup_undecided_total", "Submissions without a decision, by reason.", "reason")
	f.blank = counter("neardup_blank_total", "New articles without a text, so later articles cannot be their duplicates.", "tenant")
	f.deciding = histogram("neardup_decision_seconds", "Time from a submission to its durable answer.", seconds)
	f.candidates = histogram("neardup_candidates", "DocIds that shared a key with a submission.", prometheus.ExponentialBuckets(1, 4, 8))
	f.compared = histogram("neardup_compared", "DocIds that a submission was compared with.", prometheus.ExponentialBuckets(1, 4, 8))
	f.rounds = histogram("neardup_rounds", "Number of rounds until a decision was committed.", []float64{1, 2, 3, 5, 10, 30})
	f.docIDs = gauge("neardup_docids", "Living docIds.", "tenant")
	f.articles = gauge("neardup_articles", "Living articles.", "tenant")
	f.seq = gauge("neardup_seq", "The last change.", "tenant")
	f.memory = gauge("neardup_index_bytes", "Approximate memory of the index.", "tenant")
	f.lag = gauge("neardup_sink_lag", "Changes that a sink has not acknowledged.", "tenant", "sink")
	f.age = gauge("neardup_sink_age_seconds", "Age of the oldest change that a sink has not acknowledged; 0: none.", "tenant", "sink")
	f.queue = gauge("neardup_in_flight", "Requests in progress, including those that wait for the disk.")
	f.live.MustRegister(f)
	return f
}

// Describe describes the metrics of the stores.
func (f *figures) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{f.docIDs, f.articles, f.seq, f.memory, f.queue, f.lag, f.age} {
		ch <- d
	}
}

// Collect reads the metrics of the stores.
func (f *figures) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	gauge(ch, f.queue, float64(len(f.server.inFlight)))
	for name, t := range f.server.tenants {
		if t.detector == nil {
			f.classic(ctx, ch, t)
			continue
		}
		f.index(ctx, ch, name, t.detector.Index())
	}
}

func gauge(ch chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

// counts reports the counts of a tenant's index.
func (f *figures) counts(ch chan<- prometheus.Metric, tenant string, st docid.Stats) {
	gauge(ch, f.docIDs, float64(st.Leaders), tenant)
	gauge(ch, f.articles, float64(st.Members), tenant)
	gauge(ch, f.seq, float64(st.Seq), tenant)
}

// classic reports the metrics of an index of the classic system.
func (f *figures) classic(ctx context.Context, ch chan<- prometheus.Metric, t *tenant) {
	st, sinks, err := t.classic.Stats(ctx)
	if err != nil {
		return
	}
	f.counts(ch, t.name, st)
	for _, a := range sinks {
		gauge(ch, f.lag, float64(st.Seq-min(st.Seq, a.Seq)), t.name, a.Sink)
	}
}

// index reports the metrics of a tenant's index. It omits metrics that the index cannot provide.
func (f *figures) index(ctx context.Context, ch chan<- prometheus.Metric, tenant string, ix docid.Index) {
	catalog := ix.Catalog()
	st, err := catalog.Stats(ctx)
	if err != nil {
		return
	}
	if engine, err := catalog.Engine(ctx); err == nil {
		gauge(ch, f.memory, float64(engine["memory"]), tenant)
	}
	f.counts(ch, tenant, st)
	sinks, err := ix.Outbox().Attached(ctx)
	if err != nil {
		return
	}
	for _, a := range sinks {
		has := f.cursor(ctx, tenant, a)
		lag := max(st.Seq, a.Seq+a.Lost) - has - a.Lost
		gauge(ch, f.lag, float64(lag), tenant, a.Sink)
		if age, err := oldestWait(ctx, catalog, has, lag); err == nil {
			gauge(ch, f.age, age.Seconds(), tenant, a.Sink)
		}
	}
}

// cursorTimeout bounds how long a scrape waits for a sink.
const cursorTimeout = time.Second

// cursor returns the last change that a sink has. A sink that was reset by hand may have fewer changes than
// it has acknowledged. If the sink does not answer, cursor returns the acknowledged change.
func (f *figures) cursor(ctx context.Context, tenant string, a docid.Attachment) uint64 {
	sink := f.server.cfg.Sinks[a.Sink]
	if sink == nil {
		return a.Seq
	}
	ctx, cancel := context.WithTimeout(ctx, cursorTimeout)
	defer cancel()
	at, err := sink.Cursor(ctx, tenant)
	if err != nil {
		return a.Seq
	}
	return min(a.Seq, at)
}

// oldestWait returns how long the oldest change after a change has been waiting.
func oldestWait(ctx context.Context, catalog docid.Catalog, after, lag uint64) (time.Duration, error) {
	if lag == 0 {
		return 0, nil
	}
	oldest, err := catalog.Log(ctx, after, 1)
	if err != nil || len(oldest) == 0 {
		return 0, err
	}
	return max(0, time.Since(time.Unix(0, oldest[0].Time))), nil
}

// request counts an answer by the pattern of its route, so that there are few labels.
func (f *figures) request(route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	f.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}

func (f *figures) refused(reason string) { f.refusals.WithLabelValues(reason).Inc() }

// decided counts a submission.
func (f *figures) decided(tenant string, a docid.Answer, err error, took time.Duration) {
	if err != nil {
		f.failures.WithLabelValues(undecided(err)).Inc()
		return
	}
	stage := string(a.Stage)
	if stage == "" {
		stage = "none"
	}
	f.decisions.WithLabelValues(tenant, string(a.Decision.Decision), stage).Inc()
	if a.Basis == neardup.BasisBlank && !a.Replayed {
		f.blank.WithLabelValues(tenant).Inc()
	}
	f.deciding.Observe(took.Seconds())
	f.candidates.Observe(float64(a.Candidates))
	f.compared.Observe(float64(a.Compared))
	f.rounds.Observe(float64(a.Rounds))
	if a.Candidates >= hotBucket {
		f.hot.Inc()
	}
}

func undecided(err error) string {
	for reason, is := range map[string]error{
		"crowded": docid.ErrHotBucket, "contended": docid.ErrContended, "behind": docid.ErrBehind, "backlog": docid.ErrBacklog, "quota": docid.ErrQuota, "full": docid.ErrFull, "invalid": docid.ErrInvalid,
		"nid_taken": docid.ErrTaken, "idempotency": docid.ErrMismatch, "canceled": context.Canceled, "deadline": context.DeadlineExceeded,
	} {
		if errors.Is(err, is) {
			return reason
		}
	}
	return "unavailable"
}
