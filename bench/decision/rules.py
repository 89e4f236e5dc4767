"""Measures what single rules of the tokens are worth: the decision is learned and measured again without each.

    python3 bench/decision/rules.py [RULE...]

Each rule is switched off by an edit of a copy of the sources. Printed is the change of the area under the curve, in
thousandths, by genre, whole families of sources left out (as `go run -C bench ./decision table` does it). A rule
that is worth nothing anywhere should go. Takes a minute of one processor a rule.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The edits of each rule: a file, what stands there, what replaces it.
RULES = {
    "character references": [("token/token.go", "plain != clean {", "plain != clean && false {")],
    "units and currencies": [("token/canonical.go", "add(measureNames, listSame, Measure)", "_ = measureNames")],
    "spellings of one word": [("token/canonical.go", "add(sameWords, listSame, Plain)", "_ = sameWords")],
    "fillers": [("token/canonical.go", "strings.Fields(fillerWords)", "strings.Fields(fillerWords[:0])")],
    "weights of inflected forms": [("token/canonical.go", "found && !known && len(stem)", "found && false && !known && len(stem)")],
    "names with digits (ios17)": [("token/word.go", "if f.kind == Code {", "if f.kind == Code && false {")],
    "number words": [("token/word.go", 'value != "" {', 'value != "" && false {')],
    "hosts and addresses of mail": [("token/furniture.go", "case isHost(s, at, end):", "case false && isHost(s, at, end):")],
    "datelines": [("token/furniture.go", "\treturn datelineEnd(s)\n", "\treturn 0 * datelineEnd(s)\n")],
    "tags": [("token/token.go", "end > at+1 {", "end > at+1 && false {")],
    "万 and 亿 after digits": [("token/number.go", "if zeros == 0 ||", "if true || zeros == 0 ||")],
    "Chinese decimals": [("token/numeral.go", "after > to {", "after > to && false {")],
    "Chinese compounds": [("evidence/letters.go", "strings.ContainsAny(a[0].Text, b[0].Text)", "strings.ContainsAny(a[0].Text, b[0].Text) && false")],
    "likeness of letters": [("evidence/features.go", "p.letters.likeness(a, b, facts)", "p.letters.likeness(a, b, true)")],
    "opposites": [("token/opposite.go", "x.opposed && y.opposed &&", "false && x.opposed && y.opposed &&")],
    "classes (roman numerals, letters, ordinals)": [("token/opposite.go", "|| inClass(x.Text, y.Text)", "|| false && inClass(x.Text, y.Text)")],
    "denying prefixes": [("token/opposite.go", "hasPrefix(x, y) || hasPrefix(y, x)", "false && hasPrefix(x, y)")],
    "negations": [("evidence/features.go", "e.Denies && !e.passage", "e.Denies && !e.passage && false")],
    "exchanged words": [("evidence/features.go", "|| p.exchanged(x, y)", "|| false && p.exchanged(x, y)")],
    "moved words": [("evidence/features.go", "len(a) == 0 || len(b) == 0 {\n\t\treturn\n", "true || len(a) == 0 || len(b) == 0 {\n\t\treturn\n")],
    "unknown words weigh double as names": [("evidence/features.go", "if !t.Known {\n\t\treturn min(2", "if false && !t.Known {\n\t\treturn min(2")],
}


def measure(tree):
    """Returns the area of each genre."""
    program = tree / "decision.bin"
    subprocess.run(["go", "build", "-C", "bench", "-o", program, "./decision"], cwd=tree, check=True)
    table = subprocess.run([program, "table"], cwd=tree, check=True, capture_output=True, text=True).stdout
    areas = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 8 and cells[2] == "learned without the family, .5":
            areas[cells[1].split("**")[1]] = float(cells[8])
    return areas


def main(names):
    unknown = [name for name in names if name not in RULES]
    if unknown:
        sys.exit(f"{unknown[0]}: not a rule (want {', '.join(RULES)})")
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "neardup"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree], cwd=ROOT, check=True)
        try:
            whole = measure(tree)
            print("| without | " + " | ".join(whole) + " |\n" + "|---" * (1 + len(whole)) + "|")
            for name in names or RULES:
                kept = {}
                for file, there, instead in RULES[name]:
                    path = tree / file
                    kept[path] = kept.get(path) or path.read_text("utf-8")
                    text = path.read_text("utf-8")
                    if there not in text:
                        sys.exit(f"{name}: {file} has no {there!r}: change the edit")
                    path.write_text(text.replace(there, instead), "utf-8")
                areas = measure(tree)
                print(f"| {name} | " + " | ".join(f"{1000 * (areas[g] - whole[g]):+.0f}" for g in whole) + " |", flush=True)
                for path, text in kept.items():
                    path.write_text(text, "utf-8")
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)


main(sys.argv[1:])
