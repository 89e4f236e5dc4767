package storetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// A State is a state to which a log or a folder is restored.
type State string

// The states: the latest, the one of the backup, and empty.
const (
	Same  State = "same"
	Older State = "older"
	Empty State = "empty"
)

// RestoredLog is a log that can be restored while no server runs.
type RestoredLog struct {
	// Open connects to the log.
	Open func(t *testing.T) docid.Log
	// Save stores the current state. Restore returns to it, like after a restart.
	Save    func(t *testing.T, s State)
	Restore func(t *testing.T, s State)
}

// cell is a combination of states with the expected result.
type cell struct {
	log  State
	one  State // state of the first server's folder
	two  State // state of the second server's folder
	want [2]becomes
}

// becomes is the expected state of a server.
type becomes string

const (
	goesOn   becomes = "goes on, and has all answers"
	lacks    becomes = "goes on in a new epoch, and lacks answers"
	isLost   becomes = "refuses, for the log lacks what it has applied"
	notBegun becomes = "refuses, for the log has not begun"
)

// The number of articles that each server gets before and after the backup.
const (
	dayBefore = 10 // articles of each server before the backup
	lostDay   = 8  // articles of each server after it
)

// expected returns how a server must behave.
func expected(log, folder State) becomes {
	switch {
	case log == Same:
		return goesOn
	case log == Empty && folder == Empty:
		return notBegun
	case log == Empty || folder == Same:
		return isLost
	}
	return lacks
}

// RunRestores tests every combination of states of a log and of the folders of two servers: latest, backed up, or empty. If
// few is set, both folders have the same state. In every case no docId is given to two articles. No answer is lost, unless
// the server refuses to start or has begun an epoch.
func RunRestores(t *testing.T, log RestoredLog, open func(dir string, log docid.Log) (docid.Store, error), few bool) {
	r := &restores{log: log, open: open, given: map[string]string{}, answers: map[string]docid.Answer{}, saved: t.TempDir()}
	r.before(t)
	states := []State{Same, Older, Empty}
	for _, of := range states {
		for _, one := range states {
			for _, two := range states {
				if few && one != two {
					continue
				}
				c := cell{log: of, one: one, two: two, want: [2]becomes{expected(of, one), expected(of, two)}}
				t.Run(fmt.Sprintf("log %s, folders %s and %s", of, one, two), func(t *testing.T) { r.cell(t, c) })
			}
		}
	}
}

type restores struct {
	log     RestoredLog
	open    func(dir string, log docid.Log) (docid.Store, error)
	saved   string                  // folders of the servers, by state
	given   map[string]string       // docId -> its nid, for every docId ever given
	answers map[string]docid.Answer // nid -> answer
	cells   int
}

// restored is a server of the test.
type restored struct {
	docid.Store
	*docid.Detector
}

func (r *restores) start(t *testing.T, dir string, log docid.Log) (restored, error) {
	t.Helper()
	s, err := r.open(dir, log)
	if err != nil {
		return restored{}, err
	}
	t.Cleanup(func() { _ = s.Close() })
	d, err := docid.NewDetector(t.Context(), s, "tenant", Settings())
	return restored{s, d}, err
}

// add adds articles that are near no other, and checks that their docIds are new.
func (r *restores) add(t *testing.T, s restored, name string, from, n int) {
	t.Helper()
	for i := range n {
		var sub docid.Submission
		sub.ID, sub.Text = fmt.Sprint(name, i), Base(from+i)
		a, err := s.Add(t.Context(), sub)
		if err != nil || a.Decision.Decision != neardup.New {
			t.Fatalf("%s: %+v, %v", sub.ID, a.Decision, err)
		}
		if of, was := r.given[a.DocID]; was {
			t.Errorf("docId %s was given to %s, and now to %s", a.DocID, of, sub.ID)
		}
		r.given[a.DocID], r.answers[sub.ID] = sub.ID, a
	}
}

// before makes the changes before and after the backup.
func (r *restores) before(t *testing.T) {
	dirs := [2]string{filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")}
	work := func(state State, name string, from, n int) {
		log := Begin(t, r.log.Open(t))
		var servers []restored
		for _, dir := range dirs {
			s, err := r.start(t, dir, log)
			must(t, "start", err, nil)
			servers = append(servers, s)
		}
		for i, s := range servers {
			r.add(t, s, fmt.Sprint(name, i, "-"), from+100*i, n)
		}
		for i, s := range servers {
			_, err := s.Stats(t.Context()) // so that it has applied the whole log
			must(t, "stats", err, nil)
			must(t, "close", s.Close(), nil)
			must(t, "save", os.CopyFS(filepath.Join(r.saved, string(state), fmt.Sprint(i)), os.DirFS(dirs[i])), nil)
		}
		r.log.Save(t, state)
	}
	work(Older, "before", 0, dayBefore)
	r.log.Restore(t, Older) // a restarted log that lost nothing still begins an epoch if the server cannot know that
	work(Same, "day", 1000, lostDay)
}

func (r *restores) cell(t *testing.T, c cell) {
	r.cells++
	r.log.Restore(t, c.log)
	log := r.log.Open(t)
	known := r.nids()
	var servers []restored
	for n, state := range []State{c.one, c.two} {
		dir := filepath.Join(t.TempDir(), "store")
		if state != Empty {
			must(t, "restore", os.CopyFS(dir, os.DirFS(filepath.Join(r.saved, string(state), fmt.Sprint(n)))), nil)
		}
		s, err := r.start(t, dir, log)
		switch {
		case err == nil && (c.want[n] == goesOn || c.want[n] == lacks):
			servers = append(servers, s)
		case errors.Is(err, docid.ErrLogLost) && c.want[n] == isLost, errors.Is(err, docid.ErrInvalid) && c.want[n] == notBegun:
		default:
			t.Errorf("server %d: %v, want one that %s", n, err, c.want[n])
		}
	}
	for n, s := range servers {
		r.add(t, s, fmt.Sprint("after", r.cells, "-", n, "-"), 10_000+1000*r.cells+100*n, lostDay+4)
	}
	for n, s := range servers {
		lost := 0
		for _, nid := range known {
			_, is, err := s.Member(t.Context(), nid)
			switch {
			case errors.Is(err, docid.ErrNotFound):
				lost++
			case err != nil || is != r.answers[nid].DocID:
				t.Errorf("server %d: %s has docId %s, was %s: %v", n, nid, is, r.answers[nid].DocID, err)
			}
		}
		epochs, err := s.Detector.Index().Catalog().Epochs(t.Context())
		must(t, "epochs", err, nil)
		if silent := lost > 0 && len(epochs) == 0; silent || (lost > 0) != (c.log != Same) {
			t.Errorf("server %d lacks %d answers, and has begun %d epochs", n, lost, len(epochs))
		}
	}
	for _, nid := range r.nids() { // the next cell continues from the same states
		if !slices.Contains(known, nid) {
			delete(r.answers, nid)
		}
	}
}

func (r *restores) nids() (all []string) {
	for nid := range r.answers {
		all = append(all, nid)
	}
	slices.Sort(all)
	return all
}
