#!/usr/bin/env python3
"""Writes a new method, pass, rewrite of Q/DQ graphs (qdq_pass), target, algorithm or number format: source, test, and the lines that make it known.

  new.py KIND NAME        NAME in snake_case

What it writes builds and passes its tests as it stands; make it yours from there: `FILL IN` marks what to say and do.
docs/methods/adding.md, docs/design/algorithms.md, passes.md and targets.md have the rules for each kind.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"
BUILTINS = "src/config/builtins.cc"


def registered(kind, header, listed, registry, suffix):
    """Lines of the header that declares the maker and of the registry that calls it, each behind the last of its kind."""
    return [(header, rf"std::unique_ptr<{kind}> Make\w+{suffix}\(\);.*", f"std::unique_ptr<{kind}> Make@Name@{suffix}();"),
            (listed, rf"  {registry}\.Add\(.*\);.*", f"  {registry}.Add(Make@Name@{suffix}());")]


ORDER_NOTE = "the place of its line in {} is the order in which passes run: move it where the pass belongs, and add its row to docs/design/passes.md"

# Per kind: {file: template}, and lines to add as (file, pattern of the lines behind whose last the new one goes, line).
KINDS = {
    "method": ({"src/ranges/@name@.cc": "method.cc", "src/ranges/@name@_test.cc": "method_test.cc"},
               registered("RangeMethod", "src/ranges/range_methods.h", BUILTINS, "builtins.methods", "Method")),
    "pass": ({"src/passes/@name@.cc": "pass.cc", "tests/graph/@name@.onnxtxt": "pass.onnxtxt"},
             # A pass of the rounds, as the template's: remove_dead, the last of them, stays behind it.
             [registered("Pass", "src/passes/passes.h", BUILTINS, "builtins.passes", "Pass")[0],
              (BUILTINS, r"  builtins\.passes\.Add\(\w+\(\)\);(?=\n.*MakeRemoveDeadPass)", "  builtins.passes.Add(Make@Name@Pass());")]),
    "qdq_pass": ({"src/quantize/qdq_passes/@name@.cc": "qdq_pass.cc", "tests/graph/@name@.onnxtxt": "pass.onnxtxt"},
                 registered("QdqPass", "src/quantize/qdq_passes/qdq_passes.h", "src/quantize/qdq_passes/qdq_passes.cc", "passes", "Pass")),
    "target": ({"src/quantize/targets/@name@/@name@_target.cc": "target.cc", "src/quantize/targets/@name@/@name@_target_test.cc": "target_test.cc"},
               registered("Target", "src/quantize/targets/targets.h", BUILTINS, "builtins.targets", "Target")),
    "algorithm": ({"src/algorithms/@name@.cc": "algorithm.cc", "src/algorithms/@name@_test.cc": "algorithm_test.cc"},
                  [("src/algorithms/algorithms.inc", r"PREON_ALGORITHM\(\w+\)", "PREON_ALGORITHM(@Name@)")]),
    "format": ({"src/formats/types/@name@.cc": "format.cc", "src/formats/types/@name@_test.cc": "format_test.cc"},
               registered("NumberFormat", "src/formats/number_formats.h", "src/formats/number_formats.cc", "formats", "Format")),
}


def insert_after_last(text, pattern, line):
    """`text` with `line` behind the last line that matches."""
    matches = list(re.finditer(f"^{pattern}$", text, re.MULTILINE))
    if not matches:
        raise SystemExit(f"new: no line like {pattern}")
    end = matches[-1].end()
    return text[:end] + "\n" + line + text[end:]


def add_room(cmake, room):
    """CMakeLists.txt with a new room of quantize, behind the rooms of the other targets."""
    line = re.search(r"^preon_layer\(quantize COLD ROOMS.*?(?=\s+DEPS)", cmake, re.MULTILINE | re.DOTALL)
    return cmake[:line.end()] + f"\n            {room}" + cmake[line.end():]


def create(root, kind, name):
    """Writes everything; returns the paths that are new or changed. Refuses to overwrite."""
    words = {"name": name, "dashed": name.replace("_", "-"), "Name": "".join(part.capitalize() for part in name.split("_"))}

    def filled(text):
        return re.sub(r"@(\w+)@", lambda match: words[match.group(1)], text)

    files, lines = KINDS[kind]
    texts = {root / filled(path): filled((TEMPLATES / f"{template}.in").read_text()) for path, template in files.items()}
    for path in texts:
        if path.exists():
            raise SystemExit(f"new: {path.relative_to(root)} exists already")
    changed = {root / file: (root / file).read_text() for file, _, _ in lines}
    for file, pattern, line in lines:
        changed[root / file] = insert_after_last(changed[root / file], pattern, filled(line))
    if kind == "target":
        changed[root / "CMakeLists.txt"] = add_room((root / "CMakeLists.txt").read_text(), f"targets/{name}")
    for path, text in (texts | changed).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    # Names differ in length, and so do the lines that hold them.
    subprocess.run(["clang-format", "-i", *(path for path in texts if path.suffix == ".cc")], cwd=root, check=True)
    return [*texts, *changed]


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS or not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", sys.argv[2]):
        raise SystemExit(f"usage: new.py {'|'.join(KINDS)} NAME (NAME in snake_case)")
    for path in create(ROOT, *sys.argv[1:]):
        print(path.relative_to(ROOT))
    if sys.argv[1].endswith("pass"):
        print("new:", ORDER_NOTE.format(KINDS[sys.argv[1]][1][1][0]))
    if sys.argv[1] == "algorithm":
        print("new: add its row to docs/design/algorithms.md")


if __name__ == "__main__":
    main()
