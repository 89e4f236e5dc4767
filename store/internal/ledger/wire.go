package ledger

import "github.com/neardup/neardup/docid"

// How entries, articles and materials are written down, for stores that keep
// them elsewhere than in rows: the fields of the rows, without a checksum.

func encoded(put func(*encoder)) []byte {
	var e encoder
	put(&e)
	return e.b
}

func decoded(b []byte, get func(*decoder)) error {
	d := &decoder{b: b}
	get(d)
	return d.close(nil)
}

// EncodeEntry writes an entry, all but its Seq.
func EncodeEntry(v *docid.Entry) []byte { return encoded(func(e *encoder) { putEntry(e, v) }) }

// DecodeEntry reads what EncodeEntry wrote. ErrCorrupt.
func DecodeEntry(b []byte) (v docid.Entry, err error) {
	err = decoded(b, func(d *decoder) { getEntry(d, &v) })
	return v, err
}

// EncodeArticle writes an article.
func EncodeArticle(v *docid.Article) []byte { return encoded(func(e *encoder) { putArticle(e, v) }) }

// DecodeArticle reads what EncodeArticle wrote. ErrCorrupt.
func DecodeArticle(b []byte) (v docid.Article, err error) {
	err = decoded(b, func(d *decoder) { getArticle(d, &v) })
	return v, err
}

// EncodeCorrection writes what a person did to an article.
func EncodeCorrection(v *docid.Correction) []byte {
	return encoded(func(e *encoder) { putCorrection(e, v) })
}

// DecodeCorrection reads what EncodeCorrection wrote. ErrCorrupt.
func DecodeCorrection(b []byte) (v *docid.Correction, err error) {
	err = decoded(b, func(d *decoder) { v = getCorrection(d) })
	return v, err
}

// EncodeMaterial writes what verification needs of a leader.
func EncodeMaterial(v *docid.Material) []byte { return encoded(func(e *encoder) { putMaterial(e, v) }) }

// DecodeMaterial reads what EncodeMaterial wrote. ErrCorrupt.
func DecodeMaterial(b []byte) (v docid.Material, err error) {
	err = decoded(b, func(d *decoder) { getMaterial(d, &v) })
	return v, err
}
