package text

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// ErrBinary is returned for bytes that are not text in any charset.
var ErrBinary = errors.New("not a text: control characters")

// ErrCharset is returned for bytes in a charset that the program cannot decode. Only a program for browsers
// lacks charsets.
var ErrCharset = errors.New("charset: not supported by this build (want UTF-8 or UTF-16)")

// sample is the number of bytes on which guesses are based.
const sample = 8 << 10

// Decode returns raw as UTF-8 and the name of its charset, in lower case as in the WHATWG encoding standard ("utf-8",
// "gb18030", "big5", ...). declared is the charset of a header, or empty; it is ignored if the bytes contradict it. Decode
// uses the first of these that applies: a byte order mark, escape sequences of ISO-2022-JP, valid UTF-8, the declared
// charset, the charset named in a meta element or an XML declaration, and statistics over 8 KB.
//
// Undecodable bytes become U+FFFD. The error is ErrBinary or ErrCharset. UTF-8 is checked at several GB/s and costs one
// copy; other charsets run at 50 to 300 MB/s.
func Decode(raw []byte, declared string) (string, string, error) {
	if name, rest := byteOrderMark(raw); name != "" {
		return decodeAs(name, rest)
	}
	if name := wideWithoutMark(raw, declared); name != "" {
		return decodeAs(name, raw)
	}
	if isBinary(raw[:min(len(raw), sample)]) {
		return "", "", ErrBinary
	}
	if name := canonical(declared); sevenBit(name) && bytes.ContainsAny(raw, "\x1b~") {
		return decodeAs(name, raw)
	}
	if escapedJapanese(raw) {
		return decodeAs("iso-2022-jp", raw)
	}
	if utf8.Valid(raw) {
		return string(raw), "utf-8", nil
	}
	if mostlyUTF8(raw) {
		return strings.Map(func(r rune) rune { return r }, string(raw)), "utf-8", nil
	}
	return decodeAs(choose(raw, declared), raw)
}

func byteOrderMark(raw []byte) (name string, rest []byte) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		return "utf-8", raw[3:]
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return "utf-16le", raw[2:]
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return "utf-16be", raw[2:]
	}
	return "", raw
}

// wideWithoutMark detects UTF-16 without a byte order mark. In UTF-16, the high bytes of ASCII characters are zero, at even
// offsets only or at odd offsets only. Many such zeros are proof. A few (from the line ends of a Chinese text) suffice if
// the bytes are not UTF-8 and make sense as UTF-16, because U+4E00 has its zero at the other offset. If UTF-16 was
// declared, it suffices that the bytes make sense.
func wideWithoutMark(raw []byte, declared string) string {
	head := raw[:min(len(raw), sample)&^1]
	var zero [2]int
	for i, b := range head {
		if b == 0 {
			zero[i&1]++
		}
	}
	name, zeros := "utf-16le", zero[1]
	if zero[0] > zero[1] {
		name, zeros = "utf-16be", zero[0]
	}
	switch {
	case zeros*20 >= len(head) && zeros >= 20*(zero[0]+zero[1]-zeros) && zeros > 0:
		return name
	case utf8.Valid(head):
		return ""
	case zeros == 0 && !strings.HasPrefix(canonical(declared), "utf-16"):
		return ""
	}
	for _, name := range []string{"utf-16le", "utf-16be"} { // in the wrong byte order they make no sense
		if makesSense(name, head) {
			return name
		}
	}
	return ""
}

// makesSense reports whether nineteen of twenty runes, decoded as UTF-16, are ASCII, Han, kana or common punctuation.
func makesSense(name string, head []byte) bool {
	out, _, err := decodeAs(name, head)
	if err != nil {
		return false
	}
	good, all := 0, 0
	for _, r := range out {
		all++
		if (r >= 0x20 && r < 0x250) || r == '\n' || r == '\r' || r == '\t' || (r >= 0x2000 && r < 0x3100) || (r >= 0x4E00 && r < 0xA000) || (r >= 0xFF00 && r < 0xFF60) {
			good++
		}
	}
	return good*20 >= all*19
}

// isBinary reports whether a tenth of the bytes are control characters that texts never contain. If the bytes are not
// UTF-8, one in fifty suffices, because no other charset has such bytes within its characters.
func isBinary(head []byte) bool {
	odd := 0
	for _, b := range head {
		if b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1B {
			odd++
		}
	}
	return odd*10 > len(head) || (odd*50 > len(head) && !utf8.Valid(head) && !mostlyUTF8(head))
}

// escapedJapanese detects undeclared ISO-2022-JP. All bytes must have seven bits, an escape sequence must switch to
// Japanese characters, and all escape sequences must be valid.
func escapedJapanese(raw []byte) bool {
	head := raw[:min(len(raw), sample)]
	i := bytes.IndexByte(head, 0x1B)
	if i < 0 || i+2 >= len(head) || head[i+1] != '$' || (head[i+2] != 'B' && head[i+2] != '@') {
		return false
	}
	high := slices.ContainsFunc(raw, func(b byte) bool { return b >= utf8.RuneSelf })
	return !high && errorsIn("iso-2022-jp", head) == 0
}

// sevenBit reports whether text in a charset looks like ASCII, so that only a declaration or escape sequences reveal the
// charset.
func sevenBit(name string) bool { return name == "iso-2022-jp" || name == "hz-gb-2312" }

