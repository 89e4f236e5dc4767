#!/usr/bin/env python3
"""lower.py DATA > lower.txt: SHA-256 of str.lower() of the texts of the shared sets, a line end after each. Python 3.11."""
import hashlib, json, subprocess, sys

for name in ("ota_terms_versions", "zh_lctt_proofread", "zh_tidb_docs_versions", "zh_laws", "uci_sms"):
    path = f"{sys.argv[1]}/{name}/docs.jsonl"
    file = open(path, "rb") if name == "uci_sms" else subprocess.Popen(["zstd", "-dcq", path + ".zst"], stdout=subprocess.PIPE).stdout
    digest = hashlib.sha256()
    for line in file:
        digest.update(json.loads(line)["text"].lower().encode() + b"\n")
    print(name, digest.hexdigest())
