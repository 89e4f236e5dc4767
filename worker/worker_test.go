package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

func stagesOf(tb testing.TB, spec string) Stages {
	tb.Helper()
	m, err := methods.New(spec)
	if err != nil {
		tb.Fatal(err)
	}
	return Stages{Method: m, Clean: text.Default(), Parts: 1}
}

type stage func(Stages, context.Context, io.Reader, io.Writer) (Counts, error)

type columns = []any

// rowsOf returns rows as a stage reads them. An ordinal is an int.
func rowsOf(all ...columns) []byte {
	var b bytes.Buffer
	w := newRows(context.Background(), nil, &b, "")
	for _, r := range all {
		_ = w.write(r...) // to a buffer
	}
	_ = w.out.Flush()
	return b.Bytes()
}

// before returns the numbers that precede the rows of a stage.
func before(numbers ...int64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(8*len(numbers)))
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// parsed returns the columns of rows: n a number, d a double, s a text, b bytes; or nil.
func parsed(tb testing.TB, kinds string, in []byte) (all []columns) {
	tb.Helper()
	r := newRows(context.Background(), bytes.NewReader(in), io.Discard, strings.NewReplacer("d", "n", "s", "b").Replace(kinds))
	err := r.each(func(r row) error {
		var of columns
		for i, kind := range kinds {
			switch {
			case r.null(i):
				of = append(of, nil)
			case kind == 'n':
				of = append(of, int(r.word(i)))
			case kind == 'd':
				of = append(of, math.Float64frombits(r.word(i)))
			case kind == 's':
				of = append(of, string(r.bytes(i)))
			default:
				of = append(of, slices.Clone(r.bytes(i)))
			}
		}
		all = append(all, of)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// ran returns the rows that a stage makes.
func (s Stages) ran(tb testing.TB, of stage, kinds string, in ...[]byte) []columns {
	tb.Helper()
	var out bytes.Buffer
	n, err := of(s, tb.Context(), bytes.NewReader(bytes.Join(in, nil)), &out)
	if err != nil {
		tb.Fatal(err)
	}
	rows := parsed(tb, kinds, out.Bytes())
	if int(n.Out) != len(rows) {
		tb.Errorf("%d rows are counted, %d written", n.Out, len(rows))
	}
	return rows
}

// refused checks that a stage fails with a message.
func (s Stages) refused(tb testing.TB, of stage, want string, in ...[]byte) {
	tb.Helper()
	if _, err := of(s, tb.Context(), bytes.NewReader(bytes.Join(in, nil)), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
		tb.Errorf("error %v, want one with %q", err, want)
	}
}

// withCheck returns the columns of a text after check: its ordinal, what stands between, and the text.
func withCheck(ordinal int, text string, between ...any) columns {
	return append(append(columns{ordinal, checkOf([]byte(text))}, between...), text)
}

// verified returns the row of a text in the input of Verify.
func verified(ordinal int, text string) columns {
	return columns{ordinal, nil, checkOf([]byte(text)), text}
}

func candidate(later, earlier int) columns { return columns{later, earlier, nil, nil} }

func TestRowsComeBack(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	want := []columns{
		{1, -1, 0.5, "a\tb\nc\x00", []byte{0, 255}},
		{nil, nil, nil, nil, nil},
		{math.MaxInt, math.MinInt, math.Inf(1), "", []byte(long)},
		{0, 0, 0.0, "12345678", []byte("123456789")},
	}
	got := parsed(t, "nndsb", rowsOf(want...))
	want[2][4] = []byte(long)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Each stage names the row that it cannot read, and stops.
func TestRowsThatAreNone(t *testing.T) {
	s := stagesOf(t, "minhash")
	good := rowsOf(columns{1, "a text", nil})
	outside := slices.Clone(good)
	outside[lengthLen+nullsLen+8] = 255 // the length of the text
	edit := func(at int, to byte) []byte {
		b := slices.Clone(good)
		b[at] = to
		return b
	}
	for _, c := range []struct {
		stage stage
		want  string
		in    [][]byte
	}{
		{Stages.Records, "row 2: not a row of the protocol: truncated", [][]byte{good, good[:3]}},
		{Stages.Records, "truncated", [][]byte{good[:30]}},
		{Stages.Records, "too long", [][]byte{edit(6, 1)}},
		{Stages.Records, "row 2: not a row of the protocol: 24 bytes: too short (want 3 columns)", [][]byte{good, rowsOf(columns{1, 2})}},
		{Stages.Records, "column 1 ends after the row", [][]byte{outside}},
		{Stages.Records, "ordinal -1", [][]byte{rowsOf(columns{-1, "a", nil})}},
		{Stages.Records, "ordinal 0", [][]byte{rowsOf(columns{nil, "a", nil})}},
		{Stages.Verify, "row 2: not a row of the protocol: the text at 1 is not in this block", [][]byte{rowsOf(verified(2, "x y z"), candidate(2, 1))}},
		{Stages.Verify, "row 5: not a row of the protocol: the text at 1", [][]byte{rowsOf(verified(1, "x y"), verified(2, "x z"), candidate(2, 1), verified(3, "a"), candidate(3, 1))}},
		{Stages.Verify, "row 1: the text has changed since the stage records read it: at 7", [][]byte{rowsOf(columns{7, nil, 7, "x"})}},
		{Stages.Decide, "row 2: the text has changed since the stage records read it: at 8", [][]byte{rowsOf(withCheck(7, "x", "id"), columns{8, 7, "id", "x"})}},
		{Stages.Decide, "row 2: not a row of the protocol: document at 7: out of order", [][]byte{rowsOf(withCheck(7, "x", "id"), withCheck(7, "y", "id"))}},
		{Stages.Digest, "digest", [][]byte{rowsOf(columns{"12", nil, nil, nil, nil})}},
		{Stages.Distinct, "ends inside a text", [][]byte{rowsOf(columns{make([]byte, textHead-1)})}},
		{Stages.Distinct, "ends inside a text", [][]byte{rowsOf(columns{append(make([]byte, 48), 9, 0, 0, 0, 0, 0, 0, 0)})}},
		{Stages.Bucket, "inside a posting", [][]byte{rowsOf(columns{make([]byte, 25), nil, nil, nil})}},
		{Stages.Bucket, "without a role", [][]byte{rowsOf(columns{make([]byte, 24), nil, nil, nil})}},
		{Stages.Bucket, "ordinal -5", [][]byte{rowsOf(columns{nil, 2, -5, Copy})}},
	} {
		s.refused(t, c.stage, c.want, c.in...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Records(ctx, bytes.NewReader(bytes.Repeat(good, 300)), io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

func FuzzRows(f *testing.F) {
	f.Add(rowsOf(columns{make([]byte, textHead)}))
	f.Add(rowsOf(columns{nil}))
	s := stagesOf(f, "minhash")
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, of := range []stage{Stages.Distinct, Stages.Bucket, Stages.Forest, Stages.Verify, Stages.Digest} {
			_, _ = of(s, t.Context(), bytes.NewReader(in), io.Discard)
		}
	})
}

func TestContract(t *testing.T) {
	a, b := stagesOf(t, "minhash"), stagesOf(t, "minhash threshold=.7")
	if err := a.Check(a.Contract()); err != nil {
		t.Error(err)
	}
	if err := a.Check(b.Contract()); !errors.Is(err, ErrUnlike) {
		t.Errorf("unlike thresholds: %v", err)
	}
}

// Two texts are compared.
func ExampleStages() {
	m, err := methods.New("ngram")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := Stages{Method: m, Clean: text.Default()}
	in := rowsOf(verified(0, "今天天气很好，我们去公园"), verified(1, "中国"), verified(2, "今天天气真好，我们去公园"), candidate(1, 0), candidate(2, 0))
	counts, err := s.Verify(context.Background(), bytes.NewReader(in), io.Discard)
	fmt.Printf("%d rows in, %d edges out, %v\n", counts.In, counts.Out, err)
	// Output:
	// 5 rows in, 1 edges out, <nil>
}

// A file of two records, of which one cannot be read.
func ExampleFile() {
	f := NewFile(context.Background(), io.Discard, 0, "a.csv")
	if err := errors.Join(f.Document(neardup.Document{ID: "1", Text: "a text"}, 1, ""), f.Document(neardup.Document{}, 2, "no text")); err != nil {
		fmt.Println(err)
	}
	counts, err := f.End()
	fmt.Println(counts.Out, err)
	// Output:
	// 2 <nil>
}

func TestFile(t *testing.T) {
	var out bytes.Buffer
	f := NewFile(t.Context(), &out, 2, "a")
	err := errors.Join(f.Document(neardup.Document{ID: "x", Text: "t"}, 4, ""), f.Document(neardup.Document{}, 5, "bad"))
	_, errEnd := f.End()
	want := []columns{{2 << 33, "x", "t", "a", 4, nil}, {2<<33 + 1, "", "", "a", 5, "bad"}}
	if got := parsed(t, "nsssns", out.Bytes()); err != nil || errEnd != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, %v", got, err, errEnd)
	}
}

// Counts choose other keys.
func TestCounts(t *testing.T) {
	s := stagesOf(t, "ngram")
	a := rowsOf(columns{0, "今天天气很好，我们去公园", nil})
	b := rowsOf(columns{1, "明天天气很好，他们去公园", nil}, columns{2, "中国", nil})
	whole := s.ran(t, Stages.Train, "b", a, b)[0][0].([]byte)
	plain := s.ran(t, Stages.Records, recordKinds, a)
	s.Tally = bytes.NewReader(whole)
	if trained := s.ran(t, Stages.Records, recordKinds, a); reflect.DeepEqual(trained[1][7], plain[1][7]) {
		t.Error("the counts change no key")
	}
	if _, err := stagesOf(t, "minhash").trainer(); !errors.Is(err, ErrUntrained) {
		t.Errorf("minhash is trained: %v", err)
	}
}

const recordKinds = "nsssnsnb"

// Records in the place of texts give the rows of their texts, with ids and rejects.
func TestRecordsInThePlaceOfTexts(t *testing.T) {
	s := stagesOf(t, "minhash")
	texts := s.ran(t, Stages.Records, recordKinds, rowsOf(columns{3, "one text", "a\tid"}, columns{5, "other", nil}, columns{7, " ", nil}))
	raw := s
	raw.Decode = func(line []byte, doc *neardup.Document) (string, error) {
		id, text, ok := strings.Cut(string(line), "|")
		if len(line) == 0 {
			return "", ErrBlank
		}
		if !ok {
			return "no text", nil
		}
		*doc = neardup.Document{ID: id, Text: text}
		return "", nil
	}
	records := raw.ran(t, Stages.Records, recordKinds, rowsOf(columns{3, "a\tid|one text"}, columns{4, "bad"}, columns{5, "|other"}, columns{6, ""}, columns{7, "| "}))
	if want := (columns{4, nil, "4", "no text", nil, nil, nil, nil}); !reflect.DeepEqual(records[1], want) {
		t.Errorf("a reject is %v, want %v", records[1], want)
	}
	records = slices.Delete(records, 1, 2)
	for i := range texts {
		if i < 3 {
			records[i][4] = texts[i][4] // the check is of the record
		}
		if !reflect.DeepEqual(records[i], texts[i]) {
			t.Errorf("%v, want %v", records[i], texts[i])
		}
	}
	if texts[1][2] != "5" || texts[2][5] != "blank" || texts[1][4] != int(checkOf([]byte("other"))) || len(texts) != 4 {
		t.Errorf("%v", texts)
	}
	edges := raw.ran(t, Stages.Verify, "nndnss", rowsOf(verified(1, "a|x y z"), verified(2, "b|x y z"), candidate(2, 1)))
	if want := []columns{{2, 1, 1.0, nil, "duplicate", "equal text"}}; !reflect.DeepEqual(edges, want) {
		t.Errorf("%v, want %v", edges, want)
	}
	raw.refused(t, Stages.Verify, "row 1: not a row of the protocol: at 1: no text", rowsOf(verified(1, "bad")))
	raw.refused(t, Stages.Verify, ErrChanged.Error()+": at 1", rowsOf(columns{1, nil, checkOf([]byte("a|x")), "b|x"}))
	if got, want := raw.ran(t, Stages.Texts, "bss", rowsOf(columns{"any", "a|x"}, columns{"row", "bad"})), []columns{{[]byte("any"), "x", nil}, {[]byte("row"), nil, "no text"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The check is what Spark's xxhash64 gives.
func TestCheckIsSparks(t *testing.T) {
	for text, want := range map[string]uint64{"": 0x98b1582b0977e704, "Spark": 0xc466fc0dfa0ff5b7} {
		if got := checkOf([]byte(text)); got != int64(want) {
			t.Errorf("%q: %x, want %x", text, got, want)
		}
	}
}

// Digests of parts give the digest of all.
func TestDigestOfParts(t *testing.T) {
	rows := []columns{{"a", "new", nil, nil, nil}, {"b", "duplicate", "a", .9, nil}, {"c", "new", nil, .5, "a"}}
	sum := batch.NewResultDigest()
	sum.Add(neardup.Decision{ID: "a", Decision: neardup.New})
	sum.Add(neardup.Decision{ID: "b", Decision: neardup.Duplicate, Leader: "a", Similarity: .9})
	sum.Add(neardup.Decision{ID: "c", Decision: neardup.New, VariantOf: "a"})
	digest := func(rows ...columns) string {
		return Stages{}.ran(t, Stages.Digest, "s", rowsOf(rows...))[0][0].(string)
	}
	parts := digest(columns{digest(rows[:1]...), nil, nil, nil, nil}, columns{digest(rows[1:]...), nil, nil, nil, nil})
	if all := digest(rows...); all != sum.String() || parts != all {
		t.Errorf("%s of all, %s of parts, want %s", all, parts, sum)
	}
}
