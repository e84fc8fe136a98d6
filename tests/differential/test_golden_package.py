"""Stored runs of Quark and ONNX Runtime's quantizer (testdata/quark/graphs), replayed through the package's own entry points:
preset, fields and keys as they are stored, and the key Compat; for the runtime's quantizer, which has other ones, the options of
preon.quantize() that stand for its arguments. What is different is listed here or in test_golden_graphs.py, with the reason."""
import functools
import json
import warnings
from collections import Counter

import golden_errors
import golden_graphs
import golden_outputs
import graph_goldens
import numpy as np
import onnx
import pytest
import test_golden_graphs
from golden_configs import TYPES
from golden_runs import ROOT, Goldens

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ModelQuantizer, PowerOfTwoMethod, QConfig, QuantType  # noqa: E402
from preon.quantization import api  # noqa: E402

pytestmark = pytest.mark.thorough  # all goldens run first

ENUMERATIONS = {"calibrate_method": PowerOfTwoMethod, "activation_type": QuantType}
# (configurations, models, what differs, why): on top of those of test_golden_graphs.py, and as there
DELIBERATE = [
    ("XINT8", "layernorm_decomposed@13", r"codes: \('nve', 1\)", "codes of a constant whose position moves are rounded again; there they stay, for another value"),
    ("XINT8/Int32Bias=True XINT8/Int16Bias=True", "shared_weights", r"scales: \('c2', 2\)", "a bias that nodes share has the scale of one of them there; ours is cloned"),
    ("*ConvertSoftmaxToDPUVersion=True", "softmax_head", r"structure: ", "float operators with Casts, which every runtime has; there bfloat16's, which do not load on a CPU"),
    ("A8W8/ConvertNCHWToNHWC", "conv_relu_conv", r"structure: place \('y(_transpose)?', 'output'\)", "outputs of the model keep their names"),
    ("A8W8+cle", "gemm", r"scales by bits: ", "equalized weights: sums over channels in another order"),
    ("A8W8/NodesToExclude;regex", "attention residual_add", r"error: \[E1006\] exclude: no node of the model matches", "a pattern without a match is an error; there only where none of them matches"),
    ("S16S16_MIXED_S8S8", "maxpool", r"scales by halves: \('[py]', 0\)", "of tensors that share a scale the changed one's percentile there, the first one's here"),
    ("q:int32w", "conv_relu_conv", r"error: \[E5501\]", "weights of 32 bits behind com.microsoft's DequantizeLinear do not load, so that nothing is written"),
    ("ort:f8", "*", r"error: \[E1004\]", "--compat has integers alone: the scale there has nothing to do with the range"),
    ("ort:qop_u8s8", "gemm", r"structure: operators|codes: b2_quantized|y: ", "a Gemm with beta stays float between quantizers, where the integer operator loses it"),
    ("ort:qop_u8s8", "shared_weights", r"y: ", "a bias that nodes share has the scale of one of them there; ours is cloned"),
]
ALL = [*test_golden_graphs.DELIBERATE, *DELIBERATE]
OUTPUTS_ALONE = [row for row in DELIBERATE if row[2] == r"y: "]  # seen where the processor adds in 32 bits
# group -> (equal, all), where outputs of integer operators are compared
COUNTS = {"xint8": (483, 487), "a8w8": (628, 642), "int": (385, 392), "float": (510, 512), "qconfig": (296, 301), "ort": (430, 440)}
FAILED = 15          # of the equal ones: the tool has no result by a defect of its own, and ours has to have one
LEAST_SHARE = 0.97   # that is equal in each group
# group -> how many of the equal ones are run beside the stored graph; the others do not run on ONNX Runtime, have parts that are left
# out of the comparison, or constants of which only the digest is stored
RUN = {"xint8": 400, "a8w8": 510, "int": 275, "float": 400, "qconfig": 240, "ort": 340}
# group -> (how many of the equal ones have the stored outputs, of these in how many nothing is left to the processor): the others have
# parts that are left out, as their outputs differ on purpose, or no stored outputs
OUTPUTS = {"xint8": (409, 201), "a8w8": (533, 19), "int": (287, 46), "float": (468, 10), "qconfig": (270, 23), "ort": (387, 20)}


def configured(config):
    """What a script writes for a stored configuration."""
    if config["kind"] == "qconst":
        constant = getattr(preon_package, config["const"])
        return QConfig(constant.global_config, algo_config=constant.algo_config,
                       extra_options={**constant.extra_options, **config["opts"], "Compat": "quark"})
    if config["kind"] == "new":
        activation, weight = (getattr(preon_package, config[role])() for role in ("act", "wgt"))
        if config["pc"]:
            weight.set_quant_granularity(preon_package.QuantGranularity.Channel)
        return QConfig(preon_package.QLayerConfig(input_tensors=activation, weight=weight), extra_options={**config["opts"], "Compat": "quark"})
    older = QConfig.get_default_config(config["preset"])
    fields = older.global_quant_config
    fields.include_cle = config["cle"]
    for name, value in config["top"].items():
        setattr(fields, name, ENUMERATIONS[name][value] if name in ENUMERATIONS else value)
    fields.extra_options = {**fields.extra_options, **config["opts"], "Compat": "quark"}
    return older


