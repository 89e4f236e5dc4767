package services

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// SecureKafka is a broker with TLS and passwords. Its users "scram512", "scram256" and "plain" each authenticate by one
// mechanism, with KafkaPassword.
type SecureKafka struct {
	*Server
	// Mutual is a second address, for clients with a certificate and no password.
	Mutual string
	// CA is the file of the authority. Cert and Key are the files of a client.
	CA, Cert, Key string
}

// KafkaPassword is the password of every user.
const KafkaPassword = "p@ss/word?"

// StartSecureKafka starts a broker with TLS and passwords.
func StartSecureKafka(t testing.TB) SecureKafka {
	t.Helper()
	dir, mutual := folder(t, "certificates"), FreeAddr(t)
	k := SecureKafka{Mutual: mutual, CA: filepath.Join(dir, "ca.pem"), Cert: filepath.Join(dir, "client.pem"), Key: filepath.Join(dir, "client-key.pem")}
	broker := filepath.Join(dir, "broker.pem")
	certificates(t, k, broker)
	login := "org.apache.kafka.common.security."
	k.Server = kafka(t, 1, "PASSWORD://ADDR,MUTUAL://"+mutual,
		"listener.security.protocol.map=PASSWORD:SASL_SSL,MUTUAL:SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512", "inter.broker.listener.name=MUTUAL",
		"listener.name.password.plain.sasl.jaas.config="+login+`plain.PlainLoginModule required user_plain="`+KafkaPassword+`";`,
		"listener.name.password.scram-sha-256.sasl.jaas.config="+login+"scram.ScramLoginModule required;",
		"listener.name.password.scram-sha-512.sasl.jaas.config="+login+"scram.ScramLoginModule required;",
		"ssl.keystore.type=PEM", "ssl.keystore.location="+broker, "ssl.truststore.type=PEM", "ssl.truststore.location="+k.CA,
		"listener.name.mutual.ssl.client.auth=required",
		"--add-scram SCRAM-SHA-256=[name=scram256,password="+KafkaPassword+"]", "--add-scram SCRAM-SHA-512=[name=scram512,password="+KafkaPassword+"]",
	)[0]
	return k
}

// certificates makes an authority, a certificate of the broker with its key in one file, and a certificate of a client.
func certificates(t testing.TB, k SecureKafka, broker string) {
	t.Helper()
	write := func(file string, blocks ...*pem.Block) {
		var b []byte
		for _, block := range blocks {
			b = append(b, pem.EncodeToMemory(block)...)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var authority *x509.Certificate
	var signer *ecdsa.PrivateKey
	issue := func(name string, ca bool) (cert, private *pem.Block) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		c := &x509.Certificate{
			SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: ca, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}
		if ca {
			authority, signer, c.KeyUsage = c, key, x509.KeyUsageCertSign
		}
		der, err := x509.CreateCertificate(rand.Reader, c, authority, &key.PublicKey, signer)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return &pem.Block{Type: "CERTIFICATE", Bytes: der}, &pem.Block{Type: "PRIVATE KEY", Bytes: secret}
	}
	root, _ := issue("authority", true)
	write(k.CA, root)
	cert, key := issue("broker", false)
	write(broker, key, cert, root)
	cert, key = issue("client", false)
	write(k.Cert, cert)
	write(k.Key, key)
}
