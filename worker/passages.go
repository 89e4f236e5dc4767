package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/passage"
)

// Passages are the settings of the stages that find repeated passages. These send packs of little-endian rows to each
// other.
type Passages struct {
	Steps *passage.Steps
	// Spec identifies the method for Contract.
	Spec string
	// Cut cuts the repeated parts of a document.
	Cut func(neardup.Document, []passage.Span) (Cut, error)
	// Replace puts the new text into the record that Decode has read last.
	Replace func(record []byte, text string) ([]byte, error)
}

// PassagesMemory is the approximate memory of a stage for sorting, in bytes. The rest is on disk.
const PassagesMemory = 256 << 20

// anchorLen is the length of a row of an anchor: hash, place, number in its document.
const anchorLen = 8 + 8 + 4

// Anchors runs the first stage. It reads the input of Records, and writes the same lines of documents as
// RecordsInPacks. Its packs are input of Again.
func (s Stages) Anchors(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	packs := l.packsOf(s.Parts, "\t\t\t\t\t\t")
	l.most = s.fields(2)
	err := l.each(func(fields [][]byte) error {
		d, err := s.uncleaned(fields)
		if errors.Is(err, ErrBlank) {
			return nil
		}
		if err != nil {
			return err
		}
		if d.reject != "" {
			d.check = ""
		} else {
			for i, hash := range s.Passages.Steps.Anchors(d.clean) {
				err := packs.add(packs.part(hash), func(b []byte) []byte {
					b = binary.LittleEndian.AppendUint64(b, hash)
					b = binary.LittleEndian.AppendUint64(b, uint64(d.place))
					return binary.LittleEndian.AppendUint32(b, uint32(i))
				})
				if err != nil {
					return err
				}
			}
		}
		return l.documentOfPacks(d, "", false)
	})
	return end(l, packs, err)
}

func end(l *lines, packs *packs, err error) (Counts, error) {
	if err == nil {
		err = packs.flushAll()
	}
	return l.counts, errors.Join(err, l.out.Flush())
}

// eachRow calls fn with the rows of packs, which all have the given length.
func (l *lines) eachRow(length int, fn func(row []byte) error) error {
	return l.eachPack(func(pack []byte) error {
		if len(pack)%length != 0 {
			return fmt.Errorf("%w: a pack ends inside a row", ErrLine)
		}
		for ; len(pack) > 0; pack = pack[length:] {
			if err := fn(pack[:length]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *lines) eachPack(fn func(pack []byte) error) error {
	var buf bytes.Buffer
	return l.each(func(fields [][]byte) error {
		if err := want(fields, 1, "a pack"); err != nil {
			return err
		}
		pack, err := l.unpacked(&buf, fields[0])
		if err != nil {
			return err
		}
		return fn(pack)
	})
}

// Again reads the packs of a part in any order. For each document, it writes the place and the numbers of the
// anchors whose hash recurs, separated by spaces.
func (s Stages) Again(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l, disk := newLines(ctx, in, out), external.NewFiles("")
	defer disk.Close()
	hashes := external.NewSorter[[3]uint64](disk, PassagesMemory/4)
	err := l.eachRow(anchorLen, func(row []byte) error {
		return hashes.Add([3]uint64{binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:]), uint64(binary.LittleEndian.Uint32(row[16:]))})
	})
	if err != nil {
		return l.counts, err
	}
	sorted, err := hashes.Sort()
	if err != nil {
		return l.counts, err
	}
	places := external.NewSorter[external.KeyValue](disk, PassagesMemory/4)
	var last [3]uint64
	times := 0
	err = sorted.Each(ctx, func(row [3]uint64) error {
		if times == 0 || row[0] != last[0] {
			last, times = row, 1
			return nil
		}
		times++
		if times == 2 {
			if err := places.Add(external.KeyValue{last[1], last[2]}); err != nil {
				return err
			}
		}
		return places.Add(external.KeyValue{row[1], row[2]})
	})
	if err := errors.Join(err, sorted.Close()); err != nil {
		return l.counts, err
	}
	return l.counts, errors.Join(l.numbers(ctx, places), l.out.Flush())
}

func (l *lines) numbers(ctx context.Context, places *external.Sorter[external.KeyValue]) error {
	sorted, err := places.Sort()
	if err != nil {
		return err
	}
	defer sorted.Close()
	var last uint64
	err = sorted.Each(ctx, func(p external.KeyValue) error {
		if len(l.line) > 0 && p.Key() == last {
			l.line = append(l.line, ' ')
		} else {
			if err := l.endOf(); err != nil {
				return err
			}
			last = p.Key()
			l.line = strconv.AppendInt(l.line, int64(last)-held, 10)
			l.tab()
		}
		l.line = strconv.AppendUint(l.line, p.Val(), 10)
		return nil
	})
	return errors.Join(err, l.endOf())
}

// endOf writes the unfinished line, if any.
func (l *lines) endOf() error {
	if len(l.line) == 0 {
		return nil
	}
	return l.write()
}

// Contexts reads documents: place, check, number in the input, the numbers from Again, and text or record. It
// writes packs (part and pack) for Matches.
func (s Stages) Contexts(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	packs := l.packsOf(s.Parts, "")
	again := map[int]bool{}
	l.most = s.fields(5)
	err := l.each(func(fields [][]byte) error {
		d, err := s.withMore(fields)
		if err != nil {
			return err
		}
		item, err := strconv.ParseUint(string(fields[2]), 10, 32)
		if err != nil {
			return fmt.Errorf("%w: number %q of a document", ErrLine, fields[2])
		}
		numbers, err := numbersOf(fields[3], math.MaxUint32)
		if err != nil {
			return err
		}
		clear(again)
		for _, n := range numbers {
			again[n] = true
		}
		return s.Passages.Steps.Contexts(uint32(item), d.clean, func(i int) bool { return again[i] }, func(c passage.Context) error {
			return packs.add(packs.part(c.Key), func(b []byte) []byte { return appendContext(b, c) })
		})
	})
	return end(l, packs, err)
}

// packsOf makes packs that are written as lines of part and pack. The fields of empty precede them.
func (l *lines) packsOf(parts int, empty string) *packs {
	return &packs{parts: make([][]byte, parts), write: func(part int, pack []byte) error {
		l.line = fmt.Appendf(l.line, "%s%d\t", empty, part)
		return l.writePack(pack)
	}}
}

// contextHead is the length of a context's row without its text: key, position, bytes before the anchor, bytes of text.
const contextHead = 8 + 8 + 4 + 4

func appendContext(b []byte, c passage.Context) []byte {
	b = binary.LittleEndian.AppendUint64(b, c.Key)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.At))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Before))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(c.Text)))
	return append(b, c.Text...)
}

