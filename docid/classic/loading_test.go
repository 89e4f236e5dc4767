package classic_test

import (
	"testing"

	"github.com/neardup/neardup/docid/classic"
	"github.com/neardup/neardup/internal/test/services"
)

// TestOpenWhileItLoads: a Redis that reads its data after a start is waited for.
func TestOpenWhileItLoads(t *testing.T) {
	index(t, open(t, services.Loading(t), classic.Options{}))
}
