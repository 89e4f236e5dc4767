package arrow_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	ar "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/arrow"
)

// A damaged file is named with its row, or yields rows; it never panics.
func TestDamaged(t *testing.T) {
	for _, good := range [][]byte{contents(t, false), contents(t, true), contents(t, true, ipc.WithLZ4()), contents(t, false, ipc.WithZstd())} {
		told := 0
		for n := 0; n < len(good); n += 293 {
			flipped := bytes.Clone(good)
			flipped[n] ^= 0x55
			for _, b := range [][]byte{good[:n], flipped} {
				err := drain(t, b, corpus.Options{})
				if err == nil {
					continue // bytes that are not a length or a place may be anything, and a stream may end after a batch
				}
				told++
				if rejected := corpus.Rejected(err) != nil; !rejected && !errors.Is(err, corpus.ErrDamaged) && !errors.Is(err, corpus.ErrField) && !strings.HasPrefix(err.Error(), "damaged Arrow: ") && !strings.HasPrefix(err.Error(), "record batch: too large") {
					t.Errorf("byte %d: %v", n, err)
				}
			}
		}
		if told < len(good)/293 {
			t.Errorf("%d of %d were told", told, len(good)/293)
		}
	}
	good := contents(t, true)
	if err := drain(t, good[:len(good)*2/3], corpus.Options{}); err == nil || !strings.Contains(err.Error(), "-:") || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("a stream without its end: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, stream := range []bool{false, true} {
		f.Add(contents(f, stream))
		f.Add(contents(f, stream, ipc.WithZstd()))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = drain(t, b, corpus.Options{MaxDecompressed: 1 << 20})
		_ = copyRows(b)
	})
}

// copyRows copies two of three rows.
func copyRows(content []byte) error {
	w := arrow.Codec{}.Create(io.Discard, "out.arrow", corpus.Column{Name: "own"})
	err := w.From(bytes.NewReader(content), int64(len(content)))
	for i := range int64(rows) {
		if i%3 > 0 && err == nil {
			err = w.Copy(i, "own")
		}
	}
	return errors.Join(err, w.Close())
}

// One wrong byte never panics and never allocates what a length claims, also where rows are
// copied.
func TestDamagedBytes(t *testing.T) {
	for _, good := range [][]byte{contents(t, false), contents(t, true, ipc.WithZstd())} {
		if err := copyRows(good); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(good); n += 144 {
			flipped := bytes.Clone(good)
			flipped[n] ^= 0x55
			var before, between, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_ = copyRows(flipped)
			runtime.ReadMemStats(&between)
			_ = drain(t, flipped, corpus.Options{MaxDecompressed: 1 << 20})
			runtime.ReadMemStats(&after)
			if bytes := max(after.TotalAlloc-between.TotalAlloc, between.TotalAlloc-before.TotalAlloc); bytes > 256<<20 {
				t.Errorf("byte %d of %d: %d MiB", n, len(good), bytes>>20)
			}
		}
	}
}