// nextContext splits off the first context of a pack.
func nextContext(b []byte) (c passage.Context, rest []byte, err error) {
	if len(b) < contextHead || uint64(len(b)-contextHead) < uint64(binary.LittleEndian.Uint32(b[20:])) {
		return c, nil, fmt.Errorf("%w: a pack ends inside a context", ErrLine)
	}
	end := contextHead + int(binary.LittleEndian.Uint32(b[20:]))
	return passage.Context{
		Key: binary.LittleEndian.Uint64(b), At: passage.Position(binary.LittleEndian.Uint64(b[8:])),
		Before: int(binary.LittleEndian.Uint32(b[16:])), Text: string(b[contextHead:end]),
	}, b[end:], nil
}

// Matches reads the packs of contexts of a part, in any order, and writes packs, part and pack, for Spans.
func (s Stages) Matches(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	packs := l.packsOf(s.Parts, "")
	buckets := s.Passages.Steps.NewBuckets()
	defer buckets.Close()
	err := l.eachPack(func(pack []byte) error {
		for len(pack) > 0 {
			c, rest, err := nextContext(pack)
			if err != nil {
				return err
			}
			if err := buckets.Add(c); err != nil {
				return err
			}
			pack = rest
		}
		return nil
	})
	if err == nil {
		err = buckets.Each(ctx, func(m passage.Match) error {
			return packs.add(packs.part(uint64(m.At.Item())), func(b []byte) []byte {
				b = binary.LittleEndian.AppendUint64(b, uint64(m.At))
				b = binary.LittleEndian.AppendUint64(b, uint64(m.From))
				return binary.LittleEndian.AppendUint32(b, uint32(m.Len))
			})
		})
	}
	return end(l, packs, err)
}

// matchLen is the length of a row of a match: two positions, length.
const matchLen = 8 + 8 + 4

// Spans reads the packs of matches of a part in any order. It writes spans: the number of the document, the
// start and the length in bytes, and the number and start of the source.
func (s Stages) Spans(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	joined := s.Passages.Steps.NewJoined()
	defer joined.Close()
	err := l.eachRow(matchLen, func(row []byte) error {
		return joined.Add(passage.Match{
			At: passage.Position(binary.LittleEndian.Uint64(row)), From: passage.Position(binary.LittleEndian.Uint64(row[8:])),
			Len: int(binary.LittleEndian.Uint32(row[16:])),
		})
	})
	if err == nil {
		err = joined.Each(func(m passage.Match) error {
			l.line = fmt.Appendf(l.line, "%d\t%d\t%d\t%d\t%d", m.At.Item(), m.At.Byte(), m.Len, m.From.Item(), m.From.Byte())
			return l.write()
		})
	}
	return l.counts, errors.Join(err, l.out.Flush())
}

// numbersOf parses numbers between 0 and most, separated by spaces.
func numbersOf(field []byte, most int) (all []int, err error) {
	for _, f := range bytes.Fields(field) {
		n, err := strconv.Atoi(string(f))
		if err != nil || n < 0 || n > most {
			return nil, fmt.Errorf("%w: number %q, of up to %d", ErrLine, f, most)
		}
		all = append(all, n)
	}
	return all, nil
}

// withMore reads a line of place, check, two other fields and text or record.
func (s Stages) withMore(fields [][]byte) (document, error) {
	if err := want(fields, 5, "a document"); err != nil {
		return document{}, err
	}
	return s.checked([][]byte{fields[0], fields[1], fields[4]})
}
