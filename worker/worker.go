package worker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/override"
)

// Protocol must be increased when the meaning of a row changes.
const Protocol = 16

// ErrUnlike is returned if driver and worker disagree.
var ErrUnlike = errors.New("driver and worker differ")

// Stages holds the stages, and everything that they depend on.
type Stages struct {
	Method neardup.Method
	Clean  neardup.Cleaner
	// Tally has the counts of the corpus, for methods that choose keys by the rarity of features, or is nil.
	Tally io.Reader
	// Decode reads the record that replaces a text. If nil, rows have texts. It returns the reason why a record is
	// rejected, or ErrBlank for a blank line. It is called by one goroutine at a time.
	Decode func(record []byte, doc *neardup.Document) (reject string, err error)
	// Parts is the number of parts for packs.
	Parts int
	// Ranges makes Distinct divide postings by ranges of their keys, as an index does.
	Ranges bool
	// Against is an index whose documents precede all others, or nil. Bucket and Decide read it.
	Against *reference.Index
	// Hot is the number of postings from which Bucket may keep a bucket whole, or 0.
	Hot int
	// Overrides are the rulings that Decide follows, or nil. Records gives each document that they name a hash of its own.
	Overrides *override.Set
	// Conflicts makes Decide add the evidence of variants as JSON.
	Conflicts bool
	// Passages is set for the stages that find repeated passages, as package passage does.
	Passages *Passages
}

// Use makes the stages decide against an index. asOf is the state of the index that the driver saw.
func (s *Stages) Use(x *reference.Index, asOf string) error {
	if asOf != "" && asOf != x.AsOf() {
		return fmt.Errorf("%w: the index has changed since the run began", ErrUnlike)
	}
	s.Against = x
	return x.Header().Like(reference.Header{Spec: s.Method.Spec().String(), Normalize: s.Clean.String()})
}

// ErrChanged is returned for a text that differs from the one that Records read. The input has changed, or a
// second reading returned its rows in another order.
var ErrChanged = errors.New("the text has changed since the stage records read it")

// ErrBlank is returned by Stages.Decode for a line without a record.
var ErrBlank = errors.New("a blank line")

// Contract returns a text with everything that the driver and the workers must agree on.
func (s Stages) Contract() string {
	if s.Passages != nil {
		return fmt.Sprintf("neardup-worker/%d passages %s", Protocol, s.Passages.Spec)
	}
	return fmt.Sprintf("neardup-worker/%d clean=%s %s", Protocol, s.Clean, s.Method.Spec())
}

// Check returns nil if the driver has the contract of these stages, otherwise ErrUnlike.
func (s Stages) Check(contract string) error {
	if own := s.Contract(); contract != own {
		return fmt.Errorf("%w: this program has %[3]q (want %[2]q)", ErrUnlike, contract, own)
	}
	return nil
}

// newDocuments reads documents: ordinal and record with s.Decode, else ordinal, text and id.
func (s Stages) newDocuments(ctx context.Context, in io.Reader, out io.Writer) *rows {
	kinds := "nbb"
	if s.Decode != nil {
		kinds = "nb"
	}
	return newRows(ctx, in, out, kinds)
}

// Records runs the first stage. It reads documents. For each it writes ordinal, method, id (default: the ordinal), why
// it is rejected, check (null if rejected), and "blank" if it has no text. The check shows whether a later reading
// returns the same text or record.
//
// For Distinct it writes packs after six nulls, as part and pack. They hold the hashes, sketches and keys of
// documents, divided by hash into s.Parts parts. Equal hashes prove that texts are equal, so copies need not be
// compared. A document that is blank or named by s.Overrides has a hash of its own; a blank one has no keys.
func (s Stages) Records(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := s.newDocuments(ctx, in, out)
	texts := l.documentPacks(s.Parts)
	err := s.eachDocument(l, func(d document, rec *neardup.Record) error {
		route, blank := "", ""
		if d.reject == "" {
			route = s.route(d.clean)
			if neardup.Blank(d.clean) {
				blank = "blank"
			}
			hash := d.hash(s.Overrides.Names(d.id))
			part := texts.part(binary.LittleEndian.Uint64(hash[:]))
			if err := texts.add(part, func(b []byte) []byte { return appendText(b, hash, d.ordinal, rec) }); err != nil {
				return err
			}
		}
		return l.document(d, route, blank)
	})
	return end(l, texts, err)
}

// documentPacks makes packs that are written between documents.
func (s *rows) documentPacks(parts int) *packs {
	return packsOf(parts, func(part int, pack []byte) error { return s.write(nil, nil, nil, nil, nil, nil, part, pack) })
}

// document writes the row of a document among packs.
func (s *rows) document(d document, route, blank string) error {
	var check any
	if d.reject == "" {
		check = d.check
	}
	return s.write(d.ordinal, given(route), given(d.id), given(d.reject), check, given(blank), nil, nil)
}

