#!/usr/bin/env python3
"""Writes what comes out of the sources: docs/errors.md from src/base/errors.inc; docs/options/ and python/preon/options.py from
what the binary tells of its options.

  gen_docs.py              writes; from the binary only where there is build/bin/preon
  gen_docs.py --check      only compares docs/errors.md; fails where it is not up to date (a test compares the others)
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'PREON_ERROR\(\s*(k\w+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*(k\w+)\s*,\s*((?:"(?:[^"\\]|\\.)*"\s*)+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
GROUPS = {1: "Usage and configuration", 2: "Model", 3: "Data", 4: "Calibration", 5: "Quantization and verification",
          6: "Runtime", 7: "System", 9: "Internal"}
INTRO = """# Errors

Written by `./dev docs` out of `src/base/errors.inc`; edit that file.

An error is one line, `preon: error [Ennnn] what, where, got, wanted`, and where there is one a second line with a hint.
The number never changes its meaning. The exit status follows from it: 2 for wrong usage, configuration or input, 3 where
verification failed and nothing was written, 4 where `--require` or `--size` does not hold, 5 where the result would be
larger or slower and nothing was written, 130 after an interrupt, 1 for everything else.
"""


def text_of(literals):
    """Adjacent C++ string literals as one text."""
    return "".join(LITERAL.findall(literals)).replace(r"\"", '"').replace(r"\n", "\n").replace("\\\\", "\\")


def errors_page(source):
    rows = [(int(number), status, text_of(title), text_of(example))
            for _, number, status, _, title, example in ROW.findall(source)]
    if len(rows) != source.count("PREON_ERROR(k"):
        raise SystemExit("gen_docs: src/base/errors.inc has a row that this script can't read")
    lines, group = [INTRO], None
    for number, status, title, example in rows:
        if number // 1000 != group:
            group = number // 1000
            lines.append(f"## {GROUPS[group]}\n\n| number | meaning | exit | example |\n|---|---|---|---|")
        cell = example.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| E{number} | {title} | {status} | `{cell}` |")
        if number == max(n for n, *_ in rows if n // 1000 == group):
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def cell(text):
    return str(text).replace("|", "\\|")


#: Of keys whose values say more than their type.
EXAMPLES = {"EncryptionAlgorithm": "AES-256", "ExecutionProviders": '["CPUExecutionProvider"]', "FixShapes": "input: [1, 3, 224, 224]", "InputNodes": '["first_conv"]',
            "NodesToExcludeOutputQuantization": '["head"]', "NodesToQuantize": '["conv_1", "conv_2"]', "OutputNodes": '["last_conv"]',
            "Percentile": "99.99", "PreprocessYAML": "passes.yaml", "Scenario": "same", "ShapeShifterYaml": "passes.yaml",
            "WeightCalibrateMethod": "ExtendedCalibrationMethod.MinMSE"}


def example(key):
    """KEY=VALUE with a value that is not the default, where one follows from the description."""
    if key["name"] in EXAMPLES:
        return f"`{key['name']}={EXAMPLES[key['name']]}`"
    kind, default, choices = key["type"], key["default"], key["range"].split("|")
    if kind == "true or false":
        value = json.dumps(not default)
    elif len(choices) > 1:
        value = next(choice for choice in choices if choice != default)
    elif kind == "table":
        value = next((json.dumps(json.loads(found)) for found in re.findall(r"\{.*\}", key["here"]) if "..." not in found), "{}")
    else:
        value = {"integer": "8", "number": "0.5", "list of texts": '["Conv"]', "list of numbers": "[99.9, 99.99]", "text": "x"}[kind]
    return f"`{key['name']}={value}`"


def count(keys):
    """How many of AMD Quark's are here."""
    theirs = [key for key in keys if not key["ours"]]
    return f"{sum(bool(key['here']) for key in theirs)} of {len(theirs)}"


def key_page(group, keys):
    lines = [f"# {group[0].upper()}{group[1:]}: AMD Quark's keys\n", f"{count(keys)} are in this version; read by the stage "
             f"*{keys[0]['stage']}*. Written by `./dev docs`.\n",
             "| key | type | default in Quark | meaning | here | example |", "|---|---|---|---|---|---|"]
    for key in keys:
        kind = key["type"] + (f": {key['range']}" if key["range"] else "")
        default = f"`{json.dumps(key['default'])}`" + (f"; {key['otherwise']}" if key["otherwise"] else "")
        default += f"; **here: {key['default_here']}**" if key["default_here"] else ""
        shown = example(key) if "." not in key["name"] and key["type"] != "object" else ""
        lines.append("| " + " | ".join(map(cell, [f"`{key['name']}`" + (" (ours)" if key["ours"] else ""), kind, default, key["meaning"], key["here"],
                                                  shown])) + " |")
    return "\n".join(lines) + "\n"


