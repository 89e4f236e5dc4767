package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/internal/textlines"
)

// Role says what a token may do in its tenant. Roles are independent, but for
// Admin, which includes Submit, Read and Moderate. Operator is about the server and all
// its tenants, so no other role includes it.
type Role string

const (
	Submit Role = "submit" // decide on articles, change heat and text
	Read   Role = "read"   // look up, compare, check
	Admin  Role = "admin"  // delete, end, read the log

	Moderate Role = "moderate" // rule about articles, move them

	Operator Role = "operator" // back up
)

var roles = []Role{Submit, Read, Moderate, Admin, Operator}

// ParseRoles reads a list such as submit,read.
func ParseRoles(list string) (all []Role, err error) {
	for name := range strings.SplitSeq(list, ",") {
		r := Role(name)
		if !slices.Contains(roles, r) {
			return nil, fmt.Errorf("no role is named %q: submit, read, moderate, admin, operator", name)
		}
		all = append(all, r)
	}
	return all, nil
}

// Grant is what a token gives: roles in one tenant. Name is who has it.
type Grant struct {
	Tenant string
	Roles  []Role
	Name   string
}

// Has reports whether the grant includes a role.
func (g Grant) Has(r Role) bool {
	return slices.Contains(g.Roles, r) || r != Operator && slices.Contains(g.Roles, Admin)
}

// minToken is the least length of a token in bytes of text: 128 bits in
// base64 are 22 characters.
const minToken = 22

// maxName is the most bytes of the name of who has a token.
const maxName = 64

// Hash is the SHA-256 of a token: all that a server keeps of it. Tokens are
// random, at least 128 bits, so a fast hash is enough.
type Hash [32]byte

// HashOf hashes a token.
func HashOf(token string) Hash { return sha256.Sum256([]byte(token)) }

// NewToken draws a token of 192 bits.
func NewToken() (string, error) {
	var b [24]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("draw a token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// Access says who may do what. The zero value lets nobody in.
type Access struct {
	// Anonymous is what a request without a token gets; nil: nothing.
	Anonymous *Grant
	grants    map[uint64][]entry // by the first bytes of the hash
}

type entry struct {
	hash  Hash
	grant Grant
}

// Allow adds a token by its hash.
func (a *Access) Allow(h Hash, g Grant) {
	if a.grants == nil {
		a.grants = map[uint64][]entry{}
	}
	k := binary.BigEndian.Uint64(h[:])
	a.grants[k] = append(a.grants[k], entry{h, g})
}

// Find returns what a token gives. The hash is found by its first bytes, which
// tell nothing about the token, and compared in constant time.
func (a *Access) Find(token string) (Grant, bool) {
	if len(token) < minToken {
		return Grant{}, false
	}
	h := HashOf(token)
	for _, e := range a.grants[binary.BigEndian.Uint64(h[:])] {
		if subtle.ConstantTimeCompare(h[:], e.hash[:]) == 1 {
			return e.grant, true
		}
	}
	return Grant{}, false
}

// Tenants lists the tenants that somebody may use, in byte order.
func (a *Access) Tenants() []string {
	var names []string
	if a.Anonymous != nil {
		names = append(names, a.Anonymous.Tenant)
	}
	for _, es := range a.grants {
		for _, e := range es {
			names = append(names, e.grant.Tenant)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Line is a token as a file of tokens holds it.
func Line(h Hash, g Grant) string {
	var roles []string
	for _, r := range g.Roles {
		roles = append(roles, string(r))
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s sha256:%s %s", g.Tenant, strings.Join(roles, ","), hex.EncodeToString(h[:]), g.Name))
}

// ReadTokens reads a file of tokens: a line each of tenant, roles and hash, and
// perhaps who has it,
//
//	news submit,read sha256:9f86d081884c7d65... li
//
// empty lines and lines that begin with # left out. An error names the line,
// never what it holds.
func ReadTokens(r io.Reader) (*Access, error) {
	a := &Access{}
	err := textlines.Lines("tokens", r, func(_ int, raw []byte) error {
		line := strings.TrimSpace(string(raw))
		if line == "" || strings.HasPrefix(line, "#") {
			return nil
		}
		h, g, err := parseLine(line)
		if err == nil {
			a.Allow(h, g)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(a.grants) == 0 {
		return nil, errors.New("the file of tokens holds none")
	}
	return a, nil
}

func parseLine(line string) (Hash, Grant, error) {
	var h Hash
	fields := strings.Fields(line)
	if len(fields) != 3 && len(fields) != 4 {
		return h, Grant{}, errors.New(`want "tenant roles sha256:hash" and perhaps a name`)
	}
	g := Grant{Tenant: fields[0]}
	if err := ValidTenant(g.Tenant); err != nil {
		return h, g, err
	}
	if len(fields) == 4 {
		if g.Name = fields[3]; len(g.Name) > maxName || !utf8.ValidString(g.Name) {
			return h, g, fmt.Errorf("the name is over %d bytes or not UTF-8", maxName)
		}
	}
	var err error
	if g.Roles, err = ParseRoles(fields[1]); err != nil {
		return h, g, err
	}
	sum, err := hex.DecodeString(strings.TrimPrefix(fields[2], "sha256:"))
	if err != nil || len(sum) != len(h) || !strings.HasPrefix(fields[2], "sha256:") {
		return h, g, errors.New("the hash is not sha256: and 64 hex digits")
	}
	copy(h[:], sum)
	return h, g, nil
}

// ValidTenant allows 1 to 64 letters, digits, "-", "_" and ".".
func ValidTenant(name string) error {
	ok := len(name) > 0 && len(name) <= 64
	for _, r := range name {
		ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}
	if !ok {
		return errors.New("a tenant is named by 1 to 64 letters, digits, dots, dashes and underscores")
	}
	return nil
}
