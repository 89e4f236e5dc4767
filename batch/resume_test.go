package batch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/batch/resume"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/override"
)

// told holds everything that a run reports.
type told struct {
	Outcomes []Outcome
	Clusters []string
	Rejected []string
	Summary  Summary
}

// sameTold compares reports without times, and without work that a resumed run need not repeat.
var sameTold = cmpopts.IgnoreFields(Summary{}, "Effort")

// few is a source of small blocks, of which some items are rejected.
type few struct{ docs []neardup.Document }

type fewBlock []neardup.Document

func (s *few) Next() (Block, error) {
	b, err := (&docSource{s.docs[:min(len(s.docs), 7)]}).Next()
	s.docs = s.docs[min(len(s.docs), 7):]
	if err != nil {
		return nil, err
	}
	return fewBlock(b.(DocumentBlock)), nil
}

func (b fewBlock) Decode(item func(*neardup.Document, error)) {
	for i := range b {
		if strings.HasSuffix(b[i].ID, "13") {
			item(nil, fmt.Errorf("%s is not liked", b[i].ID))
			continue
		}
		item(&b[i], nil)
	}
}

// resumed runs until it is killed at an event, after which the folder is as it was then: what was
// done later is not there. It returns how many events there were.
// With an index the documents are added to it.
func resumed(t testing.TB, docs []neardup.Document, cfg Config, dir, index string, kill int) (all told, events int, err error) {
	t.Helper()
	folder, err := resume.Open(dir)
	if err != nil {
		return all, 0, err
	}
	folder.Every = 0
	cfg.Resume = folder
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	left := map[string][]byte{}
	event := func() {
		events++
		if events == kill {
			left = filesOf(t, dir)
			cancel()
		}
	}
	cfg.Progress = func(Progress) { event() }
	cfg.Reject = func(i int, err error) error {
		all.Rejected = append(all.Rejected, fmt.Sprint(i, rejection(err).Reason))
		return nil
	}
	if index != "" {
		w := change(t, index)
		defer w.Close()
		cfg.Reference, cfg.Add = w.Index, w
	} else {
		cfg.Clusters = func(o Outcome, size int) error {
			event()
			all.Clusters = append(all.Clusters, fmt.Sprint(o.ID, o.Leader, size))
			return ctx.Err()
		}
	}
	sum, err := Dedup(ctx, &few{docs}, cfg, func(o Outcome) error {
		event()
		all.Outcomes = append(all.Outcomes, o)
		return ctx.Err()
	})
	if err == nil {
		all.Summary = *sum
		if cfg.Add != nil {
			err = cfg.Add.Commit()
		}
		return all, events, errors.Join(err, folder.Remove())
	}
	err = errors.Join(err, folder.Close())
	if len(left) > 0 {
		put(t, dir, left)
	}
	return all, events, err
}