def of_runtime(config):
    """Options of preon.quantize() for a stored configuration of ONNX Runtime's quantizer, one for each argument that the run gave it:

    quantize_static, quantize_dynamic   target; format where it is QOperator
    activation_type, weight_type        activation, weight
    per_channel                         per_tensor, the other way round: one scale per channel is the default here
    reduce_range, calibrate_method      reduce_range, method
    extra_options                       option
    quant_pre_process() first           the key OptimizeModel
    get_qdq_config()                    the two keys that this function's result has

    What else belongs to that tool follows from compat: its bins, its rules of scales, and that it rewrites nothing. always_write: no such run
    asks whether the result is worth having."""
    top = config["top"]
    keys = {**config["opts"], **({"QuantizeAllOpTypes": True, "ForceQuantizeNoInputCheck": True} if top.get("get_qdq_config") else {}),
            **({"OptimizeModel": True} if top.get("preprocess") else {})}
    options = {"compat": "onnxruntime", "weight": TYPES[config["wgt"]], "per_tensor": not top.get("per_channel"), "reduce_range": bool(top.get("reduce_range"))}
    if config["kind"] == "dynamic":
        return {**options, "target": "dynamic"}
    return {**options, "target": "ort", "activation": TYPES[config["act"]], "method": config["calib"].lower(), "always_write": True,
            "format": "qoperator" if config["fmt"] == "QOperator" else "qdq", "option": [(key, json.dumps(value)) for key, value in keys.items()]}


def quantize(config, model, out):
    if config["peer"] == "ort":
        preon_package.quantize(model, out, reader=Samples(model.stem), latency=0, **of_runtime(config))
    else:
        ModelQuantizer(configured(config)).quantize_model(model, out, Samples(model.stem))


class Samples:
    """A data reader of the stored calibration samples."""

    def __init__(self, model):
        stored = graph_goldens.arrays(model, "calib")
        count = len(next(iter(stored.values())))
        self.rows = iter([{name: value[index] for name, value in stored.items()} for index in range(count)])

    def get_next(self):
        return next(self.rows, None)


def compare_integer_operators(model, entry, written):
    """Differences as golden_graphs.compare() has them, of models without Q/DQ pairs: operators, constants by value, outputs."""
    ours, source = onnx.load(written), graph_goldens.constants(onnx.load(graph_goldens.GRAPHS / "models" / f"{model}.onnx"))
    wanted, got = graph_goldens.stored_operators(entry), graph_goldens.operators(ours)
    found = [] if wanted == got else [("structure", f"operators {sorted((wanted - got).items())} → {sorted((got - wanted).items())}")]
    written = graph_goldens.constants(ours)
    for constant, stored in entry["init"].items():
        if not any(graph_goldens.is_stored(stored, source, each) for each in written.values()):
            found.append(("scales" if constant.endswith("_scale") else "codes", constant))
    if graph_goldens.adds_in_32_bits():
        found += [("y", output) for output, values in graph_goldens.outputs(ours, graph_goldens.sample(model)).items()
                  if not np.array_equal(values.ravel(), graph_goldens.stored_floats(entry["y"][output]))]
    return found


def run(goldens, model, config, entry, out):
    """Differences as (part, text)."""
    skip, ours = golden_graphs.skipped_parts(goldens.defects, model, config), None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quantize(goldens.configs[config], graph_goldens.GRAPHS / "models" / f"{model}.onnx", out)
    except preon_package.PreonError as error:
        ours = str(error)
    if golden_errors.nothing_to_quantize(entry, ours):
        return []
    apart = golden_errors.difference(entry, skip, ours)
    if apart or "error" in entry:
        return [("error", apart)] if apart else []
    if goldens.configs[config].get("fmt") == "QOperator":
        return compare_integer_operators(model, entry, out)
    return goldens.compare(model, entry, out, skip)


def gives_the_same(goldens, model, config, entry, out):
    """Whether the written model and the stored graph, both run as they stand, have the same outputs bit for bit. None: can't be told."""
    if "nodes" not in entry or not out.exists() or golden_graphs.skipped_parts(goldens.defects, model, config):
        return None
    ours = onnx.load(out)
    try:
        stored = graph_goldens.stored_model(entry, graph_goldens.constants(onnx.load(graph_goldens.GRAPHS / "models" / f"{model}.onnx")), ours)
        wanted, got = (graph_goldens.outputs(each, graph_goldens.sample(model)) for each in (stored, ours))
    except (graph_goldens.NotStored, *graph_goldens.DOES_NOT_RUN):
        return None
    return [values.tobytes() for values in wanted.values()] == [values.tobytes() for values in got.values()]


