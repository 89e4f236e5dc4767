#!/usr/bin/env python3
"""report.py prints the tables of results.tsv as they stand in docs/benchmarks.md; with files of rows that `run` printed, it first
puts those rows into results.tsv, and the tables into docs/benchmarks.md."""
import inspect
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import rivals  # noqa: E402

RESULTS, PAGE = os.path.join(HERE, "results.tsv"), os.path.join(HERE, "..", "..", "docs", "benchmarks.md")
COLUMNS = ["task", "tool", "setting", "threshold", "shingles", "tp", "fp", "fn", "f1", "low", "high", "cpu", "mib", "note"]
ABOUT = {  # task: what it is; whether neardup's weights were learned from its texts or their kind
    "short-en": ("short English, judged", "learned"), "short-zh": ("short Chinese, judged", "learned"), "long-en": ("long English, judged", "learned"),
    "long-zh": ("long Chinese, judged", "learned"), "catalogues": ("lists and catalogues, judged", "learned"),
    "reports": ("bug reports: signs, names, negation", "rules"), "signs": ("signs, operators, negation, made", "no"),
    "templates": ("templates and catalogues, made", "no"), "noise-ocr": ("OCR, as it was", "learned"), "noise-5": ("OCR, made: 5 % of letters", "kind"),
    "noise-15": ("15 %", "kind"), "dblp-acm": ("scholarly records, pairs", "learned"),
    "reviews": ("scholarly records, groups", "learned"), "versions": ("drafts and their proofread texts, Chinese", "kind"),
    "decontamination": ("questions inside documents", "no"),
}
SHORT = ["short-en", "short-zh", "catalogues", "reports", "signs", "templates"]


def read(path):
    with open(path, encoding="utf-8") as rows:
        return [dict(zip(COLUMNS, line.rstrip("\n").split("\t"))) for line in rows if "\t" in line]


def update(new):
    """Replaces the rows of the same tool and task."""
    replaced = {(r["tool"], r["task"]) for r in new}
    old = [r for r in read(RESULTS)[1:] if (r["tool"], r["task"]) not in replaced] if os.path.exists(RESULTS) else []
    order = {t: i for i, t in enumerate(ABOUT)}
    kept = sorted(old + new, key=lambda r: (order.get(r["task"], 99), r["task"], r["tool"], r["setting"] != "default"))
    with open(RESULTS, "w", encoding="utf-8") as out:
        out.writelines("\t".join(r[c] for c in COLUMNS) + "\n" for r in [dict(zip(COLUMNS, COLUMNS)), *kept])
    with open(PAGE, encoding="utf-8") as page:
        text = page.read()
    with open(PAGE, "w", encoding="utf-8") as page:
        page.write(re.sub(r"(<!-- results -->\n).*(<!-- end -->)", lambda m: m[1] + tables() + m[2], text, flags=re.S))


def short(x):
    return f"{float(x):.2f}".replace("0.", ".", 1) if float(x) < 1 else "1.00"


def tables():
    rows = [r for r in read(RESULTS)[1:]]
    scored = [r for r in rows if r["f1"] and r["task"] in ABOUT]
    at = {(r["task"], r["tool"], r["setting"]): r for r in scored}
    out = ["| task | true | first | second | neardup, default | learned from |", "|---|---|---|---|---|---|"]
    for task, (what, learned) in ABOUT.items():
        best = sorted((r for r in scored if r["task"] == task and r["setting"] == "best"), key=lambda r: (-float(r["f1"]), r["tool"] == "neardup", r["tool"]))
        ours = at.get((task, "neardup", "default"))
        if not best or not ours:
            continue
        cells = [f"{r['tool']} {short(r['f1'])} ({short(r['low'])}-{short(r['high'])})" for r in best[:2]] + [""] * 2
        same = int(ours["tp"]) + int(ours["fn"])
        ours = f"{short(ours['f1'])} ({short(ours['low'])}-{short(ours['high'])}), precision {short(int(ours['tp']) / max(1, int(ours['tp']) + int(ours['fp'])))}"
        out.append(f"| {what} (`{task}`) | {same} | " + " | ".join(cells[:2]) + f" | {ours} | {learned} |")
    out += ["", "| tool | mean F1 of the six short tasks by its default | by the best threshold | tasks done | CPU s of these by default | most memory, MiB | lines of user code | not done |", "|---|---|---|---|---|---|---|---|"]
    shared = set(ABOUT) - {"decontamination"}
    tools = []
    for tool in ["neardup", "neardup minhash", *rivals.RIVALS]:
        mine = {s: [r for r in scored if r["tool"] == tool and r["setting"] == s and r["task"] in shared] for s in ("default", "best")}
        notes = sorted({re.sub(r"integer \d+", "integer", r["note"]) for r in rows if r["tool"] == tool and r["note"] and r["task"] in shared})
        six = {s: [float(r["f1"]) for r in mine[s] if r["task"] in SHORT] for s in mine}
        mean = lambda s: sum(six[s]) / 6 if len(six[s]) == 6 else 0
        code = len(inspect.getsource(rivals.RIVALS[tool][0]).splitlines()) - 1 if tool in rivals.RIVALS else 1
        cells = [short(mean("default")) if mean("default") else "-", short(mean("best")) if mean("best") else "-", len(mine["best"]), f"{sum(float(r['cpu']) for r in mine['default']):.1f}",
                 max((int(r["mib"]) for r in mine["default"] if r["mib"]), default="-")] if mine["best"] else ["-"] * 5
        tools.append((-mean("best"), f"| {tool} | " + " | ".join(map(str, cells)) + f" | {code} | {'; '.join(notes)} |"))
    out += [line for _, line in sorted(tools)]
    found = {}  # search: tool: precision and recall
    for r in rows:
        if r["task"].startswith("search") and r["f1"]:
            tp, fp, fn = (int(r[k]) for k in ("tp", "fp", "fn"))
            found.setdefault(f"{r['task']}, {tp + fn} pairs", {})[r["tool"]] = f"{tp / max(1, tp + fp):.4f}, {tp / max(1, tp + fn):.4f}"
    tools = sorted({tool for search in found.values() for tool in search})
    out += ["", "| precision, recall | " + " | ".join(tools) + " |", "|---" * (len(tools) + 1) + "|"]
    out += [f"| {search} | " + " | ".join(found[search].get(tool, "-") for tool in tools) + " |" for search in sorted(found)]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    if sys.argv[1:]:
        update([r for path in sys.argv[1:] for r in read(path)])
    print(tables(), end="")
