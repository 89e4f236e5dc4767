"""Loaders and generators of the tasks. Each returns a Task. Generated tasks depend on nothing but their seed; the others read
a folder of data (--data or NEARDUP_TEST_DATA), and none of its texts is copied here. README.md has sources and licences."""
import gzip
import json
import os
import random
import subprocess
import typing

DATA = os.environ.get("NEARDUP_TEST_DATA", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "data"))


class Task(typing.NamedTuple):
    """Texts and what is true of them. A tool gets the texts and returns pairs of places."""
    texts: list
    labels: dict  # (i, j), i < j: whether the two say the same
    whole: bool = False  # every pair without a label is different
    docs: int = 0  # of decontamination: texts from here on are documents, those before are items to find in them
    bands: dict = {}  # of search: the similarity of each true pair
    members: list = []  # of records: whether people marked the text as one of a group


def lines(path):
    path = os.path.join(DATA, path)
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout
    elif path.endswith(".gz"):
        data = gzip.open(path).read()
    else:
        data = open(path, "rb").read()
    return data.decode().split("\n")


def rows(path, wanted=None):
    """The records of JSONL; only those with a wanted id, which comes first in a line."""
    return [json.loads(line) for line in lines(path) if line and (wanted is None or line.split('"', 4)[3] in wanted)]


def table(path):
    head, *rest = [line.split("\t") for line in lines(path) if line]
    return [dict(zip(head, r)) for r in rest]


def labelled(pairs):
    """A task of (text, text, same); of a pair labelled twice the first label counts."""
    place, labels = {}, {}
    for a, b, same in pairs:
        i, j = sorted(place.setdefault(t, len(place)) for t in (a, b))
        if i != j:
            labels.setdefault((i, j), same)
    return Task(list(place), labels)


# Judged by people: same and version are the same; facts and other are different; a part and an unsure pair do not count.

JUDGED = {  # the texts of a set
    "uci_sms": "uci_sms/docs.jsonl",
    "en_license_texts": "en_license_texts/docs.jsonl.zst", "ota_terms_versions": "ota_terms_versions/docs.jsonl.zst",
    "zh_tidb_docs_versions": "zh_tidb_docs_versions/docs.jsonl.zst", "zh_laws": "zh_laws/docs.jsonl.zst",
    "zh_lctt_proofread": "zh_lctt_proofread/docs.jsonl.zst",
}


def judged(*sets):
    texts, pairs = {}, []
    for p in table("judged/headlines.tsv"):  # texts and no ids of documents
        texts[p["id_a"]], texts[p["id_b"]] = p["text_a"], p["text_b"]
    for path in "judged/judged_pairs.tsv", "judged/more/pairs.tsv", "judged/released/pairs.tsv":
        pairs += [(p["set"], p["id_a"], p["id_b"], p["label"]) for p in table(path) if p["set"] in sets]
    wanted = {k for name, *ids, _ in pairs for i in ids for k in (i, f"{name}|{i}")}
    for path in {JUDGED[s] for s in sets if s in JUDGED} | {"judged/more/docs.jsonl", "judged/released/docs.jsonl.zst", "judged/ota_paragraphs.jsonl"}:
        texts.update((d["id"], d["text"]) for d in rows(path, wanted))
    found = []
    for name, a, b, label in pairs:
        a, b = (texts.get(k) or texts.get(f"{name}|{k}") for k in (a, b))
        if a and b and label in ("same", "version", "facts", "other"):
            found.append((a, b, label in ("same", "version")))
    return labelled(found)


def reports():
    return labelled((p["text_a"], p["text_b"], p["label"] == "same") for p in rows("reports/pairs.jsonl"))


def dblp_acm():
    return labelled((p["text_a"], p["text_b"], p["label"] == 1) for p in rows("dblp_acm/pairs.jsonl.zst")[::5])


def reviews():
    records = rows("records/copper.jsonl.zst") + rows("records/tafenoquine.jsonl.zst")
    return Task([r["title"] + "\n" + (r["abstract"] or "") for r in records], {}, members=[bool(r["dup"]) for r in records])


# Noise: the machine's transcription of an article, or the human one with errors of a recogniser at a rate, and the human one.

LOOKS = {"e": "co", "c": "eo", "o": "c0", "a": "o", "i": "l1", "l": "1I", "t": "f", "f": "t", "h": "b", "b": "h", "n": "u", "u": "n", "s": "5",
         "r": "n", "v": "y", "g": "q", "B": "8", "I": "l", "O": "0", "S": "5", "d": "cl", "m": "rn", ".": ",", ",": "."}


def blur(rng, text, rate):
    out = []
    for c in text:
        if rng.random() >= rate:
            out.append(c)
        elif rng.random() < .2:
            out.append(rng.choice(["", " ", c + rng.choice("'.,-")]))
        else:
            out.append(rng.choice(LOOKS.get(c, "") or "~" + c))
    return "".join(out)


