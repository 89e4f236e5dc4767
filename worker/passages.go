package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/passage"
)

// Passages are the settings of the stages that find repeated passages. The stages send packs of little-endian rows to each
// other.
type Passages struct {
	Steps *passage.Steps
	// Spec identifies the method for Contract.
	Spec string
	// Cut cuts the repeated parts of a document.
	Cut func(neardup.Document, []passage.Span) (Cut, error)
	// Replace puts the new text into the record that Decode read last.
	Replace func(record []byte, text string) ([]byte, error)
}

// PassagesMemory is the approximate memory of a stage for sorting, in bytes. The rest is on disk.
const PassagesMemory = 256 << 20

// anchorLen is the length of a row of an anchor: hash, ordinal, and number in its document.
const anchorLen = 8 + 8 + 4

// Anchors runs the first stage. It reads the input of Records, and writes the same rows of documents. Its packs
// are input of Again.
func (s Stages) Anchors(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := s.newDocuments(ctx, in, out)
	packs := l.documentPacks(s.Parts)
	err := l.each(func(r row) error {
		d, err := s.document(r)
		if errors.Is(err, ErrBlank) {
			return nil
		}
		if err != nil {
			return err
		}
		if d.reject == "" {
			for i, hash := range s.Passages.Steps.Anchors(d.clean) {
				err := packs.add(packs.part(hash), func(b []byte) []byte {
					b = binary.LittleEndian.AppendUint64(b, hash)
					b = binary.LittleEndian.AppendUint64(b, uint64(d.ordinal))
					return binary.LittleEndian.AppendUint32(b, uint32(i))
				})
				if err != nil {
					return err
				}
			}
		}
		return l.document(d, "", "")
	})
	return end(l, packs, err)
}

func end(l *rows, packs *packs, err error) (Counts, error) {
	if err == nil {
		err = packs.flushAll()
	}
	return l.counts, errors.Join(err, l.out.Flush())
}

