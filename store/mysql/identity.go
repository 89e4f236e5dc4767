package mysql

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
)

// Seal is the key that encrypts identities. Without it, a reader of the database can neither make docIds nor
// forge texts with equal keys.
type Seal [32]byte

// ParseSeal parses 64 hex digits, or returns ErrInvalid.
func ParseSeal(s string) (*Seal, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 32 {
		return nil, fmt.Errorf("%w: invalid seal (want 64 hex digits, as openssl rand -hex 32 prints them)", docid.ErrInvalid)
	}
	seal := Seal(b)
	return &seal, nil
}

// ErrSeal means that an identity is sealed with another key, or was altered.
var ErrSeal = errors.New("the seal does not open the identity")

// sealed is the plain text of a sealed identity. The epochs are in the log instead.
type sealed struct {
	Seed    uint64
	Key     []byte
	Spec    string
	Table   []byte
	Created int64
}

// sealVersion is the first byte of a sealed identity. A 12-byte nonce and AES-256-GCM follow, with the tenant
// as additional data.
const sealVersion = 1

func (k *Seal) cipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (k *Seal) close(tenant string, id docid.Identity) ([]byte, error) {
	plain, err := json.Marshal(sealed{id.Seed, id.Key[:], id.Spec, id.Table, id.Created})
	if err != nil {
		return nil, fmt.Errorf("seal the identity: %w", err)
	}
	gcm, err := k.cipher()
	if err != nil {
		return nil, fmt.Errorf("seal the identity: %w", err)
	}
	out := append(make([]byte, 0, 1+gcm.NonceSize()+len(plain)+gcm.Overhead()), sealVersion)
	out = out[:1+gcm.NonceSize()]
	if _, err := rand.Read(out[1:]); err != nil {
		return nil, fmt.Errorf("seal the identity: %w", err)
	}
	return gcm.Seal(out, out[1:], plain, []byte(tenant)), nil
}

func (k *Seal) open(tenant string, b []byte) (docid.Identity, error) {
	var id docid.Identity
	gcm, err := k.cipher()
	if err != nil {
		return id, err
	}
	if len(b) < 1+gcm.NonceSize() || b[0] != sealVersion {
		return id, fmt.Errorf("%w: identity of tenant %q in MySQL", docid.ErrCorrupt, tenant)
	}
	b = b[1:]
	plain, err := gcm.Open(nil, b[:gcm.NonceSize()], b[gcm.NonceSize():], []byte(tenant))
	if err != nil {
		return id, fmt.Errorf("tenant %q: %w", tenant, ErrSeal)
	}
	var s sealed
	if err := json.Unmarshal(plain, &s); err != nil || len(s.Key) != len(id.Key) {
		return id, fmt.Errorf("%w: identity of tenant %q in MySQL", docid.ErrCorrupt, tenant)
	}
	return docid.Identity{Seed: s.Seed, Key: [32]byte(s.Key), Spec: s.Spec, Table: s.Table, Created: s.Created}, nil
}

// markOf returns a mark that identifies an index without revealing its key.
func markOf(id docid.Identity) []byte {
	h := hmac.New(sha256.New, id.Key[:])
	h.Write([]byte("neardup: mark of an index"))
	return h.Sum(nil)[:16]
}

// KeepIdentity stores the sealed identity of the index that feeds a tenant. It returns ErrOther for another
// index, and ErrSeal if the stored identity has another seal. Without a seal it only checks the index.
func (s *Sink) KeepIdentity(ctx context.Context, tenant string, id docid.Identity) error {
	if err := s.make(ctx, tenant); err != nil {
		return err
	}
	row, err := s.tenant(ctx, tenant)
	if err != nil {
		return err
	}
	identity, err := s.identity(ctx, row.id)
	if err != nil {
		return err
	}
	mark := markOf(id)
	switch {
	case row.mark != nil && !bytes.Equal(row.mark, mark):
		return another(tenant, row.logged)
	case s.seal != nil && identity != nil:
		was, err := s.seal.open(tenant, identity)
		if err != nil {
			return err
		}
		if was.Spec == id.Spec { // otherwise the index was rebuilt with another method
			s.kept.Store(tenant, id)
			return nil
		}
	}
	if s.seal != nil {
		identity, err = s.seal.close(tenant, id)
		if err != nil {
			return err
		}
	}
	_, err = s.db.ExecContext(ctx, `UPDATE neardup_tenants SET mark = ?, identity = ? WHERE id = ? AND (mark IS NULL OR mark = ?)`,
		mark, identity, row.id, mark)
	if err != nil {
		return unavailable(err)
	}
	s.kept.Store(tenant, id)
	return nil
}

func another(tenant string, logged uint64) error {
	return fmt.Errorf("%w: MySQL has %d changes of tenant %q from another index (neardup rebuild restores that one)", docid.ErrOther, logged, tenant)
}

// mine returns ErrUnavailable and ErrOther if a row belongs to another index than the one that feeds this sink. This
// happens if the database was restored or replaced.
func (s *Sink) mine(tenant string, row *tenantRow) error {
	id, known := s.kept.Load(tenant)
	if !known || row.mark == nil || bytes.Equal(row.mark, markOf(id.(docid.Identity))) {
		return nil
	}
	return unavailable(another(tenant, row.logged))
}

// keepAgain stores the identity of an index again if its row was removed while the index fed it.
func (s *Sink) keepAgain(ctx context.Context, tenant string) error {
	if id, known := s.kept.Load(tenant); known {
		return s.KeepIdentity(ctx, tenant, id.(docid.Identity))
	}
	return nil
}

// Identity returns the identity of a tenant's index. It returns ErrNotFound if none was stored, and ErrSeal if
// the seal does not fit.
func (s *Sink) Identity(ctx context.Context, tenant string) (docid.Identity, error) {
	row, err := s.tenant(ctx, tenant)
	if err != nil {
		return docid.Identity{}, err
	}
	identity, err := s.identity(ctx, row.id)
	switch {
	case err != nil:
		return docid.Identity{}, err
	case identity == nil:
		return docid.Identity{}, fmt.Errorf("%w: MySQL does not have the identity of tenant %q: its servers ran without a seal", docid.ErrNotFound, tenant)
	case s.seal == nil:
		return docid.Identity{}, fmt.Errorf("%w: seal: missing (the identity of tenant %q is sealed)", docid.ErrInvalid, tenant)
	}
	return s.seal.open(tenant, identity)
}

// identity returns the sealed identity, or nil. It may be long, because it contains the table of a trained method.
func (s *Sink) identity(ctx context.Context, id uint32) (identity []byte, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT identity FROM neardup_tenants WHERE id = ?`, id).Scan(&identity)
	return identity, unavailable(err)
}

// tenantRow is the row of a tenant.
type tenantRow struct {
	id     uint32
	logged uint64
	mark   []byte
}

// tenant reads the row of a tenant, or returns ErrNotFound.
func (s *Sink) tenant(ctx context.Context, tenant string) (r tenantRow, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT id, logged, mark FROM neardup_tenants WHERE name = ?`, []byte(tenant)).
		Scan(&r.id, &r.logged, &r.mark)
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("tenant %q in MySQL: %w", tenant, docid.ErrNotFound)
	}
	if err != nil {
		return r, unavailable(err)
	}
	return r, s.mine(tenant, &r)
}

// make creates the row of a tenant unless it exists.
func (s *Sink) make(ctx context.Context, tenant string) error {
	_, err := s.db.ExecContext(ctx, `INSERT IGNORE INTO neardup_tenants (name) VALUES (?)`, []byte(tenant))
	return unavailable(err)
}