def noise(rate=None):
    docs = {d["id"]: d["text"] for d in rows("ocr_bln600/docs.jsonl.zst")}
    texts, labels, rng = [], {}, random.Random(5)
    for name in sorted(d for d in docs if d.endswith(":gt")):
        human = docs[name]
        labels[len(texts), len(texts) + 1] = True
        texts += [human, docs[name[:-3] + ":ocr"] if rate is None else blur(rng, human, rate)]
    return Task(texts, labels, whole=True)


# Signs, operators and negation, and templates: one change of a text that says another thing, or the same.

SIGNS = [  # a pattern, with % for a name, and what takes the place of @: values that differ in meaning
    ("return x @ % ? left : right;", ["<", ">", "<=", ">=", "==", "!="]), ("if (% @ limit) retry;", ["&&", "||", "^"]),
    ("total of % = price @ tax", ["+", "-", "*", "/"]), ("the temperature in % is @4 degrees today", ["", "-"]),
    ("shares of % rose @ points after the report", ["+3", "-3"]), ("set mode of % to @", ["--force", "--dry-run"]),
    ("the new rule of % does@ apply to old contracts", ["", " not"]), ("% can@ be taken with alcohol", ["", "not"]),
    ("the board of % @ the offer on Friday", ["accepted", "rejected", "never discussed"]), ("% is @ allowed in the building", ["now", "no longer"]),
    ("%的新规定@适用于旧合同", ["", "不"]), ("专家表示%@会影响价格", ["", "并不"]), ("%股价今日@百分之三", ["上涨", "下跌"]), ("请@关闭%的电源开关", ["", "勿"]),
    ("the dose of % is 5 @ twice a day", ["mg", "ml", "g"]), ("% opens at 7 @ on weekdays", ["am", "pm"]), ("the rate for % is @0%%", ["$1", "€1", "£1", "1"]),
]
NAMES = "Alder Birch Cedar Dogwood Elm Fir Hazel Juniper Larch Maple Oak Pine Rowan Spruce Willow Aspen Beech Cypress Linden Poplar".split()
HAN = "东湖 西山 南桥 北苑 长江 黄河 青岛 白云 红星 金沙 新华 海棠 明珠 玉泉 春晖 和平 光明 石门 松林 竹园".split()


def harmless(rng, text):
    """A change after which a text says the same."""
    han = any("一" <= c <= "龥" for c in text)
    choice = rng.randrange(4)
    if ";" in text or "=" in text or "@" in text:  # code: a letter counts
        return ["FYI: " + text, text.replace(" ", "  ", 2), "> " + text, text + "  # as agreed"][choice]
    if choice == 0:
        return text + ("。" if han else " .")
    if choice == 1:
        return text.upper() if not han else "【" + text + "】"
    if choice == 2:
        return ("转发:" if han else "FYI: ") + text
    words = list(text) if han else text.split(" ")
    at = max(range(len(words)), key=lambda k: len(words[k]) if words[k].isalpha() else 0)
    if not han and len(words[at]) > 4 and words[at].isalpha():  # two letters of the longest word
        w = words[at]
        words[at] = w[:2] + w[3] + w[2] + w[4:]
    return ("" if han else " ").join(words) + ("!" if han else "")


def signs():
    rng, pairs = random.Random(1), []
    for pattern, values in SIGNS:
        for name in HAN if "一" <= pattern[-1] <= "龥" or "的" in pattern else NAMES:
            a, b = rng.sample(values, 2)
            fill = lambda v: pattern.replace("%%", "\0").replace("%", name).replace("@", v).replace("\0", "%")
            pairs.append((fill(a), fill(b), False))
            changed = harmless(rng, fill(a))
            if changed != fill(a):
                pairs.append((fill(a), changed, True))
    return labelled(pairs)


TEMPLATES = [
    "Dear {name}, your order {code} of {n} items was shipped on {day} and will arrive within five working days. Track it in your account or reply to this mail if you have questions.",
    "{name} ({n} comments) has asked to join the group. Approve or decline the request before {day}. You receive this message because you manage the group; reference {code}.",
    "尊敬的{han}先生,您尾号{n}的账户于{day}支出人民币{m}元,如非本人操作请致电营业部,流水号{code}。",
    "【{han}酒店】您预订的{n}号房已确认,入住日期{day},取消请在当日十八时前回复,订单号{code}。",
    "Stainless steel hex bolt M{m} x {n} mm, pack of 50, grade A2, item {code}", "{name} 4K monitor, {m} inch, {n} Hz, HDMI and USB-C, model {code}",
    "{day} info job {n} of user {name} on node {m} finished with code {code}", "python library for {name} clients, version {m}.{n}",
]


