"""Stored runs of Quark's MATMUL_NBITS (testdata/quark/graphs/matmul_nbits.json.xz), replayed through the package with the key Compat:
nodes with their attributes, constants by name and value, outputs."""
import functools
import warnings
from collections import Counter
from fnmatch import fnmatch

import golden_errors
import golden_graphs
import graph_goldens
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from golden_runs import ROOT, Goldens  # noqa: E402
from preon.quantization import api  # noqa: E402
from test_golden_package import quantize  # noqa: E402
from test_matmul_nbits import matrices, runtimes  # noqa: E402

GROUP, EQUAL, COUNT = "matmul_nbits", 36, 40
# (configurations, models, what differs, why); of the parts that defects.json names what is left to compare is in whole_matrices() and in the tests below
DELIBERATE = [
    ("*/DEFAULT;b8;*", "*", r"scales: ", "those there are of codes of 4 bits, in nodes of 8 that do not load"),
]
NOTHING = 7        # models without a MatMul of constants
BY_ERRORS = 11     # results of GPTQ, of which nothing is compared but what they are made from and how near they come
BY_THE_RUNTIME = 4  # results of DEFAULT in 8 bits, which are the runtime's own


def described(node_type, domain, name, inputs, outputs, attributes):
    return node_type, domain, name, tuple(inputs), tuple(outputs), tuple(sorted((key, str(value)) for key, value in attributes.items()))


def stored_nodes(entry):
    return Counter(described(*node[:5], node[5] if len(node) > 5 else {}) for node in entry["nodes"] if node[0] == "MatMulNBits")


def written_nodes(model):
    return Counter(described(node.op_type, node.domain, node.name, node.input, node.output, {each.name: helper.get_attribute_value(each) for each in node.attribute})
                   for node in model.graph.node if node.op_type == "MatMulNBits")


def whole_matrices(nodes, config):
    """Nodes without what a defect touches: `nodes` as (type, domain, name, inputs, outputs, attributes), whose names say the bits here and 4 there."""
    for *_, name, inputs, outputs, attributes in nodes:
        values = dict(attributes)
        bits = config["opts"]["MatMulNBitsParams"]["Bits"]
        short = [text.replace(f"_Q{bits}", "_Q4") for text in (name, *inputs[:3], *outputs)]
        yield (*short, *(int(values[key]) for key in ("K", "N", "bits")))


def is_written(name, stored, source, written):
    # Zero points of HQQ are means, whose last bits depend on the order in which floats are added.
    if name in written and "_zero" in name and stored["t"] == "float":
        return np.allclose(written[name].ravel(), graph_goldens.stored_constant(stored, source).ravel(), rtol=1e-6, atol=1e-6)
    return name in written and graph_goldens.is_stored(stored, source, written[name])


def differences(entry, model, path, skip, config):
    ours, source = onnx.load(path), graph_goldens.constants(onnx.load(graph_goldens.GRAPHS / "models" / f"{model}.onnx"))
    if "structure" not in skip:
        if graph_goldens.stored_operators(entry) != graph_goldens.operators(ours):
            yield "structure: operators"
        if stored_nodes(entry) != written_nodes(ours):
            yield f"structure: {sorted((stored_nodes(entry) - written_nodes(ours)).items())}"
    else:
        theirs, here = (Counter(whole_matrices(nodes, config)) for nodes in (stored_nodes(entry), written_nodes(ours)))
        if graph_goldens.stored_operators(entry) != graph_goldens.operators(ours) or theirs != here:
            yield f"structure: {theirs - here} → {here - theirs}"
        asked = config["opts"]["MatMulNBitsParams"]
        wanted = {"block_size": str(asked["GroupSize"]), "accuracy_level": str(asked["AccuracyLevel"])}
        if any({key: dict(node[5]).get(key) for key in wanted} != wanted for node in written_nodes(ours)):
            yield f"structure: other blocks or sums than {wanted}"
    written = graph_goldens.constants(ours)
    for name, stored in entry["init"].items():
        part = "scales" if name.endswith("_scales") else "codes"
        if part not in skip and ("_Q" in name or "_scales" in name or "_zero" in name) and not is_written(name, stored, source, written):
            yield f"{part}: {name}"
    if "y" not in skip:
        for output, values in graph_goldens.outputs(ours, graph_goldens.sample(model)).items():
            if not np.allclose(values.ravel(), graph_goldens.stored_floats(entry["y"][output]), rtol=1e-5, atol=1e-5):
                yield f"y: {output}"


class Replayed:
    """One run: `found` are differences, `ours` the text of our error or None, `path` what was written."""

    def __init__(self, goldens, model, name, entry, folder):
        self.model, self.name, self.entry, self.config = model, name, entry, goldens.configs[name]
        self.path, self.folder = folder / f"{model}.{name.replace('/', '.')}.onnx", folder
        self.ours = self.quantized(self.config, self.path)
        self.nothing = golden_errors.nothing_to_quantize(entry, self.ours)
        skip = golden_graphs.skipped_parts(goldens.defects, model, name)
        apart = None if self.nothing else golden_errors.difference(entry, skip, self.ours)
        self.found = [f"error: {apart}"] if apart else [] if self.ours or "error" in entry else list(differences(entry, model, self.path, skip, self.config))

    def quantized(self, config, out):
        """The text of an error, or None."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                quantize(config, self.source(), out)
        except preon_package.PreonError as error:
            return str(error)
        return None

    def source(self):
        return graph_goldens.GRAPHS / "models" / f"{self.model}.onnx"

    def nearness(self, path, samples):
        """Signal over error of the model's outputs on samples, in dB."""
        float_model, model = onnx.load(self.source()), onnx.load(path)
        results = [[np.concatenate([values.ravel() for values in graph_goldens.outputs(each, feeds).values()]) for feeds in samples] for each in (float_model, model)]
        return graph_goldens.sqnr_db(*(np.concatenate(each) for each in results))


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    run, api.quantize = api.quantize, functools.partial(api.quantize, latency=0)
    folder = tmp_path_factory.mktemp("goldens")
    goldens = Goldens(folder)
    try:
        yield [Replayed(goldens, *each, folder) for each in goldens.entries(GROUP)]
    finally:
        api.quantize = run


