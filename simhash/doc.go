// Package simhash makes 64-bit SimHash fingerprints and searches them by
// Hamming distance, exactly.
//
// A [Counter] turns a stream of hashed features, weighted or not, into a
// fingerprint (Charikar, "Similarity Estimation Techniques from Rounding
// Algorithms", STOC 2002; Manku, Jain, Das Sarma, "Detecting Near-Duplicates
// for Web Crawling", WWW 2007). A [Scheme] reproduces the fingerprints of
// other programs. An [Index] finds the fingerprints within k bits of one while it grows. [SelfJoin] and [Join]
// find them for whole lists, and [New] wraps all of it as the method "simhash" of neardup.
package simhash
