package keyword

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestBuiltInTables(t *testing.T) {
	zh, err := Chinese()
	if err != nil {
		t.Fatal(err)
	}
	en, err := English()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		table *IDFTable
		word  string
		idf   string // in units of 1e-11
	}{
		{zh, "劳动防护", "1390067765200"}, // 13.900677652 in idf.txt
		{zh, "岗上", "1150278237920"},
		{zh, "no such word", "1195476750290"},
	} {
		if got := fmt.Sprint(c.table.IDF(c.word)); got != c.idf {
			t.Errorf("idf of %s is %s, want %s", c.word, got, c.idf)
		}
	}
	if zh.Len() != 270132 {
		t.Errorf("%d Chinese words", zh.Len())
	}
	if a, b := en.IDF("account"), en.IDF("arbitrator"); a >= b {
		t.Errorf("account %d, arbitrator %d: the rarer word must weigh more", a, b)
	}
	both, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	if both.IDF("岗上") != zh.IDF("岗上") || both.IDF("account") != en.IDF("account") {
		t.Error("a word is looked up in the wrong table")
	}
}

func TestIDFIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		documents := rapid.Int64Range(1, 1<<40).Draw(t, "documents")
		with := rapid.Int64Range(0, documents).Draw(t, "with")
		want := max(0, math.Log(float64(documents)/float64(1+with)))
		if got := float64(idfOf(documents, with)) / Unit; math.Abs(got-want) > 3e-11 {
			t.Fatalf("%d of %d: %.12f, want %.12f", with, documents, got, want)
		}
	})
}

// train returns the table file of some texts.
func train(tb testing.TB, opt TrainOptions, texts ...string) string {
	tb.Helper()
	tr := NewTrainer(splitter(tb), opt)
	for _, text := range texts {
		if err := tr.Add(text); err != nil {
			tb.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := errors.Join(tr.WriteTable(context.Background(), &b), tr.Close()); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

func TestTrainCountsDocuments(t *testing.T) {
	got := train(t, TrainOptions{}, "b a a", "B c", "", "北京 a")
	if body, _, _ := strings.Cut(got, "= "); body != "neardup-idf/1 kind=counts documents=4\na 2\nb 2\nc 1\n北京 1\n" {
		t.Errorf("got %s", got)
	}
	table, err := ReadIDFTable(strings.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	// ln(4/3) = 0.287682072451...
	if idf := table.IDF("a"); idf != 28768207245 {
		t.Errorf("idf of a: %d", idf)
	}
}

// many texts of words that repeat.
func many(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for j := range 20 {
			fmt.Fprintf(&b, "w%d ", (i*i*7+j*j*j*31)%(n*5))
		}
		texts[i] = b.String()
	}
	return texts
}

func TestMemoryChangesNothing(t *testing.T) {
	texts := many(4000)
	want := train(t, TrainOptions{}, texts...)
	tr := NewTrainer(splitter(t), TrainOptions{Dir: t.TempDir()})
	tr.opt.Memory = 10_000 // far below what options allow: 70 files and more
	begun := tr.runs
	var wait sync.WaitGroup
	for w := range 3 {
		wait.Go(func() {
			for i := w; i < len(texts); i += 3 {
				if err := tr.Add(texts[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if n := len(tr.runs.Sections()); tr.runs == begun || n >= maxRuns {
		t.Errorf("%d runs left: the test does not reach the merge", n)
	}
	var b bytes.Buffer
	if err := tr.WriteTable(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Error("the table differs from that made in memory")
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(tr.opt.Dir); len(left) != 0 {
		t.Errorf("files left: %v", left)
	}
}

func TestMergeEqualsTrainingOnAll(t *testing.T) {
	texts := many(300)
	want := train(t, TrainOptions{}, texts...)
	var b bytes.Buffer
	err := Merge(context.Background(), &b, 1,
		strings.NewReader(train(t, TrainOptions{}, texts[:100]...)),
		strings.NewReader(train(t, TrainOptions{})),
		strings.NewReader(train(t, TrainOptions{}, texts[100:]...)))
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Error("merged table differs from one trained on all")
	}
	values, err := EncodeValues(map[string]int64{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
	err = Merge(context.Background(), io.Discard, 1, strings.NewReader(want), bytes.NewReader(values))
	if err == nil || !strings.Contains(err.Error(), "table 2") {
		t.Errorf("merging values: %v", err)
	}
}

func TestMergeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(path, []byte(train(t, TrainOptions{}, "a b", "b")), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := MergeFiles(context.Background(), &b, 3, path, path); err != nil {
		t.Fatal(err)
	}
	if body, _, _ := strings.Cut(b.String(), "= "); body != "neardup-idf/1 kind=counts documents=4\nb 4\n" {
		t.Errorf("got %s", b.String())
	}
	if err := MergeFiles(context.Background(), io.Discard, 3, path, path+" missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a table that is not there: %v", err)
	}
}

func TestDamageIsFound(t *testing.T) {
	whole := train(t, TrainOptions{}, "b a a", "B c", "北京 a")
	for i := range len(whole) {
		if _, err := ReadIDFTable(strings.NewReader(whole[:i])); err == nil && i < len(whole)-1 {
			t.Fatalf("cut after %d bytes: no error", i)
		}
		damaged := []byte(whole)
		damaged[i] ^= 1
		if _, err := ReadIDFTable(bytes.NewReader(damaged)); err == nil && i < len(whole)-1 {
			t.Fatalf("byte %d changed: no error", i)
		}
	}
	for text, want := range map[string]string{
		"":                                 "line 1",
		"hello\n":                          "not an idf table",
		"neardup-idf/2 kind=counts":        "version",
		"neardup-idf/1 kind=x documents=1": "unknown kind",
		"neardup-idf/1 kind=counts documents=1\nb 1\na 1\n": "line 3: words are not in order",
		"neardup-idf/1 kind=counts documents=1\nb 2\n":      "line 2",
		"neardup-idf/1 kind=counts documents=1\nb -1\n":     "line 2",
		whole + "more\n": "after the end",
		"neardup-idf/1 kind=counts documents=1\n 1\n":                 "line 2: no word",
		"neardup-idf/1 kind=counts documents=1\n= words=0 digest=0\n": "digest",
	} {
		_, err := ReadIDFTable(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzReadIDFTable(f *testing.F) {
	f.Add([]byte(train(f, TrainOptions{}, "b a a", "B c")))
	f.Add([]byte("neardup-idf/1 kind=values documents=0\na 1\n= words=1 digest=0\n"))
	f.Add([]byte{0x1f, 0x8b, 8})
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := ReadIDFTable(bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range table.Len() {
			if idf, ok := table.Find(table.word(i)); !ok || idf != table.idf[i] {
				t.Fatalf("word %q is not found", table.word(i))
			}
		}
	})
}

func FuzzReadStopWords(f *testing.F) {
	f.Add([]byte("# title\nthe\n\n的\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if s, err := ReadStopWords(bytes.NewReader(data)); err == nil {
			s.Has(string(data))
		}
	})
}

func BenchmarkExtractor(b *testing.B) {
	e, err := Default()
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("海量网络文本去重系统实验测试，这是一段测试文本的内容。谷歌每天从网上抓取海量的信息，怎么样区分重复的呢？", 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var words []Keyword
	for b.Loop() {
		words = e.Append(words[:0], text)
	}
}

func BenchmarkReadIDFTable(b *testing.B) {
	for b.Loop() {
		if _, err := readChinese(); err != nil {
			b.Fatal(err)
		}
	}
}
