"""Stored runs of Quark (testdata/quark/graphs), replayed through the package's own entry points: preset, fields and keys as they
are stored, and the key Compat. Of XINT8 what is different is listed here, with the reason; of the other groups
test_golden_graphs.py lists it, and mixed precision, dynamic quantization, SimplifyModel=False and OptimizeModel=False come on top."""
import functools
import json
import warnings
from collections import Counter

import golden_graphs
import graph_goldens
import pytest
from golden_runs import VECTORS, Goldens

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ModelQuantizer, PowerOfTwoMethod, QConfig, QuantType  # noqa: E402
from preon.quantization import api  # noqa: E402

pytestmark = pytest.mark.thorough  # all goldens run first

ENUMERATIONS = {"calibrate_method": PowerOfTwoMethod, "activation_type": QuantType}
# (configurations, models, what differs, why): as in test_golden_graphs.py
DELIBERATE = [
    ("*", "fp16_conv_relu_conv", r"structure: ", "the float32 tensor in front of the Cast at the output has the name that its Cast has there"),
    ("*", "layernorm_decomposed@13", r"codes: \('nve', 1\)", "codes of a constant whose position moves are rounded again; there they stay, for another value"),
    ("*Int32Bias=True *Int16Bias=True", "shared_weights", r"scales: \('c2', 2\)", "a bias that nodes share has the scale of one of them there; ours is cloned"),
    ("*ConvertSoftmaxToDPUVersion=True", "softmax_head", r"structure: ", "float operators with Casts, which every runtime has; there bfloat16's, which do not load on a CPU"),
]
# group -> (equal, all)
COUNTS = {"xint8": (481, 487), "a8w8": (594, 642), "int": (360, 392), "float": (475, 512)}


def configured(config):
    """What a script writes for a stored configuration."""
    older = QConfig.get_default_config(config["preset"])
    fields = older.global_quant_config
    fields.include_cle = config["cle"]
    for name, value in config["top"].items():
        setattr(fields, name, ENUMERATIONS[name][value] if name in ENUMERATIONS else value)
    fields.extra_options = {**fields.extra_options, **config["opts"], "Compat": "quark"}
    return older


class Samples:
    """A data reader of the stored calibration samples."""

    def __init__(self, model):
        stored = graph_goldens.arrays(model, "calib")
        count = len(next(iter(stored.values())))
        self.rows = iter([{name: value[index] for name, value in stored.items()} for index in range(count)])

    def get_next(self):
        return next(self.rows, None)


def run(goldens, model, config, entry, out):
    """Differences as (part, text)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ModelQuantizer(configured(goldens.configs[config])).quantize_model(graph_goldens.GRAPHS / "models" / f"{model}.onnx", out, Samples(model))
    except preon_package.PreonError as error:
        nothing = "[E2010]" in str(error) and not any(node[0] in golden_graphs.QUANTIZERS for node in entry.get("nodes", []))
        return [] if "error" in entry or nothing else [("error", str(error))]
    if "error" in entry:
        return [] if "error" in golden_graphs.skipped_parts(goldens.defects, model, config) else [("error", "there it is one")]
    skip = golden_graphs.skipped_parts(goldens.defects, model, config)
    return golden_graphs.compare(golden_graphs.from_golden(entry), golden_graphs.from_model(str(out)), skip)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """group -> [(model, configuration, differences)]"""
    folder = tmp_path_factory.mktemp("goldens")
    goldens = Goldens(folder)
    quantize, api.quantize = api.quantize, functools.partial(api.quantize, latency=0)
    try:
        return {group: [(model, config, run(goldens, model, config, entry, folder / "out.onnx")) for model, config, entry in goldens.entries(group)]
                for group in COUNTS}
    finally:
        api.quantize = quantize


@pytest.mark.parametrize("group", COUNTS)
def test_as_many_are_equal(group, runs, record_property):
    equal = sum(not found for _, _, found in runs[group])
    record_property("summary", f"golden graphs {group}, through the Python package: {equal} of {len(runs[group])} equal")
    assert (equal, len(runs[group])) == COUNTS[group]


def test_differences_of_xint8_are_listed(runs):
    surprises = [f"{model} {config}: {difference}" for model, config, found in runs["xint8"]
                 for difference in found if not golden_graphs.rows_for(DELIBERATE, model, config, difference)]
    assert not surprises, (len(surprises), surprises[:20])


def test_every_row_is_needed(runs):
    used = {row for model, config, found in runs["xint8"] for difference in found for row in golden_graphs.rows_for(DELIBERATE, model, config, difference)}
    assert used == set(range(len(DELIBERATE))), [DELIBERATE[row] for row in set(range(len(DELIBERATE))) - used]


def main(group, model="*", config="*"):
    import pathlib
    import sys
    import tempfile
    folder = pathlib.Path(tempfile.mkdtemp())
    goldens = Goldens(folder)
    api.quantize = functools.partial(api.quantize, latency=0)
    total, kinds = Counter(), Counter()
    for name, which, entry in goldens.entries(group, model, config):
        found = run(goldens, name, which, entry, folder / "out.onnx")
        total["differs" if found else "equal"] += 1
        if found:
            print(f"{name} {which}:")
            for part, text in found[:3]:
                print(f"    {part}: {text[:260]}")
            kinds[f"{found[0][0]}"] += 1
        sys.stdout.flush()
    print(total, kinds)


if __name__ == "__main__":
    import sys
    main(*sys.argv[1:])
