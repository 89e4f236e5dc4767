// Package corpus reads and writes files of documents: JSONL, JSON, CSV, TSV, Parquet, Arrow, Excel, one text a line, a file
// a document, web pages, WARC archives, mails and Word files, each plain or compressed with gzip or zstd.
//
// The work is split so that it can use all cores. [Reader.Next] only finds where a record begins and ends. [Decoder.Decode]
// does the expensive work (JSON, charsets, main text of a page) and runs in as many goroutines as the caller starts. A bad
// record is a [*RejectError] with file, line and reason; the caller records it and continues. Memory is bounded by a few
// blocks of 256 KiB and one document of at most [Options.MaxDocument] bytes for each worker.
//
// [Writer] writes selected records in the format of the input, byte for byte if the format allows it. [CreateAtomic] writes
// any other result. Both appear whole, with Commit, or not at all.
//
// The caller provides the formats with large dependencies: Parquet and Arrow as [Codec]s (packages corpus/parquet and
// corpus/arrow), and the main text of web pages as [Options.Extract] (package text/html).
package corpus
