"""Stored runs of Quark's MATMUL_NBITS (testdata/quark/graphs/matmul_nbits.json.xz), replayed through the package with the key Compat:
nodes with their attributes, constants by name and value, outputs."""
import functools
import warnings
from collections import Counter

import golden_graphs
import graph_goldens
import numpy as np
import onnx
import pytest
from onnx import helper

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from golden_runs import ROOT, Goldens  # noqa: E402
from preon.quantization import api  # noqa: E402
from test_golden_package import quantize  # noqa: E402

GROUP, EQUAL, COUNT = "matmul_nbits", 36, 40
# (configurations, models, what differs, why); beside these the parts that defects.json names are left out
DELIBERATE = [
    ("*/DEFAULT;b8;*", "*", r"scales: ", "those there are for codes of 4 bits, in nodes of 8 that do not load"),
]


def described(node_type, domain, name, inputs, outputs, attributes):
    return node_type, domain, name, tuple(inputs), tuple(outputs), tuple(sorted((key, str(value)) for key, value in attributes.items()))


def stored_nodes(entry):
    return Counter(described(*node[:5], node[5] if len(node) > 5 else {}) for node in entry["nodes"] if node[0] == "MatMulNBits")


def written_nodes(model):
    return Counter(described(node.op_type, node.domain, node.name, node.input, node.output, {each.name: helper.get_attribute_value(each) for each in node.attribute})
                   for node in model.graph.node if node.op_type == "MatMulNBits")


def is_written(name, stored, source, written):
    # Zero points of HQQ are means, whose last bits depend on the order in which floats are added.
    if name in written and "_zero" in name and stored["t"] == "float":
        return np.allclose(written[name].ravel(), graph_goldens.stored_constant(stored, source).ravel(), rtol=1e-6, atol=1e-6)
    return name in written and graph_goldens.is_stored(stored, source, written[name])


def differences(entry, model, path, skip):
    ours, source = onnx.load(path), graph_goldens.constants(onnx.load(graph_goldens.GRAPHS / "models" / f"{model}.onnx"))
    if "structure" not in skip:
        if graph_goldens.stored_operators(entry) != graph_goldens.operators(ours):
            yield "structure: operators"
        if stored_nodes(entry) != written_nodes(ours):
            yield f"structure: {sorted((stored_nodes(entry) - written_nodes(ours)).items())}"
    written = graph_goldens.constants(ours)
    for name, stored in entry["init"].items():
        part = "scales" if name.endswith("_scales") else "codes"
        if part not in skip and ("_Q" in name or "_scales" in name or "_zero" in name) and not is_written(name, stored, source, written):
            yield f"{part}: {name}"
    if "y" not in skip:
        for output, values in graph_goldens.outputs(ours, graph_goldens.sample(model)).items():
            if not np.allclose(values.ravel(), graph_goldens.stored_floats(entry["y"][output]), rtol=1e-5, atol=1e-5):
                yield f"y: {output}"


def replay(folder):
    """[(model, configuration, differences)]"""
    goldens, out, found = Goldens(folder), folder / "out.onnx", []
    for model, config, entry in goldens.entries(GROUP):
        out.unlink(missing_ok=True)
        skip = golden_graphs.skipped_parts(goldens.defects, model, config)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                quantize(goldens.configs[config], graph_goldens.GRAPHS / "models" / f"{model}.onnx", out)
        except preon_package.PreonError as error:
            nothing = "[E2010]" in str(error) and not any(node[0] == "MatMulNBits" for node in entry.get("nodes", []))
            found.append((model, config, [] if "error" in entry or nothing else [f"error: {error}"]))
            continue
        if "error" in entry:
            found.append((model, config, [] if "error" in skip else ["error: there it is one"]))
        else:
            found.append((model, config, list(differences(entry, model, out, skip))))
    return found


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    run, api.quantize = api.quantize, functools.partial(api.quantize, latency=0)
    try:
        return replay(tmp_path_factory.mktemp("goldens"))
    finally:
        api.quantize = run


def test_all_are_equal_but_what_is_listed(replayed, record_property):
    equal = sum(not each for _, _, each in replayed)
    record_property("summary", f"golden graphs {GROUP}, through the Python package: {equal} of {len(replayed)} equal")
    assert (equal, len(replayed)) == (EQUAL, COUNT)
    assert f"| `{GROUP}` | {COUNT} | {EQUAL} |" in (ROOT / "docs/design/op-list-targets.md").read_text()
    surprises = [(model, config, each) for model, config, found in replayed for each in found
                 if not golden_graphs.rows_for(DELIBERATE, model, config, each.split(": ", 1))]
    assert not surprises
