// Package image finds pictures that look the same. It compares PDQ hashes of 256 bits, which trust-and-safety
// teams exchange, exactly within a Hamming distance.
//
// [Decode] reads a picture, within [Limits] and in its EXIF orientation; [Of] makes its [Hash] and measures its
// detail (quality). Two pictures match at a distance of at most 31; below a quality of 50 a hash is no
// evidence. [PHash] and [DHash] are the two of 64 bits for which tables exist.
//
// The algorithm is Meta's PDQ (github.com/facebook/ThreatExchange, hashing.pdf): luminance, two passes of a box
// filter in each direction, 64x64 samples, their 16x16 lowest frequencies, and a bit for each that is above the
// median. Every step uses float32 and the order of the reference, so equal pixels give an equal hash.
//
// [SelfJoin] and [Join] find the near hashes of whole lists, and
// [New] wraps all of it as the method "images" of neardup.
package image
