// Package ngram finds near-duplicate short texts by their common substrings,
// and, on the same machinery, every pair of documents above a Jaccard
// similarity (method "jaccard"). With Keys = Exact, the default, no pair at or
// above the threshold is lost.
//
// The method has five stages:
//
//  1. prepare: a Preparer keeps the clean text unchanged, cuts it into words,
//     drops stop words, or keeps letters and digits only (prepare.go);
//  2. invert: the substrings a text is found under become its keys
//     (Record; plan.go and set.go define them and prove that they suffice);
//  3. divide: the caller groups texts by key, over workers or machines;
//  4. judge: inside a bucket, Plausible rejects by 64 bits and Compare by the
//     exact similarity;
//  5. merge: the caller decides each document once, by its number. Only keys,
//     sketches and numbers travel, never copies of texts.
//
// Stages 3 and 5 are the same for every method and live in package batch and
// in the stores.
//
// Training counts how rare substrings are, and the rare ones become keys. It
// changes how much work is done and never what is found; an index and what
// searches it must use the same table.
package ngram
