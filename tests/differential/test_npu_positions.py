"""Stored positions of Quark's XINT8 (testdata/quark/npu): models that reach one limit of an NPU's shifts each, before and after it moves
positions, and with single limits off. Replayed through the package's own entry points."""
import functools
import json
import lzma
import warnings

import data_root
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

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


def conv_model(weight, bias, relu):
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c" if relu else "y"], name="conv")]
    nodes += [helper.make_node("Relu", ["c"], ["y"], name="relu")] if relu else []
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 6, 6])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 4, 4])],
                              [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(bias, "b")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("size, bias, relu, least_db", [(1e-4, [100, -80, 60, -50], False, 90), (1e-5, [90, 70, 60, 110], True, 90),
                                                        (1e-3, [5, -4, 3, -2], False, 50)])
def test_a_bias_beside_small_weights_does_not_saturate(tmp_path, size, bias, relu, least_db):
    """Quark moves the scale of codes that stay, which leaves 6 dB. Here weights have fewer digits where the shift of the bias is too long."""
    random = np.random.default_rng(3)
    model = conv_model((size * random.normal(size=(4, 3, 3, 3))).astype(np.float32), np.array(bias, np.float32), relu)
    onnx.save(model, tmp_path / "model.onnx")
    rows = random.normal(size=(32, 1, 3, 6, 6)).astype(np.float32)
    reader = type("Rows", (), {"rows": iter([{"x": row} for row in rows[:16]]), "get_next": lambda self: next(self.rows, None)})()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ModelQuantizer(QConfig.get_default_config("XINT8")).quantize_model(tmp_path / "model.onnx", tmp_path / "out.onnx", reader)
    constants = {each.name: numpy_helper.to_array(each) for each in onnx.load(tmp_path / "out.onnx").graph.initializer}
    codes = next(value for name, value in constants.items() if name.startswith("b_quant"))
    assert np.abs(codes.astype(int)).max() < 127, codes
    wanted, got = (ort.InferenceSession(tmp_path / name) for name in ("model.onnx", "out.onnx"))
    errors = [np.concatenate([session.run(None, {"x": row})[0] for row in rows[16:]]) for session in (wanted, got)]
    assert 10 * np.log10(np.square(errors[0]).sum() / np.square(errors[0] - errors[1]).sum()) >= least_db
