package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// Records is the model of RecordsInPacks: it writes one line for each document, with its place, SHA-256, check,
// method, sketch, index keys and probe keys ("=" if these are equal), then the id, and with s.Decode the reason.
func (s Stages) Records(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	err := s.eachDocument(l, func(d document, rec *neardup.Record) error {
		if d.reject != "" {
			l.rejected(d)
			return l.write()
		}
		l.record(d.place, d.hash(), d.check, s.route(d.clean), rec)
		if d.named {
			l.tab()
			l.line = append(l.line, Escape(d.id)...)
		}
		if s.Decode != nil {
			l.tab()
		}
		return l.write()
	})
	return l.counts, err
}

// rejected builds the line of a record that cannot be read.
func (l *lines) rejected(d document) {
	l.record(d.place, [sha256.Size]byte{}, "", "", &neardup.Record{})
	l.line = append(append(l.line, "\t\t"...), Escape(d.reject)...)
}

func (l *lines) record(place batch.Ordinal, hash [sha256.Size]byte, check, route string, rec *neardup.Record) {
	l.ordinal(place)
	l.tab()
	l.line = hex.AppendEncode(l.line, hash[:])
	l.tab()
	l.line = append(l.line, check...)
	l.tab()
	l.line = append(l.line, Escape(route)...)
	l.tab()
	l.hex(rec.Sketch)
	l.keys(rec.Index)
	if rec.Probe == nil {
		l.line = append(l.line, "\t="...)
	} else {
		l.keys(rec.Probe)
	}
}

// keys appends a field of keys.
func (l *lines) keys(keys []uint64) {
	l.tab()
	for i, k := range keys {
		if i > 0 {
			l.line = append(l.line, ' ')
		}
		l.hex(k)
	}
}
