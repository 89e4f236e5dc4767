package text_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text"
)

// texts reads up to n texts of a set of the shared data, every step-th.
func texts(t testing.TB, name string, n, step int) []string {
	t.Helper()
	f, err := os.Open(shared.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	if strings.HasSuffix(name, ".zst") {
		z, err := zstd.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		lines = bufio.NewScanner(z)
	}
	lines.Buffer(nil, 64<<20)
	var out []string
	for i := 0; lines.Scan() && len(out) < n; i++ {
		if i%step != 0 {
			continue
		}
		var doc struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		out = append(out, doc.Text)
	}
	return out
}

// encoded returns the text without the runes the charset lacks, and its bytes.
func encoded(t testing.TB, charset, s string) (plain string, raw []byte) {
	t.Helper()
	enc, err := htmlindex.Get(charset)
	if err != nil {
		t.Fatal(err)
	}
	raw, err = enc.NewEncoder().Bytes([]byte(s))
	if err != nil {
		kept := map[rune]rune{}
		plain = strings.Map(func(r rune) rune {
			if _, known := kept[r]; !known {
				kept[r] = r
				if _, err := enc.NewEncoder().String(string(r)); err != nil {
					kept[r] = -1
				}
			}
			return kept[r]
		}, s)
		raw, err = enc.NewEncoder().Bytes([]byte(plain))
		if err != nil {
			t.Fatal(err)
		}
		return plain, raw
	}
	return s, raw
}

// traditional turns simplified text into traditional, roughly: enough for
// Big5 to have bytes for it.
var traditional = strings.NewReplacer("国", "國", "这", "這", "为", "為", "与", "與", "会", "會", "说", "說", "对", "對", "个", "個",
	"们", "們", "来", "來", "时", "時", "发", "發", "经", "經", "学", "學", "应", "應", "当", "當", "机", "機", "关", "關", "长", "長",
	"门", "門", "业", "業", "规", "規", "务", "務", "现", "現", "实", "實", "开", "開", "过", "過", "还", "還", "进", "進", "动", "動",
	"条", "條", "法", "法", "员", "員", "产", "產", "单", "單", "权", "權", "责", "責", "证", "證", "处", "處", "办", "辦", "报", "報")

// Real texts, encoded and decoded again, with what a server may declare.
func TestDecodeSharedTexts(t *testing.T) {
	chinese := append(texts(t, "zh_lctt_proofread/docs.jsonl.zst", 30, 150), texts(t, "zh_laws/docs.jsonl.zst", 30, 55)...)
	english := texts(t, "ota_terms_versions/docs.jsonl.zst", 60, 50)
	for _, c := range []struct {
		charset string
		texts   []string
		change  func(string) string
		least   float64 // share of texts that must come back
	}{
		{"utf-8", chinese, nil, 1},
		{"gbk", chinese, nil, .99},
		{"gb18030", chinese, nil, .99},
		{"big5", chinese, traditional.Replace, .99},
		{"utf-16le", chinese, nil, .99},
		{"utf-16be", chinese, nil, .99},
		{"windows-1252", english, nil, .99},
	} {
		var plain []string
		var raw [][]byte
		for _, s := range c.texts {
			if c.change != nil {
				s = c.change(s)
			}
			if utf8.RuneCountInString(s) >= 40 {
				p, r := encoded(t, c.charset, s)
				plain, raw = append(plain, p), append(raw, r)
			}
		}
		for _, declared := range []string{"", c.charset, "utf-8", "iso-8859-1", "nonsense", "gbk", "big5"} {
			good := 0
			for i := range raw {
				if got, _, err := text.Decode(raw[i], declared); err == nil && got == plain[i] {
					good++
				}
			}
			t.Logf("%-12s declared %-12q %d of %d", c.charset, declared, good, len(raw))
			if float64(good) < c.least*float64(len(raw)) {
				t.Errorf("%s declared as %q: %d of %d texts come back", c.charset, declared, good, len(raw))
			}
		}
	}
}

func TestDecode(t *testing.T) {
	gbk := "\xd6\xd0\xce\xc4\xb2\xe2\xca\xd4"
	for _, c := range []struct{ raw, declared, want, charset string }{
		{"", "", "", "utf-8"},
		{"plain", "gbk", "plain", "utf-8"},
		{"中文", "gbk", "中文", "utf-8"},
		{"\xef\xbb\xbf中文", "gbk", "中文", "utf-8"},
		{"\xff\xfea\x00b\x00", "", "ab", "utf-16le"},
		{"\xfe\xff\x00a\x00b", "utf-8", "ab", "utf-16be"},
		{"a\x00b\x00c\x00", "", "abc", "utf-16le"},
		{"N-e\x2d\x4e", "utf-16le", "N-e\x2d\x4e", "utf-8"},
		{gbk, "gb2312", "中文测试", "gb18030"},
		{gbk, "utf-8", "中文测试", "gb18030"},
		{`<html><meta charset="gbk">` + gbk, "", `<html><meta charset="gbk">中文测试`, "gb18030"},
		{`<?xml version="1.0" encoding='GBK'?>` + gbk, "", `<?xml version="1.0" encoding='GBK'?>中文测试`, "gb18030"},
		{"caf\xe9 cr\xe8me \x80 5", "windows-1252", "café crème € 5", "windows-1252"},
		{"caf\xe9 cr\xe8me \x80 5", "iso-8859-1", "café crème € 5", "windows-1252"},
		{"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd", "shift_jis", "こんにちは", "shift_jis"},
		{"\x1b$B$3$s\x1b(B", "iso-2022-jp", "こん", "iso-2022-jp"},
		{"中文\xff中文中文中文中文中文", "", "中文\ufffd中文中文中文中文中文", "utf-8"},
		{"很长的中文\xe4\xb8", "", "很长的中文\ufffd\ufffd", "utf-8"},
		{"a\x00b is odd but not wide", "", "a\x00b is odd but not wide", "utf-8"},
	} {
		got, charset, err := text.Decode([]byte(c.raw), c.declared)
		if got != c.want || charset != c.charset || err != nil {
			t.Errorf("Decode(%q, %q) = %q, %q, %v; want %q, %q", c.raw, c.declared, got, charset, err, c.want, c.charset)
		}
	}
}

func TestIsCharset(t *testing.T) {
	for name, want := range map[string]bool{"utf-8": true, "GBK": true, "gb-18030": true, "latin1": true, " Big5 ": true, "utf-61": false, "": false} {
		if text.IsCharset(name) != want {
			t.Errorf("IsCharset(%q) is %v", name, !want)
		}
	}
}

func TestDecodeBinary(t *testing.T) {
	for _, raw := range []string{"\x7fELF\x02\x01\x01\x00\x00\x00\x01\x02\x03", strings.Repeat("\x00", 1000), "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x02\x03"} {
		if s, charset, err := text.Decode([]byte(raw), ""); !errors.Is(err, text.ErrBinary) {
			t.Errorf("Decode(%q) = %q, %q, %v", raw, s, charset, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "abc", "\xd6\xd0\xce\xc4", "\xff\xfea\x00", "<meta charset=big5>\xa4\xa4", "\x00\x00a"} {
		f.Add([]byte(s), "gbk")
		f.Add([]byte(s), "")
	}
	f.Fuzz(func(t *testing.T, raw []byte, declared string) {
		s, charset, err := text.Decode(raw, declared)
		if err != nil {
			if s != "" {
				t.Errorf("text %q with %v", s, err)
			}
			return
		}
		if !utf8.ValidString(s) || charset == "" {
			t.Errorf("Decode(%q, %q) = %q in %q", raw, declared, s, charset)
		}
		if again, name, _ := text.Decode(raw, declared); again != s || name != charset {
			t.Errorf("Decode(%q, %q) is %q, then %q", raw, declared, charset, name)
		}
	})
}

func ExampleDecode() {
	s, charset, err := text.Decode([]byte("\xd6\xd0\xce\xc4\xcd\xf8\xd2\xb3"), "gb2312")
	fmt.Println(s, charset, err)
	// Output: 中文网页 gb18030 <nil>
}

func BenchmarkDecode(b *testing.B) {
	s := strings.Repeat("这是一段普通的中文文本，标点是全角的。", 2000)
	for _, charset := range []string{"utf-8", "gbk", "utf-16le"} {
		_, raw := encoded(b, charset, s)
		b.Run(charset, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				_, _, _ = text.Decode(raw, "")
			}
		})
	}
}
