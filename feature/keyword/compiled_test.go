package keyword

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestChineseTable: what is embedded is the table of data/idf.zh.gz.
func TestChineseTable(t *testing.T) {
	b, err := os.ReadFile("data/idf.zh.gz")
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadTable(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	got, err := readCompiled(chineseData)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("the embedded table is not data/idf.zh.gz: go generate ./feature/keyword")
	}
	var again bytes.Buffer
	if err := got.Compile(&again); err != nil || !bytes.Equal(again.Bytes(), chineseData) {
		t.Errorf("it is compiled to %d other bytes, %v", again.Len(), err)
	}
}

func TestCompiledTableIsWhole(t *testing.T) {
	table, err := English()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := table.Compile(&b); err != nil {
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
	long := &Table{words: strings.Repeat("a", 256), ends: []uint32{256}, idf: []int64{1}, digest: table.digest}
	if err := long.Compile(&b); err == nil {
		t.Error("a word of 256 bytes is compiled")
	}
}