// bomb returns a stream of texts by a dictionary with one long text.
func bomb(t *testing.T, text string, n int) []byte {
	t.Helper()
	typ := &ar.DictionaryType{IndexType: ar.PrimitiveTypes.Int8, ValueType: ar.BinaryTypes.String}
	s := ar.NewSchema([]ar.Field{{Name: "text", Type: typ}}, nil)
	indexes := array.NewInt8Builder(mem)
	indexes.AppendValues(make([]int8, n), nil)
	texts := array.NewStringBuilder(mem)
	texts.Append(text)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(s), ipc.WithZstd())
	column := array.NewDictionaryArray(typ, indexes.NewArray(), texts.NewArray())
	if err := errors.Join(w.Write(array.NewRecordBatch(s, []ar.Array{column}, int64(n))), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A few bytes that represent many are refused before they are unpacked.
func TestBombs(t *testing.T) {
	many := bomb(t, strings.Repeat("x", 1<<16), 1<<14) // a GiB
	if err := drain(t, many, corpus.Options{MaxDecompressed: 8 << 20}); err == nil || !strings.Contains(err.Error(), "at most 8388608 bytes") {
		t.Errorf("%d bytes of a dictionary: %v", len(many), err)
	}
	good := contents(t, true, ipc.WithZstd())
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	at := bytes.Index(good, magic) // its uncompressed length precedes it
	for _, claim := range []uint64{1 << 40, 1<<30 + 1, 1<<64 - 2} {
		huge := bytes.Clone(good)
		binary.LittleEndian.PutUint64(huge[at-8:], claim)
		if err := drain(t, huge, corpus.Options{TextField: "encoded"}); err == nil {
			t.Errorf("%d bytes claimed: no error", claim)
		} else if want := "at most 1024 MiB"; claim < 1<<63 && !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes claimed: %v", claim, err)
		}
	}
	for _, c := range []corpus.Options{{MaxDocument: 10}} {
		if err := drain(t, contents(t, false), c); err == nil || !strings.Contains(err.Error(), "10 bytes") {
			t.Errorf("rows above %d bytes: %v", c.MaxDocument, err)
		}
	}
}

// A stream may replace a dictionary, and a file may not. The error suggests what to do.
func TestDictionaries(t *testing.T) {
	a, b := file(t, "a.arrows", bomb(t, "one", 2)), file(t, "b.arrows", bomb(t, "another", 2))
	for _, name := range []string{"out.arrows", "out.arrow"} {
		r := open(t, corpus.Options{}, a, b)
		all, _ := lines(t, write(t, r, filepath.Join(t.TempDir(), name), func(int) bool { return true }))
		if len(all) != 4 || !strings.Contains(all[0], `"one"`) || !strings.Contains(all[3], `"another"`) {
			t.Errorf("%s: %q", name, all)
		}
	}
	content := func(text string) []byte { // as a file
		in := bomb(t, text, 2)
		r, err := ipc.NewReader(bytes.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w, err := ipc.NewFileWriter(&b, ipc.WithSchema(r.Schema()))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			err = errors.Join(err, w.Write(r.RecordBatch()))
		}
		if err := errors.Join(err, r.Err(), w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	w := arrow.Codec{}.Create(io.Discard, "out.arrow")
	err := func() error {
		for _, text := range []string{"one", "another"} {
			b := content(text)
			if err := errors.Join(w.From(bytes.NewReader(b), int64(len(b))), w.Copy(1)); err != nil {
				return err
			}
		}
		return w.Close()
	}()
	if err == nil || !strings.Contains(err.Error(), "want a stream, .arrows") {
		t.Errorf("two dictionaries: %v", err)
	}
}

// Inputs with other columns, or with duplicate names, are refused.
func TestSchemas(t *testing.T) {
	good, other := contents(t, false), bomb(t, "x", 1)
	w := arrow.Codec{}.Create(io.Discard, "out.arrow")
	if err := w.From(bytes.NewReader(good), int64(len(good))); err != nil {
		t.Fatal(err)
	}
	if err := w.From(bytes.NewReader(other), int64(len(other))); err == nil || !strings.Contains(err.Error(), "schema differs") {
		t.Error(err)
	}
	for _, n := range []int64{-1, rows} {
		w := arrow.Codec{}.Create(io.Discard, "out.arrow")
		if err := errors.Join(w.From(bytes.NewReader(good), int64(len(good))), w.Copy(n)); err == nil {
			t.Errorf("row %d of %d was copied", n, rows)
		}
	}
	w = arrow.Codec{}.Create(io.Discard, "out.arrow", corpus.Column{Name: "text"})
	if err := w.From(bytes.NewReader(good), int64(len(good))); err == nil || !strings.Contains(err.Error(), `column "text": name is used twice`) {
		t.Error(err)
	}
}
