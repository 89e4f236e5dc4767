package simhash

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"hex a line", "ff\n0x10\r\nFFFFFFFFFFFFFFFF", "0=ff 1=10 2=ffffffffffffffff"},
		{"ids", "a\tff\nb c\t1\n", "a=ff b c=1"},
		{"empty lines count", "1\n\n2\n", "0=1 2=2"},
		{"ids for some", "1\nx\t2\n\n3\n", "0=1 x=2 3=3"},
		{"an empty id is one", "\t1\n", "=1"},
		{"nothing", "", ""},
	} {
		l, err := Read(strings.NewReader(c.in), Text, int64(len(c.in)))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got []string
		for i, fp := range l.Fingerprints {
			got = append(got, fmt.Sprintf("%s=%x", l.ID(i), fp))
		}
		if s := strings.Join(got, " "); s != c.want || l.Len() != len(got) {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

func TestReadErrorsNameThePlace(t *testing.T) {
	broken := errors.New("broken disk")
	for _, c := range []struct {
		in     string
		format Format
		want   string
	}{
		{"ff\n\nxyz\n", Text, `line 3: not a list of fingerprints: "xyz": invalid (want 1 to 16 hex digits)`},
		{"a\tb\tff", Text, "line 1:"},
		{"00000000000000001", Text, "line 1:"},
		{"-1", Text, "line 1:"},
		{"1_0", Text, "line 1:"},
		{"a\t", Text, "line 1:"},
		{"1\n" + strings.Repeat("1", maxLine+1), Text, "line 2:"},
		{"12345678123", Binary, "offset 8: not a list of fingerprints: truncated number (3 of 8 bytes)"},
		{"", "csv", `format "csv"`},
	} {
		if _, err := Read(strings.NewReader(c.in), c.format, -1); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.20q: %v, want %s", c.in, err, c.want)
		}
	}
	for _, f := range []Format{Text, Binary} {
		if _, err := Read(iotest.ErrReader(broken), f, -1); !errors.Is(err, broken) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("ff\n"), true)
	f.Add([]byte("id\tff\n\n0x1\r\n"), true)
	f.Add([]byte("12345678"), false)
	f.Fuzz(func(t *testing.T, data []byte, text bool) {
		format := Binary
		if text {
			format = Text
		}
		l, err := Read(bytes.NewReader(data), format, int64(len(data)))
		if err != nil {
			return
		}
		again, err := Read(bytes.NewReader(written(l, format)), format, -1)
		if err != nil || !slices.Equal(again.Fingerprints, l.Fingerprints) {
			t.Fatalf("written and read again: %v", err)
		}
		for i := range l.Fingerprints {
			if format == Text && again.ID(i) != l.ID(i) {
				t.Fatalf("id %q became %q", l.ID(i), again.ID(i))
			}
		}
	})
}

// written returns a list as a file.
func written(l *List, format Format) []byte {
	var b []byte
	for i, fp := range l.Fingerprints {
		if format == Binary {
			b = binary.LittleEndian.AppendUint64(b, fp)
		} else {
			b = fmt.Appendf(b, "%s\t%016x\n", l.ID(i), fp)
		}
	}
	return b
}

func ExampleRead() {
	l, err := Read(strings.NewReader("page1\tff\npage2\tfe\n"), Text, -1)
	fmt.Println(l.Len(), l.ID(1), l.Fingerprints[1], err)
	// Output: 2 page2 254 <nil>
}

func ExampleParseHex() {
	for _, s := range []string{"ff", "0xFF00", "xyz", "11112222333344445"} {
		fp, err := ParseHex(s)
		fmt.Println(fp, err)
	}
	// Output:
	// 255 <nil>
	// 65280 <nil>
	// 0 not a list of fingerprints: "xyz": invalid (want 1 to 16 hex digits)
	// 0 not a list of fingerprints: "11112222333344445": invalid (want 1 to 16 hex digits)
}

func ExampleList_ID() {
	for _, s := range []string{"ff\nfe\n", "a\tff\nfe\n"} {
		l, err := Read(strings.NewReader(s), Text, -1)
		fmt.Println(l.ID(0), l.ID(1), err)
	}
	// Output:
	// 0 1 <nil>
	// a 1 <nil>
}

func ExampleList_AddID() {
	var l List
	l.AddID("page1", 0xff)
	l.AddID("page2", 0xfe)
	fmt.Println(l.ID(0), l.ID(1))
	// Output: page1 page2
}
