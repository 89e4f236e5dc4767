// Package eval measures results against a truth. It compares reported pairs with pairs known to be similar, and decisions
// with the leader clustering of the exact graph.
//
// A truth file is one of
//
//   - a table of similarities with the header "id_a id_b jaccard ..." (the
//     third column may have any name): every pair of the set at or above some
//     floor;
//   - a table with the header "id_a id_b label", or two ids a line without a
//     header: pairs that people called similar (label 1, or no label) or not (0);
//   - JSONL with id_a, id_b and label, or with id, text_a, text_b and label;
//     the two texts of the latter are the documents "<id>/a" and "<id>/b".
//
// Columns are separated by tabs, or by blanks if a line has no tab. Files may be compressed with gzip or zstd, which is
// detected from their content.
package eval
