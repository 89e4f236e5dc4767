package passage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/neardup/neardup/internal/external"
)

// Steps are the steps of [Find] for texts that do not fit one machine. An engine passes the output of each step to the
// next. The matches do not depend on how it divides the work.
//
//   - Anchors returns the hashes of a text's anchors. Only those that recur in any text matter.
//   - Contexts returns the contexts of the recurring anchors of a text, by key.
//   - Buckets turns all contexts of a key into matches.
//   - Joined turns all matches of a document into its spans.
//
// Steps are for one goroutine at a time.
type Steps struct {
	cfg     Config
	job     *job // a job without a store
	sampler *sampler
}

// NewSteps returns the steps for a configuration.
func NewSteps(cfg Config) (*Steps, error) {
	if cfg.Near != nil {
		return nil, errors.New("passage: Near: not supported in steps")
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Steps{cfg: cfg, job: &job{cfg: cfg}, sampler: newSampler(cfg.Least)}, nil
}

// PackedPosition is the position of a byte: the number of its document in the order of the input, and the offset.
type PackedPosition uint64

const byteBits = 31

// At returns the position of a byte.
func At(item uint32, offset int) PackedPosition {
	return PackedPosition(item)<<byteBits | PackedPosition(offset)
}

// Item returns the number of the document.
func (p PackedPosition) Item() uint32 { return uint32(p >> byteBits) }

// Byte returns the offset in the document's text.
func (p PackedPosition) Byte() int { return int(p & (1<<byteBits - 1)) }

// Context is an anchor with the text of all its windows.
type Context struct {
	Key    uint64
	At     PackedPosition
	Before int // bytes of the text that precede the anchor
	Text   string
}

// Match is a number of equal bytes at two positions.
type Match struct {
	At   PackedPosition
	Len  int
	From PackedPosition
}

// Anchors returns the hash of each anchor of a text. The result is valid until the next call of a method. Equal windows
// have anchors with one hash.
func (s *Steps) Anchors(text string) []uint64 {
	var all []uint64
	for _, a := range s.job.anchors(s.sampler, text) {
		all = append(all, a.whole)
	}
	return all
}

// Contexts calls fn with the contexts of the recurring anchors of a document. again reports whether an anchor recurs, by
// its index.
func (s *Steps) Contexts(item uint32, text string, again func(int) bool, fn func(Context) error) error {
	if len(text) > math.MaxInt32 {
		return fmt.Errorf("passage: document %d has more than 2 GiB of text", item)
	}
	var some []anchor
	for i, a := range s.job.anchors(s.sampler, text) {
		if again(i) {
			some = merged(some, &a)
		}
	}
	for _, a := range some {
		if err := fn(Context{a.key, At(item, a.lo), a.at - a.lo, text[a.lo:a.hi]}); err != nil {
			return err
		}
	}
	return nil
}

// Buckets compares all contexts of several keys. The caller closes it.
type Buckets struct {
	job   *job
	texts *external.Spool                     // each text follows its head
	order *external.Sorter[external.KeyValue] // position -> offset in texts
}

// NewBuckets returns Buckets without contexts.
func (s *Steps) NewBuckets() *Buckets {
	j := newJob(s.cfg)
	return &Buckets{j, external.NewSpool(j.disk, j.memory(70)), external.NewSorter[external.KeyValue](j.disk, j.memory(80))}
}

// Close removes the temporary files.
func (b *Buckets) Close() { b.job.disk.Close() }

// contextHead is the size of the head before the text of a context: key, bytes before the anchor, bytes of text.
const contextHead = 16

// Add adds a context, in any order.
func (b *Buckets) Add(c Context) error {
	if c.Before < 0 || c.Before > len(c.Text) {
		return fmt.Errorf("passage: context of %d bytes: invalid length %d before its anchor", len(c.Text), c.Before)
	}
	head := binary.LittleEndian.AppendUint64(make([]byte, 0, contextHead), c.Key)
	head = binary.LittleEndian.AppendUint32(head, uint32(c.Before))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(c.Text)))
	at, err := b.texts.Add(string(head))
	if err != nil {
		return err
	}
	if _, err := b.texts.Add(c.Text); err != nil {
		return err
	}
	return b.order.Add(external.KeyValue{uint64(c.At), uint64(at)})
}

