package docid

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/neardup/neardup"
)

// Errors of a Detector, besides those of the store.
var (
	ErrInvalid = errors.New("invalid")
	ErrCrowded = errors.New("too many candidates to compare")
	ErrQuota   = errors.New("the quota of the index is used up")
)

// Detector decides for one tenant which articles are new. Safe for concurrent
// use; several detectors, in several processes where the store allows it, may
// share one index and never call two near articles new.
type Detector struct {
	cascade
	index   Index
	tenant  string
	ids     DocIDs
	nameKey []byte
	askKey  []byte
	views   *views
}

// NewDetector opens the index of a tenant, and makes it if it is not there.
// An index made under other settings is ErrUnlike.
func NewDetector(ctx context.Context, store Store, tenant string, s Settings) (*Detector, error) {
	index, err := store.Index(ctx, tenant, s.create)
	if err != nil {
		return nil, fmt.Errorf("open index of tenant %q: %w", tenant, err)
	}
	id := index.Identity()
	c, spec, err := s.build(id.Seed, id.Table)
	if err != nil {
		return nil, err
	}
	if spec != id.Spec {
		return nil, fmt.Errorf("%w: index of tenant %q is %q, settings are %q", neardup.ErrUnlike, tenant, id.Spec, spec)
	}
	ids, err := NewDocIDs(id, tenant)
	if err != nil {
		return nil, err
	}
	if c.Turns == nil {
		c.Turns = NewTurns(0)
	}
	return &Detector{
		cascade: c, index: index, tenant: tenant, ids: ids,
		nameKey: derive(id, "name"), askKey: derive(id, "request"),
		views: newViews(c.CacheBytes),
	}, nil
}

// create makes the identity of a new index, its spec included.
func (s Settings) create() (Identity, error) {
	var id Identity
	var err error
	if s.Identity != nil {
		id, err = s.Identity("")
	} else {
		id, err = NewIdentity("", nil)
	}
	if err != nil {
		return id, err
	}
	if _, id.Spec, err = s.build(id.Seed, id.Table); err != nil {
		return id, err
	}
	if id.Created == 0 {
		c := cascade{Settings: s}
		id.Created = c.now().UnixNano()
	}
	return id, nil
}

// Submission is an article to decide on, with what the caller wants beyond
// the settings.
type Submission struct {
	Article
	// Idempotency, where not empty, makes a repeated Add answer as the
	// first did.
	Idempotency string
	// Window and TTL replace those of the settings where not 0.
	Window, TTL time.Duration
}

// Answer is a decision of the service.
type Answer struct {
	neardup.Decision
	DocID string `json:"docId"`
	// Seq is the number of the change; of a Check, the last change seen.
	Seq   uint64 `json:"seq"`
	Stage Stage  `json:"stage,omitempty"`
	// LeaderSeq is the number of the leader, which the docId prints.
	LeaderSeq uint64 `json:"-"`
	Replayed  bool   `json:"replayed,omitempty"`
	// Candidates is how many leaders shared a key, Compared how many were
	// verified, Rounds how often the store was asked: for metrics.
	Candidates int `json:"-"`
	Compared   int `json:"-"`
	Rounds     int `json:"-"`
}

// Add decides on an article and stores the outcome in one atomic step. When
// it returns without error the answer is durable. Errors: ErrInvalid,
// ErrMismatch, ErrTaken, ErrCrowded, ErrQuota, ErrUnavailable, ErrFull.
func (d *Detector) Add(ctx context.Context, sub Submission) (Answer, error) {
	if err := d.admit(ctx, &sub); err != nil {
		return Answer{}, err
	}
	j := d.judge(&sub)
	defer j.rest()
	for {
		if err := j.decide(ctx); err != nil {
			return Answer{}, fmt.Errorf("decide on %q: %w", sub.ID, err)
		}
		r, err := d.index.Commit(ctx, j.change())
		switch {
		case err == nil:
			if r.Kind == KindNew && !r.Replayed {
				j.remember(r.Entry)
			}
			return d.answer(r, j), nil
		case errors.Is(err, ErrConflict): // look at the newer ones only
		case errors.Is(err, ErrEnded):
			j.restart()
		default:
			return Answer{}, fmt.Errorf("commit %q: %w", sub.ID, err)
		}
	}
}

// Check decides without storing: what Add would have answered after change
// Seq. A new article has no docId.
func (d *Detector) Check(ctx context.Context, sub Submission) (Answer, error) {
	if err := valid(&sub); err != nil {
		return Answer{}, err
	}
	j := d.judge(&sub)
	defer j.rest()
	if err := j.look(ctx); err != nil {
		return Answer{}, fmt.Errorf("check %q: %w", sub.ID, err)
	}
	e := j.change().Entry
	a := d.answer(Receipt{Entry: e}, j)
	a.Seq = j.query.Since
	if e.Kind == KindNew {
		a.DocID = ""
	}
	return a, nil
}

// admit checks a submission and the quota.
func (d *Detector) admit(ctx context.Context, sub *Submission) error {
	if err := valid(sub); err != nil {
		return err
	}
	if d.MaxMembers <= 0 {
		return nil
	}
	st, err := d.index.Catalog().Stats(ctx)
	if err != nil {
		return fmt.Errorf("count members: %w", err)
	}
	if st.Members >= d.MaxMembers {
		return fmt.Errorf("%w: %d articles", ErrQuota, st.Members)
	}
	return nil
}

// valid checks what every caller must obey, whatever the server limits.
func valid(sub *Submission) error {
	switch {
	case strings.HasPrefix(sub.ID, AnonymousPrefix):
		return fmt.Errorf("%w: nid starts with %q", ErrInvalid, AnonymousPrefix)
	case len(sub.ID) > 1024, len(sub.Idempotency) > 1024:
		return fmt.Errorf("%w: nid or idempotency key over 1024 bytes", ErrInvalid)
	case len(sub.Text)+len(sub.Title)+len(sub.URL) > 64<<20:
		return fmt.Errorf("%w: article over 64 MiB", ErrInvalid)
	case sub.Window < 0 || sub.TTL < 0:
		return fmt.Errorf("%w: window or time to live below 0", ErrInvalid)
	}
	return nil
}

// answer puts a log entry, and what it took, into the caller's words.
func (d *Detector) answer(r Receipt, j *judge) Answer {
	a := d.FromEntry(r.Entry)
	a.Replayed = r.Replayed
	if j != nil {
		a.Candidates, a.Compared, a.Rounds = j.candidates, j.compared, j.rounds
	}
	return a
}

// FromEntry is the answer that was given with a log entry.
func (d *Detector) FromEntry(e Entry) Answer {
	a := Answer{Seq: e.Seq, LeaderSeq: e.Leader, DocID: d.ids.DocID(e.Leader), Stage: e.Evidence.Stage}
	a.ID, a.Decision.Decision, a.Method = e.NID, neardup.New, e.Evidence.Method
	if e.Kind == KindDuplicate {
		a.Decision.Decision = neardup.Duplicate
		a.Leader, a.Similarity, a.Basis = e.Evidence.LeaderNID, e.Evidence.Similarity, e.Evidence.Basis
		if dist := e.Evidence.Distance; dist >= 0 {
			a.Distance = &dist
		}
	}
	return a
}

// Index gives access to what is not decided here: the catalogue and the log.
func (d *Detector) Index() Index { return d.index }

// DocIDs converts between docIds and the numbers of leaders.
func (d *Detector) DocIDs() DocIDs { return d.ids }
