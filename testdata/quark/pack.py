#!/usr/bin/env python3
"""Packs stored runs of AMD Quark 0.13 and ONNX Runtime 1.30 into what the tests compare: pack.py FOLDER-OF-RUNS

Kept are facts: names, defaults, ranges, scales, codes, outputs. Each run was made once, of a small model that holds one thing to test."""
import json
import lzma
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
GROUPS = ("a8w8", "float", "int", "ort", "qconfig", "xint8")
KEPT = ("same_as", "nodes", "init", "inputs", "outputs", "error")


def write(name, value):
    """One entry per line, so that a difference can be read."""
    path, text = HERE / name, json.dumps(value, separators=(",", ":"))
    if isinstance(value, dict):
        text = "{\n" + ",\n".join(f"{json.dumps(key)}:{json.dumps(entry, separators=(',', ':'))}" for key, entry in value.items()) + "\n}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".xz"):
        path.write_bytes(lzma.compress(text.encode(), preset=9))
    else:
        path.write_text(text)


def graphs(runs):
    for group in GROUPS:
        packed = {}
        for path in sorted((runs / "graphs" / group).glob("*.json")):
            packed[path.stem] = {config: {key: entry[key] for key in (*KEPT, "y") if key in entry}
                                 for config, entry in json.loads(path.read_text()).items()}
        write(f"graphs/{group}.json.xz", packed)
    configs = json.loads((runs / "graphs/configs.json").read_text())
    write("graphs/configs.json", {name: {k: v for k, v in entry.items() if k not in ("meaning", "note")} if isinstance(entry, dict) else entry
                                  for name, entry in configs.items()})
    defects = json.loads((runs / "graphs/defects.json").read_text())
    (HERE / "graphs/defects.json").write_text(json.dumps(defects, indent=0) + "\n")
    models = HERE / "graphs/models"
    models.mkdir(exist_ok=True)
    for path in sorted((runs / "graphs/models").glob("*.onnx")):
        (models / path.name).write_bytes(path.read_bytes())
    samples = {}
    for path in sorted((runs / "graphs/inputs").glob("*.npz")):
        with np.load(path) as arrays:
            samples.update({f"{path.stem}/{key}": arrays[key] for key in arrays})
    np.savez_compressed(HERE / "graphs/inputs.npz", **samples)


def numbers(runs):
    options = json.loads((runs / "options.json").read_text())["options"]
    write("options.json", {"options": {name: {key: entry[key] for key in ("type", "default", "category")} for name, entry in options.items()}})
    surface = json.loads((runs / "api_surface.json").read_text())
    write("api_surface.json", {key: surface[key] for key in ("exports", "algo_configs", "import_paths")})
    presets = json.loads((runs / "presets.json").read_text())
    write("presets.json", {key: value for key, value in presets.items() if key != "_meta"})
    for name in ("scales.json", "weights.json", "calibration/ranges.json", "formats/index.json", "formats/extended.json", "formats/norm_lstm.json"):
        write(name, json.loads((runs / name).read_text()))
    for path in sorted(runs.glob("calibration/*.npz")) + sorted(runs.glob("formats/*.npz")):
        with np.load(path) as arrays:
            np.savez_compressed(HERE / path.relative_to(runs), **arrays)


def algorithms(runs):
    """Weights in blocks and rotations: small models, what became of their constants, how near the outputs came."""
    kept = ("params", "config", "random", "init", "sqnr_db", "error", "run_error")
    for name in ("matmul_nbits", "quarot"):
        stored = json.loads((runs / f"algorithms/{name}.json").read_text())
        write(f"algorithms/{name}.json.xz", {case: {key: entry[key] for key in kept if key in entry}
                                             for case, entry in stored.items() if case != "dims" and "same_as" not in entry})
    samples = {}
    (HERE / "algorithms/models").mkdir(exist_ok=True)
    for path in sorted((runs / "algorithms/models").glob("*.onnx")):
        if not path.stem.startswith(("nbits_", "rot_")):
            continue
        (HERE / "algorithms/models" / path.name).write_bytes(path.read_bytes())
        with np.load(runs / f"algorithms/inputs/{path.stem}.npz") as arrays:
            samples.update({f"{path.stem}/{key}": arrays[key] for key in arrays})
    np.savez_compressed(HERE / "algorithms/inputs.npz", **samples)


def cases(runs, group, name, kept):
    """One table of runs with its small models and samples."""
    write(f"{group}/{name}.json.xz", {case: {key: entry[key] for key in kept if key in entry} for case, entry in json.loads((runs / f"{group}/{name}.json").read_text()).items()})
    samples = {}
    (HERE / group / "models").mkdir(exist_ok=True)
    for path in sorted((runs / group / "models").glob("*.onnx")):
        (HERE / group / "models" / path.name).write_bytes(path.read_bytes())
        with np.load(runs / f"{group}/inputs/{path.stem}.npz") as arrays:
            samples.update({f"{path.stem}/{key}": arrays[key] for key in arrays})
    np.savez_compressed(HERE / group / "inputs.npz", **samples)


def mixed_precision(runs):
    """Which layers changed, and the score of each on the first sample, with the networks of the runs."""
    def changed(entry):
        return sorted({name.split(".weight")[0] for name in (*entry["init_after"], *entry["types_changed"]) if ".weight" in name})

    stored = json.loads((runs / "search/mixed_precision.json").read_text())
    write("search/mixed_precision.json", {
        case: {"base": entry["base"], "targets": entry["targets"], "config": entry["config"], "changed": changed(entry),
               "scores": {scored["name"]: scored["all_config_scores"] for scored in (entry["sensitivity"] or {"results": []})["results"]}}
        for case, entry in stored.items()})
    samples = {}
    (HERE / "search/models").mkdir(exist_ok=True)
    for name in sorted({case.split("/")[0] for case in stored}):
        (HERE / f"search/models/{name}.onnx").write_bytes((runs / f"algorithms/models/{name}.onnx").read_bytes())
        with np.load(runs / f"algorithms/inputs/{name}.npz") as arrays:
            samples.update({f"{name}/{key}": arrays[key] for key in arrays if key.startswith("calib__")})
    np.savez_compressed(HERE / "search/inputs.npz", **samples)


def spaces(runs):
    """What each search space stands for."""
    stored = json.loads((runs / "search/search.json").read_text())
    write("search/spaces.json", {case: entry for case, entry in stored.items() if case.startswith("space")})


if __name__ == "__main__":
    spaces(pathlib.Path(sys.argv[1]))
    mixed_precision(pathlib.Path(sys.argv[1]))
    cases(pathlib.Path(sys.argv[1]), "npu", "positions", ("positions", "positions_raw", "positions_toggled"))
    cases(pathlib.Path(sys.argv[1]), "shapeshifter", "passes", (*KEPT, "passes", "unchanged", "opset", "sqnr_db"))
    algorithms(pathlib.Path(sys.argv[1]))
    graphs(pathlib.Path(sys.argv[1]))
    numbers(pathlib.Path(sys.argv[1]))
