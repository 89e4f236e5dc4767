#!/usr/bin/env python3
"""sounds.py: writes sounds.bin, how the characters of GB 2312 are read, from the Python package pypinyin 0.55.0 (MIT).

Triples of big-endian uint16, by character: the character, its most common reading, and the next one (0: none).
A reading is its tone plus 8 times the number of its syllable in the order of the alphabet, from 1 on. Only the 3,755
characters of level 1 have a second reading: of the others it is rare.
"""
import struct
from pypinyin import pinyin, Style


def gb2312(rows):
    for row in rows:
        for cell in range(0xA1, 0xFF):
            try:
                yield bytes([row, cell]).decode("gb2312")
            except UnicodeDecodeError:
                pass


def readings(char):
    found = pinyin(char, style=Style.TONE3, heteronym=True, neutral_tone_with_five=True)[0]
    return [r for r in found if r[-1] in "12345" and r[:-1].isalpha()]


level1 = set(gb2312(range(0xB0, 0xD8)))
chars = sorted(level1 | set(gb2312(range(0xD8, 0xF8))))
known = {c: readings(c)[: 2 if c in level1 else 1] for c in chars}
syllables = {s: i + 1 for i, s in enumerate(sorted({r[:-1] for rs in known.values() for r in rs}))}
with open("sounds.bin", "wb") as out:
    for c in chars:
        codes = [syllables[r[:-1]] * 8 + int(r[-1]) for r in known[c]]
        if codes:
            out.write(struct.pack(">HHH", ord(c), *(codes + [0])[:2]))
