package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/span"
)

// entryID identifies a log entry.
type entryID [16]byte

func idOf(entry []byte) (id entryID) {
	copy(id[:], entry)
	return id
}

// pending is a pending proposal of this server.
type pending struct {
	p     *proposal
	entry []byte
	keys  []uint64
	made  outcome
	err   error
	done  chan struct{}
}

// entry encodes a proposal as a log entry.
func (f *follower) entry(p *proposal) ([]byte, error) {
	var id entryID
	copy(id[:], f.drawn[:])
	binary.BigEndian.PutUint64(id[len(f.drawn):], f.number.Add(1))
	plain := p.encode()
	if len(plain) > maxEntry {
		return nil, fmt.Errorf("%w: proposal of %d bytes: too large (want at most %d)", docid.ErrInvalid, len(plain), maxEntry)
	}
	return entryOf(id, byte(min(uint64(f.knows), max(1, f.agreed.Load()))), plain), nil
}

// An entry begins with its id, the version of its rules, and a checksum of the rest. All versions of the program agree on
// that, so every server recognizes an entry that no server wrote.
const entryHead = len(entryID{}) + 1 + 8

func entryOf(id entryID, version byte, plain []byte) []byte {
	b := packer().EncodeAll(plain, make([]byte, entryHead, 1024))
	copy(b, append(id[:], version))
	binary.BigEndian.PutUint64(b[entryHead-8:], entrySum(b))
	return b
}

func entrySum(b []byte) uint64 { return checksum(b[:entryHead-8], b[entryHead:]) }

// errRules means that servers with newer rules append to the log.
var errRules = fmt.Errorf("%w: the log has entries of a newer format", docid.ErrNewerFormat)

// maxEntry limits the size of a decompressed entry, in bytes.
const maxEntry = 256 << 20

// packer and unpacker compress and decompress entries. Both are safe for concurrent use.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		z, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false)) // the options are valid, so it never fails
		return z
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		z, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxEntry))
		return z
	})
)

// readEntry reads an entry. errRules stops the server, because a newer one wrote the entry. After any other error the entry
// has no effect in any store, because no server wrote it.
func readEntry(b []byte, knows byte) (*proposal, error) {
	if len(b) < entryHead || binary.BigEndian.Uint64(b[entryHead-8:]) != entrySum(b) {
		return nil, fmt.Errorf("%w: entry of %d bytes: not written by a server", docid.ErrCorrupt, len(b))
	}
	if v := b[len(entryID{})]; v > knows {
		return nil, fmt.Errorf("%w: entry of version %d (want at most %d)", errRules, v, knows)
	}
	plain, err := unpacker().DecodeAll(b[entryHead:], nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", docid.ErrCorrupt, err)
	}
	return decodeProposal(plain)
}

// propose appends a proposal and returns its outcome. Any error other than a refusal of fold leaves the outcome
// unknown.
func (f *follower) propose(ctx context.Context, p *proposal) (o outcome, err error) {
	entry, err := f.entry(p)
	if err != nil {
		return o, err
	}
	own := &pending{p: p, entry: entry, done: make(chan struct{})}
	if p.restart == nil {
		if err := f.surely(ctx); err != nil {
			return o, err
		}
	}
	anchor, err := f.submit(ctx, own)
	if err != nil {
		return o, err
	}
	wait, cancel := context.WithTimeout(ctx, logWait)
	defer cancel()
	began := time.Now()
	offset, err := f.log.Append(wait, anchor, entry)
	span.Record(ctx, "append", began, err)
	if err != nil {
		f.mu.Lock()
		f.remove(idOf(entry), own)
		f.mu.Unlock()
		switch {
		case errors.Is(err, docid.ErrLogLost):
			f.fail(err)
		case ctx.Err() == nil && !errors.Is(err, docid.ErrFull):
			f.doubts()
		case errors.Is(err, docid.ErrFull):
			return o, fmt.Errorf("append to the log: %w", err)
		}
		return o, fmt.Errorf("%w: append to the log: %w", docid.ErrUnavailable, err)
	}
	f.want(offset)
	soon, cancel := context.WithTimeoutCause(ctx, lagWait, errLags)
	defer cancel()
	began = time.Now()
	select {
	case <-own.done:
		o, err = own.made, own.err
	case <-soon.Done():
		err = context.Cause(soon)
	}
	span.Record(ctx, "apply", began, err)
	return o, err
}

// posts reports whether a pending proposal posts a new docId, or a name under a docId that does not have it.
func (f *follower) posts(own *pending, key uint64) bool {
	c, ix := own.p.change, f.s.index(own.p.tenant)
	if c.NewLeader != nil || ix == nil {
		return c.NewLeader != nil
	}
	fresh := false
	_ = ix.atSnapshot(func(r Reader) error { // if it fails, fold still detects the conflict
		for _, n := range c.Names {
			if nameHash(n) == key {
				v, err := r.Get(nameKey(ix.id, c.Leader, n))
				fresh = err == nil && v == nil
				return err
			}
		}
		return nil
	})
	return fresh
}

// submit registers a pending proposal. It first waits for pending proposals that post one of the same keys, because fold
// would then refuse this one. So if a server gets several near articles at once, it appends one and judges the others
// again.
func (f *follower) submit(ctx context.Context, own *pending) (docid.Anchor, error) {
	var asks []uint64
	if c := own.p.change; c != nil {
		for _, s := range c.Query.KeySets {
			asks = append(asks, s.Keys...)
		}
		for _, n := range c.Query.Names {
			asks = append(asks, nameHash(n))
		}
		if c.NewLeader != nil {
			own.keys = slices.Clone(c.NewLeader.Keys)
		}
		for _, n := range c.Names {
			own.keys = append(own.keys, nameHash(n))
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		if err := errors.Join(f.lost, f.away); err != nil {
			return docid.Anchor{}, err
		} else if !f.sure && own.p.restart == nil {
			return docid.Anchor{}, errDoubt
		}
		i := slices.IndexFunc(asks, func(k uint64) bool { return f.posting[k] != nil && f.posts(f.posting[k], k) })
		if i < 0 {
			break
		}
		first := f.posting[asks[i]]
		f.mu.Unlock()
		err := error(nil)
		select {
		case <-first.done:
			if errors.Is(first.err, docid.ErrConflict) || (first.err == nil && first.made.receipt.Seq > own.p.change.Query.Since) {
				err = docid.ErrConflict
			}
		case <-ctx.Done():
			err = ctx.Err()
		}
		f.mu.Lock()
		if err != nil {
			return docid.Anchor{}, err
		}
	}
	if c, ix := own.p.change, f.s.index(own.p.tenant); ix != nil && c != nil { // fold would refuse the proposal with the same error
		err := ix.checkLeader(c)
		if err == nil {
			err = ix.checkNewer(ix.atSnapshot, &c.Query)
		}
		if err != nil {
			return docid.Anchor{}, err
		}
	}
	f.pending[idOf(own.entry)] = own
	for _, k := range own.keys {
		f.posting[k] = own
	}
	return f.at.Anchor, nil
}

// remove removes a pending proposal. The caller holds f.mu.
func (f *follower) remove(id entryID, own *pending) {
	delete(f.pending, id)
	for _, k := range own.keys {
		if f.posting[k] == own {
			delete(f.posting, k)
		}
	}
}
