// Package external holds what is larger than its memory: arrays, strings and
// sorted rows of which the most lies in temporary files (external memory).
package external
