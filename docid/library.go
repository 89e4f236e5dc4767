package docid

import (
	"context"
	"time"
)

// History is a sink that can be read again: the log of an index, and what is left
// of its articles.
type History interface {
	Sink
	// Identity is what made the index itself; ErrNotFound if it was not kept.
	Identity(ctx context.Context, tenant string) (Identity, error)
	// History returns the changes after one, in order and without gaps, up to
	// Cursor: entry, names, and what it did to the kept copy; of a submission
	// the article without its text, nil if it is there no more; of an update
	// that came with a text an empty one.
	History(ctx context.Context, tenant string, after uint64, limit int) ([]Delivery, error)
	// Log returns the entries of History alone.
	Log(ctx context.Context, tenant string, after uint64, limit int) ([]Entry, error)
	// Articles reads articles by nid, those that are there and that no person has moved,
	// as of a change or later.
	Articles(ctx context.Context, tenant string, nids []string) (articles []Filed, at uint64, err error)
	// ArticlesOf reads those of a docId that came after a change, in order.
	ArticlesOf(ctx context.Context, tenant string, leader, after uint64, limit int) (articles []Filed, at uint64, err error)
	// ChangesOf returns entries of a docId after a change, in order, those of
	// submissions with their names.
	ChangesOf(ctx context.Context, tenant string, leader, after uint64, limit int) ([]Delivery, error)
}

// Filed is an article as a history has it.
type Filed struct {
	Member
	Names []Name // that it had lead to its docId
}

// Library is a sink of articles that can be read again.
type Library interface {
	LeaderSink
	// Texts reads what is kept of docIds; those of which nothing is are left
	// out.
	Texts(ctx context.Context, docIDs []string) (map[string]Texts, error)
}

// Texts are what a library keeps of a docId.
type Texts struct {
	Material *Material // nil: none
	Kept     *Article  // its nid, text and heat; nil: none
	KeptSeq  uint64    // the last change that concerned the kept copy
	Ended    bool      // the docId
}

// Unloader is an index that can leave to its sinks what is old, and reads it there
// when it is needed: the texts of leaders and of kept copies to a library, entries
// of the log, and the articles that came with them, to a history.
type Unloader interface {
	// Unload drops the texts that came before a time and that a sink, the
	// library, has acknowledged; it looks at no more than limit changes, and
	// returns how many it has dealt with. ErrNotFound if the sink is not attached.
	Unload(ctx context.Context, sink string, before time.Time, limit int) (int, error)
	// Trim drops the entries of changes that came before a time and not after
	// the change most, that every sink has acknowledged, and that the history, which
	// the sink is, gives back as they are, and the articles that they are of under
	// the same condition. It looks at no more than limit entries, and returns how
	// many went. From then on the sink cannot be detached.
	// ErrNotFound if it is not attached, ErrUntold.
	Trim(ctx context.Context, sink string, most uint64, before time.Time, limit int) (int, error)
	// Trimmed is the last change whose entry was left to the history; 0: none was.
	Trimmed(ctx context.Context) (uint64, error)
}
