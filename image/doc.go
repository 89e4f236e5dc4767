// Package image finds pictures that are the same to the eye: by PDQ, the hash
// of 256 bits that trust-and-safety teams exchange, exactly within a Hamming
// distance.
//
// [Decode] reads a picture, within [Limits] and turned as it is to be seen;
// [Of] makes its [Hash] and says how much there is to be told (quality). Two
// pictures match at a distance of at most 31; below a quality of 50 a hash says
// nothing. [PHash] and [DHash] are the two of 64 bits for which tables exist.
//
// PDQ is the one of Meta (github.com/facebook/ThreatExchange, hashing.pdf):
// luminance, two passes of a box filter in each direction, 64x64 samples, their
// 16x16 lowest frequencies, and a bit for each that is above the median. Every
// step is done in float32 and in the order of the reference, so equal pixels
// give an equal hash.
//
// An [Index] answers "which hashes are near this one" while it grows, [SelfJoin]
// and [Join] answer it for whole lists, and [New] wraps all of it as the method
// "images" of neardup.
package image