// eachDocument calls fn with each document and its record (empty if unreadable), which is valid until fn returns.
func (s Stages) eachDocument(l *rows, fn func(document, *neardup.Record) error) error {
	if s.Tally != nil { // without the counts the pairs are the same, but need more work
		t, err := s.trainer()
		if err != nil {
			return err
		}
		s.Method = t.Method()
	}
	var rec neardup.Record
	return l.each(func(r row) error {
		d, err := s.cleaned(r)
		if errors.Is(err, ErrBlank) {
			return nil
		}
		if err != nil {
			return err
		}
		rec.Reset()
		if d.reject == "" && !neardup.Blank(d.clean) {
			s.Method.Record(d.clean, &rec)
			if len(rec.Index)+len(rec.Probe) == 0 { // an index must find the equal text
				rec.Index = append(rec.Index, neardup.DigestOf(d.clean).Key())
			}
		}
		return fn(d, &rec)
	})
}

// route returns the name of the method for a text.
func (s Stages) route(clean string) string {
	if r, ok := s.Method.(batch.Router); ok {
		return r.Route(clean)
	}
	return s.Method.Spec().Method
}

type document struct {
	ordinal   batch.Ordinal
	check     int64
	id, clean string
	reject    string // the reason why it cannot be read
}

// hash returns the SHA-256 of the clean text. A blank text, or one that a ruling names, is never a copy, so it gets the
// hash of its ordinal.
func (d *document) hash(ruled bool) [sha256.Size]byte {
	if ruled || neardup.Blank(d.clean) {
		return sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(d.ordinal)))
	}
	return sha256.Sum256([]byte(d.clean))
}

// checkSeed is the seed of Spark's function xxhash64.
const checkSeed = 42

// checkOf returns the check of an unchanged text or record, its XXH64.
func checkOf(as []byte) int64 {
	d := xxhash.NewWithSeed(checkSeed)
	_, _ = d.Write(as) // never fails
	return int64(d.Sum64())
}

// checked reads a document with the columns of its check and its text or record.
func (s Stages) checked(r row, check, text int) (document, error) {
	d, err := s.uncleaned(r, text)
	if err != nil {
		return d, err
	}
	if d.check != int64(r.word(check)) {
		return d, fmt.Errorf("%w: at %s", ErrChanged, ordinalText(d.ordinal))
	}
	if d.reject != "" {
		return d, fmt.Errorf("%w: at %s: %s", ErrRow, ordinalText(d.ordinal), d.reject)
	}
	return d, nil
}

// cleaned reads a document and cleans its text.
func (s Stages) cleaned(r row) (document, error) {
	d, err := s.document(r)
	if err == nil {
		d.clean = s.Clean.Clean(d.clean)
	}
	return d, err
}

// document reads a document with its id.
func (s Stages) document(r row) (document, error) {
	d, err := s.uncleaned(r, 1)
	if s.Decode == nil {
		d.id = string(r.bytes(2))
	}
	if d.id == "" {
		d.id = ordinalText(d.ordinal)
	}
	return d, err
}

// uncleaned reads the ordinal and the text, or the record, of a document.
func (s Stages) uncleaned(r row, text int) (d document, err error) {
	d.ordinal, err = r.ordinal(0)
	if err != nil {
		return d, err
	}
	as := r.bytes(text)
	d.check = checkOf(as)
	if s.Decode == nil {
		d.clean = string(as)
		return d, nil
	}
	var doc neardup.Document
	d.reject, err = s.Decode(as, &doc)
	d.clean, d.id = doc.Text, doc.ID
	return d, err
}

// Texts decodes records. It reads any column and a record, and writes the column, the text, and the reason if there is
// none.
func (s Stages) Texts(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newRows(ctx, in, out, "bb")
	err := l.each(func(r row) error {
		var doc neardup.Document
		reject, err := s.Decode(r.bytes(1), &doc)
		if err != nil {
			return err
		}
		if reject != "" {
			return l.write(r.bytes(0), nil, reject)
		}
		return l.write(r.bytes(0), doc.Text, nil)
	})
	return l.counts, err
}

// Digest adds up decisions (id, decision, leader, similarity, variant of), and digests of parts, which have no decision. It
// writes the total digest.
func (Stages) Digest(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newRows(ctx, in, out, "bbbnb")
	sum := batch.NewResultDigest()
	err := l.each(func(r row) error {
		if r.null(1) {
			part, err := batch.ParseResultDigest(string(r.bytes(0)))
			if err != nil {
				return err
			}
			sum.Merge(part)
			return nil
		}
		d := neardup.Decision{ID: string(r.bytes(0)), Decision: neardup.Verdict(r.bytes(1)), Leader: string(r.bytes(2)), VariantOf: string(r.bytes(4))}
		if d.Decision != neardup.New {
			d.Similarity = math.Float64frombits(r.word(3))
		}
		sum.Add(d)
		return nil
	})
	if err == nil {
		err = l.write(sum.String())
	}
	return l.counts, errors.Join(err, l.out.Flush())
}