// Each calls fn with all matches, after all contexts were added. Matches may be repeated, completely or in part.
func (b *Buckets) Each(ctx context.Context, fn func(Match) error) error {
	if err := b.gather(ctx); err != nil {
		return err
	}
	found, err := b.job.compare(ctx)
	if err != nil {
		return err
	}
	return found.Each(ctx, func(r anchorRow) error {
		at, err := b.position(r[0])
		if err != nil {
			return err
		}
		from, err := b.position(r[2])
		if err != nil {
			return err
		}
		return fn(Match{at, int(r[1]), from})
	})
}

// gather makes a store of the contexts, like the one of a job that reads the texts itself. It joins contexts that overlap.
func (b *Buckets) gather(ctx context.Context) error {
	sorted, err := b.order.Sort()
	if err != nil {
		return err
	}
	store := &b.job.store
	var end PackedPosition // end of the current stretch
	var begin int64        // offset in the store of position 0, according to the current stretch
	err = sorted.Each(ctx, func(p external.KeyValue) error {
		head, err := b.texts.Read(external.Ref(p.Val()), contextHead)
		if err != nil {
			return err
		}
		key, before, n := binary.LittleEndian.Uint64(head), binary.LittleEndian.Uint32(head[8:]), int(binary.LittleEndian.Uint32(head[12:]))
		text, err := b.texts.Read(external.Ref(p.Val()+contextHead), n)
		if err != nil {
			return err
		}
		at := PackedPosition(p.Key())
		if store.text.Len() == 0 || at > end {
			if _, err := store.text.Add("\n"); err != nil { // separates stretches, so that they never touch
				return err
			}
			begin, end = store.text.Len()-int64(at), at
			if _, err := store.stretches.Add(stretch{at: store.text.Len(), item: at.Item(), start: uint32(at.Byte())}); err != nil {
				return err
			}
		}
		if last := at + PackedPosition(n); last > end {
			if _, err := store.text.Add(string(text[end-at:])); err != nil {
				return err
			}
			end = last
		}
		return store.rows.Add(newRow(key, uint64(begin+int64(at)+int64(before)), int(before), n-int(before)))
	})
	return errors.Join(err, sorted.Close())
}

// position returns the document and the offset from which a byte of the store comes.
func (b *Buckets) position(at uint64) (PackedPosition, error) {
	in, err := b.job.store.find(int64(at))
	return At(in.item, int(in.start)) + PackedPosition(int64(at)-in.at), err
}

// Joined turns all matches of a document into spans, including matches with other documents. The caller closes it.
type Joined struct {
	disk    *external.Files
	matches *external.Sorter[anchorRow]
}

// NewJoined returns a Joined without matches.
func (s *Steps) NewJoined() *Joined {
	disk := external.NewFiles(s.cfg.Tmp)
	return &Joined{disk, external.NewSorter[anchorRow](disk, s.cfg.Memory/2)}
}

// Close removes the temporary files.
func (j *Joined) Close() { j.disk.Close() }

// Add adds a match, in any order. Adding a match twice has no effect.
func (j *Joined) Add(m Match) error {
	return j.matches.Add(anchorRow{uint64(m.At), uint64(m.Len), uint64(m.From)})
}

// Each calls fn with the spans, in order, as [Spans.Next] gives them.
func (j *Joined) Each(fn func(Match) error) error {
	sorted, err := j.matches.Sort()
	if err != nil {
		return err
	}
	defer sorted.Close()
	next, err := sorted.Reader()
	if err != nil {
		return err
	}
	spans := Spans{read: next}
	for {
		m, err := spans.match()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(Match{PackedPosition(m.at), int(m.end - m.at), PackedPosition(m.from)}); err != nil {
			return err
		}
	}
}
