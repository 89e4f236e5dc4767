package main

import (
	"io"
	"strconv"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/worker"
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
	b := append(w.line[:0], worker.Escape(p.A)...)
	b = append(b, '\t')
	b = append(b, worker.Escape(p.B)...)
	b = append(b, '\t')
	if w.exact {
		b = strconv.AppendFloat(b, p.Similarity, 'g', -1, 64)
		b = append(b, '\t')
		if p.Distance >= 0 {
			b = strconv.AppendInt(b, int64(p.Distance), 10)
		}
		b = appendf(b, "\t%s\t%s\t%d\t%d", p.Relation(), worker.Escape(p.Basis), p.Earlier, p.Later)
	} else {
		b = strconv.AppendFloat(b, p.Similarity, 'f', 4, 64)
	}
	w.line = append(b, '\n')
	_, err := w.out.Write(w.line)
	return err
}
