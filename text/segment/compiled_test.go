package segment

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
)

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

// TestBuiltIn: the embedded dictionary is built from the words of data/dict.txt.gz, and returns exactly these
// words.
func TestBuiltIn(t *testing.T) {
	d, err := readDictionary(source(t))
	if err != nil {
		t.Fatal(err)
	}
	want, err := newTrie(d)
	if err != nil {
		t.Fatal(err)
	}
	got, total, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	if total != d.total || !reflect.DeepEqual(got, want) {
		t.Error("the embedded dictionary is not data/dict.txt.gz: go generate ./text/segment")
	}
	again, err := newTrie(got.dictionary(total))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again, want) {
		t.Error("the words of the trie make another one")
	}
}

// TestCompile: small dictionaries, words of frequency 0 and such as cannot be met
// among them, survive being compiled; what is cut or damaged is refused.
func TestCompile(t *testing.T) {
	const words = "中国 5\n中国人 0\n人 7\nA股 3\nT恤 2\n人 9\n不，能 4\n"
	var b bytes.Buffer
	if err := Compile(&b, strings.NewReader(words)); err != nil {
		t.Fatal(err)
	}
	got, total, err := readCompiled(b.Bytes())
	if err != nil || total == 0 {
		t.Fatalf("total %d, %v", total, err)
	}
	want, _, err := own(strings.NewReader(words))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("not the trie of its words, %v", err)
	}
	var listed []string
	for _, e := range got.dictionary(total).entries {
		listed = append(listed, e.word)
	}
	if all := strings.Join(listed, " "); all != "A股 T恤 中国 中国人 人" {
		t.Errorf("its words are %q", all)
	}
	for at := 0; at < b.Len(); at += 7 {
		if _, _, err := readCompiled(b.Bytes()[:at]); err == nil {
			t.Errorf("cut after %d of %d bytes, it is taken", at, b.Len())
		}
	}
}
