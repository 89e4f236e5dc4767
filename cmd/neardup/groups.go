package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/parquet"
	"github.com/neardup/neardup/internal/external"
)

// csvStyle says how tables for spreadsheets are written: "bom sep=; raw".
type csvStyle struct{ corpus.TableStyle }

// Type of the flag's value, for the help.
func (s *csvStyle) Type() string { return "STYLE" }

// String is the value.
func (s *csvStyle) String() string {
	var words []string
	if s.BOM {
		words = append(words, "bom")
	}
	if s.Comma != 0 {
		words = append(words, "sep="+string(s.Comma))
	}
	if s.Raw {
		words = append(words, "raw")
	}
	return strings.Join(words, " ")
}

// Set takes a value.
func (s *csvStyle) Set(v string) error {
	*s = csvStyle{}
	for word := range strings.FieldsSeq(v) {
		sep, isSep := strings.CutPrefix(word, "sep=")
		switch {
		case word == "bom":
			s.BOM = true
		case word == "raw":
			s.Raw = true
		case isSep:
			c, err := corpus.ParseDelimiter(sep)
			if err != nil {
				return err
			}
			s.Comma = rune(c)
		default:
			return errors.New(strconv.Quote(word) + " is none of bom, sep=C, raw")
		}
	}
	return nil
}

// groupWriter writes a table of every document with its group: the number of
// the record that is kept of it. A document without a size among the members is
// alone.
type groupWriter struct {
	table  *corpus.Table
	files  *external.Files
	known  *external.Array[groupMember] // by item
	leader int
	left   int
}

func newGroupWriter(out *corpus.AtomicFile, tmp string, style csvStyle, r *corpus.Reader) (*groupWriter, error) {
	table, err := corpus.NewTable(out, style.TableStyle, parquet.Codec{},
		corpus.Column{Name: "group", Kind: corpus.Integer}, corpus.Column{Name: "size", Kind: corpus.Integer},
		corpus.Column{Name: "decision"}, corpus.Column{Name: "similarity", Kind: corpus.Number})
	if err == nil {
		err = table.Suits(r)
	}
	if err != nil {
		return nil, err
	}
	f := external.NewFiles(tmp)
	return &groupWriter{table: table, files: f, known: external.NewArray[groupMember](f, notesMemory)}, nil
}

// groupMember is what is noted of a member of a group of several.
type groupMember struct {
	leader, size int64
	similarity   float64
}

// member notes a document of a group of several, its leader first.
func (g *groupWriter) member(o batch.Outcome, size int) error {
	similarity := o.Similarity
	if g.left == 0 {
		g.leader, g.left, similarity = o.Item, size, 1
	}
	g.left--
	return g.known.Put(o.Item, groupMember{int64(g.leader), int64(size), similarity})
}

// row writes a document, with the columns that it came with.
func (g *groupWriter) row(item int, it corpus.Item, dec *corpus.Decoder) error {
	m := groupMember{leader: int64(item), size: 1}
	if item < g.known.Len() {
		noted, err := g.known.Get(item)
		if err != nil {
			return err
		}
		if noted.size > 0 {
			m = noted
		}
	}
	decision, similarity := neardup.New, any(nil)
	if m.leader != int64(item) {
		decision, similarity = neardup.Duplicate, m.similarity
	}
	return g.table.Item(it, dec, m.leader+1, m.size, string(decision), similarity)
}
