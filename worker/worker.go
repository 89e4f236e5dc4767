package worker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
)

// Protocol is increased whenever a line changes its meaning.
const Protocol = 14

// ErrUnlike is returned if driver and worker disagree.
var ErrUnlike = errors.New("driver and worker differ")

// Stages has the stages, and all that they depend on.
type Stages struct {
	Method neardup.Method
	Clean  neardup.Cleaner
	// Tallies are the counts of all parts of the corpus, for methods that choose keys by the rarity of features.
	Tallies []io.Reader
	// Decode reads the record that replaces a text, which is the last field of its line and not escaped. If
	// nil, lines have texts. It returns the reason for a rejected record, or ErrBlank for a blank line. Only
	// one goroutine calls it at a time.
	Decode func(record []byte, doc *neardup.Document) (reject string, err error)
	// Parts is the number of parts for packs.
	Parts int
	// Ranges makes Distinct divide postings by ranges of their keys, as an index does.
	Ranges bool
	// Against is an index whose documents precede all others, or nil. Decide, Verify, BucketPacks and Names
	// read it.
	Against *reference.Index
	Limits  BucketLimits
	// Conflicts makes Verify and Decide add the evidence of variants as JSON.
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
var ErrChanged = errors.New("the text is not the one that was there when records were made")

// ErrBlank is returned by Stages.Decode for a line without a record.
var ErrBlank = errors.New("a blank line")

// Contract returns all that driver and workers must agree on.
func (s Stages) Contract() string {
	if s.Passages != nil {
		return fmt.Sprintf("neardup-worker/%d passages %s", Protocol, s.Passages.Spec)
	}
	return fmt.Sprintf("neardup-worker/%d clean=%s %s", Protocol, s.Clean, s.Method.Spec())
}

// Check returns nil if a driver's contract is that of these stages, else
// ErrUnlike.
func (s Stages) Check(contract string) error {
	if own := s.Contract(); contract != own {
		return fmt.Errorf("%w: %q is expected, %q is here", ErrUnlike, contract, own)
	}
	return nil
}

// RecordsInPacks runs the first stage. It reads documents: place, text, and optionally the id (default: the
// place); or with s.Decode place and record. For a document it writes place, method, id, reason, check (empty if
// rejected), and "blank" if it has no text. The check shows whether a later reading returns the same text or record.
//
// For Distinct it writes packs after six empty fields, as part and pack. They hold the hashes, sketches and keys
// of documents, divided by hash into s.Parts parts. Equal hashes prove that texts are equal, so copies need not be
// compared. A blank document has a hash of its own and no keys.
func (s Stages) RecordsInPacks(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	texts := l.packsOf(s.Parts, "\t\t\t\t\t\t")
	err := s.eachDocument(l, func(d document, rec *neardup.Record) error {
		route, check := "", ""
		if d.reject == "" {
			route, check = s.route(d.clean), d.check
			hash := d.hash()
			part := texts.part(binary.LittleEndian.Uint64(hash[:]))
			if err := texts.add(part, func(b []byte) []byte { return appendText(b, hash, d.place, rec) }); err != nil {
				return err
			}
		}
		d.check = check
		return l.documentOfPacks(d, route, d.reject == "" && neardup.Blank(d.clean))
	})
	if err == nil {
		err = errors.Join(texts.flushAll(), l.out.Flush())
	}
	return l.counts, err
}

// documentOfPacks writes the line of a document among packs.
func (l *lines) documentOfPacks(d document, route string, blank bool) error {
	l.ordinal(d.place)
	for _, field := range []string{route, d.id, d.reject, d.check} {
		l.tab()
		l.line = append(l.line, Escape(field)...)
	}
	l.tab()
	if blank {
		l.line = append(l.line, "blank"...)
	}
	return l.write()
}

// eachDocument calls fn with each document and its record (empty if unreadable), which is valid until fn returns.
func (s Stages) eachDocument(l *lines, fn func(document, *neardup.Record) error) error {
	l.most = s.fields(2)
	if len(s.Tallies) > 0 { // without these the pairs are the same but need more work
		t, err := s.trainer()
		if err != nil {
			return err
		}
		s.Method = t.Method()
	}
	var rec neardup.Record
	return l.each(func(fields [][]byte) error {
		d, err := s.document(fields)
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
	place     batch.Ordinal
	check     string
	id, clean string
	named     bool   // an id came along
	reject    string // why it cannot be read
}

// hash returns the SHA-256 of the clean text. A blank text is not a copy, so for it that is
// that of the place.
func (d *document) hash() [sha256.Size]byte {
	if neardup.Blank(d.clean) {
		return sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(d.place)))
	}
	return sha256.Sum256([]byte(d.clean))
}

// checkSeed is the seed of Spark's function xxhash64.
const checkSeed = 42

// checkOf returns the check of an unchanged text or record: XXH64 in 16 hex digits.
func checkOf(as []byte) string {
	d := xxhash.NewWithSeed(checkSeed)
	_, _ = d.Write(as) // never fails
	return hex.EncodeToString(d.Sum(nil))
}

// checked calls uncleaned for a line of place, check and text.
func (s Stages) checked(fields [][]byte) (document, error) {
	if err := want(fields, 3, "a text"); err != nil {
		return document{}, err
	}
	d, err := s.uncleaned([][]byte{fields[0], fields[2]})
	switch {
	case d.check != "" && d.check != string(fields[1]):
		return d, fmt.Errorf("%w: at %s", ErrChanged, appendPlace(nil, d.place))
	case err == nil && d.reject != "":
		err = fmt.Errorf("%w: at %s: %s", ErrLine, appendPlace(nil, d.place), d.reject)
	}
	return d, err
}

// fields returns the maximal number of fields of a line with n fields. The last one may be a record.
func (s Stages) fields(n int) int {
	if s.Decode == nil {
		return 0
	}
	return n
}

// document reads place and text, or place and record, and cleans the text.
func (s Stages) document(fields [][]byte) (document, error) {
	d, err := s.uncleaned(fields)
	if err == nil {
		d.clean = s.Clean.Clean(d.clean)
	}
	return d, err
}

// uncleaned reads a document and leaves its text uncleaned.
func (s Stages) uncleaned(fields [][]byte) (d document, err error) {
	if len(fields) == 3 && s.Decode == nil {
		d.named = true
		d.id, err = Unescape(fields[2])
		if err != nil {
			return d, err
		}
	} else if err := want(fields, 2, "a document"); err != nil {
		return d, err
	}
	d.place, err = parsePlace(fields[0])
	if err != nil {
		return d, err
	}
	if s.Decode == nil {
		d.clean, err = Unescape(fields[1])
		if err != nil {
			return d, err
		}
		d.check = checkOf([]byte(d.clean))
	} else {
		var doc neardup.Document
		d.check = checkOf(fields[1])
		d.reject, err = s.Decode(fields[1], &doc)
		d.clean, d.id, d.named = doc.Text, doc.ID, true
	}
	if d.named && d.id == "" {
		d.id = string(fields[0])
	}
	return d, err
}

// Lead runs the last stage. It reads all edges, ordered by the later place and then the earlier one. It
// writes the edges to leaders: one for each duplicate, and one for each new document that is a variant of a
// leader. All other documents are new. It needs a bit of memory per duplicate.
func (Stages) Lead(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	edges := func(yield func(batch.Edge, error) bool) {
		err := l.each(func(fields [][]byte) error {
			e, err := parseEdge(fields)
			if err != nil {
				return err
			}
			if !yield(e, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(batch.Edge{}, err)
		}
	}
	for e, err := range batch.Leaders(edges) {
		if err != nil {
			return l.counts, err
		}
		l.edge(e)
		if err := l.write(); err != nil {
			return l.counts, err
		}
	}
	return l.counts, l.out.Flush()
}

var errStopped = errors.New("stopped")

// Digest adds up decisions (id, decision, leader, similarity, variant of) or digests of parts. It writes the
// digest of all.
func (Stages) Digest(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, io.Discard)
	sum := batch.NewResultDigest()
	err := l.each(func(fields [][]byte) error {
		if len(fields) == 1 {
			part, err := batch.ParseResultDigest(string(fields[0]))
			if err != nil {
				return err
			}
			sum.Merge(part)
			return nil
		}
		d, err := parseDecision(fields)
		if err != nil {
			return err
		}
		sum.Add(d)
		return nil
	})
	if err != nil {
		return l.counts, err
	}
	l.counts.Out++
	_, err = fmt.Fprintln(out, sum)
	return l.counts, err
}
