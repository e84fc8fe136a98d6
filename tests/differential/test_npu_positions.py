"""Stored positions of Quark's XINT8 (testdata/quark/npu): models that reach one limit of an NPU's shifts each, before and after it moves
positions, and with single limits off. Replayed through the package's own entry points."""
import functools
import json
import lzma
import warnings

import data_root
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ModelQuantizer, QConfig  # noqa: E402
from preon.quantization import api  # noqa: E402

FOLDER = data_root.QUARK / "npu"
STORED = json.loads(lzma.decompress((FOLDER / "positions.json.xz").read_bytes()))
SAMPLES = np.load(FOLDER / "inputs.npz")
#: The stored runs had no other rewrites of the float graph.
PLAIN = {"SimplifyModel": False, "OptimizeModel": False, "Compat": "quark"}
QUANTIZERS = ("QuantizeLinear", "DequantizeLinear")


class Reader:
    def __init__(self, model):
        arrays = {key.split("/calib__")[1]: SAMPLES[key] for key in SAMPLES if key.startswith(f"{model}/calib__")}
        self.rows = iter([dict(zip(arrays, row)) for row in zip(*arrays.values())])

    def get_next(self):
        return next(self.rows, None)


def position(scale):
    found = -np.log2(float(scale))
    assert found == round(found), scale
    return int(found)


def positions_of(graph):
    """Node -> [operator, positions of its inputs, of its outputs]; None where there is no quantizer."""
    constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    producers = {output: node for node in graph.node for output in node.output}
    readers = {}
    for node in graph.node:
        for tensor in node.input:
            readers.setdefault(tensor, []).append(node)
    at = lambda node: position(constants[node.input[1]])
    found = {}
    for node in graph.node:
        if node.op_type in QUANTIZERS or node.op_type == "Constant":
            continue
        before = [producers.get(tensor) for tensor in node.input]
        behind = [next((reader for reader in readers.get(tensor, []) if reader.op_type == "QuantizeLinear"), None) for tensor in node.output]
        found[node.name] = [node.op_type, [at(each) if each is not None and each.op_type == "DequantizeLinear" else None for each in before],
                            [at(each) if each is not None else None for each in behind]]
    return found


@pytest.fixture(scope="module", autouse=True)
def without_latency():
    quantize, api.quantize = api.quantize, functools.partial(api.quantize, latency=0)
    yield
    api.quantize = quantize


def written(model, out, **keys):
    config = QConfig.get_default_config("XINT8")
    config.global_quant_config.include_cle = False
    config.global_quant_config.extra_options = {**config.global_quant_config.extra_options, **PLAIN, **keys}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ModelQuantizer(config).quantize_model(FOLDER / f"models/{model}.onnx", out, Reader(model))
    return positions_of(onnx.load(out).graph)


def compared(stored, ours):
    """What differs, of the nodes that both have: simulation may add products behind some."""
    return {name: (stored[name], ours.get(name)) for name in stored if ours.get(name) is None or not same(stored[name], ours[name])}


def same(stored, ours):
    """Inputs without a quantizer (shapes, pads) need not be written as inputs."""
    return stored[0] == ours[0] and [each for each in stored[1] if each is not None] == [each for each in ours[1] if each is not None] and stored[2] == ours[2]


@pytest.mark.parametrize("model", STORED)
def test_positions(model, tmp_path):
    entry, out = STORED[model], tmp_path / "out.onnx"
    different = {"raw": compared(entry["positions_raw"], written(model, out, SimulateDPU=False, NPULimitationCheck=False)),
                 "default": compared(entry["positions"], written(model, out))}
    for keys, positions in entry.get("positions_toggled", {}).items():
        different[keys] = compared(positions, written(model, out, **json.loads(keys)))
    assert not any(different.values()), different


def test_there_are_as_many_as_were_stored():
    assert len(STORED) == 46 and sum(len(entry.get("positions_toggled", {})) for entry in STORED.values()) == 37
