package batch

import "context"

// group turns the postings, sorted by key, into live: for each text the
// buckets it shares with some other text. A key that only one text has is
// dropped here, which is the fate of most.
func (r *run) group(ctx context.Context, posOf *array[uint32]) error {
	r.cfg.Progress(Progress{Phase: "group", Documents: r.sum.Documents})
	postings, err := r.postings.sort()
	if err != nil {
		return err
	}
	r.postings = nil
	defer postings.close()
	live := newSorter(r.disk, r.cfg.Memory*12/100)
	b := bucketing{emit: func(bucket, val uint64) error {
		if val&indexed != 0 {
			r.livePost++
		}
		pos := uint32(val >> 2)
		if posOf != nil {
			p, err := posOf.get(int(pos))
			if err != nil {
				return err
			}
			pos = p - 1
		}
		return live.add(uint64(pos), bucket<<2|val&3)
	}}
	if err := postings.each(ctx, b.add); err != nil {
		return err
	}
	b.next(0)
	r.buckets = b.bucket
	r.sum.Buckets = int64(b.bucket)
	r.sum.LargestBucket = int64(b.largest)
	r.live, err = live.sort()
	return err
}

// maxPending bounds how many one-sided postings of a key wait for a partner;
// beyond it the key is taken as live, which costs work and changes nothing.
const maxPending = 1 << 16

// bucketing streams postings by key and numbers the keys under which at least
// one text searches and another one is found.
type bucketing struct {
	emit          func(bucket, val uint64) error
	started       bool
	key           uint64
	pending       []uint64
	flags         uint64 // of all pending
	several       bool   // pending are of at least two texts
	isLive        bool
	bucket        uint64
	size, largest int
}

func (b *bucketing) add(p pair) error {
	if !b.started || p.key != b.key {
		b.next(p.key)
	}
	b.size++
	if b.isLive {
		return b.emit(b.bucket, p.val)
	}
	b.pending = append(b.pending, p.val)
	b.flags |= p.val & (indexed | probing)
	b.several = b.several || p.val>>2 != b.pending[0]>>2
	if (!b.several || b.flags != indexed|probing) && len(b.pending) < maxPending {
		return nil
	}
	b.isLive = true
	for _, val := range b.pending {
		if err := b.emit(b.bucket, val); err != nil {
			return err
		}
	}
	return nil
}

// next ends the bucket of one key and begins that of another.
func (b *bucketing) next(key uint64) {
	if b.isLive {
		b.bucket++
		b.largest = max(b.largest, b.size)
	}
	b.started, b.key, b.isLive = true, key, false
	b.pending, b.flags, b.several, b.size = b.pending[:0], 0, false, 0
}
