package docid

import "context"

// Source reads the history of an index and the remaining texts of its articles, for [Rebuild].
type Source interface {
	// Identity returns the identity of the index, or ErrNotFound.
	Identity(ctx context.Context, tenant string) (Identity, error)
	// Cursors returns the last change, and the last change whose texts the source has.
	Cursors(ctx context.Context, tenant string) (changes, texts uint64, err error)
	// History returns the changes after a number, like History.History.
	History(ctx context.Context, tenant string, after uint64, limit int) ([]Delivery, error)
	// Texts returns the stored texts of the docIds of changes, keyed by Entry.Leader. It omits docIds without texts.
	Texts(ctx context.Context, ds []*Delivery) (map[uint64]Texts, error)
}

// SourceOf returns the source of an index that fed both sinks.
func SourceOf(history History, library Library) Source { return sinks{history, library} }

type (
	historian = History // an alias, so that its method History is promoted
	sinks     struct {
		historian
		library Library
	}
)

func (s sinks) Cursors(ctx context.Context, tenant string) (changes, texts uint64, err error) {
	changes, err = s.Cursor(ctx, tenant)
	if err == nil {
		texts, err = s.library.Cursor(ctx, tenant)
	}
	return changes, texts, err
}

func (s sinks) Texts(ctx context.Context, ds []*Delivery) (map[uint64]Texts, error) {
	docIDs, all := make([]string, len(ds)), map[uint64]Texts{}
	for i, d := range ds {
		docIDs[i] = d.DocID
	}
	read, err := s.library.Texts(ctx, docIDs)
	for _, d := range ds {
		if t, ok := read[d.DocID]; ok {
			all[d.Leader] = t
		}
	}
	return all, err
}

// History is a sink that can be read back. It holds the log of an index and the remaining data of its articles.
type History interface {
	Sink
	// KeepIdentity stores the identity of an index, so that a lost index can be rebuilt. It returns ErrOther if
	// another index feeds the library.
	KeepIdentity(ctx context.Context, tenant string, id Identity) error
	// Identity returns the stored identity of the index, or ErrNotFound.
	Identity(ctx context.Context, tenant string) (Identity, error)
	// History returns the changes after a number, in order and without gaps, up to Cursor. Each has the entry, the names,
	// and the effect on the kept copy. A submission has its article without the text, or nil if it was deleted. An update
	// with a text has an empty article.
	History(ctx context.Context, tenant string, after uint64, limit int) ([]Delivery, error)
}

// Library is a sink of articles that can be read back. It also stores what verification needs of each leader, because its
// deliveries have a Material.
type Library interface {
	Sink
	// Texts reads the stored texts of docIds. It omits docIds without texts.
	Texts(ctx context.Context, docIDs []string) (map[string]Texts, error)
}

// Texts are the stored texts of a docId.
type Texts struct {
	Material *Material // nil if there is none
	Keys     []uint64  // keys and Sketch of the leader, if the source has them
	Sketch   uint64
	Kept     *Article // its nid, text and heat; nil if there is none
	KeptSeq  uint64   // the last change that concerned the kept copy
	Ended    bool     // the docId has ended
}
