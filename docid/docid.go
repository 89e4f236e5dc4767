// Package docid gives each article that arrives a docId, which near-duplicates share.
//
// A [Detector] decides one article at a time. It compares the url, title and content with all articles in its [Store], and
// answers when the decision is durable:
//
//	store, err := memory.New(ctx)
//	d, err := docid.NewDetector(ctx, store, "news", docid.Settings{})
//	answer, err := d.Add(ctx, docid.Submission{ID: "7", Text: "The words of the article."})
//	fmt.Println(answer.DocID, answer.Decision, answer.Leader)
//
// The zero Settings find equal urls and texts. Package docid/standard has the settings of the service, which find near
// ones, and store/pebble stores an index in a folder. A [Relay] feeds the changes to sinks.
package docid

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync/atomic"
)

// NewIdentity draws a seed and a key from the system's random source.
func NewIdentity(spec string, table []byte) (Identity, error) {
	id := Identity{Spec: spec, Table: table}
	var seed [8]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return id, fmt.Errorf("generate a seed: %w", err)
	}
	if _, err := rand.Read(id.Key[:]); err != nil {
		return id, fmt.Errorf("generate a key: %w", err)
	}
	id.Seed = binary.BigEndian.Uint64(seed[:])
	return id, nil
}

// DocIDs turns the sequence numbers of leaders into docIds and back. A docId is one AES-128 block: the epoch of the number
// and the number, 64 bits each, encrypted under a key derived from the secret of the index and the tenant. Encryption is a
// permutation, so no two numbers get the same docId. A restored copy of an index has another epoch, so it gives other
// docIds for the same numbers. Without the key a docId reveals nothing, not even the order.
type DocIDs struct {
	block  cipher.Block
	epochs *atomic.Pointer[[]Epoch]
}

// newDocIDs returns the docIds of a tenant.
func newDocIDs(id Identity, tenant string) (DocIDs, error) {
	block, err := aes.NewCipher(derive(id, "docid\x00"+tenant)[:16])
	if err != nil {
		return DocIDs{}, fmt.Errorf("docId cipher: %w", err)
	}
	d := DocIDs{block, &atomic.Pointer[[]Epoch]{}}
	d.learn(id.Epochs)
	return d, nil
}

// DocID returns the docId of a leader of a tenant. It derives the key on each call.
func (id Identity) DocID(tenant string, leader uint64) (string, error) {
	ids, err := newDocIDs(id, tenant)
	if err != nil {
		return "", err
	}
	return ids.DocID(leader), nil
}

// DocID returns the docId of a leader as 16-16 hex digits. It takes 0.1 us.
func (d DocIDs) DocID(leader uint64) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], d.Epoch(leader))
	binary.BigEndian.PutUint64(b[8:], leader)
	d.block.Encrypt(b[:], b[:])
	s := hex.EncodeToString(b[:])
	return s[:16] + "-" + s[16:]
}

// Epoch returns the epoch of a sequence number. O(epochs).
func (d DocIDs) Epoch(seq uint64) uint64 {
	return EpochOf(*d.epochs.Load(), seq)
}

// begun returns the number of epochs that began up to a change. O(epochs).
func (d DocIDs) begun(seq uint64) int {
	n := 0
	for _, e := range *d.epochs.Load() {
		if e.First <= seq {
			n++
		}
	}
	return n
}

// learn sets the current epochs in every copy of d.
func (d DocIDs) learn(epochs []Epoch) { d.epochs.Store(&epochs) }

// Leader decodes a docId. It returns false if the docId belongs to another tenant or to an epoch that was replaced.
func (d DocIDs) Leader(docID string) (uint64, bool) {
	if len(docID) != 33 || docID[16] != '-' {
		return 0, false
	}
	b, err := hex.DecodeString(docID[:16] + docID[17:])
	if err != nil {
		return 0, false
	}
	d.block.Decrypt(b, b)
	leader := binary.BigEndian.Uint64(b[8:])
	return leader, d.DocID(leader) == docID
}

// derive makes a 32-byte key for one purpose.
func derive(id Identity, purpose string) []byte {
	h := hmac.New(sha256.New, id.Key[:])
	h.Write([]byte(purpose))
	return h.Sum(nil)
}

// keyed returns the first half of HMAC-SHA-256 over fields. The length of each precedes it, so that no two
// lists of fields encode the same.
func keyed(key []byte, fields ...string) (out [16]byte) {
	h := hmac.New(sha256.New, key)
	var n [8]byte
	for _, f := range fields {
		binary.BigEndian.PutUint64(n[:], uint64(len(f)))
		h.Write(n[:])
		h.Write([]byte(f))
	}
	copy(out[:], h.Sum(nil))
	return out
}