func filesOf(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// put makes the folder hold exactly these files; nil is none.
func put(t testing.TB, dir string, files map[string][]byte) {
	t.Helper()
	err := os.RemoveAll(dir)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	for name, b := range files {
		if err == nil && b != nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// one returns one of several values at random.
func one[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// A run that is killed at any moments and resumed each time reports the same as one without kills, whatever the
// workers and the memory of each. NEARDUP_KILLS sets the number of kills.
func TestKilledRunsGoOn(t *testing.T) {
	wanted := 100
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_KILLS")); err == nil {
		wanted = n
	}
	defer JoinFrom(joinFrom)()
	rng := rand.New(rand.NewPCG(26, 6))
	for kills := 0; kills < wanted; {
		joinFrom = one(rng, uint32(2), 256)
		m := shingled{.5, one(rng, true, false)}
		cfg := Config{
			Method: one[neardup.Method](rng, m, m, trained{m}), Tmp: t.TempDir(),
			Keep: one(rng, First, Longest, "latest;id"), Link: one(rng, ByLeader, ByLeader, ByLeader, Components),
		}
		docs, index := randomDocs(rng.Uint64(), 3+rng.IntN(100)), func() string { return "" }
		if cfg.Link == ByLeader && one(rng, true, false) {
			there := docs[:len(docs)/3]
			docs = docs[len(there):]
			index = func() string {
				dir := filepath.Join(t.TempDir(), "index")
				if err := CreateIndex(dir, cfg, nil); err != nil {
					t.Fatal(err)
				}
				addTo(t, dir, there, cfg)
				return dir
			}
		} else if one(rng, true, false) {
			cfg.Audit = &audit.Config{Threshold: .5, Lax: shingled{threshold: .4}, List: 3}
		} else if cfg.Link == ByLeader {
			cfg.Per = []string{"language"}
			for i := range docs {
				docs[i].Fields = map[string]string{"language": []string{"en", "zh", ""}[i/2%3]}
			}
		}
		memories := one(rng, []int64{1 << 24}, []int64{1 << 12, 1 << 16, 1 << 24})
		another := func() Config {
			c := cfg
			c.Workers, c.Memory = 1+rng.IntN(3), one(rng, memories...)
			return c
		}
		if cfg.Link == ByLeader && index() == "" && one(rng, true, false) {
			cfg.Overrides = new(override.Set)
			for range 4 {
				a, b := docs[rng.IntN(len(docs))].ID, docs[rng.IntN(len(docs))].ID
				_ = cfg.Overrides.Add(override.Ruling{A: a, B: b, Link: one(rng, override.Must, override.Cannot)}) // not of a text with itself
			}
		}
		dir, grows := t.TempDir(), index()
		want, events, err := resumed(t, docs, another(), dir, index(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if left := filesOf(t, dir); len(left) > 0 {
			t.Fatalf("%v is left of a run that finished", left)
		}
		got, err := told{}, context.Canceled
		for try := 0; err != nil; try++ {
			kill := 1 + rng.IntN(1+events/one(rng, 1, 4, 16)) // there are few events while reading
			if try > 3 {
				kill = 0
			}
			got, _, err = resumed(t, docs, another(), dir, grows, kill)
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			} else if err != nil {
				kills++
			}
		}
		opts := gocmp.Options{sameTold, cmpopts.IgnoreFields(audit.Result{}, "Time")}
		if got.Summary.TextBytes != want.Summary.TextBytes { // less memory detects fewer copies, and then samples others
			opts = append(opts, cmpopts.IgnoreFields(Input{}, "Texts", "TextBytes"), cmpopts.IgnoreFields(Outcomes{}, "Largest"), cmpopts.IgnoreFields(Summary{}, "Audit"))
		}
		if diff := gocmp.Diff(want, got, opts); diff != "" {
			t.Fatalf("%+v: a killed run went on to something else (-want +got):\n%s", cfg, diff)
		}
	}
}

// counted counts what takes long.
type counted struct {
	shingled
	records, comparisons *atomic.Int64
}

func (m counted) Record(clean string, r *neardup.Record) {
	m.records.Add(1)
	m.shingled.Record(clean, r)
}

func (m counted) Compare(a, b neardup.Prepared) neardup.Match {
	m.comparisons.Add(1)
	return m.shingled.Compare(a, b)
}

// Work that was done before a kill is not repeated.
func TestWhatIsDoneIsNotDoneAgain(t *testing.T) {
	m := counted{shingled{threshold: .5}, new(atomic.Int64), new(atomic.Int64)}
	cfg := Config{Method: m, Tmp: t.TempDir()}
	var docs []neardup.Document // no copies, which are compared with later leaders too
	seen := map[string]bool{}
	for _, d := range randomDocs(6, 400) {
		if !seen[d.Text] {
			seen[d.Text] = true
			docs = append(docs, d)
		}
	}
	_, events, err := resumed(t, docs, cfg, t.TempDir(), "", 0)
	records, comparisons := m.records.Swap(0), m.comparisons.Swap(0)
	if err != nil || comparisons == 0 || records == 0 {
		t.Fatal(records, comparisons, err)
	}
	dir := t.TempDir()
	if _, _, err := resumed(t, docs, cfg, dir, "", events-1); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	m.records.Store(0)
	m.comparisons.Store(0)
	if _, _, err := resumed(t, docs, cfg, dir, "", 0); err != nil || m.records.Load() > 0 || m.comparisons.Load() > 0 {
		t.Errorf("%d of %d records and %d of %d comparisons are made again: %v", m.records.Load(), records, m.comparisons.Load(), comparisons, err)
	}
}

// Equal texts that little memory did not detect are equal when the run continues with more.
func TestLittleMemoryGoesOnInMuch(t *testing.T) {
	var docs []neardup.Document
	for i := range 200 {
		n := i % 100
		docs = append(docs, neardup.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("w%d w%d w%d a%d b%d", n, n, n, n, n)})
	}
	cfg := Config{Method: shingled{threshold: .5}, Tmp: t.TempDir(), Memory: 1 << 12}
	want, _, err := resumed(t, docs, cfg, t.TempDir(), "", 0)
	if err != nil || want.Summary.Texts < 110 {
		t.Fatalf("%d texts, %v", want.Summary.Texts, err)
	}
	dir := t.TempDir()
	if _, _, err := resumed(t, docs, cfg, dir, "", 29); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	cfg.Memory = 1 << 24
	got, _, err := resumed(t, docs, cfg, dir, "", 0)
	if diff := gocmp.Diff(want.Outcomes, got.Outcomes); diff != "" || err != nil {
		t.Errorf("%v:\n%s", err, diff)
	}
}

// Frames are read as they were written, and other bytes are an error.
func FuzzFrames(f *testing.F) {
	items := []scanned{
		{doc: neardup.Document{ID: "a", Time: -1}, clean: "text", recorded: true, rec: neardup.Record{Sketch: 5, Index: []uint64{1, 2}, Probe: []uint64{}}},
		{doc: neardup.Document{ID: "b"}, copied: true, no: 300, ranks: []uint64{7, 1 << 63}},
		{doc: neardup.Document{ID: "c"}, clean: " ", blank: true},
		{err: &corpus.RejectError{File: "f", Line: 3, Reason: "bad"}},
	}
	states := []state{{}, {matchRow: matchRow{similarity: .25, closeness: .75, distance: -1, basis: 1, grade: near}, leader: 9}}
	var w frameWriter
	for i := range items {
		w.scanned(&items[i])
	}
	f.Add(w.b)
	r := frameReader{b: w.b}
	for _, want := range items {
		got := r.scanned()
		want.known = want.err == nil
		if diff := gocmp.Diff(fmt.Sprintf("%#v %v", want, want.err), fmt.Sprintf("%#v %v", got, got.err)); diff != "" && want.err == nil {
			f.Error(diff)
		}
	}
	w = frameWriter{}
	for i := range states {
		w.state(&states[i])
	}
	f.Add(w.b)
	again := frameReader{b: w.b}
	for _, want := range states {
		var got state
		again.state(&got, []uint8{0, 1})
		if got != want {
			f.Errorf("%+v was written, %+v is read", want, got)
		}
	}
	if err := errors.Join(r.end(), again.end()); err != nil {
		f.Error(err)
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		for r := (frameReader{b: b}); len(r.b) > 0; {
			r.scanned()
		}
		for r := (frameReader{b: b}); len(r.b) > 0; {
			r.state(new(state), []uint8{0})
		}
	})
}

// A run that was killed after the commit of what it added has nothing left to do.
func TestAddedOnce(t *testing.T) {
	cfg := Config{Method: shingled{threshold: .5}, Tmp: t.TempDir()}
	index, dir := filepath.Join(t.TempDir(), "index"), t.TempDir()
	if err := CreateIndex(index, cfg, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []error{nil, resume.ErrFinished} {
		w := change(t, index)
		folder, err := resume.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Reference, cfg.Add, cfg.Resume = w.Index, w, folder
		_, err = Dedup(context.Background(), Documents(randomDocs(4, 50)), cfg, func(Outcome) error { return nil })
		if !errors.Is(err, want) {
			t.Errorf("it says %v, want %v", err, want)
		}
		if err := errors.Join(folder.Close(), w.Commit(), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// The folder of another run, or a damaged one, is refused with the reason.
func TestFoldersOfOtherRunsAreRefused(t *testing.T) {
	cfg := Config{Method: shingled{threshold: .5}, Tmp: t.TempDir()}
	docs := randomDocs(1, 100)
	dir := t.TempDir()
	if _, _, err := resumed(t, docs, cfg, dir, "", 30); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	left := filesOf(t, dir)
	for _, test := range []struct {
		change func(*Config, *[]neardup.Document)
		says   string
	}{
		{func(c *Config, _ *[]neardup.Document) { c.Method = other{shingled{threshold: .5}} }, "the method was shingled/1 and is now other/2"},
		{func(c *Config, _ *[]neardup.Document) { c.Clean = upper{} }, "the normalisation was none and is now upper"},
		{func(c *Config, _ *[]neardup.Document) { c.Keep = Longest }, "--keep was first and is now longest"},
		{func(c *Config, _ *[]neardup.Document) { c.Per = []string{"a", PerSite} }, "that run did not have --per a,site"},
		{func(c *Config, _ *[]neardup.Document) { c.Link = Components }, "--link was leader and is now components"},
		{func(_ *Config, d *[]neardup.Document) { *d = (*d)[:5] }, "the inputs had more records"},
	} {
		put(t, dir, left)
		c, d := cfg, docs
		test.change(&c, &d)
		if _, _, err := resumed(t, d, c, dir, "", 0); !errors.Is(err, resume.ErrUnlike) || !strings.Contains(fmt.Sprint(err), test.says) {
			t.Errorf("it says %v, want %s", err, test.says)
		}
	}
	put(t, dir, left)
	folder, err := resume.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := resume.Open(dir); !errors.Is(err, resume.ErrLocked) {
		t.Errorf("a second run is told %v", err)
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Pairs(context.Background(), Documents(docs), Config{Method: cfg.Method, Resume: folder}, func(Pair) error { return nil }); err == nil {
		t.Error("Pairs resumes")
	}
	put(t, dir, map[string][]byte{"mine": {1}})
	if _, err := resume.Open(dir); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("of a folder with a file of somebody it says %v", err)
	}
}

// After any damage to the files of a killed run, the next run names the file or makes the same decisions.
func TestDamagedFoldersAreRefused(t *testing.T) {
	cfg := Config{Method: shingled{threshold: .5}, Tmp: t.TempDir()}
	docs := randomDocs(2, 50)
	dir := t.TempDir()
	want, events, err := resumed(t, docs, cfg, dir, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	rng, refused, killed := rand.New(rand.NewPCG(7, 7)), 0, map[string][]byte{}
	for i := range 50 {
		put(t, dir, nil)
		if i%5 == 0 {
			if _, _, err := resumed(t, docs, cfg, dir, "", events/8+rng.IntN(events*3/4)); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			killed = filesOf(t, dir)
		}
		files := maps.Clone(killed)
		var names []string
		for _, n := range []string{"RUN", "read.log", "compare.log"} {
			if len(files[n]) > 0 {
				names = append(names, n)
			}
		}
		name, how := names[rng.IntN(len(names))], damages[i%len(damages)]
		other := files[names[rng.IntN(len(names))]]
		files[name] = how.do(rng, append([]byte(nil), files[name]...), append([]byte(nil), other...))
		put(t, dir, files)
		got, _, err := resumed(t, docs, cfg, dir, "", 0)
		switch {
		case err == nil:
			if diff := gocmp.Diff(want, got, sameTold); diff != "" {
				t.Errorf("%d: %s, %s: it decides otherwise:\n%s", i, name, how.name, diff)
			}
		case !errors.Is(err, resume.ErrDamaged) || !strings.Contains(err.Error(), name):
			t.Errorf("%d: %s, %s: it says %v", i, name, how.name, err)
		default:
			refused++
		}
	}
	if refused < 25 {
		t.Errorf("only %d of 50 damages were noticed", refused)
	}
}
