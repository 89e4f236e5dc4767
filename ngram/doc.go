// Package ngram finds near-duplicate short texts by their common substrings. With the same keys it also finds every pair of
// documents above a Jaccard similarity (method "jaccard"). With Keys = Exact, the default, it loses no pair at or above the
// threshold.
//
// The method has five stages:
//
//  1. prepare: a Preparer keeps the clean text unchanged, cuts it into words,
//     drops stop words, or keeps letters and digits only (prepare.go);
//  2. invert: the substrings a text is found under become its keys
//     (Record; plan.go and set.go define them and prove that they suffice);
//  3. divide: the caller groups texts by key, over workers or machines;
//  4. compare: within a bucket, Plausible rejects by 64 bits and Compare by the
//     exact similarity;
//  5. merge: the caller decides each document once, by its number. Only keys,
//     sketches and numbers are moved, never copies of texts.
//
// Stages 3 and 5 are the same for every method. Package batch and the stores implement them.
//
// Training counts how rare substrings are, and the rare ones become keys. It changes the amount of work, but not the
// result. An index and a search in it must use the same table.
package ngram
