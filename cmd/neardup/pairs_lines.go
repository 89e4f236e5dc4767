package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/neardup/neardup/batch"
)

// pairLines writes pairs as a table, in few columns or with all evidence.
type pairLines struct {
	out   io.Writer
	exact bool
	line  []byte
}

func (w *pairLines) header() error {
	columns := "id_a\tid_b\tsimilarity"
	if w.exact {
		columns += "\tdistance\trelation\tbasis\tplace_a\tplace_b"
	}
	_, err := io.WriteString(w.out, columns+"\n")
	return err
}

func (w *pairLines) pair(p batch.Pair) error {
	b := append(w.line[:0], tsvField(p.A)...)
	b = append(b, '\t')
	b = append(b, tsvField(p.B)...)
	b = append(b, '\t')
	if w.exact {
		b = strconv.AppendFloat(b, p.Similarity, 'g', -1, 64)
		b = append(b, '\t')
		if p.Distance >= 0 {
			b = strconv.AppendInt(b, int64(p.Distance), 10)
		}
		b = appendf(b, "\t%s\t%s\t%d\t%d", p.Relation(), tsvField(p.Basis), p.Earlier, p.Later)
	} else {
		b = strconv.AppendFloat(b, p.Similarity, 'f', 4, 64)
	}
	w.line = append(b, '\n')
	_, err := w.out.Write(w.line)
	return err
}

var tsvEscapes = strings.NewReplacer("\\", "\\\\", "\t", "\\t", "\n", "\\n", "\r", "\\r")

// tsvField escapes what would break a line of a table: tab, newline, return
// and backslash become \t, \n, \r, \\.
func tsvField(s string) string {
	if strings.ContainsAny(s, "\\\t\n\r") {
		return tsvEscapes.Replace(s)
	}
	return s
}
