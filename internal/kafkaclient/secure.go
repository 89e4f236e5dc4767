// Package kafkaclient authenticates Kafka clients by the user and the settings in an address.
package kafkaclient

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/neardup/neardup/internal/silence"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// SchemeTLS is the scheme of addresses of brokers with TLS.
const SchemeTLS = "kafka+tls"

// Secure returns the options for connecting, with a timeout of connect, and for authentication. For a user, it takes the
// first mechanism that the brokers offer of SCRAM-SHA-512, SCRAM-SHA-256 and (only with TLS) PLAIN. sasl=NAME selects one
// of them. With TLS, it checks certificates against those of the system or of ca=FILE. cert=FILE and key=FILE hold the
// client's own certificate and key. All files are in PEM format.
func Secure(u *url.URL, connect time.Duration) (options []kgo.Opt, err error) {
	query, encrypted := u.Query(), u.Scheme == SchemeTLS
	dialer := silence.Dialer{Connect: connect}
	if encrypted {
		dialer.TLS, err = tlsOf(query)
		if err != nil {
			return nil, err
		}
	} else if query.Has("ca") || query.Has("cert") || query.Has("key") {
		return nil, errors.New("ca, cert, key: no effect without TLS (want kafka+tls://)")
	}
	options = append(options, kgo.Dialer(dialer.DialContext))
	said := query.Get("sasl")
	if u.User == nil {
		if said != "" {
			return nil, errors.New("sasl: no user (want kafka://USER:PASSWORD@HOST)")
		}
		return options, nil
	}
	password, _ := u.User.Password()
	if u.User.Username() == "" || password == "" {
		return nil, errors.New("user or password is missing (want kafka://USER:PASSWORD@HOST)")
	}
	var ways []sasl.Mechanism
	for _, way := range []sasl.Mechanism{
		scram.Auth{User: u.User.Username(), Pass: password}.AsSha512Mechanism(),
		scram.Auth{User: u.User.Username(), Pass: password}.AsSha256Mechanism(),
		plain.Auth{User: u.User.Username(), Pass: password}.AsMechanism(),
	} {
		if said != "" && !strings.EqualFold(said, way.Name()) {
			continue
		}
		if way.Name() == "PLAIN" && !encrypted {
			if said == "" {
				continue
			}
			return nil, errors.New("sasl=PLAIN: sends the password in clear text (want kafka+tls://)")
		}
		ways = append(ways, way)
	}
	if len(ways) == 0 {
		return nil, fmt.Errorf("sasl=%s: invalid (want SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN)", said)
	}
	return append(options, kgo.SASL(ways...)), nil
}

// tlsOf reads certificates and key.
func tlsOf(query url.Values) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := query.Get("ca"); file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("ca: %s: no certificate in PEM", file)
		}
	}
	cert, key := query.Get("cert"), query.Get("key")
	if (cert == "") != (key == "") {
		return nil, errors.New("cert or key is missing (want both)")
	}
	if cert != "" {
		own, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("cert %s and key %s: %w", cert, key, err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	return config, nil
}

// Refused reports whether the brokers reject the client or cannot prove their identity. Retrying does not help then.
func Refused(err error) bool {
	var unproven *tls.CertificateVerificationError
	var alert *net.OpError // TLS reports an alert of the peer as this error
	return errors.Is(err, kerr.SaslAuthenticationFailed) || errors.Is(err, kerr.UnsupportedSaslMechanism) || errors.Is(err, kerr.TopicAuthorizationFailed) ||
		errors.Is(err, kerr.ClusterAuthorizationFailed) || errors.As(err, &unproven) || (errors.As(err, &alert) && alert.Op == "remote error")
}
