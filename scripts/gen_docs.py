#!/usr/bin/env python3
"""Writes the pages of docs/ that come out of the sources: docs/errors.md from src/base/errors.inc.

  gen_docs.py            writes
  gen_docs.py --check    only compares; fails where a page is not up to date
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'PREON_ERROR\(\s*(k\w+)\s*,\s*(\d+)\s*,\s*(k\w+)\s*,\s*((?:"(?:[^"\\]|\\.)*"\s*)+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
GROUPS = {1: "Usage and configuration", 2: "Model", 3: "Data", 4: "Calibration", 5: "Quantization and verification",
          6: "Runtime", 7: "System", 9: "Internal"}
INTRO = """# Errors

Written by `./dev docs` out of `src/base/errors.inc`; edit that file.

An error is one line, `preon: error [Ennnn] what, where, got, wanted`, and where there is one a second line with a hint.
The number never changes its meaning. The exit status follows from it: 2 for wrong usage, configuration or input (1xxx–3xxx),
3 where verification failed and nothing was written (55xx), 130 after an interrupt (7900), 1 for everything else.
"""


def exit_status(number):
    if number == 7900:
        return 130
    if 5500 <= number < 5600:
        return 3
    return 2 if number < 4000 else 1


def text_of(literals):
    """Adjacent C++ string literals as one text."""
    return "".join(LITERAL.findall(literals)).replace(r"\"", '"').replace(r"\n", "\n").replace("\\\\", "\\")


def errors_page(source):
    rows = [(int(number), name, text_of(title), text_of(example)) for name, number, _, title, example in ROW.findall(source)]
    if len(rows) != source.count("PREON_ERROR(k"):
        raise SystemExit("gen_docs: src/base/errors.inc has a row that this script can't read")
    lines, group = [INTRO], None
    for number, _, title, example in rows:
        if number // 1000 != group:
            group = number // 1000
            lines.append(f"## {GROUPS[group]}\n\n| number | meaning | exit | example |\n|---|---|---|---|")
        cell = example.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| E{number} | {title} | {exit_status(number)} | `{cell}` |")
        if number == max(n for n, *_ in rows if n // 1000 == group):
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def pages(root):
    """Path -> text of every generated page."""
    return {root / "docs/errors.md": errors_page((root / "src/base/errors.inc").read_text())}


def main():
    stale = [path for path, text in pages(ROOT).items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)}: not up to date; run ./dev docs")
        if not stale:
            print("generated docs: up to date")
        return 1 if stale else 0
    for path, text in pages(ROOT).items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