def options_page(told, groups):
    """Everything on one page: ours, then where the keys stand, then QConfig."""
    keys = told["keys"]
    lines = ["# Options\n", "Written by `./dev docs` out of `preon doctor --options --json`.\n",
             "[qconfig.schema.json](qconfig.schema.json) tells an editor what a QConfig file may hold.\n",
             f"{count(keys)} of AMD Quark's keys are in this version, and all fields of its configuration are read; "
             f"{sum(key['ours'] for key in keys)} keys are ours.\n", "## AMD Quark's keys\n",
             "By `--option KEY=VALUE`, in `extra_options` of a file or of Python.\n", "| group | in this version |", "|---|---|"]
    for group, (file, members) in groups.items():
        lines.append(f"| [{group}]({file}) | {count(members)} |")
    lines += ["\n## QConfig\n", "| field | type | default | meaning |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(map(cell, [f"`{field['name']}`", field["type"], field["default"], field["meaning"]])) + " |" for field in told["fields"]]
    lines += ["\n## Ours\n", "On the command line with two dashes; as keys of JSON and YAML files and as keywords in Python with `-` or `_`.\n",
              "| option | value | meaning, default, cost | group in help | verbs |", "|---|---|---|---|---|"]
    for option in told["options"]:
        value = option["value"] + (", may repeat" if option["kind"] == "list" else "")
        row = [f"`{option['name']}`", value, option["meaning"], option["group"], ", ".join(option["verbs"])]
        lines.append("| " + " | ".join(map(cell, row)) + " |")
    return "\n".join(lines) + "\n"


SCHEMA_TYPES = {"true or false": {"type": "boolean"}, "integer": {"type": "integer"}, "number": {"type": "number"}, "text": {"type": "string"},
                "list of texts": {"type": "array", "items": {"type": "string"}}, "table": {"type": ["object", "array"]},
                "list of numbers": {"type": "array", "items": {"type": "number"}}}


def key_schema(key):
    """What JSON Schema can say of a key; null is the default of every one."""
    schema = dict(SCHEMA_TYPES.get(key["type"], {}), description=key["here"])
    choices, bounds = key["range"].split("|"), re.fullmatch(r"(-?[\d.]*?)\.\.([\d.]*)", key["range"])
    if len(choices) > 1:
        schema["enum"] = [int(choice) if key["type"] == "integer" else choice for choice in choices] + [None]
        del schema["type"]
    elif bounds and key["type"] in ("integer", "number"):
        schema |= {name: float(bound) for name, bound in zip(("minimum", "maximum"), bounds.groups()) if bound}
    if "type" in schema:
        schema["type"] = [*(schema["type"] if isinstance(schema["type"], list) else [schema["type"]]), "null"]
    return schema


def schema_page(told):
    """JSON Schema of a QConfig in a JSON or YAML file, for editors."""
    def refer(kind):
        return {"anyOf": [{"$ref": f"#/$defs/{kind}"}, {"type": "null"}]}
    parts = {"QLayerConfig": {}, "QTensorConfig": {}, "QConfig": {}}
    for field in told["fields"]:
        owner, name = field["name"].split(".")
        schema = {"description": field["meaning"]}
        if owner == "QLayerConfig":
            schema |= refer("QTensorConfig")
        elif field["type"] == "true or false":
            schema["type"] = "boolean"
        elif name == "global_config":
            schema |= {"$ref": "#/$defs/QLayerConfig"}
        elif name == "extra_options":
            keys = {key["name"]: key_schema(key) for key in told["keys"] if "." not in key["name"]}
            schema |= {"type": ["object", "null"], "properties": keys, "additionalProperties": False}
        elif owner == "QConfig":
            schema["type"] = ["object" if field["type"] == "table" else "array", "null"]
        elif field["type"].startswith("integer"):
            schema |= {"type": ["integer", "null"], "minimum": 1}
        else:
            schema["type"] = "string"
        parts[owner][name] = schema
    kinds = {owner: {"type": "object", "additionalProperties": False, "properties": fields} for owner, fields in parts.items()}
    without_default = {field["name"] for field in told["fields"] if not field["default"]}
    kinds["QTensorConfig"]["required"] = [name for name in parts["QTensorConfig"] if f"QTensorConfig.{name}" in without_default]
    kinds["QConfig"]["required"] = ["global_config"]
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "QConfig", **kinds.pop("QConfig"), "$defs": kinds}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def option_pages(root, binary):
    """Path -> text of the pages below docs/options/."""
    told = json.loads(subprocess.run([binary, "doctor", "--options", "--json"], capture_output=True, text=True, check=True).stdout)
    groups = {}
    for key in told["keys"]:
        name = re.sub(r"[^a-z0-9]+", "-", key["group"].lower()).strip("-") + ".md"
        groups.setdefault(key["group"], (name, []))[1].append(key)
    folder = root / "docs/options"
    return {root / "python/preon/options.py": python_options(told), folder / "README.md": options_page(told, groups),
            folder / "qconfig.schema.json": schema_page(told)} | \
        {folder / file: key_page(group, keys) for group, (file, keys) in groups.items()}


