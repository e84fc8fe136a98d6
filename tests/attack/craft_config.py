"""Configurations that ask for trouble, by a seed: JSON, YAML, QConfig and options of the command line, with one or two mistakes."""
import copy
import dataclasses
import json

import numpy as np

from hostile_values import pick

SPEC = {"symmetric": True, "scale_type": "Float32", "calibration_method": "MinMax", "quant_granularity": "Tensor", "data_type": "Int8"}
QCONFIG = {
    "global_config": {"input_tensors": {**SPEC, "symmetric": False, "data_type": "UInt8"},
                      "weight": {**SPEC, "quant_granularity": "Channel"}},
    "specific_layer_config": [[{"input_tensors": {**SPEC, "data_type": "Int16"}}, ["conv_1"]]],
    "layer_type_config": [[{"weight": {**SPEC, "data_type": "Int16"}}, ["Gemm"]]],
    "exclude": ["pool_1"],
    "extra_options": {"CalibDataSize": 3, "Percentile": 99.9, "TensorQuantOverrides": {"r1": [{"quant_type": "QUInt16"}]}},
}
PLAIN = {"method": "percentile", "exclude": ["gemm_1"], "samples": 3, "overrides": {"r1": {"rmin": 0.0, "rmax": 6.0}},
         "extra_options": {"CalibDataSize": 5}, "per_tensor": True}
#: No paths among them: a configuration may name files to write, and the user who gives it means them.
VALUES = [None, True, False, 0, -1, 1, 3, 1 << 31, 1 << 62, -(1 << 63), 1 << 64, 10**400, 0.5, -0.0, 1e-320, 1e308, float("nan"),
          float("inf"), "", " ", "0",
          "true", "NaN", "minmax", "int8", "a\nb", "\x1b[31m", "%s%n", "é", "*", "^(", "x" * 20000, [], [[]], [None], [1, "2", {}],
          ["conv_1"] * 3000,
          {}, {"": 1}, {"a": {"b": {"c": []}}}, {"conv_1": None}, [[["conv_1"], ["gemm_1"]]]]
#: Options that name a file to write or read, or how much work there is.
NOT_TRIED = {"output", "report", "html", "save", "tmp-dir", "save-and-restore", "cover", "save-histograms", "config", "repeat",
             "latency", "checkpoint",
             "calib", "help", "version"}


@dataclasses.dataclass
class Setting:
    seed: int
    how: str
    words: list  # an error names one of them
    text: str | None = None  # of the file
    arguments: list = dataclasses.field(default_factory=list)

    def __str__(self):
        shown = repr(self.text if self.text is not None else self.arguments)
        return f"configuration {self.seed} ({self.how}; {', '.join(map(repr, self.words))}): {shown[:400]}"


def places(value, path=()):
    """Paths of all keys and elements."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def holder(tree, path):
    for key in path[:-1]:
        tree = tree[key]
    return tree


def spoil(rng, tree, names):
    """Another value, key, or place for one entry; returns the words that tell which."""
    path = pick(rng, places(tree))
    if path is None:
        return []
    inner, key = holder(tree, path), path[-1]
    how = rng.integers(5)
    if how == 0 and isinstance(inner, dict):
        wrong = pick(rng, [f"{key}s", str(key)[1:], str(key).upper(), "", "nothing", "a\nb", "k" * 3000, "é"])
        inner[wrong] = inner.pop(key)
        return [*map(str, path), wrong]
    if how == 1:
        name = pick(rng, names)
        place = inner if isinstance(inner, dict) else tree
        place[name] = copy.deepcopy(pick(rng, VALUES))
        return [name, *map(str, path[:-1])]
    if how == 2:
        del inner[key]
    elif how == 3:
        other = holder(tree, pick(rng, places(tree)) or path)
        if isinstance(other, dict):
            other[str(key)] = copy.deepcopy(pick(rng, VALUES))
    else:
        inner[key] = copy.deepcopy(pick(rng, VALUES))
    return list(map(str, path))


def twice(rng, text):
    """A key of the text for the second time."""
    at = text.find('":', int(rng.integers(len(text))))
    begin = text.rfind('"', 0, at)
    if at < 0 or begin < 0:
        return text, []
    key = text[begin: at + 1]
    return f'{text[:begin]}{key}: {json.dumps(pick(rng, VALUES[:6]))}, {text[begin:]}', [key.strip('"')]


def in_file(rng, seed, names, keys):
    kind = pick(rng, ["plain", "qconfig"])
    tree = copy.deepcopy(PLAIN if kind == "plain" else QCONFIG)
    words = []
    for _ in range(int(rng.integers(1, 3))):
        words += spoil(rng, tree, names if kind == "plain" else [*keys, *QCONFIG, *SPEC])
    text = json.dumps(tree, ensure_ascii=bool(rng.random() < 0.5))
    how = rng.integers(6)
    if how == 0:
        text, more = twice(rng, text)
        words += more
    elif how == 1:
        text = text[: int(rng.integers(len(text) + 1))]
    elif how == 2:
        at = int(rng.integers(len(text)))
        stray = pick(rng, ["\0", "{", "}", "\\", "\\ud800", "&a *a", "\t", "!!python/object:os.system x", "<<: *x\n", "\ufeff"])
        text = text[:at] + stray + text[at:]
    ending = pick(rng, ["json", "yaml"])
    words = [f"'{word}'" if word.isdigit() else word for word in words]
    if {"layer_type_config", "specific_layer_config"} & set(words):
        words.append("layer configuration ")
    # Any key may be another one now; without global_config it is no QConfig, and all its keys are unknown.
    if how <= 2 or (kind == "qconfig" and "global_config" not in tree):
        words += [f"c.{ending}: ", *PLAIN, *QCONFIG]
    return Setting(seed, kind, words, text, ["--config", f"c.{ending}"])


def on_command_line(rng, seed, options, keys):
    """Values as text; what is unsaid in the table is tried, too."""
    arguments, words = [], []
    for _ in range(int(rng.integers(1, 3))):
        value = pick(rng, [value for value in VALUES if not (isinstance(value, str) and "\0" in value)])
        text = value if isinstance(value, str) else json.dumps(value)
        if rng.random() < 0.6:
            key = pick(rng, keys)
            arguments += ["--option", pick(rng, [f"{key}={text}", f"{key}={text}", key, f"{key}=", f"={text}", f"{key[1:]}={text}"])]
            words += [key, key[1:], "--option"]
        else:
            option = pick(rng, options)
            arguments += [f"--{option['name']}"] if option["kind"] == "flag" else [f"--{option['name']}={text}"]
            words += [option["name"], "quantize:"]
    return Setting(seed, "command line", words, None, arguments)


def craft_setting(seed, doctor):
    """`doctor`: what `preon doctor --options --json` says."""
    rng = np.random.default_rng(seed)
    options = [option for option in doctor["options"] if "quantize" in option["verbs"] and option["name"] not in NOT_TRIED]
    keys = [key["name"] for key in doctor["keys"]
            if "file" not in key["type"].lower() and not any(part in key["name"] for part in ("Path", "Dir", "."))]
    if rng.random() < 0.7:
        return in_file(rng, seed, [option["name"].replace("-", pick(rng, "-_")) for option in options], keys)
    return on_command_line(rng, seed, options, keys)
