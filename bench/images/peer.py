"""What imagededup and imagehash find of the pictures that `images -job edits -out DIR` wrote.

    pip install imagehash imagededup
    python peer.py DIR
"""

import collections
import os
import sys
import time

import imagehash
from imagededup.methods import DHash, PHash
from PIL import Image

MOST = 10  # the usual distance of imagededup


def main(folder):
    phash, dhash = PHash(verbose=False), DHash(verbose=False)
    ways = {
        "imagededup pHash": lambda path: int(phash.encode_image(image_file=path), 16),
        "imagededup dHash": lambda path: int(dhash.encode_image(image_file=path), 16),
        "imagehash pHash": lambda path: int(str(imagehash.phash(Image.open(path))), 16),
        "imagehash dHash": lambda path: int(str(imagehash.dhash(Image.open(path))), 16),
    }
    names = sorted(os.listdir(folder))
    found = collections.defaultdict(lambda: dict.fromkeys(ways, 0))
    pairs, originals = collections.Counter(), {}
    for way, of in ways.items():
        begun, alone = time.process_time(), []
        for name in names:
            number, edit = name.split(".", 1)
            h = of(os.path.join(folder, name))
            if edit.startswith("--"):
                originals[number] = h
                alone.append(h)
                continue
            edit = edit[3:].rsplit(".", 1)[0]
            for row in (edit, "all"):
                pairs[row, way] += 1
                found[row][way] += (h ^ originals[number]).bit_count() <= MOST
        took = time.process_time() - begun
        strangers = sum((a ^ b).bit_count() <= MOST for i, a in enumerate(alone) for b in alone[:i])
        print(f"{way}: {len(names) / took:.0f} pictures a CPU second; of {len(alone) * (len(alone) - 1) // 2} pairs of originals {strangers} match")
    print("found".ljust(28), *ways)
    for edit, row in found.items():
        print(edit.ljust(28), *(f"{row[way] / pairs[edit, way]:.3f}" for way in ways))


if __name__ == "__main__":
    main(sys.argv[1])