def of(replayed, pattern):
    return [run for run in replayed if fnmatch(run.name, pattern) and run.path.exists()]


def test_all_are_equal_but_what_is_listed(replayed, record_property):
    equal = sum(not run.found for run in replayed)
    record_property("summary", f"golden graphs {GROUP}, through the Python package: {equal} of {len(replayed)} equal")
    assert (equal, len(replayed)) == (EQUAL, COUNT)
    assert f"| `{GROUP}` | {COUNT} | {EQUAL} |" in (ROOT / "docs/design/op-list-targets.md").read_text()
    surprises = [(run.model, run.name, each) for run in replayed for each in run.found
                 if not golden_graphs.rows_for(DELIBERATE, run.model, run.name, each.split(": ", 1))]
    assert not surprises
    assert sum(run.nothing for run in replayed) == NOTHING


def test_every_row_is_needed(replayed):
    used = {row for run in replayed for each in run.found for row in golden_graphs.rows_for(DELIBERATE, run.model, run.name, each.split(": ", 1))}
    assert used == set(range(len(DELIBERATE)))


def test_what_is_written_runs_and_is_as_near_as_there(replayed):
    """As it stands and as the runtime optimizes it; stored figures have one digit behind the point."""
    written = of(replayed, "*")
    assert len(written) + NOTHING + sum(run.ours is not None and not run.nothing for run in replayed) == COUNT
    for run in written:
        sample = graph_goldens.sample(run.model)
        stored, ours = run.entry.get("sqnr_db", {"y": -np.inf}), run.nearness(run.path, [sample])
        assert ours >= stored["y"] - 0.05, (run.model, run.name)
        optimized = graph_goldens.outputs(onnx.load(run.path), sample, optimized=True)["y"]
        assert graph_goldens.sqnr_db(graph_goldens.outputs(onnx.load(run.source()), sample)["y"], optimized) >= ours - 1, (run.model, run.name)


def test_gptq_is_nearer_than_the_nearest_codes(replayed, tmp_path):
    """On the samples that it was made from, with the same bits, blocks and zero points."""
    runs = of(replayed, "*/GPTQ;*")
    assert len(runs) == BY_ERRORS
    for run in runs:
        options = run.config["opts"]["MatMulNBitsParams"]
        nearest = {**run.config, "opts": {**run.config["opts"], "MatMulNBitsParams": {**options, "Algorithm": "DEFAULT"}}}
        assert run.quantized(nearest, tmp_path / "nearest.onnx") is None
        stored = graph_goldens.arrays(run.model, "calib")
        samples = [dict(zip(stored, values)) for values in zip(*stored.values())]
        assert run.nearness(run.path, samples) > run.nearness(tmp_path / "nearest.onnx", samples), (run.model, run.name)


def test_codes_of_8_bits_are_the_runtimes_own(replayed):
    """Stored are the runtime's codes of 4 bits, with their scales, in nodes that say 8."""
    runs = of(replayed, "*/DEFAULT;b8;*")
    assert len(runs) == BY_THE_RUNTIME
    for run in runs:
        assert "does not match attribute-derived shape" in run.entry["run_error"]
        theirs = {name: graph_goldens.stored_constant(value, {}) for name, value in run.entry["init"].items() if name.endswith("_scales")}
        for matrix, codes, scales, zero_points, bits, block in matrices(onnx.load(run.source()), onnx.load(run.path)):
            wanted = runtimes(matrix, bits, block, symmetric=True)
            assert bits == 8 and zero_points is None and np.array_equal(codes, wanted[0]) and np.array_equal(scales, wanted[1])
            assert any(np.array_equal(runtimes(matrix, 4, block, symmetric=True)[1], stored.ravel()) for stored in theirs.values())


def test_the_runtime_has_no_8_bits_with_zero_points_of_hqq():
    """Why zero points of HQQ are integers in 8 bits."""
    constants = [numpy_helper.from_array(np.zeros((8, 1, 32), np.uint8), "codes"), *(numpy_helper.from_array(np.ones(8, np.float32), name) for name in ("scales", "zero_points"))]
    node = helper.make_node("MatMulNBits", ["x", "codes", "scales", "zero_points"], ["y"], domain="com.microsoft", K=32, N=8, bits=8, block_size=32)
    values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, size]) for name, size in (("x", 32), ("y", 8))]
    graph = helper.make_graph([node], "hqq", values[:1], values[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    with pytest.raises(graph_goldens.DOES_NOT_RUN, match="Only 2b and 4b"):
        graph_goldens.outputs(model, {"x": np.ones((1, 32), np.float32)})
