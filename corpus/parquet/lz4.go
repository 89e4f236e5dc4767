package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/neardup/neardup/internal/external"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// The library loses pages of LZ4 that are less than three times as long when
// unpacked, and does not end on damaged ones. So a file with such pages is
// unpacked first, into a temporary file.

// unpacked returns a file without LZ4, f itself where it has none; done frees
// what that took.
func unpacked(f *parquet.File, file io.ReaderAt) (out *parquet.File, done func(), err error) {
	if !usesLZ4(f.Metadata()) {
		return f, func() {}, nil
	}
	files := external.NewFiles("")
	defer func() {
		if err != nil {
			files.Close()
		}
	}()
	temp, err := files.Create()
	if err != nil {
		return nil, nil, err
	}
	u := unpacker{file: file, out: bufio.NewWriterSize(temp, 256<<10)}
	if err := u.all(*f.Metadata()); err != nil {
		return nil, nil, err
	}
	out, err = parquet.OpenFile(temp, u.at, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	return out, files.Close, err
}

func usesLZ4(meta *format.FileMetaData) bool {
	return slices.ContainsFunc(meta.RowGroups, func(g format.RowGroup) bool {
		return slices.ContainsFunc(g.Columns, func(c format.ColumnChunk) bool { return c.MetaData.Codec == format.Lz4Raw })
	})
}

// unpacker copies a file with its LZ4 pages unpacked.
type unpacker struct {
	file io.ReaderAt
	out  *bufio.Writer
	at   int64 // bytes written
	page []byte
}

const magic = "PAR1"

func (u *unpacker) all(meta format.FileMetaData) error {
	if err := u.write([]byte(magic)); err != nil {
		return err
	}
	meta.RowGroups = slices.DeleteFunc(slices.Clone(meta.RowGroups), func(g format.RowGroup) bool { return g.NumRows == 0 })
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		g.Columns = slices.Clone(g.Columns)
		g.FileOffset, g.TotalCompressedSize = 0, 0
		for j := range g.Columns {
			c := &g.Columns[j]
			c.OffsetIndexOffset, c.OffsetIndexLength, c.ColumnIndexOffset, c.ColumnIndexLength = 0, 0, 0, 0
			c.FileOffset = 0
			if err := u.chunk(&c.MetaData); err != nil {
				return err
			}
			g.TotalCompressedSize += c.MetaData.TotalCompressedSize
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	if err := u.write(append(footer, magic...)); err != nil {
		return err
	}
	return u.out.Flush()
}

func (u *unpacker) write(b []byte) error {
	n, err := u.out.Write(b)
	u.at += int64(n)
	return err
}

// chunk copies the pages of one column of one row group.
func (u *unpacker) chunk(m *format.ColumnMetaData) error {
	from, packed := u.at, m.Codec == format.Lz4Raw
	of := *m
	m.DataPageOffset, m.DictionaryPageOffset, m.IndexPageOffset, m.BloomFilterOffset, m.BloomFilterLength = 0, 0, 0, 0, 0
	err := pages(&of, u.file, func(h *format.PageHeader, at int64) error {
		if h.Type == format.DictionaryPage {
			m.DictionaryPageOffset = u.at
		} else if m.DataPageOffset == 0 {
			m.DataPageOffset = u.at
		}
		raw, err := io.ReadAll(io.NewSectionReader(u.file, at, int64(h.CompressedPageSize)))
		if err != nil || len(raw) < int(h.CompressedPageSize) {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
		return u.copyPage(*h, raw, packed)
	})
	if packed {
		m.Codec = format.Uncompressed
	}
	m.TotalCompressedSize = u.at - from
	return err
}

// copyPage copies one page; of a page of version 2 the levels are never packed.
func (u *unpacker) copyPage(h format.PageHeader, raw []byte, packed bool) error {
	levels := 0
	if v2 := &h.DataPageHeaderV2; v2.Valid {
		levels = int(v2.V.DefinitionLevelsByteLength) + int(v2.V.RepetitionLevelsByteLength)
		packed = packed && (!v2.V.IsCompressed.Valid || v2.V.IsCompressed.V)
		v2.V.IsCompressed = thrift.New(false)
	}
	if levels < 0 || levels > len(raw) || levels > int(h.UncompressedPageSize) {
		return errors.New("the levels of a page are longer than the page")
	}
	body := raw[levels:]
	if packed {
		size := int(h.UncompressedPageSize) - levels
		u.page = slices.Grow(u.page[:0], size)[:size]
		if n, err := lz4.UncompressBlock(body, u.page); err != nil || n != size {
			return fmt.Errorf("a page of LZ4 does not unpack to its %d bytes", size)
		}
		body = u.page
	}
	h.CompressedPageSize, h.CRC = int32(levels+len(body)), 0
	header, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
	if err != nil {
		return err
	}
	for _, b := range [][]byte{header, raw[:levels], body} {
		if err := u.write(b); err != nil {
			return err
		}
	}
	return nil
}
