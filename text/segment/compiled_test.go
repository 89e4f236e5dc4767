package segment

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var update = flag.Bool("update", false, "write the embedded dictionary again")

func source(t *testing.T) io.Reader {
	t.Helper()
	b, err := os.ReadFile("data/dict.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestBuiltIn: the embedded dictionary is built from the words of data/dict.txt.gz.
func TestBuiltIn(t *testing.T) {
	d, err := readDictionary(source(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := newTrie(d)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("data/dict.trie.zst", compile(t, want, d.total), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	embedded, err := dataFile("dict.trie.zst")
	if packed := compile(t, want, d.total); err != nil || !bytes.Equal(packed, embedded) {
		t.Errorf("it is compiled to %d other bytes", len(packed))
	}
	got, total, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	if total != d.total || !reflect.DeepEqual(got, want) {
		t.Error("the embedded dictionary is not data/dict.txt.gz: go generate ./text/segment")
	}
}

// own makes the trie of another dictionary.
func own(r io.Reader) (t trie, total uint64, err error) {
	d, err := readDictionary(r)
	if err != nil {
		return t, 0, err
	}
	t, err = newTrie(d)
	return t, d.total, err
}

// newOwn returns a Segmenter with another dictionary, and words added to it.
func newOwn(dict string, words ...io.Reader) (*Segmenter, error) {
	t, total, err := own(strings.NewReader(dict))
	if err != nil {
		return nil, err
	}
	return newSegmenter(t, total, words)
}

// compile returns a trie as the built-in one is embedded. The same words give the same bytes.
func compile(t *testing.T, words trie, total uint64) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(words.bytes(total), nil)
}

func (t *trie) bytes(total uint64) []byte {
	b := []byte(compiledMagic)
	b = binary.LittleEndian.AppendUint64(b, total)
	for _, n := range []int{t.longest, len(t.freqs), len(t.roots), len(t.slots)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	for _, c := range t.ascii {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	for _, c := range t.han {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	for _, f := range t.freqs {
		b = binary.LittleEndian.AppendUint64(b, f)
	}
	for _, r := range t.roots {
		b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint32(b, r.base), r.cost)
	}
	var bases, codes, costs []uint32
	for _, s := range t.slots {
		has := byte(0)
		if s.code != 0 {
			has, codes, costs = taken, append(codes, uint32(s.code)), append(costs, uint32(s.cost))
		}
		if s.base != 0 {
			has, bases = has|goesOn, append(bases, s.base)
		}
		b = append(b, has)
	}
	return appendBytes(appendBytes(appendBytes(b, bases, 4), codes, 2), costs, 2)
}

// appendBytes appends numbers of some bytes, one byte of all after the other.
func appendBytes(b []byte, numbers []uint32, size int) []byte {
	for at := range size {
		for _, n := range numbers {
			b = append(b, byte(n>>(8*at)))
		}
	}
	return b
}

// readDictionary reads lines "word frequency [tag]". Where a word comes
// twice, the last frequency holds but both count for the total, as in jieba.
func readDictionary(r io.Reader) (*dictionary, error) {
	d := &dictionary{}
	sorted := true
	err := eachLine("dictionary", r, func(line string) error {
		word, rest, ok := strings.Cut(line, " ")
		if !ok {
			return errors.New("no frequency after the word")
		}
		number, _, _ := strings.Cut(rest, " ")
		freq, err := parseFrequency(number)
		if err != nil {
			return err
		}
		d.total += freq
		if n := len(d.entries); n > 0 && word <= d.entries[n-1].word {
			if word == d.entries[n-1].word {
				d.entries[n-1].freq = freq
				return nil
			}
			sorted = false
		}
		d.entries = append(d.entries, entry{word, freq})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read dictionary: %w", err)
	}
	if d.total == 0 {
		return nil, errors.New("read dictionary: no word with a frequency above 0")
	}
	if !sorted {
		d.sort()
	}
	return d, nil
}

// TestCompile: small dictionaries, words of frequency 0 and such as cannot be met
// among them, survive being compiled; what is cut or damaged is refused.
func TestCompile(t *testing.T) {
	const words = "中国 5\n中国人 0\n人 7\nA股 3\nT恤 2\n人 9\n不，能 4\n"
	want, total, err := own(strings.NewReader(words))
	if err != nil {
		t.Fatal(err)
	}
	b := compile(t, want, total)
	got, sum, err := readCompiled(b)
	if err != nil || sum != total || !reflect.DeepEqual(got, want) {
		t.Errorf("not the trie of its words, %v", err)
	}
	for at := 0; at < len(b); at += 7 {
		if _, _, err := readCompiled(b[:at]); err == nil {
			t.Errorf("cut after %d of %d bytes, it is taken", at, len(b))
		}
	}
}
