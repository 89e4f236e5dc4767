package neardup

// Document is one article, page or message from a reader or a caller. Only ID and Text are required; the rest
// is used by some settings.
type Document struct {
	// ID is the caller's own name for the document (the nid of the service).
	ID string
	// Text is the body, UTF-8 but not yet normalised.
	Text string
	// The docId service also looks up Title and URL.
	Title string
	URL   string
	// Time orders documents for "keep the earliest". Its unit is the
	// caller's (the readers use Unix nanoseconds); 0 means unknown, which
	// orders after every known time.
	Time int64
	// Fields are further values, by name, that an order of documents may use.
	Fields map[string]string
}

// Cleaner makes clean text; text.Normalizer is one. String names the cleaner and its steps. An index stores the name
// and refuses another one.
type Cleaner interface {
	Clean(s string) string
	String() string
}
