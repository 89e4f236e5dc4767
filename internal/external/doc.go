// Package external provides data structures larger than memory: arrays, strings and sorted rows that are
// mostly in temporary files (external memory).
package external
