package kafkalog_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/store/kafkalog"
)

// TestSecure checks that a broker accepts a password by any of its mechanisms or a certificate, and no other
// client. A refused client gets an error without the password.
func TestSecure(t *testing.T) {
	k := services.StartSecureKafka(t)
	as := func(user string) string {
		return "kafka+tls://" + url.UserPassword(user, services.KafkaPassword).String() + "@" + k.Addr
	}
	ca, own := "ca="+k.CA, "&cert="+k.Cert+"&key="+k.Key
	for _, c := range []struct {
		name, address string
		kind          error
		says          string
	}{
		{"the strongest mechanism", as("scram512") + "?" + ca, nil, ""},
		{"another, which is named", as("scram256") + "?sasl=scram-sha-256&" + ca, nil, ""},
		{"the password as it is", as("plain") + "?sasl=PLAIN&" + ca, nil, ""},
		{"a certificate", "kafka+tls://" + k.Mutual + "?" + ca + own, nil, ""},
		{"a wrong password", "kafka+tls://scram512:another@" + k.Addr + "?" + ca, docid.ErrInvalid, "SASL"},
		{"an unknown user", as("nobody") + "?" + ca, docid.ErrInvalid, "SASL"},
		{"no password", "kafka+tls://" + k.Addr + "?" + ca, docid.ErrUnavailable, "SASL"},
		{"no certificate", "kafka+tls://" + k.Mutual + "?" + ca, docid.ErrInvalid, "certificate"},
		{"an authority that nobody knows", as("scram512"), docid.ErrInvalid, "certificate"},
		{"no TLS", strings.Replace(as("scram512"), "+tls", "", 1), docid.ErrUnavailable, ""},
	} {
		l, err := kafkalog.Open(t.Context(), c.address)
		if !errors.Is(err, c.kind) || (err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "p@ss") || strings.Contains(err.Error(), "p%40ss"))) {
			t.Errorf("%s: %v, want %v and %q", c.name, err, c.kind, c.says)
		}
		if err != nil {
			continue
		}
		entry := []byte("0123456789abcdef and more")
		offset, err := l.Append(t.Context(), docid.Anchor{}, entry)
		if errors.Is(err, docid.ErrLogLost) { // an earlier run began it
			offset, err = l.Durable(t.Context())
		}
		if err != nil || offset != 1 {
			t.Errorf("%s: entry %d, %v", c.name, offset, err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestSecureAddress checks that invalid addresses are refused before any connection.
func TestSecureAddress(t *testing.T) {
	for address, says := range map[string]string{
		"kafka://user@host":                        "user or password is missing",
		"kafka://:secret@host":                     "user or password is missing",
		"kafka://user:secret@host?sasl=plain":      "want kafka+tls",
		"kafka+tls://user:secret@host?sasl=gssapi": "SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN",
		"kafka://host?sasl=plain":                  "USER:PASSWORD",
		"kafka://host?ca=file":                     "want kafka+tls",
		"kafka+tls://host?ca=/nowhere":             "no such file",
		"kafka+tls://host?ca=secure_test.go":       "no certificate",
		"kafka+tls://host?cert=a":                  "want both",
		"kafka+tls://host?cert=/a&key=/b":          "no such file",
	} {
		if _, err := kafkalog.Open(t.Context(), address); !errors.Is(err, docid.ErrInvalid) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", address, err, says)
		}
	}
}
