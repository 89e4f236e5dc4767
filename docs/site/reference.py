"""Writes the reference from the code: reference.py PROGRAM OPENAPI PACKAGES OUT.

PROGRAM is neardup, OPENAPI the document that the service gives, PACKAGES what go list says. Nothing
of it is written by hand.
"""

import inspect
import json
import pathlib
import re
import subprocess
import sys


def printed(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def commands(program):
    """What --help says of each command, and what help says of the methods."""

    def listed(*path):
        section = printed(program, *path, "--help").partition("Available Commands:\n")[2].partition("\nFlags:\n")[0]
        for line in section.splitlines():
            name = line.split()[0] if line.startswith("  ") else "help"  # the title of a group
            if name not in ("help", "completion"):
                yield [*path, name]
                yield from listed(*path, name)

    yield "# Commands\n\nWhat `--help` says.\n"
    for path in listed():
        yield f"## neardup {' '.join(path)}\n\n```text\n{printed(program, *path, '--help').strip()}\n```\n"
    yield f"## Methods\n\n```text\n{printed(program, 'help', 'method').strip()}\n```\n"


def api(document):
    """Every operation with its parameters and answers, and every schema."""

    def cell(text):
        return re.sub(r"\s+", " ", text or "").replace("|", "\\|").replace("<", "&lt;")

    def kind(schema):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return f"[{name}](#{name.lower()})"
        of = schema.get("type", "any")
        of = " or ".join(of) if isinstance(of, list) else of
        return f"array of {kind(schema['items'])}" if "items" in schema else of

    yield f"# HTTP API\n\nFrom `/openapi.json` of {document['info']['title']}; in words: [HTTP API](../docs/http-api.md).\n"
    for path, methods in sorted(document["paths"].items()):
        for method, operation in methods.items():
            yield f"## {method.upper()} {path}\n\n{cell(operation.get('description') or operation.get('summary'))}\n"
            rows = [f"| `{p['name']}` ({p['in']}) | {kind(p['schema'])} | {cell(p.get('description'))} |" for p in operation.get("parameters", [])]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                rows.append(f"| body | {kind(content['schema'])} | |")
            for code, answer in operation.get("responses", {}).items():
                of = [kind(c["schema"]) for c in answer.get("content", {}).values() if "schema" in c]
                rows.append(f"| {code} | {', '.join(of)} | {cell(answer.get('description'))} |")
            yield "| | type | |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    yield "# Schemas\n"
    for name, schema in sorted(document["components"]["schemas"].items()):
        rows = [f"| `{field}` | {kind(of)} | {cell(of.get('description'))} |" for field, of in schema.get("properties", {}).items()]
        yield f"## {name}\n\n{cell(schema.get('description'))}\n\n| field | type | |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def go(packages):
    """Every package, and what it exports."""
    yield "# Go\n\nWhat `go doc` says of each package.\n"
    for package in packages:
        yield f"## {package}\n\n```text\n{printed('go', 'doc', package).strip()}\n```\n"


def python():
    """What the package exports, with its docstrings."""
    import neardup
    import neardup.images

    yield f"# Python\n\n```text\n{neardup.__doc__.strip()}\n```\n"
    for module in (neardup, neardup.images):
        for name in module.__all__:
            of = getattr(module, name)
            signature = str(inspect.signature(of)) if inspect.isfunction(of) else ""
            signature = re.sub(r"\(", "(\n    ", signature, count=1).replace(", *,", ",\n    *,") if len(signature) > 90 else signature
            yield f"## {module.__name__}.{name}\n\n```text\n{name}{signature}\n\n{inspect.getdoc(of) or ''}\n```\n"


def main(program, openapi, packages, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True)
    document = json.loads(pathlib.Path(openapi).read_text("utf-8"))
    listed = pathlib.Path(packages).read_text("utf-8").split()
    for name, parts in ("commands", commands(program)), ("api", api(document)), ("go", go(listed)), ("python", python()):
        (out / f"{name}.md").write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