def nearness_where_it_fails(goldens, model, config, entry, out):
    """(dB of signal over error of our outputs, dB that there have to be), where the tool has no result by a defect of its own, else None:
    as near as its own base configuration, less half a dB, or 25 dB where that has no outputs or wrong ones."""
    if "error" not in entry or not out.exists():
        return None
    base, path, sample = config.split("/")[0], graph_goldens.GRAPHS / "models" / f"{model}.onnx", graph_goldens.sample(model)
    wanted, got = (graph_goldens.outputs(onnx.load(each), sample) for each in (path, out))
    usual = next((stored[model][base] for stored in map(graph_goldens.runs, graph_goldens.groups()) if base in stored.get(model, {})), {})
    if "y" not in usual or "y" in golden_graphs.skipped_parts(goldens.defects, model, base):
        least = 25
    else:
        least = min(graph_goldens.sqnr_db(values.ravel(), graph_goldens.stored_floats(usual["y"][name])) for name, values in wanted.items()) - 0.5
    return min(graph_goldens.sqnr_db(values, got[name]) for name, values in wanted.items()), least


def gives_what_is_stored(goldens, model, config, entry, out):
    """How the outputs of the written model are to those of the tool itself (golden_outputs.compare()). None: there are none to compare."""
    if "y" not in entry or not out.exists() or golden_graphs.skipped_parts(goldens.defects, model, config):
        return None
    return golden_outputs.compare(model, entry, out), golden_outputs.is_determined(onnx.load(out))


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """group -> [(model, configuration, differences, of equal ones what gives_the_same(), gives_what_is_stored() and nearness_where_it_fails() say)]"""
    folder = tmp_path_factory.mktemp("goldens")
    goldens, out = Goldens(folder), folder / "out.onnx"
    quantize, api.quantize = api.quantize, functools.partial(api.quantize, latency=0)

    def replay(model, config, entry):
        out.unlink(missing_ok=True)
        found = run(goldens, model, config, entry, out)
        return model, config, found, *(None if found else each(goldens, model, config, entry, out) for each in (gives_the_same, gives_what_is_stored, nearness_where_it_fails))

    try:
        return {group: [replay(*golden) for golden in goldens.entries(group)] for group in COUNTS}
    finally:
        api.quantize = quantize


@pytest.fixture(scope="module")
def runs(replayed):
    """group -> [(model, configuration, differences)]"""
    return {group: [each[:3] for each in of] for group, of in replayed.items()}


@pytest.mark.parametrize("group", COUNTS)
def test_outputs_are_the_same_bit_for_bit(group, replayed, record_property):
    same = [each for each in replayed[group] if each[3] is not None]
    record_property("summary", f"golden graphs {group}: {len(same)} run beside the stored graph")
    assert not [each[:2] for each in same if not each[3]]
    assert len(same) >= RUN[group]


@pytest.mark.parametrize("group", COUNTS)
def test_outputs_are_the_stored_ones(group, replayed, record_property):
    """Bit for bit, but for what golden_outputs.py leaves to the processor."""
    compared = [(each[:2], *each[4]) for each in replayed[group] if each[4] is not None]
    near, determined = sum(how == "near" for _, how, _ in compared), sum(determined for _, _, determined in compared)
    record_property("summary", f"golden graphs {group}: outputs of {len(compared)} against the tool's own: {len(compared) - near} equal bit for bit, {near} near; "
                    f"nothing is left to the processor in {determined}")
    assert not [each for each in compared if each[1] not in ("equal", "near")]
    assert len(compared) >= OUTPUTS[group][0] and determined >= OUTPUTS[group][1]


def test_where_the_tool_fails_ours_is_near(replayed):
    failed = [(model, config, *near) for of in replayed.values() for model, config, _, _, _, near in of if near]
    assert len(failed) == FAILED
    assert not [each for each in failed if each[2] < each[3]]


@pytest.mark.parametrize("group", COUNTS)
def test_as_many_are_equal(group, runs, record_property):
    equal = sum(not found for _, _, found in runs[group])
    record_property("summary", f"golden graphs {group}, through the Python package: {equal} of {len(runs[group])} equal")
    not_compared = 0 if graph_goldens.adds_in_32_bits() else sum(row[0].startswith(f"{group}:") for row in OUTPUTS_ALONE)
    assert (equal - not_compared, len(runs[group])) == COUNTS[group]


def test_enough_are_equal():
    assert all(equal >= LEAST_SHARE * count for equal, count in COUNTS.values())


def test_the_page_has_these_counts():
    page = (ROOT / "docs/design/op-list-targets.md").read_text()
    for group, (equal, count) in COUNTS.items():
        assert f"| `{group}` | {count} | {equal} |" in page


def test_differences_are_listed(runs):
    surprises = [f"{model} {config}: {difference}" for group in runs.values() for model, config, found in group
                 for difference in found if not golden_graphs.rows_for(ALL, model, config, difference)]
    assert not surprises, (len(surprises), surprises[:20])


def test_every_row_is_needed(runs):
    used = {row for group in runs.values() for model, config, found in group for difference in found
            for row in golden_graphs.rows_for(DELIBERATE, model, config, difference)}
    unused = [row for index, row in enumerate(DELIBERATE) if index not in used]
    assert unused == ([] if graph_goldens.adds_in_32_bits() else OUTPUTS_ALONE)


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
