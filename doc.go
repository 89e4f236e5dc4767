// Package neardup finds near-duplicate texts: web pages, news articles and short messages, Chinese and English
// first.
//
// The root package defines the terms of all other packages. A [Document] becomes a clean text, and a [Method]
// makes a [Record] of it, with keys that similar texts share. Candidates that share a key are compared exactly,
// and a [Decision] records the outcome and the evidence. The root package contains no algorithm, file format or
// store; other packages add them:
//
//	text, feature               bytes -> clean text -> hashed features
//	simhash, minhash, ngram     the methods
//	methods                     the table of methods by name, and auto
//	corpus, batch               files -> documents -> decisions, on one machine
//	docid, store/..., server    the docId service
//	cmd/neardup                 the command
package neardup
