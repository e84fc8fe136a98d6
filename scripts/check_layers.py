#!/usr/bin/env python3
"""Rejects includes that CMakeLists.txt does not allow, and cycles between files.

`preon_layer(NAME ROOMS x . y DEPS a b)` lets src/NAME include itself, src/a and src/b. Its sub-folders are rooms: a room
includes itself and the rooms that stand before it; "." is the folder's own files. A file is what shares its stem: x.h, x.cc
and x.inc. Tests may include every room of their layer and are in no cycle, since nothing includes them. Besides: only ir/ sees
ONNX's protobuf, only runtime/ sees ONNX Runtime, and only cli/ writes to the standard streams.
"""
import collections
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


class Layer(collections.namedtuple("Layer", "deps rooms")):
    """What CMakeLists.txt says of a layer: the layers it may include, and its rooms in their order."""


def declared(cmake):
    """Name -> Layer, in the order of the file."""
    layers = {}
    for name, rest in LAYER.findall(cmake):
        words = {"ROOMS": [], "PLUGIN": [], "DEPS": [], "LIBS": []}
        into = []
        for word in re.sub(r"#.*", "", rest).split():
            if word in words:
                into = words[word]
            else:
                into.append(word)
        layers[name] = Layer(words["DEPS"], words["ROOMS"] or ["."])
    return layers


def declaration_problems(layers):
    """A layer may only build on layers named above it: no cycles."""
    seen = set()
    for name, layer in layers.items():
        for dep in layer.deps:
            if dep not in seen:
                yield f"CMakeLists.txt: layer {name} depends on {dep}, which is not declared above it"
        seen.add(name)


def is_test(path):
    """Tests, benches and the headers that they share."""
    name = path.split("/")[-1]
    return name.endswith(("_test.cc", "_bench.cc")) or name.startswith("test_") and name.endswith(".h")


def room_of(path):
    """Room of a path below the layer's folder."""
    return "/".join(path.split("/")[:-1]) or "."


def room_problems(path, text, name, layer):
    """Includes of rooms that stand behind the file's own; `path` begins with src/."""
    own = room_of(path[len(f"src/{name}/"):])
    if own not in layer.rooms:
        yield f"{path}: {own} is no room of layer {name} in CMakeLists.txt; its rooms are {' '.join(layer.rooms)}"
        return
    allowed = layer.rooms[:layer.rooms.index(own) + 1]
    for quote, include in INCLUDE.findall(text):
        if quote == '"' and include.startswith(f"{name}/"):
            room = room_of(include[len(name) + 1:])
            if room not in allowed and not is_test(path):
                yield f"{path}: includes {include}; room {own} of {name} may include {' '.join(allowed)}"


def cycles(includes):
    """Strongly connected groups of more than one file (Tarjan); `includes` maps a stem to the stems it includes."""
    index, low, stack, groups = {}, {}, [], []

    def visit(stem):
        index[stem] = low[stem] = len(index)
        stack.append(stem)
        for other in sorted(includes.get(stem, ())):
            if other not in index:
                visit(other)
                low[stem] = min(low[stem], low[other])
            elif other in stack:
                low[stem] = min(low[stem], index[other])
        if low[stem] == index[stem]:
            group = stack[stack.index(stem):]
            del stack[stack.index(stem):]
            if len(group) > 1:
                groups.append(sorted(group))

    for stem in sorted(includes):
        if stem not in index:
            visit(stem)
    return groups


def cycle_problems(texts):
    """Files that include themselves, and cycles between files; `texts` maps paths below src/ to their contents."""
    stem_of = {path: path.rsplit(".", 1)[0] for path in texts}
    includes = collections.defaultdict(set)
    for path, text in texts.items():
        for quote, include in INCLUDE.findall(text):
            if quote == '"' and include == path:
                yield f"src/{path}: includes itself"
            if quote == '"' and include in stem_of and stem_of[include] != stem_of[path]:
                includes[stem_of[path]].add(stem_of[include])
    for group in cycles(includes):
        yield f"src: these files include each other: {' '.join(group)}"


def file_problems(path, text, layer, layers):
    """Problems of one source file; `path` as it should be shown."""
    allowed = {layer, *layers[layer].deps}
    for quote, include in INCLUDE.findall(text):
        top = include.split("/")[0]
        if top in (".", "..") or (quote == "<" and top in layers and "/" in include):
            yield f"{path}: includes {include}; wanted in quotes and from src/ on, as in \"base/text.h\""
        if quote == '"' and "/" in include and top in layers and top not in allowed:
            yield f"{path}: includes {include}; {layer} may include {', '.join(sorted(allowed))}"
        if quote == '"' and top == "preon" and layer not in PUBLIC:
            yield f"{path}: includes the public header {include}; only {', '.join(sorted(PUBLIC))} may"
        for prefix, owner in OWNED.items():
            if include.startswith(prefix) and layer != owner:
                yield f"{path}: includes {include}; only {owner} may"
    if layer != "cli" and path not in MAY_PRINT and not is_test(path):
        for match in STREAM.finditer(re.sub(r"//.*", "", text)):
            yield f"{path}: {match.group().strip()} outside cli/; log through RunContext"


def problems(root):
    layers = declared((root / "CMakeLists.txt").read_text())
    yield from declaration_problems(layers)
    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir()):
        if folder.name not in layers:
            yield f"src/{folder.name}: no preon_layer line in CMakeLists.txt"
            continue
        texts = {str(file.relative_to(root)): file.read_text() for file in sorted(folder.rglob("*")) if file.suffix in (".h", ".cc", ".inc")}
        for path, text in texts.items():
            yield from file_problems(path, text, folder.name, layers)
            yield from room_problems(path, text, folder.name, layers[folder.name])
        yield from cycle_problems({path[len("src/"):]: text for path, text in texts.items() if not is_test(path)})


def main():
    found = list(problems(ROOT))
    print("\n".join(found) or "layers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
