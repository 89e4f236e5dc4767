// Package image finds pictures that look the same. It compares PDQ hashes of 256 bits, which trust-and-safety teams
// exchange. It finds all pairs within a Hamming distance.
//
// [Decode] reads a picture, within [Limits] and in its EXIF orientation; [Of] makes its [Hash] and measures its detail
// (quality). Two pictures match at a distance of at most 31; a hash with a quality below 50 does not count. [PHash] and
// [DHash] are two hashes of 64 bits for which tables exist.
//
// The algorithm is Meta's PDQ (github.com/facebook/ThreatExchange, hashing.pdf): it takes the luminance, applies a box
// filter twice in each direction, and samples 64x64 points. A bit is set for each of their 16x16 lowest frequencies that is
// above the median. Every step uses float32 and the order of the reference, so equal pixels give an equal hash.
//
// [SelfJoin] and [Join] find the near hashes of whole lists, and [New] wraps all of it as the method "images" of neardup.
package image
