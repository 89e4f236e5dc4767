// Package worker provides the stages of a batch as filters of rows, so that a distributed engine can use the code for a
// single machine. Each stage reads its input from a stream and writes its output to another one, in bounded memory except
// as stated below. The stages and their rows are internal to one version of neardup: its Python package combines them on
// Spark.
//
// # Rows
//
// A row is the row of Spark (UnsafeRow) after its length in 8 bytes. Numbers are little-endian. An ordinal (in Python the
// column place) is the number of a document in the order of deciding, below 2^61. Its lower 33 bits are the row in a piece
// of the input. With --against, the document n of the index has the ordinal n-2^32, and may only be the earlier document of
// a pair. The input of contexts and join begins with numbers: their length in bytes, and 8 bytes each.
//
//	read           a file
//	            -> ordinal id text file line reason
//	texts          any record
//	            -> any text reason
//	tally          ordinal text id; with --raw, ordinal record
//	            -> counts, which records reads from a file
//	records        ordinal text id; with --raw, ordinal record
//	            -> ordinal method id reason check blank, or six nulls, part pack
//	distinct       pack
//	            -> part pack, or part null later earlier role: a copy (c)
//	bucket         pack later earlier role
//	            -> later earlier role: a candidate, a copy (c) or a link of a hot bucket (h)
//	forest         later earlier
//	            -> ordinal, first ordinal of the component
//	verify         blocks of texts, ordinal null check text, and then candidates, later earlier
//	            -> later earlier similarity distance relation basis: an edge
//	decide         ordinal check id text of all documents of some components, by ordinal
//	            -> ordinal decision leader similarity distance method basis variant conflicts
//	digest         id decision leader similarity variant, or digests of parts and null
//	            -> digest
//
// The stages of passages (neardup worker passages STAGE) send packs between documents:
//
//	anchors        as records      -> ordinal null id reason check null, or six nulls, part pack
//	again          pack            -> ordinal numbers of the anchors of a document that recur
//	contexts       the number of the first document of each piece, and of all; ordinal check id numbers text
//	                               -> part pack
//	matches        pack            -> part pack
//	join           numbers as contexts; pack
//	                               -> ordinal at length ordinal at: a span and its source, in bytes
//	sources        ordinal check id offsets text -> ordinal offset runes id
//	cut            ordinal check id spans text   -> ordinal state counts spans text; spans: JSON
//
// A stage holds in memory a text or a record (records), 24 bytes per posting of one key (bucket), at most 65,536 postings
// (bucket --hot), the texts of a block (verify), 8 million ordinals (forest, 400 MB), 512 MB and 8 bytes a document
// (decide), or 256 MB (again, matches, join). The rest of decide, again, matches and join is on disk.
//
//   - record: a line of the input, in place of a text.
//   - pack: rows of a part, which move as one.
//   - check: Spark's xxhash64 of the unchanged text or record. A different check is an error.
//   - similarity, distance: exact, or null if there is none.
//   - relation: of the earlier text to the later, as neardup.Relation names it.
package worker