// eachRow calls fn with the rows of packs, which all have the given length.
func (s *rows) eachRow(length int, fn func(row []byte) error) error {
	return s.eachPack(func(pack []byte) error {
		if len(pack)%length != 0 {
			return fmt.Errorf("%w: a pack ends inside a row", ErrRow)
		}
		for ; len(pack) > 0; pack = pack[length:] {
			if err := fn(pack[:length]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Again reads the packs of a part in any order. For each document, it writes the ordinal and the numbers of the
// anchors whose hash recurs, separated by spaces.
func (s Stages) Again(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l, disk := newRows(ctx, in, out, "b"), external.NewFiles("")
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
	ordinals := external.NewSorter[external.KeyValue](disk, PassagesMemory/4)
	var last [3]uint64
	times := 0
	err = sorted.Each(ctx, func(row [3]uint64) error {
		if times == 0 || row[0] != last[0] {
			last, times = row, 1
			return nil
		}
		times++
		if times == 2 {
			if err := ordinals.Add(external.KeyValue{last[1], last[2]}); err != nil {
				return err
			}
		}
		return ordinals.Add(external.KeyValue{row[1], row[2]})
	})
	if err := errors.Join(err, sorted.Close()); err != nil {
		return l.counts, err
	}
	return l.counts, errors.Join(l.recurring(ctx, ordinals), l.out.Flush())
}

// recurring writes each ordinal with its numbers.
func (s *rows) recurring(ctx context.Context, ordinals *external.Sorter[external.KeyValue]) error {
	sorted, err := ordinals.Sort()
	if err != nil {
		return err
	}
	defer sorted.Close()
	var last uint64
	var numbers []byte
	end := func() error {
		if len(numbers) == 0 {
			return nil
		}
		err := s.write(batch.Ordinal(last), numbers[1:])
		numbers = numbers[:0]
		return err
	}
	err = sorted.Each(ctx, func(p external.KeyValue) error {
		if p.Key() != last {
			if err := end(); err != nil {
				return err
			}
		}
		last = p.Key()
		numbers = strconv.AppendUint(append(numbers, ' '), p.Val(), 10)
		return nil
	})
	return errors.Join(err, end())
}

// starts converts ordinals to document numbers in the order of the whole input, and back. It holds the number of the first
// document of each piece of the input, and the total number.
type starts []int64

// rowBits is the number of bits of an ordinal for the row in its piece.
const rowBits = 33

func (s starts) number(o batch.Ordinal) (uint32, error) {
	piece, at := int64(o-held)>>rowBits, int64(o-held)&(1<<rowBits-1)
	if piece+1 >= int64(len(s)) || s[piece]+at >= s[piece+1] {
		return 0, fmt.Errorf("%w: no document at %s", ErrRow, ordinalText(o))
	}
	return uint32(s[piece] + at), nil
}

func (s starts) ordinal(number uint32) batch.Ordinal {
	after, _ := slices.BinarySearch(s, int64(number)+1)
	piece := int64(after - 1)
	return batch.Ordinal(piece<<rowBits + int64(number) - s[piece] + held)
}

// Contexts reads numbers, the first of each piece of the input and their total, and documents: ordinal, check, id,
// the numbers from Again, and text or record. It writes packs (part and pack) for Matches.
func (s Stages) Contexts(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newRows(ctx, in, out, more)
	packs := packsOf(s.Parts, func(part int, pack []byte) error { return l.write(part, pack) })
	again := map[int]bool{}
	numbers, err := l.numbers()
	if err != nil {
		return l.counts, err
	}
	err = l.each(func(r row) error {
		d, err := s.checked(r, 1, 4)
		if err != nil {
			return err
		}
		item, err := starts(numbers).number(d.ordinal)
		if err != nil {
			return err
		}
		recurring, err := numbersOf(r.bytes(3), math.MaxUint32)
		if err != nil {
			return err
		}
		clear(again)
		for _, n := range recurring {
			again[n] = true
		}
		return s.Passages.Steps.Contexts(item, d.clean, func(i int) bool { return again[i] }, func(c passage.Context) error {
			return packs.add(packs.part(c.Key), func(b []byte) []byte { return appendContext(b, c) })
		})
	})
	return end(l, packs, err)
}

// more lists the kinds of the columns of a document with an additional column: ordinal, check, id, the additional column,
// and text or record.
const more = "nnbbb"

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
		return c, nil, fmt.Errorf("%w: a pack ends inside a context", ErrRow)
	}
	end := contextHead + int(binary.LittleEndian.Uint32(b[20:]))
	return passage.Context{
		Key: binary.LittleEndian.Uint64(b), At: passage.PackedPosition(binary.LittleEndian.Uint64(b[8:])),
		Before: int(binary.LittleEndian.Uint32(b[16:])), Text: string(b[contextHead:end]),
	}, b[end:], nil
}

// Matches reads the packs of contexts of a part, in any order, and writes packs, part and pack, for Spans.
func (s Stages) Matches(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newRows(ctx, in, out, "b")
	packs := packsOf(s.Parts, func(part int, pack []byte) error { return l.write(part, pack) })
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

// matchLen is the length of a row of a match: two positions and a length.
const matchLen = 8 + 8 + 4

// Spans reads numbers as Contexts does, and the packs of matches of a part in any order. It writes spans: the ordinal
// of the document, the start and the length in bytes, and the ordinal and start of the source.
func (s Stages) Spans(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newRows(ctx, in, out, "b")
	numbers, err := l.numbers()
	if err != nil {
		return l.counts, err
	}
	ordinals := starts(numbers)
	joined := s.Passages.Steps.NewJoined()
	defer joined.Close()
	err = l.eachRow(matchLen, func(row []byte) error {
		return joined.Add(passage.Match{
			At: passage.PackedPosition(binary.LittleEndian.Uint64(row)), From: passage.PackedPosition(binary.LittleEndian.Uint64(row[8:])),
			Len: int(binary.LittleEndian.Uint32(row[16:])),
		})
	})
	if err == nil {
		err = joined.Each(func(m passage.Match) error {
			return l.write(ordinals.ordinal(uint32(m.At.Item())), int64(m.At.Byte()), m.Len, ordinals.ordinal(uint32(m.From.Item())), int64(m.From.Byte()))
		})
	}
	return l.counts, errors.Join(err, l.out.Flush())
}

// numbersOf parses numbers between 0 and most, separated by spaces.
func numbersOf(field []byte, most int) (all []int, err error) {
	for _, f := range bytes.Fields(field) {
		n, err := strconv.Atoi(string(f))
		if err != nil || n < 0 || n > most {
			return nil, fmt.Errorf("%w: number %q: out of range (want at most %d)", ErrRow, f, most)
		}
		all = append(all, n)
	}
	return all, nil
}
