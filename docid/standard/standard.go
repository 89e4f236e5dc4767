// Package standard opens a docId index with the default cascade of neardup serve: url and title match exactly, a title only
// counts if the contents are alike, and content is compared by method auto.
package standard

import (
	"context"
	"fmt"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// TitleAgrees is the Jaccard similarity of 3-shingles that two contents need for an equal title to count.
const TitleAgrees = .2

// Settings returns the settings of the cascade. Callers may change them before use.
func Settings() docid.Settings {
	return docid.Settings{
		Clean: text.Default(), URL: docid.Exact, Title: docid.Exact, Content: docid.Near,
		ContentMethod: Method("auto"),
		TitleAgrees:   Method(fmt.Sprint("jaccard threshold=", TitleAgrees)),
	}
}

// Method returns a Maker that makes the method of a spec (see methods.New) with the secret seed of an index.
func Method(spec string) docid.Maker {
	return func(seed uint64, _ []byte) (neardup.Method, error) {
		return methods.New(fmt.Sprintf("%s seed=%d", spec, seed))
	}
}

// Open opens the index of a tenant, and creates it if needed. It returns the errors of docid.NewDetector.
func Open(ctx context.Context, store docid.Store, tenant string) (*docid.Detector, error) {
	return docid.NewDetector(ctx, store, tenant, Settings())
}
