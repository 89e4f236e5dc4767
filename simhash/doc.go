// Package simhash makes 64-bit SimHash fingerprints, and finds all fingerprints within a Hamming distance.
//
// A [Counter] turns a stream of hashed features, weighted or not, into a fingerprint (Charikar, "Similarity Estimation
// Techniques from Rounding Algorithms", STOC 2002; Manku, Jain, Das Sarma, "Detecting Near-Duplicates for Web Crawling",
// WWW 2007). A [Scheme] reproduces the fingerprints of other programs. An [Index] finds the fingerprints of a list within k
// bits of a query. [SelfJoin] and [Join] find all such pairs of lists. [New] returns the method "simhash" of neardup.
package simhash
