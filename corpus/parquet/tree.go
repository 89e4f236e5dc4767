package parquet

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/neardup/neardup/corpus"
)

// tree is a node of a column of lists. It makes the JSON of a row from its leaves, which are columns of the file.
type tree struct {
	parquet.Node
	name     string
	def, rep int // definition level of a present value, and repetition level of a repeated one
	children []*tree
	leaves   []*leaf
}

// leaf is a column below a tree, with its values in the current row.
type leaf struct {
	*parquet.LeafColumn
	col *column
	row []parquet.Value
}

// isList reports whether a column may have several values per row, as in Parquet's lists and maps.
func isList(n parquet.Node) bool {
	return n.Repeated() || (!n.Leaf() && len(n.Fields()) == 1 && n.Fields()[0].Repeated())
}

// treeOf returns the tree of a column, or nil if it is not a list.
func treeOf(s *parquet.Schema, name string) *tree {
	path, node := pathOf(s, name)
	if node == nil || !isList(node) {
		return nil
	}
	at := &tree{Node: s}
	for _, part := range path {
		at = at.child(part, at.Fields()[slices.IndexFunc(at.Fields(), func(f parquet.Field) bool { return f.Name() == part })])
	}
	at.grow(s, path)
	return at
}

func (t *tree) child(name string, node parquet.Node) *tree {
	c := &tree{Node: node, name: name, def: t.def, rep: t.rep}
	if !node.Required() {
		c.def++
	}
	if node.Repeated() {
		c.rep++
	}
	return c
}

// grow adds the nodes below t.
func (t *tree) grow(s *parquet.Schema, path []string) {
	if t.Leaf() {
		column, _ := s.Lookup(path...)
		t.leaves = []*leaf{{LeafColumn: &column}}
		return
	}
	for _, f := range t.Fields() {
		c := t.child(f.Name(), f)
		c.grow(s, append(slices.Clip(path), f.Name()))
		t.children, t.leaves = append(t.children, c), append(t.leaves, c.leaves...)
	}
}

// cell appends the JSON of the next row as a cell.
func (t *tree) cell(dst []byte) ([]byte, error) {
	var rows [][]parquet.Value
	for _, l := range t.leaves {
		row, err := l.col.all(l.row[:0])
		if err != nil {
			return nil, err
		}
		l.row, rows = row, append(rows, row)
	}
	if int(rows[0][0].DefinitionLevel()) < t.def && !t.Repeated() {
		return corpus.AppendNull(dst), nil
	}
	return corpus.AppendCell(dst, t.append(nil, rows)), nil
}

// append appends the values of the leaves as JSON.
func (t *tree) append(dst []byte, rows [][]parquet.Value) []byte {
	if !t.Repeated() {
		return t.value(dst, rows)
	}
	dst = append(dst, '[')
	for rest := slices.Clone(rows); len(rest[0]) > 0; {
		part := make([][]parquet.Value, len(rest))
		for i, row := range rest {
			end := min(1, len(row))
			for end < len(row) && row[end].RepetitionLevel() > t.rep {
				end++
			}
			part[i], rest[i] = row[:end], row[end:]
		}
		if part[0][0].DefinitionLevel() < t.def {
			break // an empty list
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = t.value(dst, part)
	}
	return append(dst, ']')
}

// value appends one value or list element.
func (t *tree) value(dst []byte, rows [][]parquet.Value) []byte {
	switch {
	case len(rows[0]) == 0 || rows[0][0].DefinitionLevel() < t.def:
		return append(dst, "null"...)
	case t.Leaf():
		text := t.leaves[0].col.value(nil, rows[0][0])
		if isBytes(rows[0][0]) || !json.Valid(text) {
			text, _ = json.Marshal(string(text))
		}
		return append(dst, text...)
	case len(t.children) == 1 && (t.Repeated() || isList(t)):
		return t.children[0].append(dst, rows)
	}
	dst = append(dst, '{')
	for _, c := range t.children {
		dst = c.append(corpus.AppendName(dst, c.name), rows[:len(c.leaves)])
		rows = rows[len(c.leaves):]
	}
	return append(dst, '}')
}

// all returns the values of the next row.
func (c *column) all(row []parquet.Value) ([]parquet.Value, error) {
	for {
		err := c.fill()
		switch {
		case err == io.EOF && len(row) > 0:
			return row, nil
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case len(row) > 0 && c.buf[c.at].RepetitionLevel() == 0:
			return row, nil
		}
		row = append(row, c.buf[c.at].Clone())
		c.at++
	}
}