PYTHON_VERBS = ("quantize", "calibrate", "ranges", "analyze", "inspect", "compare", "diff", "instrument", "passes", "lint", "retarget", "export-qat", "encrypt", "decrypt", "search", "sensitivity", "validate", "report", "run")
#: Parameters of the functions, not options.
PARAMETERS = {"output", "data", "pass", "space"}
#: Options that the functions take in another form, too.
PYTHON_FORMS = {"list": "Union[Path, Mapping[str, Any]]"}
PYTHON_TYPES = {"FILE": "Path", "DIR": "Path", "N": "Count", "S": "Count", "SHARE": "float"}
OPTIONS_MODULE = """\"\"\"Keywords of the functions. Written by `./dev docs` out of `preon doctor --options --json`.\"\"\"
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

Path = Union[str, bytes, "os.PathLike[str]"]
Count = Union[int, str]  # "2k" and "1M", too
_Entry = Union[str, tuple[str, Any]]  # "KEY=VALUE" or ("KEY", VALUE)
Many = Union[_Entry, Sequence[_Entry], Mapping[str, Any]]
Arrays = Union[Path, Sequence[Path], Mapping[str, Any], Any]  # Any: an array
"""


def class_name(verbs):
    return "_" + "".join(verb.title().replace("-", "") for verb in verbs)


def python_options(told):
    """Typed keywords: options of the same verbs in one class, from which those of the verbs are put together."""
    config = {"name": "config", "value": "FILE", "kind": "value", "verbs": ["quantize", "calibrate", "instrument", "ranges"],
              "meaning": "a configuration: JSON or YAML file, or the name of a preset"}
    groups = {}
    for option in [config, *told["options"]]:
        verbs = tuple(verb for verb in PYTHON_VERBS if verb in option["verbs"])
        if verbs and option["name"] not in PARAMETERS:
            groups.setdefault(verbs, []).append(option)
    lines = [OPTIONS_MODULE]
    for verbs, options in groups.items():
        lines.append(f"\nclass {class_name(verbs)}(TypedDict, total=False):")
        for option in options:
            kind = {"flag": "bool", "list": "Many"}.get(option["kind"]) or PYTHON_TYPES.get(option["value"], "str")
            kind = "Arrays" if option["value"] == "SRC" else PYTHON_FORMS.get(option["name"], kind)
            lines += [f"    {option['name'].replace('-', '_')}: Optional[{kind}]", f"    {json.dumps(option['meaning'], ensure_ascii=False)}"]
        lines.append("")
    for verb in PYTHON_VERBS:
        parts = ",\n    ".join(class_name(verbs) for verbs in groups if verb in verbs)
        lines.append(f"\nclass {class_name([verb])[1:]}Options(\n    {parts}, total=False,\n):\n    pass\n")
    return "\n".join(lines)


def pages(root, binary=None):
    """Path -> text of every generated page."""
    written = {root / "docs/errors.md": errors_page((root / "src/base/errors.inc").read_text())}
    return written | (option_pages(root, binary) if binary else {})


def main():
    stale = [path for path, text in pages(ROOT).items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)}: not up to date; run ./dev docs")
        if not stale:
            print("generated docs: up to date")
        return 1 if stale else 0
    binary = pathlib.Path(os.environ.get("PREON_BIN", ROOT / "build/bin/preon"))
    for path, text in pages(ROOT, binary if binary.exists() else None).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
