"""Runs golden configurations through preon_op_list_runner: `python golden_runs.py GROUP [MODEL [CONFIG]]` prints what differs."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import golden_configs
import golden_errors
import golden_graphs
import graph_goldens

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAPHS = graph_goldens.GRAPHS
VECTORS = GRAPHS.parent
RUNNER = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build") / "bin/preon_op_list_runner"
GROUPS = ("ort", "a8w8", "int", "qconfig", "float")


def samples(model, folder):
    """The calibration samples as preon wants them: by input, one after the other."""
    arrays = {name: value.reshape(-1, *value.shape[2:]) if value.ndim >= 2 else value
              for name, value in graph_goldens.arrays(model, "calib").items()}
    path = folder / f"{model}.npz"
    np.savez(path, **arrays)
    return path


class Goldens:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.configs = json.loads((GRAPHS / "configs.json").read_text())
        self.presets = json.loads((VECTORS / "presets.json").read_text())
        self.defects = json.loads((GRAPHS / "defects.json").read_text())
        self.data, self.sources = {}, {}

    def entries(self, group, model="*", config="*"):
        from fnmatch import fnmatch
        for stem, stored in graph_goldens.runs(group).items():
            if not fnmatch(stem, model):
                continue
            for name, entry in stored.items():
                if name == config or fnmatch(name, config):
                    yield stem, name, self.resolve(group, stem, stored, entry)

    def resolve(self, group, model, stored, entry):
        if "same_as" not in entry:
            return entry
        base = entry["same_as"]
        if base in stored:
            return self.resolve(group, model, stored, stored[base])
        for other in graph_goldens.groups():
            elsewhere = graph_goldens.runs(other).get(model, {})
            if base in elsewhere:
                return self.resolve(other, model, elsewhere, elsewhere[base])
        raise KeyError((group, model, base))

    def compare(self, model, entry, out, skip):
        """Differences between a stored graph and the model at `out`."""
        if model not in self.sources:
            self.sources[model] = golden_graphs.from_model(str(GRAPHS / "models" / f"{model}.onnx")).constants
        return golden_graphs.compare(golden_graphs.from_golden(entry, self.sources[model]), golden_graphs.from_model(str(out)), skip)

    def line(self, model, config, out):
        path = GRAPHS / "models" / f"{model}.onnx"
        float_model = onnx.load(path)
        call = golden_configs.call_for(config, self.configs[config], model, float_model.graph, self.presets)
        if model not in self.data:
            self.data[model] = samples(model, self.folder)
        opset = max(float_model.opset_import[0].version, self.configs[config]["opts"].get("ConvertOpsetVersion", 0))
        late = set() if call.as_quark() else {name for name, first in (("fuse_gelu", 20), ("fuse_layer_norm", 17)) if opset < first}
        call.disable |= late   # there the fusions need the operators of the standard
        call.enable -= late
        settings = [["data", str(self.data[model])], *call.set]
        settings += [["disable-pass", name] for name in sorted(call.disable - call.enable) if name in PASSES]
        settings += [["enable-pass", name] for name in sorted(call.enable) if name in PASSES]
        return json.dumps({"model": str(path), "out": str(out), "set": settings})

    def run(self, wanted):
        """[(model, config, golden, differences or None where not mapped)]; differences of a failed run are ("error", why)."""
        jobs, results = [], []
        for index, (model, config, entry) in enumerate(wanted):
            out = self.folder / f"{index}.onnx"
            try:
                jobs.append((model, config, entry, out, self.line(model, config, out)))
            except golden_configs.Unmapped as why:
                results.append((model, config, entry, None, str(why)))
        done = subprocess.run([RUNNER], input="".join(job[4] + "\n" for job in jobs), capture_output=True, text=True, cwd=self.folder, timeout=3000)
        lines = done.stdout.split("\n")
        for (model, config, entry, out, _), problem in zip(jobs, lines):
            skip = golden_graphs.skipped_parts(self.defects, model, config)
            apart = None if golden_errors.nothing_to_quantize(entry, problem or None) else golden_errors.difference(entry, skip, problem or None)
            if apart or problem or "error" in entry:
                results.append((model, config, entry, [("error", apart)] if apart else [], ""))
            else:
                results.append((model, config, entry, self.compare(model, entry, out, skip), ""))
        if len(lines) < len(jobs):
            raise RuntimeError(f"the runner stopped at {jobs[len(lines) - 1][:2]}: {done.stderr[-2000:]}")
        return results


PASSES = set()


def load_passes():
    text = (ROOT / "src/config/builtins.cc").read_text()
    for source in (ROOT / "src/passes").glob("*.cc"):
        name = source.stem
        camel = "".join(part.capitalize() for part in name.split("_"))
        if f"Make{camel}Pass" in text:
            PASSES.add(name)


load_passes()


def main(group, model="*", config="*"):
    with tempfile.TemporaryDirectory() as folder:
        goldens = Goldens(folder)
        results = goldens.run(list(goldens.entries(group, model, config)))
        by_config, kinds = collections.Counter(), collections.Counter()
        total = collections.Counter()
        for name, which, _, found, why in results:
            state = "unmapped" if found is None else "equal" if not found else "differs"
            total[state] += 1
            if found is None:
                by_config[f"unmapped {which}: {why}"] += 1
            elif found:
                print(f"{name} {which}:")
                for part, text in found[:int(os.environ.get("SHOW", "4"))]:
                    print(f"    {part}: {text[:300]}")
                kinds[found[0][0]] += 1
        if os.environ.get("UNMAPPED"):
            print(by_config)
        print(group, dict(total), dict(kinds))


if __name__ == "__main__":
    main(*sys.argv[1:])
