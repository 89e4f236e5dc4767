// Package neardup finds near-duplicate texts: web pages, news articles and
// short messages, Chinese and English first.
//
// The root package holds the words every other package speaks: a [Document]
// becomes a clean text, a [Method] turns the clean text into a [Record] with
// keys such that similar texts share one, candidates that share a key are
// compared exactly, and a [Decision] says what came out and why. It knows no
// algorithm, no file format and no store; those plug in from packages below
// and above:
//
//	text, feature               bytes -> clean text -> hashed features
//	simhash, minhash, ngram     the methods
//	methods                     the table of methods by name, and auto
//	corpus, batch               files -> documents -> decisions, on one machine
//	docid, store/..., server    the docId service
//	cmd/neardup                 the command
package neardup
