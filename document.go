package neardup

// Document is an article, page or message. Only ID and Text are required; some settings use the other fields.
type Document struct {
	// ID is the caller's name for the document (the nid of the service).
	ID string
	// Text is the body. It is UTF-8, but not normalised.
	Text string
	// The docId service also looks up Title and URL.
	Title string
	URL   string
	// Time orders documents for "keep the earliest". The caller chooses the unit (readers use Unix nanoseconds). 0 means
	// unknown, which is later than every known time.
	Time int64
	// Fields are additional values, by name, that an order of documents may use.
	Fields map[string]string
}

// Cleaner makes clean text; text.Normalizer is a Cleaner. String returns the name of the cleaner and its steps. An index
// stores this name and rejects another one.
type Cleaner interface {
	Clean(s string) string
	String() string
}
