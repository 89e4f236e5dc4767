package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/internal/textlines"
)

// A Role states what a token may do in its tenant. Roles are independent, except that Admin includes Submit,
// Read and Moderate. Operator concerns the server and all its tenants, so no other role includes it.
type Role string

const (
	Submit Role = "submit" // decide on articles, change heat and text
	Read   Role = "read"   // look up, compare, check
	Admin  Role = "admin"  // delete, end, read the log

	Moderate Role = "moderate" // rule about articles, move them

	Operator Role = "operator" // make backups
)

var roles = []Role{Submit, Read, Moderate, Admin, Operator}

// ParseRoles reads a list such as submit,read.
func ParseRoles(list string) (all []Role, err error) {
	for name := range strings.SplitSeq(list, ",") {
		r := Role(name)
		if !slices.Contains(roles, r) {
			return nil, fmt.Errorf("unknown role %q (want submit, read, moderate, admin or operator)", name)
		}
		all = append(all, r)
	}
	return all, nil
}

// A Grant holds the roles of a token in one tenant. Name is the holder of the token.
type Grant struct {
	Tenant string
	Roles  []Role
	Name   string
}

// Has reports whether the grant includes a role.
func (g Grant) Has(r Role) bool {
	return slices.Contains(g.Roles, r) || (r != Operator && slices.Contains(g.Roles, Admin))
}

// minToken is the minimal length of a token in bytes of text. 128 bits in base64 are 22 characters.
const minToken = 22

// maxName bounds the name of a token's holder, in bytes.
const maxName = 64

// Hash is the SHA-256 of a token, which the server stores instead of the token. A fast hash is enough because
// tokens are random and have at least 128 bits.
type Hash [32]byte

// HashOf hashes a token.
func HashOf(token string) Hash { return sha256.Sum256([]byte(token)) }

// NewToken makes a random token of 192 bits.
func NewToken() (string, error) {
	var b [24]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("generate a token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// Access maps tokens to their grants. The zero value grants nothing.
type Access struct {
	// Anonymous is the grant of a request without a token. If nil, a token is required.
	Anonymous *Grant
	grants    map[Hash]Grant
}

// Allow adds a token by its hash. The first grant of a token counts.
func (a *Access) Allow(h Hash, g Grant) {
	if a.grants == nil {
		a.grants = map[Hash]Grant{}
	}
	if _, known := a.grants[h]; !known {
		a.grants[h] = g
	}
}

// Find returns the grant of a token. The time of the look-up depends on the hash only, which reveals nothing about the token.
func (a *Access) Find(token string) (Grant, bool) {
	g, ok := a.grants[HashOf(token)]
	return g, ok && len(token) >= minToken
}

// Tenants lists the tenants of all grants, in byte order.
func (a *Access) Tenants() []string {
	var names []string
	if a.Anonymous != nil {
		names = append(names, a.Anonymous.Tenant)
	}
	for _, g := range a.grants {
		names = append(names, g.Tenant)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Line returns the line of a token in a file of tokens.
func Line(h Hash, g Grant) string {
	var roles []string
	for _, r := range g.Roles {
		roles = append(roles, string(r))
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s sha256:%s %s", g.Tenant, strings.Join(roles, ","), hex.EncodeToString(h[:]), g.Name))
}

// ReadTokens reads a file of tokens. A line has the tenant, the roles, the hash and optionally the holder:
//
//	news submit,read sha256:9f86d081884c7d65... li
//
// It skips empty lines and lines that begin with #. An error names the line but not its content.
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
		return nil, errors.New("the file of tokens is empty")
	}
	return a, nil
}

func parseLine(line string) (Hash, Grant, error) {
	var h Hash
	fields := strings.Fields(line)
	if len(fields) != 3 && len(fields) != 4 {
		return h, Grant{}, errors.New(`invalid line (want "tenant roles sha256:hash" and optionally a name)`)
	}
	g := Grant{Tenant: fields[0]}
	if err := ValidTenant(g.Tenant); err != nil {
		return h, g, err
	}
	if len(fields) == 4 {
		g.Name = fields[3]
		if len(g.Name) > maxName || !utf8.ValidString(g.Name) {
			return h, g, fmt.Errorf("invalid name (want UTF-8 of at most %d bytes)", maxName)
		}
	}
	var err error
	g.Roles, err = ParseRoles(fields[1])
	if err != nil {
		return h, g, err
	}
	sum, err := hex.DecodeString(strings.TrimPrefix(fields[2], "sha256:"))
	if err != nil || len(sum) != len(h) || !strings.HasPrefix(fields[2], "sha256:") {
		return h, g, errors.New("invalid hash (want sha256: and 64 hex digits)")
	}
	copy(h[:], sum)
	return h, g, nil
}

// ValidTenant reports whether a name has 1 to 64 letters, digits, "-", "_" and ".".
func ValidTenant(name string) error {
	ok := len(name) > 0 && len(name) <= 64
	for _, r := range name {
		ok = ok && ((r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') || r == '-' || r == '_' || r == '.')
	}
	if !ok {
		return errors.New("invalid tenant (want 1 to 64 letters, digits, dots, dashes and underscores)")
	}
	return nil
}
