// Package storetest is the conformance test of docid.Store. A store runs it in a few lines.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
)

// Backend is a place for a store. Open opens the store, also again after Close.
type Backend struct {
	Open func(ctx context.Context) (docid.Store, error)
	// Lasting is set if committed changes survive Close.
	Lasting bool
	// Follows is set if the store follows a log, so no index can be rebuilt in it.
	Follows bool
}

// Run runs all tests. place makes a new place for each.
func Run(t *testing.T, place func(t *testing.T) Backend) {
	tests := []struct {
		name string
		run  func(*testing.T, Backend)
	}{
		{"RandomAgainstModel", testRandom},
		{"Idempotency", testIdempotency},
		{"Refusals", testRefusals},
		{"KeptCopy", testKept},
		{"Moderated", testModerated},
		{"Pictures", testPictures},
		{"PicturesTogether", testPicturesTogether},
		{"Pages", testPages},
		{"Tenants", testTenants},
		{"Expiry", testExpiry},
		{"Simultaneous", testSimultaneous},
		{"SharedBand", testSharedBand},
		{"Linearizable", testLinearizable},
		{"Replay", testReplay},
		{"Packing", testPacking},
		{"Lookup", testLookup},
		{"Names", testNames},
		{"Read", testRead},
		{"ReplayFirst", testReplayed},
		{"ReplayOfAnothersNid", testReplayedNid},
		{"Lost", testLost},
		{"PassedOver", testPassedOver},
		{"Outbox", testOutbox},
		{"Backlog", testBacklog},
		{"Kept", testKeeps},
		{"Relay", testRelay},
		{"Restore", testRestore},
		{"RestoreLate", testRestoreLate},
		{"RestoreHoles", testRestoreHoles},
		{"RestorePictures", testRestorePictures},
		{"Close", testClose},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, place(t)) })
	}
}

// Threshold is the threshold of the content stage in the tests.
const Threshold = 0.6

// clock returns a clock that advances by a second at each call, so runs can be repeated.
func clock() func() time.Time {
	var n atomic.Int64
	return func() time.Time { return time.Unix(1_700_000_000+n.Add(1), 0) }
}

// Settings returns the settings of the tests: url exact, title off, content near.
func Settings() docid.Settings { return standard.Settings(clock()) }

// opened is an open store with a detector for one tenant.
type opened struct {
	t     *testing.T
	place Backend
	store docid.Store
	*docid.Detector
}

func start(t *testing.T, p Backend) *opened {
	t.Helper()
	o := &opened{t: t, place: p}
	o.open()
	t.Cleanup(func() {
		if err := o.store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return o
}

func (o *opened) open() {
	o.t.Helper()
	var err error
	o.store, err = o.place.Open(o.t.Context())
	if err != nil {
		o.t.Fatalf("open: %v", err)
	}
	o.Detector = o.detector("tenant", Settings())
}

func (o *opened) detector(tenant string, s docid.Settings) *docid.Detector {
	o.t.Helper()
	d, err := docid.NewDetector(o.t.Context(), o.store, tenant, s)
	if err != nil {
		o.t.Fatalf("detector: %v", err)
	}
	return d
}

func (o *opened) reopen() {
	o.t.Helper()
	if err := o.store.Close(); err != nil {
		o.t.Fatalf("close: %v", err)
	}
	o.open()
}

func (o *opened) add(sub docid.Submission) docid.Answer {
	o.t.Helper()
	a, err := o.Add(o.t.Context(), sub)
	if err != nil {
		o.t.Fatalf("add %q: %v", sub.ID, err)
	}
	return a
}

func outcome(a docid.Answer) Outcome {
	o := Outcome{a.Seq, a.LeaderSeq, a.Decision.Decision, a.Stage, a.Similarity, a.Leader, a.Disagrees, 0, 0}
	if len(a.SameImages) > 0 && a.Leader != "" {
		o.Same, o.Of = a.SameImages[0].Same, a.SameImages[0].Of
	}
	return o
}

// article returns a submission with a text made of a few words.
func article(nid, text string) docid.Submission {
	var s docid.Submission
	s.ID, s.Text = nid, text
	return s
}

// must fails the test unless err is want.
func must(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, fmt.Sprint(got), fmt.Sprint(want))
	}
}
