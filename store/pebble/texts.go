package pebble

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Texts keeps the texts of articles for a limited time, so that a person can read both texts of a pair. An index only has
// the text of the kept article. Texts has its own folder, which is not synced. A crash may lose the last texts, but no
// answer depends on them.
type Texts struct {
	db   *pebble.DB
	log  *logger
	keep time.Duration
	now  func() time.Time
}

// OpenTexts opens the folder, or creates it.
func OpenTexts(dir string, keep time.Duration) (*Texts, error) {
	log := newLogger()
	o := &pebble.Options{Logger: log, FS: guardFS{vfs.Default, log}}
	o.EventListener = &pebble.EventListener{BackgroundError: log.background}
	db, err := guarded(log, func() (*pebble.DB, error) { return pebble.Open(dir, o) })
	if err != nil {
		return nil, fmt.Errorf("open texts %s: %w", dir, err)
	}
	return &Texts{db, log, keep, time.Now}, nil
}

// do runs a call into the engine that returns no value.
func (t *Texts) do(call func() error) error {
	_, err := guarded(t.log, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// textKey returns a key that sorts the texts of a tenant by their change, and therefore by time. Tenants contain no zero
// byte.
func textKey(tenant string, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(tenant), 0), seq)
}

// Put stores the text that came with a change.
func (t *Texts) Put(tenant string, seq uint64, text string) error {
	value := append(binary.BigEndian.AppendUint64(nil, uint64(t.now().UnixNano())), text...)
	return t.do(func() error { return t.db.Set(textKey(tenant, seq), value, pebble.NoSync) })
}

// Get returns the text that came with a change, or false if it is missing or expired.
func (t *Texts) Get(tenant string, seq uint64) (text string, ok bool, err error) {
	value, closer, err := t.db.Get(textKey(tenant, seq))
	if errors.Is(err, pebble.ErrNotFound) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	defer closer.Close()
	if t.over(value) {
		return "", false, nil
	}
	return string(value[8:]), true, nil
}

// over reports whether a row has expired.
func (t *Texts) over(value []byte) bool {
	return len(value) < 8 || t.now().Sub(time.Unix(0, int64(binary.BigEndian.Uint64(value)))) > t.keep
}

// Drop removes the text that came with a change.
func (t *Texts) Drop(tenant string, seq uint64) error {
	return t.do(func() error { return t.db.Delete(textKey(tenant, seq), pebble.NoSync) })
}

// Forget removes the expired texts of a tenant.
func (t *Texts) Forget(tenant string) error {
	return t.do(func() error { return t.forget(tenant) })
}

func (t *Texts) forget(tenant string) (err error) {
	first, end := textKey(tenant, 0), append([]byte(tenant), 1)
	it, err := t.db.NewIter(&pebble.IterOptions{LowerBound: first, UpperBound: end})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	until := []byte(nil)
	for ok := it.First(); ok && t.over(it.Value()); ok = it.Next() {
		until = append(append(until[:0], it.Key()...), 0)
	}
	if until == nil {
		return it.Error()
	}
	return errors.Join(it.Error(), t.db.DeleteRange(first, until, pebble.NoSync))
}

// Close flushes the texts to disk and closes the folder.
func (t *Texts) Close() error {
	return t.do(func() error { return errors.Join(t.db.Flush(), t.db.Close()) })
}
