package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// The library loses the end of an LZ4 page that is longer than its header states, and does not return on a damaged one. So
// each page is first decompressed to check it. Then the library reads the page with a header that states 0 bytes, which
// makes it read all.

// unsized is a file in which the sizes of some pages read as 0.
type unsized struct {
	io.ReaderAt
	digits []int64 // offsets of the bytes of these sizes, ascending
	page   []byte
}

// ReadAt reads the file, and replaces the sizes by zeros of the same length.
func (u *unsized) ReadAt(p []byte, at int64) (int, error) {
	n, err := u.ReaderAt.ReadAt(p, at)
	i, _ := slices.BinarySearch(u.digits, at)
	for ; i < len(u.digits) && u.digits[i] < at+int64(n); i++ {
		p[u.digits[i]-at] &= 0x80
	}
	return n, err
}

// checked checks the page headers of some columns, and decompresses their LZ4 pages. It returns an error if a header claims
// too much. Otherwise it returns the file in a form that the library reads correctly.
func checked(f *parquet.File, file io.ReaderAt, size int64, some func(column int, m *format.ColumnMetaData) bool) (*parquet.File, error) {
	u := &unsized{ReaderAt: file}
	for _, g := range f.Metadata().RowGroups {
		for i := range g.Columns {
			m := &g.Columns[i].MetaData
			if g.NumRows == 0 || !some(i, m) {
				continue
			}
			check := func(*format.PageHeader, int64, int64) error { return nil }
			if m.Codec == format.Lz4Raw {
				check = u.check
			}
			if err := pages(m, file, check); err != nil {
				return nil, err
			}
		}
	}
	if u.digits == nil {
		return f, nil
	}
	slices.Sort(u.digits)
	return parquet.OpenFile(u, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
}

// check decompresses a page and records the offset of its size, which is the second number of its header. In a page of
// version 2, the levels are never compressed.
func (u *unsized) check(h *format.PageHeader, at, body int64) error {
	v2, levels := h.DataPageHeaderV2, int64(0)
	if v2.Valid {
		levels = int64(v2.V.DefinitionLevelsByteLength) + int64(v2.V.RepetitionLevelsByteLength)
	}
	if v2.Valid && v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
		return nil
	}
	end := body - at + int64(h.CompressedPageSize)
	raw, err := io.ReadAll(io.NewSectionReader(u.ReaderAt, at, end))
	if err != nil || int64(len(raw)) < end {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	const number = 0x15 // header of the next member
	size := int(int64(h.UncompressedPageSize) - levels)
	if raw[0] != number || raw[1] >= 0x80 || raw[2] != number || levels < 0 || size < 0 || levels > int64(h.CompressedPageSize) {
		return errors.New("page header: unknown fields, or levels longer than the page")
	}
	last := slices.IndexFunc(raw[3:], func(b byte) bool { return b < 0x80 })
	for i := range last + 1 {
		u.digits = append(u.digits, at+3+int64(i))
	}
	u.page = slices.Grow(u.page[:0], size)[:size]
	if n, err := lz4.UncompressBlock(raw[body-at+levels:], u.page); err != nil || n != size {
		return fmt.Errorf("LZ4 page: cannot be decompressed to %d bytes", size)
	}
	return nil
}