def templates():
    rng, pairs = random.Random(2), []

    def draw():
        return {"name": rng.choice(NAMES), "han": rng.choice(HAN), "n": rng.randint(10, 9999), "m": rng.randint(2, 99), "day": f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
                "code": "".join(rng.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=8))}
    for template in TEMPLATES:
        slots = [s for s in draw() if "{" + s + "}" in template]
        for _ in range(30):
            base, other = draw(), draw()
            one = dict(base, **{s: other[s] for s in rng.sample(slots, rng.randint(1, 2))})
            a, b = template.format(**base), template.format(**one)
            if a != b:
                pairs.append((a, b, False))
            if harmless(rng, a) != a:
                pairs.append((a, harmless(rng, a), True))
    return labelled(pairs)


# Evaluations in documents: a question as it is, with a word in ten left out, or with other numbers, which is another question.

def decontamination():
    rng = random.Random(3)
    questions = [q["question"] for q in rows("decon/bundled-evals/gsm8k_test-1.jsonl.gz")][:300]
    hosts = [d["text"] for d in rows("ocr_bln600/docs.jsonl.zst") if d["id"].endswith(":gt")]
    texts, labels = list(questions), {}
    for i, question in enumerate(questions[:240]):
        words, kind = question.split(" "), i % 3
        if kind == 1:
            words = [w for w in words if w[:1].isdigit() or rng.random() >= .1]
        if kind == 2:
            words = [str(rng.randint(20, 999)) if w.isdigit() else w for w in words]
        held = " ".join(words)
        if kind == 2 and held == question:
            continue
        host = hosts[i % len(hosts)].split(" ")
        at = rng.randrange(len(host))
        labels[i, len(texts)] = kind < 2
        texts.append(" ".join(host[:at]) + " " + held + " " + " ".join(host[at:]))
    return Task(texts, labels, whole=True, docs=len(questions))


# Versions of documents, and search: a share of the families of sets whose pairs are all known by brute force.

def share(name, of):
    """Documents of every of-th family."""
    kept, seen = [], {}
    for d in rows(f"{name}/docs.jsonl.zst"):
        if seen.setdefault(d["family"], len(seen)) % of == 0:
            kept.append(d)
    return kept


def versions():
    docs = share("zh_lctt_proofread", 6)
    place = {}
    for i, d in enumerate(docs):
        place.setdefault(d["family"], []).append(i)
    return Task([d["text"] for d in docs], {(i, j): True for m in place.values() for i in m for j in m if i < j}, whole=True)


def search(name):
    docs = share(name, 4)
    place = {d["id"]: i for i, d in enumerate(docs)}
    bands = {}
    for p in table(f"{name}/exact_pairs.tsv"):
        if p["id_a"] in place and p["id_b"] in place:
            bands[tuple(sorted((place[p["id_a"]], place[p["id_b"]])))] = float(p["jaccard"])
    return Task([d["text"] for d in docs], {}, bands=bands)


# Copies of one's own of the two sets that the field quotes, which may not be copied here. Paths in NEWS_COPY and CORE.

def news_copy():
    """JSONL with article and cluster, as in NEWS-COPY-eval."""
    docs = rows(os.environ["NEWS_COPY"])
    place = {}
    for i, d in enumerate(docs):
        place.setdefault(d["cluster"], []).append(i)
    return Task([d["article"] for d in docs], {(i, j): True for m in place.values() for i in m for j in m if i < j}, whole=True)


def core():
    """JSONL with processed_title, processed_abstract and cat, as in core-2020-05-10-deduplication."""
    docs = rows(os.environ["CORE"])
    return Task([f"{d['processed_title']}\n{d['processed_abstract']}" for d in docs], {}, members=[d["cat"] != "non_dup" for d in docs])


TASKS = {  # name: loader
    "short-en": lambda: judged("uci_sms", "fortunes_en", "sts_news", "ag_title", "nus_en"),
    "short-zh": lambda: judged("headlines", "zh_weibo_hotsearch", "nus_zh", "reviews_zh", "zhihu"),
    "long-en": lambda: judged("reuters", "ota", "ota_terms_versions", "clough", "en_license_texts"),
    "long-zh": lambda: judged("laws", "lctt", "tidb", "zh_laws", "zh_lctt_proofread", "zh_tidb_docs_versions", "goldminer"),
    "catalogues": lambda: judged("deb_short", "deb_en_short", "deb_zh_short", "deb_zh", "pypi_en", "pypi_zh", "npm", "products", "curl"),
    "reports": reports, "signs": signs, "templates": templates,
    "noise-ocr": noise, "noise-5": lambda: noise(.05), "noise-15": lambda: noise(.15),
    "dblp-acm": dblp_acm, "reviews": reviews, "versions": versions, "decontamination": decontamination,
    "search-ota": lambda: search("ota_terms_versions"), "search-lctt": lambda: search("zh_lctt_proofread"),
}
if os.environ.get("NEWS_COPY"):
    TASKS["news-copy"] = news_copy
if os.environ.get("CORE"):
    TASKS["core"] = core