// mostlyUTF8 accepts UTF-8 with some damage, such as an incomplete last rune or a stray byte in a long text. Text in other
// charsets hardly ever looks like UTF-8.
func mostlyUTF8(raw []byte) bool {
	good, bad := 0, 0
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			if !utf8.FullRune(raw) {
				break // incomplete at the end
			}
			bad++
		} else if size > 1 {
			good++
		}
		raw = raw[size:]
	}
	return good > 0 && good >= 10*bad
}

// decodeAs decodes raw. It never fails for the names that canonical returns.
func decodeAs(name string, raw []byte) (string, string, error) {
	if name == "utf-8" {
		return strings.Map(func(r rune) rune { return r }, string(raw)), name, nil
	}
	enc, err := lookup(name)
	if err != nil {
		return "", name, err
	}
	out, err := enc.NewDecoder().Bytes(raw)
	if err != nil {
		return "", name, fmt.Errorf("decode %s: %w", name, err)
	}
	return string(out), name, nil
}

// lookup returns the encoding with a canonical name. For UTF-16 the mark was removed before.
func lookup(name string) (encoding.Encoding, error) {
	switch name {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), nil
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), nil
	}
	return tableOf(name)
}

// IsCharset reports whether a name is that of a charset that Decode can read.
func IsCharset(name string) bool { return canonical(name) != "" }

// canonical returns the canonical name of a charset, or "" for an unknown one.
func canonical(label string) string {
	label = strings.ToLower(strings.Trim(strings.TrimSpace(label), `"'`))
	if label == "gb-18030" {
		return "gb18030"
	}
	name, err := nameOf(label)
	switch {
	case err != nil || name == "replacement" || name == "x-user-defined":
		return ""
	case name == "gbk":
		return "gb18030"
	}
	return name
}

var metaCharset = regexp.MustCompile(`(?i)<(?:meta|\?xml)\b[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([a-z0-9_:.-]{2,40})`)

// choose selects the charset of bytes that are not UTF-8. It keeps a declared charset unless the bytes are invalid in it,
// or the statistics are sure of a charset of another kind.
func choose(raw []byte, declared string) string {
	head := raw[:min(len(raw), sample)]
	part := highPart(raw)
	guesses := guess(part)
	named := []string{canonical(declared)}
	if m := metaCharset.FindSubmatch(head); m != nil {
		named = append(named, canonical(string(m[1])))
	}
	for _, name := range named {
		if name == "" || name == "utf-8" || strings.HasPrefix(name, "utf-16") {
			continue
		}
		if errorsIn(name, part) <= len(part)/1000 && !contradicted(name, part, guesses) {
			return name
		}
	}
	for _, g := range guesses {
		if errorsIn(g.name, part) <= len(part)/1000 && !(multiByte(g.name) && lonely(part)) {
			return g.name
		}
	}
	return "windows-1252"
}

type charsetGuess struct {
	name       string
	confidence int // in percent
}

// guess returns the charsets by statistics, the best first. Ties are broken by how common charsets are on the web, then by
// name, because the detector returns them in random order.
func guess(head []byte) []charsetGuess {
	var out []charsetGuess
	for _, f := range detect(head) {
		if name := canonical(f.name); name != "" && name != "utf-8" && !sevenBit(name) {
			out = append(out, charsetGuess{name, f.confidence})
		}
	}
	slices.SortFunc(out, func(a, b charsetGuess) int {
		return cmp.Or(b.confidence-a.confidence, rarity(a.name)-rarity(b.name), strings.Compare(a.name, b.name))
	})
	return out
}

// common lists charsets by how common they are on the web. Multi-byte charsets precede the others.
var common = []string{"gb18030", "big5", "shift_jis", "euc-kr", "euc-jp", "windows-1252", "windows-1251"}

func rarity(name string) int {
	if i := slices.Index(common, name); i >= 0 {
		return i
	}
	return len(common)
}

// highPart returns up to 8 KB for the statistics, starting at the first byte that is not ASCII, because pages often begin
// with kilobytes of script.
func highPart(raw []byte) []byte {
	high := bytes.IndexFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf })
	start := max(0, high-64)
	return raw[start:min(len(raw), start+sample)]
}

// contradicted reports whether the bytes contradict the declared charset although they are valid in it. That is the case if
// the statistics are sure of a multi-byte charset and rule out the declared one. It is also the case if the declared
// charset is multi-byte and most bytes above ASCII are isolated, like accents and quotes in Western text.
func contradicted(name string, head []byte, guesses []charsetGuess) bool {
	if multiByte(name) && lonely(head) {
		return true
	}
	own := 0
	for _, g := range guesses {
		if g.name == name {
			own = g.confidence
		}
	}
	best := slices.IndexFunc(guesses, func(g charsetGuess) bool { return multiByte(g.name) })
	return best >= 0 && guesses[best].confidence >= 90 && own <= guesses[best].confidence/2
}

func lonely(head []byte) bool {
	alone, high := 0, 0
	for i, b := range head {
		if b < 0x80 {
			continue
		}
		high++
		if (i == 0 || head[i-1] < 0x80) && (i+1 == len(head) || head[i+1] < 0x80) {
			alone++
		}
	}
	return alone*10 > high*6
}

func multiByte(name string) bool { return rarity(name) < slices.Index(common, "windows-1252") }

// errorsIn counts the invalid characters in head, whose last character may be incomplete.
func errorsIn(name string, head []byte) int {
	out, _, err := decodeAs(name, head)
	if err != nil {
		return len(head)
	}
	n := 0
	for i, r := range out {
		if (r == utf8.RuneError && i+6 < len(out)) || (r >= 0x80 && r < 0xA0 && r != 0x85) {
			n++
		}
	}
	return n
}
