package batch

import (
	"context"

	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/internal/external"
)

// newAuditor prepares an audit of the input. It returns nil if none is requested.
func (j *job) newAuditor(ctx context.Context, r *records) (*audit.Auditor, error) {
	if j.cfg.Audit == nil || r.texts.Len() < 2 {
		return nil, nil
	}
	pairing := Pairing{Method: r.method}
	return audit.New(ctx, *j.cfg.Audit, audit.Run{
		Texts: measured{r.collection, r.texts}, Method: r.method, Clean: j.cfg.Clean, Workers: j.cfg.Workers, Bytes: j.sum.TextBytes,
		Pairs: func(key uint64, found, searches audit.Side) (met bool) {
			pairing.Bucket([]Posting{
				NewPosting(key, found.Sketch, Ordinal(found.Text), Indexed),
				NewPosting(key, searches.Sketch, Ordinal(searches.Text), Probing),
			}, func(Candidate) bool { met = true; return false })
			return met
		},
	})
}

// measured gives an audit access to a collection.
type measured struct {
	of *collection
	external.TypedArray[position, textRow]
}

func (a measured) Text(p uint32) (string, error) { return a.of.text(position(p)) }

// Size returns the length of a text in bytes, and its sketch.
func (a measured) Size(p uint32) (bytes uint32, sketch uint64, err error) {
	row, err := a.Get(position(p))
	return row.len, row.sketch, err
}

// First returns the first document that has a text.
func (a measured) First(p uint32) (uint32, error) {
	i, err := a.of.firstOf(position(p))
	return uint32(i), err
}

// Document returns the id and the clean text of a document.
func (a measured) Document(i uint32) (id, clean string, err error) {
	id, err = a.of.id(item(i))
	if err != nil {
		return "", "", err
	}
	row, err := a.of.docs.Get(item(i))
	if err != nil {
		return "", "", err
	}
	clean, err = a.of.text(position(row.text - 1))
	return id, clean, err
}

// finishAudit ends the audit; removed reports whether a text was removed.
func (j *job) finishAudit(ctx context.Context, removed func(position) (bool, error)) (err error) {
	j.sum.Audit, err = j.audit.Finish(ctx, j.sum.Work.Verified-j.sum.Work.Near, func(p uint32) (bool, error) { return removed(position(p)) })
	return err
}
