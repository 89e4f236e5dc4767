package hbase

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// The gateway's messages follow hbase-rest's CellSetMessage, CellMessage, ScannerMessage, TableSchemaMessage
// and ColumnSchemaMessage. They have few fields, so this code encodes and decodes them directly.

// cell is a value of a row.
type cell struct {
	row, column string
	time        int64 // readers get the cell with the highest timestamp
	data        []byte
}

// cellSet encodes CellSet{rows = 1: Row{key = 1, values = 2: Cell{column = 2, timestamp = 3, data = 4}}}.
// Consecutive cells of one row share a Row, because a row costs the gateway more than a cell.
func cellSet(cells []cell) []byte {
	size := 0
	for _, x := range cells {
		size += len(x.data) + len(x.row) + len(x.column) + 40
	}
	set := make([]byte, 0, size)
	var row, c []byte
	for i, x := range cells {
		if i == 0 || cells[i-1].row != x.row {
			row = appendBytes(row[:0], 1, []byte(x.row))
		}
		c = appendBytes(c[:0], 2, []byte(x.column))
		c = protowire.AppendTag(c, 3, protowire.VarintType)
		c = protowire.AppendVarint(c, uint64(x.time))
		c = appendBytes(c, 4, x.data)
		row = appendBytes(row, 2, c)
		if i == len(cells)-1 || cells[i+1].row != x.row {
			set = appendBytes(set, 1, row)
		}
	}
	return set
}

func appendBytes(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func appendNumber(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

var errMessage = errors.New("unreadable message from the gateway")

// fields visits the fields of a message: numbers and byte strings. The messages read here have no others.
func fields(b []byte, visit func(n protowire.Number, number uint64, value []byte) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return errMessage
		}
		b = b[size:]
		var number uint64
		var value []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			value, size = protowire.ConsumeBytes(b)
		default:
			size = protowire.ConsumeFieldValue(n, kind, b)
		}
		if size < 0 {
			return errMessage
		}
		b = b[size:]
		if err := visit(n, number, value); err != nil {
			return err
		}
	}
	return nil
}

// parseCells parses a CellSet.
func parseCells(b []byte) ([]cell, error) {
	var cells []cell
	err := fields(b, func(n protowire.Number, _ uint64, row []byte) error {
		if n != 1 {
			return nil
		}
		var key string
		return fields(row, func(n protowire.Number, _ uint64, v []byte) error {
			switch n {
			case 1:
				key = string(v)
			case 2:
				c, err := parseCell(v)
				c.row = key
				cells = append(cells, c)
				return err
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("cells: %w", err)
	}
	return cells, nil
}

func parseCell(b []byte) (cell, error) {
	var c cell
	err := fields(b, func(n protowire.Number, number uint64, v []byte) error {
		switch n {
		case 2:
			c.column = string(v)
		case 3:
			c.time = int64(number)
		case 4:
			c.data = append([]byte{}, v...)
		}
		return nil
	})
	return c, err
}

// scanner encodes Scanner{startRow = 1, endRow = 2, columns = 3, batch = 4, caching = 9}.
func scanner(column, from, to string, rows int) []byte {
	var b []byte
	if from != "" {
		b = appendBytes(b, 1, []byte(from))
	}
	if to != "" {
		b = appendBytes(b, 2, []byte(to))
	}
	b = appendBytes(b, 3, []byte(column))
	b = appendNumber(b, 4, uint64(rows))
	return appendNumber(b, 9, uint64(rows))
}

// schema encodes TableSchema{name = 1, columns = 3: ColumnSchema{name = 1, attrs = 2: Attribute{name = 1, value
// = 2}}}. The gateway reads the attributes.
func schema(table string, families []string) []byte {
	b := appendBytes(nil, 1, []byte(table))
	for _, f := range families {
		column := appendBytes(nil, 1, []byte(f))
		for _, a := range [][2]string{{"VERSIONS", "1"}, {"COMPRESSION", "GZ"}, {"BLOOMFILTER", "ROW"}} {
			attr := appendBytes(appendBytes(nil, 1, []byte(a[0])), 2, []byte(a[1]))
			column = appendBytes(column, 2, attr)
		}
		b = appendBytes(b, 3, column)
	}
	return b
}
