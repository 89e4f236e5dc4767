package keyword

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var update = flag.Bool("update", false, "write the embedded table again")

// compile writes a table as the Chinese one is embedded: no more than 65,536
// different values. The same table gives the same bytes.
func (t *IDFTable) compile(w io.Writer) error {
	values := slices.Clone(t.idf)
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > math.MaxUint16+1 || len(t.digest) != 32 {
		return fmt.Errorf("compile idf table: %d different values, digest %q", len(values), t.digest)
	}
	b := append([]byte(compiledMagic), t.digest...)
	for _, n := range []int{len(t.ends), len(t.words), len(values)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(t.unknown))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	var lengths, low, high, shared, others []byte
	for i := range t.ends {
		word, before := t.word(i), t.word(max(0, i-1))
		if len(word) > math.MaxUint8 {
			return fmt.Errorf("compile idf table: a word of %d bytes", len(word))
		}
		same := 0
		for i > 0 && same < min(len(word), len(before)) && word[same] == before[same] {
			same++
		}
		at, _ := slices.BinarySearch(values, t.idf[i])
		lengths, low, high = append(lengths, byte(len(word))), append(low, byte(at)), append(high, byte(at>>8))
		shared, others = append(shared, byte(same)), append(others, word[same:]...)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	if _, err := w.Write(z.EncodeAll(slices.Concat(b, lengths, low, high, shared, others), nil)); err != nil {
		return fmt.Errorf("compile idf table: %w", err)
	}
	return nil
}

// TestChineseTable: what is embedded is the table of data/idf.zh.gz.
func TestChineseTable(t *testing.T) {
	b, err := os.ReadFile("data/idf.zh.gz")
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadIDFTable(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		var b bytes.Buffer
		if err := want.compile(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("data/idf.zh.columns.zst", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	embedded, err := dataFile("idf.zh.columns.zst")
	if err != nil {
		t.Fatal(err)
	}
	got, err := readCompiled(embedded)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("the embedded table is not data/idf.zh.gz: go generate ./feature/keyword")
	}
	var again bytes.Buffer
	if err := got.compile(&again); err != nil || !bytes.Equal(again.Bytes(), embedded) {
		t.Errorf("it is compiled to %d other bytes, %v", again.Len(), err)
	}
}

func TestCompiledTableIsWhole(t *testing.T) {
	table, err := English()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := table.compile(&b); err != nil {
		t.Fatal(err)
	}
	got, err := readCompiled(b.Bytes())
	if err != nil || !reflect.DeepEqual(got, table) {
		t.Errorf("another table, %v", err)
	}
	for at := 0; at < b.Len(); at += b.Len()/50 + 1 {
		if _, err := readCompiled(b.Bytes()[:at]); err == nil {
			t.Errorf("cut after %d of %d bytes, it is taken", at, b.Len())
		}
	}
	long := &IDFTable{words: strings.Repeat("a", 256), ends: []uint32{256}, idf: []int64{1}, digest: table.digest}
	if err := long.compile(&b); err == nil {
		t.Error("a word of 256 bytes is compiled")
	}
}
