//go:build !full

package streams_test

import (
	"errors"
	"testing"

	"github.com/neardup/neardup/streams"
)

const full = false

// TestLight: a build without Kafka and NATS names what it lacks, and the way to have it.
func TestLight(t *testing.T) {
	for address, want := range map[string]string{
		"kafka://127.0.0.1:1/a": "Kafka", "kafka+tls://127.0.0.1:1/a": "Kafka", "nats://127.0.0.1:1/a": "NATS", "nats+tls://127.0.0.1:1/a": "NATS",
	} {
		want += ": this build lacks it (use a release, or build with -tags full)"
		for _, c := range []struct{ from, to, want string }{{address, "-", "source: " + want}, {"redis-stream://127.0.0.1:1/a", address, "output: " + want}} {
			_, err := streams.Open(t.Context(), &clerk{}, streams.Options{From: c.from, To: c.to})
			if !errors.Is(err, streams.ErrAbsent) || err.Error() != c.want {
				t.Errorf("from %s to %s: %v, want %s", c.from, c.to, err, c.want)
			}
		}
	}
}
