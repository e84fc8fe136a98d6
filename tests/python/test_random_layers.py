"""Random graphs with random configurations of layers, operator types, single tensors and exclusions: who is stronger counts, no
tensor has two quantizers, every reader gets the type it wants, what nobody wants codes of is read as it is, and the model runs."""
import json
import os
import pathlib
import random

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

from layer_rules import Rules
from random_graphs import IMAGE, GraphBuilder, random_configuration

onnxruntime = pytest.importorskip("onnxruntime", reason="the written models are run")
LIBRARY = pathlib.Path(os.environ.get("PREON_BUILD") or pathlib.Path(__file__).resolve().parents[2] / "build") / "lib/libpreon_ops.so"
SEEDS = range(int(os.environ.get("PREON_SEED", 0)), int(os.environ.get("PREON_SEED", 0)) + int(os.environ.get("PREON_SEEDS", 64)))
NAMES = {TensorProto.INT4: "Int4", TensorProto.INT8: "Int8", TensorProto.UINT8: "UInt8", TensorProto.INT16: "Int16", TensorProto.UINT16: "UInt16",
         TensorProto.INT32: "Int32", TensorProto.FLOAT16: "Float16", TensorProto.BFLOAT16: "BFloat16"}
BLOCKS = ("BFP16", "MX9")
QUANTIZERS = ("QuantizeLinear", "ExtendedQuantizeLinear", "BFPQuantizeDequantize", "MXQuantizeDequantize")


class Written:
    """A quantized model: which codes stand behind a tensor."""

    def __init__(self, model):
        self.model = model
        self.constants = {each.name: each for each in model.graph.initializer}
        self.writers = {output: node for node in model.graph.node for output in node.output}
        self.nodes = {node.name: node for node in model.graph.node}

    def type_of(self, node):
        """Of the codes that a quantizer or dequantizer has; None for other nodes."""
        if node is None or node.op_type.removeprefix("Extended") not in ("QuantizeLinear", "DequantizeLinear"):
            attributes = {each.name: onnx.helper.get_attribute_value(each) for each in (node.attribute if node is not None else [])}
            if node is None or node.op_type not in QUANTIZERS:
                return None
            if node.op_type == "MXQuantizeDequantize":
                return "MX" + attributes["element_dtype"].decode().upper().replace("_", "")
            return "BFP16" if attributes["bfp_method"] == b"to_bfp" else "MX9"
        return NAMES[self.constants[node.input[2]].data_type]

    def read(self, tensor):
        return self.type_of(self.writers.get(tensor))

    def scales(self, node):
        return numpy_helper.to_array(self.constants[node.input[1]])

    def granularity(self, tensor):
        shape = self.scales(self.writers[tensor]).shape
        return "Group" if len(shape) > 1 else "Channel" if len(shape) == 1 and shape[0] > 1 else "Tensor"

    def quantizers(self):
        """By the tensor that is quantized; graph outputs by their name."""
        found = {}
        for node in self.model.graph.node:
            if node.op_type in QUANTIZERS:
                found.setdefault(node.input[0].removesuffix("_QuantizeLinear_Input"), []).append(node)
        return found


def check_constant(rules, written, node, index, inside):
    got = written.read(inside)
    wanted = rules.weight(node, index)
    if node.name not in rules.markers:
        assert got is None
    elif wanted is not None:
        folded = wanted["quant_granularity"] == "Group" and wanted["data_type"] == "Int8"   # the runtime has no kernel for these codes
        assert got == wanted["data_type"] or folded and got is None
        if got is None:
            return
        if got.startswith("Int"):
            assert written.granularity(inside) == wanted["quant_granularity"]
            powers = np.log2(written.scales(written.writers[inside]))
            assert wanted["scale_type"] == "Float32" or (powers == np.round(powers)).all()


def check_inputs(rules, written, name):
    node = rules.nodes[name]
    for index, tensor in enumerate(node.input):
        inside = written.nodes[name].input[index] if index < len(written.nodes[name].input) else ""
        if tensor not in rules.floats(node):
            continue
        if tensor in rules.constants:
            check_constant(rules, written, node, index, inside)
        elif tensor not in rules.marked:
            assert written.read(inside) is None
        elif rules.quantized(node) and is_written(rules, written, tensor) and not is_removed(rules, tensor):
            assert written.read(inside) == (rules.read(node, tensor) or written.read(inside)), tensor


def check_quantizers(rules, written, config):
    every_node_left = all(name in written.nodes for name in rules.nodes)
    for tensor, nodes in written.quantizers().items():
        assert len(nodes) == 1 or written.read(tensor) in BLOCKS, f"{tensor} has two quantizers"   # blocks have no codes to decode twice
        override = rules.overrides.get(tensor, {})
        if "scale" in override:
            assert written.scales(nodes[0]) == override["scale"]
        if "rmin" in override and "PowerOf2" not in json.dumps(config):
            np.testing.assert_allclose(written.scales(nodes[0]) * 255, override["rmax"] - override["rmin"], rtol=1e-5)
        if tensor in rules.marked and every_node_left and (tensor not in rules.moved or override):
            assert written.type_of(nodes[0]) == rules.tensor(tensor), tensor


def is_written(rules, written, tensor):
    """False where another operator took over what wrote the tensor."""
    return tensor not in rules.writers or rules.writers[tensor].name in written.nodes


def is_removed(rules, tensor):
    """Between a kernel and the Relu that alone reads it there is no pair. (Equal ones become one.)"""
    writer, readers = rules.writers.get(tensor), rules.readers.get(tensor, [])
    kernel = writer is not None and writer.op_type in ("Conv", "ConvTranspose", "Gemm", "MatMul", "Add", "MaxPool")
    return kernel and readers and all(node.op_type == "Relu" for node in readers)


def run(model, seed):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(str(LIBRARY))
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(seed)
    feeds = {each.name: rng.normal(size=IMAGE).astype(np.float32) if each.name == "x" else np.array([5]) for each in session.get_inputs()}
    return session.run(None, feeds)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_layers(preon, seed):
    dice = random.Random(seed)
    model = GraphBuilder(dice).model()
    config = random_configuration(dice, model)
    rules = Rules(config, model)
    if not rules.markers:   # nothing is left to quantize
        config["exclude"] = []
        rules = Rules(config, model)
    rng = np.random.default_rng(seed)
    read = {name for node in model.graph.node for name in node.input}
    np.savez(preon.folder / "data.npz", **{name: values for name, values in (
        ("x", rng.normal(size=[4, *IMAGE[1:]]).astype(np.float32)), ("ids", np.arange(4))) if name in read})
    onnx.save(model, preon.folder / "model.onnx")
    (preon.folder / "c.json").write_text(json.dumps(config))
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "data.npz", "--config", "c.json")
    if not rules.markers:   # operators that move data, or follow, and none that asks for codes
        assert "E2010" in done.stderr
        return
    assert done.returncode == 0, (done.stderr, config)
    assert "its override has no effect" not in done.stderr or rules.overrides, done.stderr
    written = Written(onnx.load(preon.folder / "out.onnx"))
    check_quantizers(rules, written, config)
    for name in set(rules.nodes) & set(written.nodes):
        check_inputs(rules, written, name)
    for values in run(written.model, seed):
        assert np.isfinite(values).all()
