package methods

import (
	"errors"
	"io"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// decorator wraps a method and also compares a set of shingles of each text. It forwards every optional interface of the
// wrapped method. If the method lacks one, the decorator does what engines do without it.
type decorator struct {
	neardup.Searchable        // the wrapped method
	name               string // name of the setting
	share              float64
	shingle            feature.Shingle
	seed               uint64
	keepText           bool // a view also holds the text
	// wrap makes the same decorator of another method.
	wrap func(neardup.Searchable) neardup.Method
	// revise returns the final match, from a match of the wrapped method. If explain is set, it adds the evidence.
	revise func(m neardup.Match, a, b *decorated, explain bool) neardup.Match
}

// decorated is a view of the wrapped method with the set of the text's shingles.
type decorated struct {
	neardup.Prepared // the wrapped view
	clean            string
	set              []uint64
	count            int // number of shingles, including repetitions
}

// innermost returns the method within all decorators.
func innermost(m neardup.Method) neardup.Method {
	for {
		d, ok := m.(interface{ wrapped() neardup.Method })
		if !ok {
			return m
		}
		m = d.wrapped()
	}
}

func (d *decorator) wrapped() neardup.Method { return d.Searchable }

// Spec returns the spec of the wrapped method, with the share.
func (d *decorator) Spec() neardup.Spec {
	s := d.Searchable.Spec()
	s.Params = append(s.Params, neardup.Param{Name: d.name, Value: number(d.share)})
	return s
}

// Bytes returns the memory of the view and of the set.
func (v *decorated) Bytes() int { return 88 + len(v.clean) + 8*len(v.set) + v.Prepared.Bytes() }

// Prepare makes the view of the wrapped method, with the set of shingles.
func (d *decorator) Prepare(clean string) neardup.Prepared {
	return d.decorate(clean, d.Searchable.Prepare(clean))
}

func (d *decorator) decorate(clean string, wrapped neardup.Prepared) neardup.Prepared {
	set, count := setOf(d.shingle, clean, d.seed)
	if !d.keepText {
		clean = ""
	}
	return &decorated{wrapped, clean, set, count}
}

// RecordPrepare makes the record. It also makes the view if the method can make both together.
func (d *decorator) RecordPrepare(clean string, rec *neardup.Record) neardup.Prepared {
	if m, ok := d.Searchable.(interface {
		RecordPrepare(clean string, rec *neardup.Record) neardup.Prepared
	}); ok {
		if v := m.RecordPrepare(clean, rec); v != nil {
			return d.decorate(clean, v)
		}
		return nil
	}
	d.Searchable.Record(clean, rec)
	return nil
}

// Compare revises the match of the wrapped method.
func (d *decorator) Compare(a, b neardup.Prepared) neardup.Match {
	x, y := a.(*decorated), b.(*decorated)
	return d.revise(d.Searchable.Compare(x.Prepared, y.Prepared), x, y, false)
}

// Screen revises the match if the wrapped method decides it.
func (d *decorator) Screen(a, b neardup.Prepared) (neardup.Match, bool) {
	x, y := a.(*decorated), b.(*decorated)
	m, decided := neardup.Screen(d.Searchable, x.Prepared, y.Prepared)
	if decided {
		m = d.revise(m, x, y, false)
	}
	return m, decided
}

// Decide revises the decision of the wrapped method.
func (d *decorator) Decide(a, b neardup.Prepared, closeness float64) neardup.Match {
	x, y := a.(*decorated), b.(*decorated)
	return d.revise(d.Searchable.(neardup.TwoStage).Decide(x.Prepared, y.Prepared, closeness), x, y, false)
}

// Explain revises the explanation of the wrapped method.
func (d *decorator) Explain(a, b neardup.Prepared) neardup.Match {
	x, y := a.(*decorated), b.(*decorated)
	return d.revise(neardup.Explain(d.Searchable, x.Prepared, y.Prepared), x, y, true)
}

// Template returns the template of the wrapped method.
func (d *decorator) Template(v neardup.Prepared) (template uint64, fillers []uint64) {
	if m, ok := d.Searchable.(neardup.TwoStage); ok {
		return m.Template(v.(*decorated).Prepared)
	}
	return 0, nil
}

// FeatureSets appends the sets of the wrapped method.
func (d *decorator) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	return d.Searchable.FeatureSets(dst, v.(*decorated).Prepared)
}

// Measure returns the measure of the wrapped method.
func (d *decorator) Measure(a, b neardup.Prepared) float64 {
	return d.Searchable.Measure(a.(*decorated).Prepared, b.(*decorated).Prepared)
}

// Route returns the route of the wrapped method, or its name if it has no routes.
func (d *decorator) Route(clean string) string {
	if r, ok := d.Searchable.(interface{ Route(clean string) string }); ok {
		return r.Route(clean)
	}
	return d.Searchable.Spec().Method
}

// Trainer returns a trainer of the wrapped method, or nil if it needs no training.
func (d *decorator) Trainer(memory int64) neardup.Trainer {
	m, ok := d.Searchable.(neardup.Trainable)
	if !ok {
		return nil
	}
	return d.train(m.Trainer(memory))
}

// train wraps a trainer of the wrapped method. It returns nil for nil.
func (d *decorator) train(wrapped neardup.Trainer) neardup.Trainer {
	if wrapped == nil {
		return nil
	}
	return &trainer{wrapped, d}
}

type trainer struct {
	neardup.Trainer
	of *decorator
}

// NextPass returns the wrapped next trainer.
func (t *trainer) NextPass() neardup.Trainer { return t.of.train(t.Trainer.NextPass()) }

// Method returns the decorator of the trained method.
func (t *trainer) Method() neardup.Method { return t.of.wrap(t.Trainer.Method().(neardup.Searchable)) }

// WriteTo writes the counts of the wrapped trainer.
func (t *trainer) WriteTo(out io.Writer) (int64, error) {
	if m, ok := t.Trainer.(neardup.Mergeable); ok {
		return m.WriteTo(out)
	}
	return 0, errors.ErrUnsupported
}

// ReadFrom adds counts to the wrapped trainer.
func (t *trainer) ReadFrom(in io.Reader) (int64, error) {
	if m, ok := t.Trainer.(neardup.Mergeable); ok {
		return m.ReadFrom(in)
	}
	return 0, errors.ErrUnsupported
}
