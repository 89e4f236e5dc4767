"""Pictures, drawn here as BMP; standard library only."""

import os
import pathlib
import random
import struct
import tempfile
import unittest

import neardup
import neardup.images


def bmp(seed, light=1.0):
    """A picture of 9 x 7 grey spots that run into each other."""
    width, height, drawn = 160, 120, random.Random(seed)
    spots = [[drawn.randrange(256) for _ in range(10)] for _ in range(8)]
    pixels = bytearray()
    for y in range(height):
        j, v = divmod(y * 7 / height, 1)
        line = bytearray()
        for x in range(width):
            i, u = divmod(x * 9 / width, 1)
            upper, lower = spots[int(j)], spots[int(j) + 1]
            line += bytes([int(light * ((upper[int(i)] * (1 - u) + upper[int(i) + 1] * u) * (1 - v) + (lower[int(i)] * (1 - u) + lower[int(i) + 1] * u) * v))]) * 3
        pixels += line.ljust((width * 3 + 3) // 4 * 4, b"\0")
    return (b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54)
            + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) + bytes(pixels))


ONE, OTHER = 1, 2


class Images(unittest.TestCase):
    def test_paths_and_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "one.bmp")
            path.write_bytes(bmp(ONE))
            got = neardup.images.dedup([path, bmp(ONE, light=.8), b"no picture", bmp(OTHER), str(path), "gone.png"])
            self.assertEqual([d["leader"] for d in got], [None, 0, None, None, 0, None])
            self.assertEqual([d["decision"] for d in got], ["new", "duplicate", None, "new", "duplicate", None])
            self.assertLessEqual(got[1]["distance"], 31)
            self.assertIn("not a supported picture", got[2]["error"])
            self.assertIn("gone.png", got[5]["error"])
            self.assertIsNone(got[0]["error"])
            pathlib.Path(folder, "darker.bmp").write_bytes(bmp(ONE, light=.8))
            self.assertEqual([d["leader"] for d in neardup.images.dedup(folder)], [None, os.path.join(folder, "darker.bmp")])

    def test_settings(self):
        pictures = [bmp(ONE), bmp(ONE, light=.8)]
        self.assertEqual(neardup.images.dedup(pictures, turned=True, quality=20)[1]["leader"], 0)
        self.assertEqual([d["leader"] for d in neardup.images.dedup(pictures * 2, distance=0, quality=100)][2:], [0, 1])
        with self.assertRaisesRegex(neardup.OptionError, "distance 32: out of range"):
            neardup.images.dedup(pictures, distance=32)
        self.assertEqual(neardup.images.dedup([]), [])
        with self.assertRaisesRegex(TypeError, "picture 1 is int"):
            neardup.images.dedup([pictures[0], 7])


if __name__ == "__main__":
    unittest.main()
