#!/usr/bin/env python3
"""Rejects includes that CMakeLists.txt does not allow.

`preon_layer(NAME DEPS a b)` lets src/NAME include itself, src/a and src/b. Besides: only ir/ sees ONNX's protobuf, only
runtime/ sees ONNX Runtime, and only cli/ writes to the standard streams.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYER = re.compile(r"^preon_layer\((\w+)((?:[^()]|\n)*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
STREAM = re.compile(r"\bstd::(?:cout|cerr|clog)\b|\b(?:std::)?(?:printf|puts|putchar)\(|\bf(?:printf|puts)\(\s*std(?:out|err)")
PUBLIC = {"api", "cli", "python"}  # may include include/preon
# Headers that one layer alone may see, by how their path begins.
OWNED = {"onnx/": "ir", "google/protobuf": "ir", "onnxruntime_": "runtime"}
# Says why it aborts, in builds for tests; the edge of a library that other programs load.
MAY_PRINT = {"src/base/status.cc", "src/instrument/main.cc"}


def declared(cmake):
    """Layer -> layers it may include, in the order of the file."""
    layers = {}
    for name, rest in LAYER.findall(cmake):
        words = re.sub(r"#.*", "", rest).split()
        deps = words[words.index("DEPS") + 1:] if "DEPS" in words else []
        layers[name] = deps[: deps.index("LIBS")] if "LIBS" in deps else deps
    return layers


def declaration_problems(layers):
    """A layer may only build on layers named above it: no cycles."""
    seen = set()
    for name, deps in layers.items():
        for dep in deps:
            if dep not in seen:
                yield f"CMakeLists.txt: layer {name} depends on {dep}, which is not declared above it"
        seen.add(name)


def file_problems(path, text, layer, layers):
    """Problems of one source file; `path` as it should be shown."""
    allowed = {layer, *layers[layer]}
    for quote, include in INCLUDE.findall(text):
        top = include.split("/")[0]
        if quote == '"' and "/" in include and top in layers and top not in allowed:
            yield f"{path}: includes {include}; {layer} may include {', '.join(sorted(allowed))}"
        if quote == '"' and top == "preon" and layer not in PUBLIC:
            yield f"{path}: includes the public header {include}; only {', '.join(sorted(PUBLIC))} may"
        for prefix, owner in OWNED.items():
            if include.startswith(prefix) and layer != owner:
                yield f"{path}: includes {include}; only {owner} may"
    if layer != "cli" and path not in MAY_PRINT and not path.endswith(("_test.cc", "_bench.cc")):
        for match in STREAM.finditer(re.sub(r"//.*", "", text)):
            yield f"{path}: {match.group().strip()} outside cli/; log through RunContext"


def problems(root):
    layers = declared((root / "CMakeLists.txt").read_text())
    yield from declaration_problems(layers)
    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir()):
        if folder.name not in layers:
            yield f"src/{folder.name}: no preon_layer line in CMakeLists.txt"
            continue
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".h", ".cc", ".inc"):
                yield from file_problems(str(file.relative_to(root)), file.read_text(), folder.name, layers)


def main():
    found = list(problems(ROOT))
    print("\n".join(found) or "layers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
