package batch

import (
	"errors"
	"slices"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/audit"
)

// verifier compares texts of the collection. It is safe for concurrent use.
type verifier struct {
	*collection
	method    neardup.Method
	viewCache *viewCache
	outlines  outlines
	outliner  outliner // nil if no text has an outline
	bases     *basisTable
	audit     *audit.Auditor // nil if the run is not measured
}

func newVerifier(r *records) *verifier {
	r.viewCache.reset(r.texts.Len())
	v := &verifier{collection: r.collection, method: r.method, viewCache: r.viewCache, outlines: r.outlines, bases: &basisTable{}}
	v.outliner, _ = r.method.(outliner)
	return v
}

// view returns the view of a text, from the cache if possible.
func (v *verifier) view(p position) (neardup.Prepared, error) {
	if view := v.viewCache.get(p); view != nil {
		return view, nil
	}
	clean, err := v.text(p)
	if err != nil {
		return nil, err
	}
	view := v.method.Prepare(clean)
	v.viewCache.put(p, view)
	return view, nil
}

// subject is a text that is compared with several others. Its view is made when it is first needed.
type subject struct {
	position
	view neardup.Prepared
}

// screen runs the cheap part of Verify. It asks whether a may be removed for b or, if leads is set, b for a.
func (v *verifier) screen(a *subject, b position, leads bool) (m neardup.Match, decided bool, err error) {
	if m, ruled := v.rulings.match(a.position, b); ruled {
		row, err := v.texts.Get(a.position)
		m.Method = v.routes.name(row.route)
		return m, true, err
	}
	if !v.distinct {
		same, err := v.equal(a.position, b)
		if err != nil {
			return m, false, err
		}
		if same {
			row, err := v.texts.Get(a.position)
			return v.equalMatch(row), true, err
		}
	}
	if x, y := v.outlines.at(int(a.position)), v.outlines.at(int(b)); x != nil && y != nil && v.outliner.Unlike(x, y) {
		return neardup.Match{Distance: -1}, true, nil
	}
	own, other, err := v.ordered(a, b, leads)
	if err != nil {
		return m, false, err
	}
	m, decided = neardup.Screen(v.method, own, other)
	return m, decided, nil
}

// finish compares a pair that screen could not decide.
func (v *verifier) finish(a *subject, b position, leads bool, closeness float64) (neardup.Match, error) {
	own, other, err := v.ordered(a, b, leads)
	if err != nil {
		return neardup.Match{}, err
	}
	return v.method.(neardup.TwoStage).Decide(own, other, closeness), nil
}

// ordered returns the views of a text and another one. The leader's is last.
func (v *verifier) ordered(a *subject, b position, leads bool) (text, leader neardup.Prepared, err error) {
	if a.view == nil {
		a.view, err = v.view(a.position)
		if err != nil {
			return nil, nil, err
		}
	}
	other, err := v.view(b)
	if leads {
		return other, a.view, err
	}
	return a.view, other, err
}

// basisTable numbers the pairs of method and basis. There are few of them.
type basisTable struct {
	mu    sync.RWMutex
	known []basis
}

type basis struct{ method, basis string }

var errManyBases = errors.New("batch: the method returns more than 256 kinds of basis")

func (t *basisTable) number(m neardup.Match) (uint8, error) {
	want := basis{m.Method, m.Basis}
	t.mu.RLock()
	i := slices.Index(t.known, want)
	t.mu.RUnlock()
	if i >= 0 {
		return uint8(i), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.known, want); i >= 0 {
		return uint8(i), nil
	}
	if len(t.known) == 256 {
		return 0, errManyBases
	}
	t.known = append(t.known, want)
	return uint8(len(t.known) - 1), nil
}

// matchRow is the compact form of a match.
type matchRow struct {
	similarity float64
	closeness  float64 // 0 if unknown
	distance   int32
	basis      uint8
	grade
}

func (t *basisTable) row(m neardup.Match) (matchRow, error) {
	b, err := t.number(m)
	return matchRow{m.Similarity, m.Closeness, int32(m.Distance), b, gradeOf(m)}, err
}

func (t *basisTable) match(r matchRow) neardup.Match {
	t.mu.RLock()
	defer t.mu.RUnlock()
	b := t.known[r.basis]
	return neardup.Match{
		Similarity: r.similarity, Closeness: r.closeness, Distance: int(r.distance), Near: r.removes(), Variant: r.grade == variant || r.grade == unsure, Unsure: r.grade == unsure,
		Method: b.method, Basis: b.basis,
	}
}
