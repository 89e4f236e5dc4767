package docid

import "context"

// History is a sink that can be read again: the log of an index, and what is left
// of its articles.
type History interface {
	Sink
	// KeepIdentity stores the identity of an index, so that a lost index can be rebuilt. It returns ErrOther if
	// another index feeds the library.
	KeepIdentity(ctx context.Context, tenant string, id Identity) error
	// Identity returns the stored identity of the index; ErrNotFound if there is none.
	Identity(ctx context.Context, tenant string) (Identity, error)
	// History returns the changes after one, in order and without gaps, up to Cursor: entry, names, and the
	// effect on the kept copy. A submission has the article without its text, or nil if it was deleted. An
	// update with a text has an empty article.
	History(ctx context.Context, tenant string, after uint64, limit int) ([]Delivery, error)
}

// Library is a sink of articles that can be read again, and that also keeps what verification
// needs of each leader: its deliveries have a Material.
type Library interface {
	Sink
	// Texts reads the stored texts of docIds. It leaves out docIds without any.
	Texts(ctx context.Context, docIDs []string) (map[string]Texts, error)
}

// Texts are the stored texts of a docId.
type Texts struct {
	Material *Material // nil: none
	Kept     *Article  // its nid, text and heat; nil: none
	KeptSeq  uint64    // the last change that concerned the kept copy
	Ended    bool      // the docId
}
