#!/usr/bin/env python3
"""Writes golden.json: what jieba 0.42.1 makes of texts.txt (JSON strings, one a
line), with and without its model, and with the words of words.txt added.
Run in this folder after `pip install jieba==0.42.1`."""
import json

import jieba

assert jieba.__version__ == "0.42.1"
jieba.setLogLevel(60)
with open("texts.txt", encoding="utf-8") as f:
    texts = [json.loads(line) for line in f]
plain = [jieba.lcut(t, HMM=False) for t in texts]
hmm = [jieba.lcut(t) for t in texts]
jieba.load_userdict("words.txt")
own = [jieba.lcut(t, HMM=False) for t in texts]
own_hmm = [jieba.lcut(t) for t in texts]
freq = {w: jieba.dt.FREQ[w] for w in ("云计算平台", "创新办", "凱特琳", "自定义词", "hello-world", "石墨", "石墨烯", "八一双鹿", "去重系统实验")}
with open("golden.json", "w", encoding="utf-8") as f:
    f.write('{"freq": %s, "cases": [\n' % json.dumps(freq, ensure_ascii=False))
    rows = zip(texts, plain, hmm, own, own_hmm)
    f.write(",\n".join(json.dumps(dict(zip(("text", "dictionary", "hmm", "own", "own_hmm"), row)), ensure_ascii=False) for row in rows))
    f.write("\n]}\n")
