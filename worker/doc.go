// Package worker provides the stages of a batch as filters of lines, so that an engine for many machines can use
// the code of one machine. Each stage reads its input from a stream and writes its output to another one, in bounded
// memory except as stated below. The order of the lines decides where an engine may cut partitions.
// The stages and their lines are internal to one version of neardup: its Python package combines them on Spark.
//
// # Lines
//
// Lines end in a newline, and tabs separate fields. Inside a text or an id, backslash, tab, newline and return are
// written \\, \t, \n and \r. A place is the number of a document in the order of deciding, below 2^61. Gaps are
// allowed. With --against, the document n of the index has the place n-2^32, and may only be the earlier document
// of a pair.
//
//	records        place text [id]; with --raw, place record
//	            -> place method id check reason blank, or six empty fields, part, pack
//	distinct       a place of documents that keep a text of their own; r pack
//	            -> part pack, or two empty fields, later earlier role: a copy or a candidate
//	bucket --packed  pack, or an empty field, later earlier role
//	            -> later earlier, or as bucket --hot
//	bucket         key place role sketch, those of a key together
//	            -> later earlier: a candidate
//	bucket --hot   the same
//	            -> the same, or two empty fields and key place role sketch of a hot bucket,
//	               the role in upper case for one of more than 65,536
//	verify         blocks of t place check text and then c later earlier; a text precedes its
//	               candidates, and a text after them begins a new block
//	            -> later earlier similarity closeness distance relation method basis: an edge;
//	               with --conflicts the evidence of variants, as JSON
//	decide         r place place link of rulings (must, cannot), then place check text of all
//	               documents of some components; by place, as numbers
//	            -> as lead, of copies too; of a variant the similarity is 0; --conflicts as verify
//	lead           all edges, or all of some components; by later, then earlier, as numbers
//	            -> the edges that decide
//	names          places of an index
//	            -> place id
//	digest         id decision leader similarity variantOf, or digests of parts
//	            -> one digest
//
// A pack holds rows of a part: the field *N, and after the line N bytes and a newline.
// The stages of passages (neardup worker passages STAGE) send packs between documents that all begin with place and check:
//
//	anchors        place text [id] -> place "" id reason check "", or six empty fields, part, pack
//	again          pack            -> place numbers of the anchors of a document that recur
//	contexts       place check number numbers text -> part pack; number: 0, 1, 2 ... by place
//	matches        pack            -> part pack
//	join           pack            -> number at length number at: a span and its source, in bytes
//	sources        place check id offsets text -> place offset runes id
//	cut            place check id spans text   -> place state counts spans text; spans: JSON
//
// A stage holds in memory a text or a record (records), 24 bytes per posting of one key (bucket), at most 65,536
// postings (bucket --hot), the texts of a block (verify), 512 MB (decide), a bit per duplicate (lead), or 256 MB
// (again, matches, join). The rest of decide, again, matches and join is on disk.
//
//   - record: a line of the input, unescaped, the last field.
//   - check: Spark's xxhash64 of the unchanged text or record, 16 hex digits. A different check is an error.
//   - keys, probes: 16 hex digits each, separated by spaces. probes is = if it equals keys.
//   - role: i (found), p (searches) or b (both).
//   - similarity, closeness, distance: exact, or empty if there is none.
//   - relation: copy, edited, contained, variant, unsure, or ruled with the basis override.
package worker
