package ledger

import "sync"

// bulk fills a table that nobody reads yet. Postings wait until many of one
// shard are together, which then lies in the processor's cache while they are
// added, by one of two goroutines; those of a key stay in order. Close must be
// called before the table is used.
type bulk struct {
	table   *table
	waiting [1 << shardBits][]keyed
	work    [2]chan filed
	workers sync.WaitGroup
}

// keyed is a posting under a key, filed those of a shard.
type (
	keyed struct {
		key uint64
		no  postingNo
	}
	filed struct {
		shard    *shard
		postings []keyed
	}
)

const bulkLen = 512

func newBulk(t *table) *bulk {
	b := &bulk{table: t}
	for i := range b.work {
		b.work[i] = make(chan filed, 8)
		b.workers.Go(func() {
			for f := range b.work[i] {
				f.shard.addAll(f.postings)
			}
		})
	}
	return b
}

// post is table.post.
func (b *bulk) post(seq uint64, l leaderNo, keys ...uint64) {
	p := b.table.posts.add(func(p *posting) { *p = posting{seq, l} })
	for _, k := range keys {
		n := shardOf(k)
		if b.waiting[n] == nil {
			b.waiting[n] = make([]keyed, 0, bulkLen)
		}
		b.waiting[n] = append(b.waiting[n], keyed{k, p})
		if len(b.waiting[n]) == bulkLen {
			b.hand(n)
		}
	}
	b.table.keys.Add(int64(len(keys)))
}

// hand gives the postings of a shard to its worker.
func (b *bulk) hand(n int) {
	b.work[n%len(b.work)] <- filed{&b.table.shards[n], b.waiting[n]}
	b.waiting[n] = nil
}

// close adds what still waits.
func (b *bulk) close() {
	for n := range b.waiting {
		b.hand(n)
	}
	for _, c := range b.work {
		close(c)
	}
	b.workers.Wait()
}

func (s *shard) addAll(ps []keyed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range ps {
		s.put(p.key, p.no)
	}
}
